"""What commands print for people: one snapshot each. Their numbers are asserted elsewhere, by `--json`."""

from __future__ import annotations

import pytest
from child import ROOT, command, inside
from snapshots import same_report

#: processor time and versions
HIDDEN = r"[\d.e-]+ s (?=in )|[\d.]+ ms|mbplugin [\d.]+|(?<= )\d+\.\d+\.\d+\w*(?= )"
DOOR, CRANK = "scenes/door_and_handle", "scenes/piston_crank"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("check", f"check {DOOR}"),
        ("check_steps", f"check {DOOR} --steps --repairs"),
        ("analyze_position", f"analyze {DOOR} position"),
        ("analyze_velocity", f"analyze {DOOR} velocity"),
        ("analyze_acceleration", f"analyze {DOOR} acceleration"),
        ("analyze_static", f"analyze {DOOR} static"),
        ("analyze_eigen", f"analyze {DOOR} eigen"),
        ("analyze_kinematic", "analyze scenes/piston_crank_kinematics kinematic --positions 3"),
        ("plugins", "plugins"),
    ],
)
def test_a_report(name, words):
    done = inside(*words.split(), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    same_report(name, done.stdout, hide=HIDDEN)


def test_the_reports_of_a_run(tmp_path):
    done = command("run", str(ROOT / DOOR), "-o", "out", "--end", "0.1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    same_report("run", done.stdout, hide=HIDDEN)
    same_report("messages", (tmp_path / "out" / "messages.txt").read_text())
    same_report("info", command("info", "out", cwd=tmp_path).stdout, hide=HIDDEN)


def test_the_equations_of_two_bodies(tmp_path):
    done = inside("explain", str(ROOT / "scenes" / "two_bodies_one_pin"), "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    same_report("explain", (tmp_path / "out" / "equations.md").read_text())
