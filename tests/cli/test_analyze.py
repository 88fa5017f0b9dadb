"""`mbplugin analyze`: tables, one JSON document, blocks of messages.txt, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from child import command

ROOT = Path(__file__).parents[2]
CRANK = ROOT / "scenes" / "piston_crank_kinematics" / "scene.toml"
ROD = """
[scene]
gravity = [0, 0, -9.81]
[[body]]
name = "rod"
mass = 1.0
inertia = [0.01, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "pivot"
type = "revolute"
a = "ground"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
"""


def test_every_analysis_prints_a_table_or_one_document_and_writes_its_block(tmp_path):
    (tmp_path / "scene.toml").write_text(ROD)
    (tmp_path / "driven.toml").write_text(
        ROD + '[[motion]]\njoint = "pivot"\nangle = "sin(time)"\n[solver]\nend = 1\n[output]\nframes = 4\n'
    )
    blocks = []
    for what in ("position", "velocity", "acceleration", "static", "eigen", "kinematic", "inverse"):
        scene = "driven.toml" if what in ("kinematic", "inverse") else "scene.toml"
        done = command("analyze", scene, what, "--json", "-o", "out", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert isinstance(json.loads(done.stdout), dict)
        for_people = command("analyze", scene, what, cwd=tmp_path).stdout
        assert for_people and "{" not in for_people
        blocks.append(f"== {what} analysis ==")
    text = (tmp_path / "out" / "messages.txt").read_text()
    assert [line for line in text.splitlines() if line.startswith("== ")] == blocks
    command("analyze", "scene.toml", "position", "-o", "out", cwd=tmp_path)
    again = (tmp_path / "out" / "messages.txt").read_text()
    assert sorted(again.splitlines()) == sorted(text.splitlines())


def test_nothing_is_written_without_a_folder(tmp_path):
    (tmp_path / "scene.toml").write_text(ROD)
    assert command("analyze", "scene.toml", "static", cwd=tmp_path).returncode == 0
    assert [p.name for p in tmp_path.iterdir()] == ["scene.toml"]


def test_a_kinematic_result_opens_like_a_run(tmp_path):
    assert (
        command("analyze", str(CRANK), "kinematic", "-o", "out", "--positions", "20", cwd=tmp_path).returncode
        == 0
    )
    told = json.loads(command("info", "out", "--json", cwd=tmp_path).stdout)
    assert told["frames"] == 20
    assert (tmp_path / "out" / "result.pvd").exists()


@pytest.mark.parametrize(
    ("names", "change", "code", "said"),
    [
        (["statics"], None, 2, 'did you mean "static"?'),
        (["thermal"], None, 2, "is not provided: bodies have no temperature; there are position, velocity"),
        (["kinematic"], None, 2, "1 freedom is left without a motion; drive pivot.angle"),
        (["inverse"], None, 2, "asks what the motions exert"),
        (
            ["static", "--positions", "5"],
            None,
            2,
            "--positions = 5: is an option of kinematic, inverse, not of static",
        ),
        (["static", "--load-steps", "0"], None, 2, "must be at least 1"),
        (["eigen", "--about", "noon"], None, 2, 'must be "static"'),
        (["eigen", "--frame", "world"], None, 2, "needs --about motion"),
        (["eigen", "--about", "motion", "--frame", "north"], None, 2, 'must be "turning"'),
        (["position", "--modes", "3"], None, 2, "needs eigen"),
        (
            ["kinematic", "--positions", "1"],
            '[[motion]]\njoint = "pivot"\nangle = "time"\n',
            2,
            "--positions",
        ),
        (["kinematic", "--end", "-1"], '[[motion]]\njoint = "pivot"\nangle = "time"\n', 2, "--end"),
        (
            ["kinematic"],
            '[[motion]]\njoint = "pivot"\nangle = "log(1 - time)"\n[solver]\nend = 2\n',
            3,
            "log(1 - time)",
        ),
        (["eigen"], '[[motion]]\njoint = "pivot"\nangle = "time"\n', 3, "no freedom"),
    ],
)
def test_what_cannot_be_analysed_is_said_in_a_line(tmp_path, names, change, code, said):
    (tmp_path / "scene.toml").write_text(ROD + (change or ""))
    done = command("analyze", "scene.toml", *names, cwd=tmp_path)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_lock_is_physics(tmp_path):
    done = command("analyze", str(CRANK), "kinematic", "--set", "far=-0.0150", cwd=tmp_path)
    assert done.returncode == 3 and "cannot be closed" in done.stderr and "Traceback" not in done.stderr
