"""Constraints in symbols: numbers put into the printed equations are the residuals of the engine."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from child import inside
from scene_text import SCENES, body, joint, table, world

import mbplugin as mb
from mbplugin.analysis.explain.in_symbols import equations
from mbplugin.analysis.initial_state.placeholder_masses import with_masses
from mbplugin.api import plugins
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import Bodies

AXLE = {"name": "axle", "orientation": {"axis": [1, 0, 0], "angle_deg": 90}}


def value(latex, numbers):
    """The number of a formula over coordinates of planar bodies."""
    text = re.sub(r"\\(cos|sin) (\\theta_\{\w+\})", r"\1(\2)", latex)
    text = re.sub(r"\\(cos|sin) ", r"\1", text.replace(r"\left(", "(").replace(r"\right)", ")"))
    text = text.replace(r"\mathrm{atan2}", "atan2").replace(r"\, ", "*")
    text = re.sub(r"\\?(theta|x|y)_\{(\w+)\}", r"\1_\2", text)
    return eval(text, {"cos": math.cos, "sin": math.sin, "atan2": math.atan2, **numbers})


@pytest.mark.parametrize("scene", ["piston_crank_kinematics", "andrews_squeezer", "quick_return"])
def test_the_numbers_of_a_planar_model_are_its_residuals(scene):
    registry = plugins()[0]
    system = with_masses(mb.System.from_file(SCENES / scene))
    problem = prepare(system, registry).problem
    motions = {f"{m.joint}.{m.coordinate}": "0.0" for m in system.motions}
    random = np.random.default_rng(4)
    q = problem.q + 0.3 * random.normal(size=len(problem.q))
    numbers = {}
    for i, record in enumerate(problem[Bodies].index):
        first, name = int(record.first_q), problem.names.body(i)
        numbers |= dict(zip((f"x_{name}", f"y_{name}", f"theta_{name}"), q[first : first + 3]))
    found = equations(problem, registry, motions)
    phi = problem.residuals(0.0, q, np.zeros(problem.nv))[0]
    labels = [f"{row.owner}: {row.label}" for row in problem.names.rows]
    compared = [e for e in found if not e.row.endswith("motion")]
    assert len(compared) >= 8
    for equation in compared:
        assert value(equation.latex, numbers) == pytest.approx(
            phi[labels.index(equation.row)], abs=5e-6
        )  # six digits are printed


def test_the_page_of_the_piston_crank_has_what_the_command_prints():
    scene = SCENES / "piston_crank_kinematics"
    done = inside("explain", str(scene), "--equations", cwd=Path.cwd())
    assert done.returncode == 0
    lines = done.stdout.strip().splitlines()
    assert len(lines) == 15 and lines[12].endswith("θ_crank - θ_bearing - rate*time = 0")
    assert done.stdout.strip() in (scene / "README.md").read_text()


def test_a_spatial_model_has_vectors():
    done = inside("explain", str(SCENES / "piston_crank"), "--equations", cwd=Path.cwd())
    assert re.search("crank_pin: Spherical +r_rod - r_crank = 0", done.stdout)
    assert "x_ground · (r_piston - r_ground) = 0" in done.stdout


def test_kinds_with_a_function_of_their_own_and_by_hand_are_not_left_out(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(
        world(marker=[{"name": "floor"}])
        + body("disc", mass=1, inertia=[1, 1, 2], position=[0, 0, 0.4], marker=[AXLE])
        + joint("rolls", "rolling_disc", "ground.floor", "disc.axle", radius=0.4)
        + table("joint", name="hangs", type="rope", a="ground", b="disc", length=1.0)
    )
    done = inside("explain", str(scene), "--equations", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in done.stdout.strip().splitlines())
    assert lines["rolls: height"].startswith("z_ground.floor · (r_disc.axle - r_ground.floor)")
    assert lines["hangs: length of the rope"] == "Φ_hangs = 0"
    assert "((1) / (|z_disc.axle × z_ground.floor|) z_disc.axle" in lines["rolls: rolling"]
    assert len(lines) == 4
