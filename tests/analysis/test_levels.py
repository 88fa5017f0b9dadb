"""Compilation assigns a level to every row; `check` and messages.txt report it."""

from __future__ import annotations

import json

import numpy as np
from child import inside
from scene_text import body, hinge, joint, motion, solver, table, world

from mbplugin.analysis.rank import levels


def scene(**driven) -> str:
    """A disc that rolls, an arm on a driven hinge, a block that an actuator accelerates on a guide."""
    flywheel = {"mass": 1, "inertia": [0.1, 0.1, 0.2]}
    return (
        world(marker=[{"name": "floor"}])
        + body(
            "disc",
            **flywheel,
            position=[0, 0, 0.5],
            orientation={"z": [0, 1, 0], "x": [1, 0, 0]},
            marker=[{"name": "centre"}],
        )
        + body("arm", **flywheel, position=[3, 0, 0])
        + body("block", **flywheel, position=[5, 0, 0], marker=[{"name": "m"}])
        + joint("rolls", "rolling_disc", "ground.floor", "disc.centre", radius=0.5)
        + hinge("hinge", "ground", "arm", at=[3, 0, 0])
        + joint("guide", "translational", "ground", "block", at=[5, 0, 0], axis=[0, 0, 1])
        + joint("ram", "actuator", "ground.floor", "block.m", acceleration="sin(time)", start={"speed": 0})
        + motion("hinge", **driven)
        + solver(end=0.1)
        + table("output", frames=2, series=False)
    )


def test_each_row_has_the_level_at_which_it_is_given(runs):
    for driven, level in (
        ({"angle": "time"}, "position"),
        ({"angle_velocity": "1"}, "velocity"),
        ({"angle_acceleration": 0}, "acceleration"),
    ):
        problem = runs.prepare(scene(**driven)).problem
        level_of = {(owner, label): at for owner, label, at in levels.level_of_rows(problem)}
        assert level_of["hinge motion", "motion of angle"] == level
        assert level_of["rolls", "rolling"] == level_of["rolls", "side slip"] == "velocity"
        assert level_of["rolls", "height"] == "position"
        assert level_of["ram motion", "motion of length"] == "acceleration"
        assert sum(at == "position" for at in level_of.values()) == 1 + 5 + 5 + (level == "position")
        # the engine uses the same levels: Φ at position level alone, G v + Φₜ at velocity level too
        t, q, v = 0.0, problem.q, np.ones(problem.nv)
        phi, rate = problem.residuals(t, q + 0.01, v)
        for r, row in enumerate(problem.names.rows):
            at = level_of.get((row.owner, row.label))
            if at is not None:
                assert at == "position" or phi[r] == 0.0
                assert at != "acceleration" or rate[r] == 0.0


def test_check_and_messages_report_the_levels(tmp_path):
    (tmp_path / "scene.toml").write_text(scene(angle="time"))
    lines = [
        "12 constraint rows at position level, including hinge (motion of angle)",
        "2 constraint rows at velocity level: rolls (rolling, side slip)",
        "1 constraint row at acceleration level: ram (motion of length)",
    ]
    done = inside("check", "scene.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(f"\n{line}\n" in done.stdout for line in lines), done.stdout
    rows = json.loads(inside("check", "scene.toml", "--json", cwd=tmp_path).stdout)["levels"]
    assert {"owner": "ram motion", "row": "motion of length", "level": "acceleration"} in rows
    assert len(rows) == 15
    assert inside("run", "scene.toml", "-o", "out", cwd=tmp_path).returncode == 0
    messages = (tmp_path / "out" / "messages.txt").read_text()
    assert all(f"[info] {line}\n" in messages for line in lines), messages
