"""`mbplugin analyze`: tables, one JSON document, blocks of messages.txt, exit codes."""

from __future__ import annotations

import json

import pytest
from child import command, inside
from refusals import error_of
from scene_text import SCENES, motion, solver, table
from small_systems import SWING

from mbplugin.errors import PhysicsError, SceneError

CRANK = str(SCENES / "piston_crank_kinematics" / "scene.toml")
DRIVEN = motion("pivot", angle="time")


def test_every_analysis_prints_a_table_or_one_document_and_writes_its_block(tmp_path):
    (tmp_path / "scene.toml").write_text(SWING)
    driven = motion("pivot", angle="sin(time)") + solver(end=1) + table("output", frames=4)
    (tmp_path / "driven.toml").write_text(SWING + driven)
    blocks = []
    for what in ("position", "velocity", "acceleration", "static", "eigen", "kinematic", "inverse"):
        scene = "driven.toml" if what in ("kinematic", "inverse") else "scene.toml"
        done = inside("analyze", scene, what, "--json", "-o", "out", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert isinstance(json.loads(done.stdout), dict)
        for_people = inside("analyze", scene, what, cwd=tmp_path).stdout
        assert for_people and "{" not in for_people
        blocks.append(f"== {what} analysis ==")
    text = (tmp_path / "out" / "messages.txt").read_text()
    assert [line for line in text.splitlines() if line.startswith("== ")] == blocks
    inside("analyze", "scene.toml", "position", "-o", "out", cwd=tmp_path)
    again = (tmp_path / "out" / "messages.txt").read_text()
    assert sorted(again.splitlines()) == sorted(text.splitlines())


def test_nothing_is_written_without_a_folder(tmp_path):
    (tmp_path / "scene.toml").write_text(SWING)
    assert inside("analyze", "scene.toml", "static", cwd=tmp_path).returncode == 0
    assert [p.name for p in tmp_path.iterdir()] == ["scene.toml"]


def test_a_kinematic_result_opens_like_a_run(tmp_path):
    done = command("analyze", CRANK, "kinematic", "-o", "out", "--positions", "20", cwd=tmp_path)
    assert done.returncode == 0
    told = json.loads(command("info", "out", "--json", cwd=tmp_path).stdout)
    assert told["frames"] == 20
    assert (tmp_path / "out" / "result.pvd").exists()


@pytest.mark.parametrize(
    ("line", "more", "key"),
    [
        ("statics", "", "analyze"),
        ("thermal", "", "analyze"),
        ("kinematic", "", "motion"),
        ("inverse", "", "motion"),
        ("eigen --positions 5", "", "--positions"),
        ("static --load-steps 0", "", "--load-steps"),
        ("eigen --about noon", "", "--about"),
        ("eigen --frame world", "", "--frame"),
        ("eigen --about motion --frame north", "", "--frame"),
        ("position --modes 3", "", "--modes"),
        ("kinematic --positions 0", DRIVEN, "--positions"),
        ("kinematic --end -1", DRIVEN, "--end"),
    ],
)
def test_an_analysis_that_is_not_possible_is_refused_in_one_line(tmp_path, line, more, key):
    (tmp_path / "scene.toml").write_text(SWING + more)
    error = error_of(inside("analyze", "scene.toml", *line.split(), "--json", cwd=tmp_path), SceneError)
    assert error["key"] == key


@pytest.mark.parametrize(
    ("line", "more", "names"),
    [
        (
            "kinematic",
            motion("pivot", angle="log(1 - time)") + solver(end=2),
            ["motion[0].angle", "log(1 - time)"],
        ),
        ("eigen", DRIVEN, []),
    ],
)
def test_an_analysis_that_finds_nothing_exits_with_3(tmp_path, line, more, names):
    (tmp_path / "scene.toml").write_text(SWING + more)
    error_of(inside("analyze", "scene.toml", line, "--json", cwd=tmp_path), PhysicsError, *names)


def test_a_locked_mechanism_exits_with_3(tmp_path):
    words = ("analyze", CRANK, "kinematic", "--set", "far=-0.0150", "--json")
    error_of(inside(*words, cwd=tmp_path), PhysicsError)
