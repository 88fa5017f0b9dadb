"""Every analysis tells its own counts, begins with all rows again, and says it in words that a stored text
keeps.
"""

from __future__ import annotations

from scene_text import motion
import json
from pathlib import Path

import numpy as np
import pytest
from child import command

import mbplugin as mb
from mbplugin.analysis.redundancy.redundancy_report import sets_of_rows
from mbplugin.run.loop import run_system
from mbplugin.run.prepare import prepare

ROOT = Path(__file__).parents[2]
DOOR = (ROOT / "scenes" / "door_and_handle" / "scene.toml").read_text()
GOLDEN = Path(__file__).parent / "golden" / "door_and_handle.txt"


def started(start: str) -> str:
    """Both hinges of the door with this start."""
    text = DOOR
    for name in ("hinge_top", "hinge_low"):
        text = text.replace(f'name = "{name}"', f'name = "{name}"\nstart = {{ {start} }}')
    return text


def golden() -> list[str]:
    return [line for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]


def test_the_report_of_the_door_is_the_text_that_is_kept():
    """The counts are those of Ansys Motion's theory manual, the dependencies and shares are derived in the
    heading of the file.
    """
    done = command("analyze", "scenes/door_and_handle", "redundancy", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == golden()


@pytest.mark.parametrize("what", ["position", "velocity", "acceleration", "static", "eigen"])
def test_every_analysis_of_the_door_tells_the_published_counts(what):
    system = mb.System.from_text(DOOR)
    report = system.analyze(what)
    counts = report.document()["redundancy"]
    assert [counts[key] for key in ("nq", "nc", "rank", "mobility", "redundancy", "gruebler")] == [
        12,
        16,
        11,
        1,
        5,
        -4,
    ]
    text = "\n".join(report.whole())
    assert (
        f"{what} analysis at t = 0 s" in text
        and "hinge_low (revolute): translation along z is already held by hinge_top: translation along z"
        in text
    )
    assert "nq - nc = -4: it takes every row for independent; 5 are not, and -4 + 5 = 1" in text
    assert ("as shared    if the redundant rows carried nothing" in text) == (
        what not in ("position", "velocity")
    )


@pytest.mark.parametrize("what", ["kinematic", "inverse"])
def test_driven_analyses_count_the_motion(what):
    text = DOOR + motion("hinge_top", angle="0.3*time")
    report = mb.System.from_text(text).analyze(what, positions=3)
    assert (report.counted.nc, report.counted.rank, report.counted.mobility, report.counted.redundancy) == (
        17,
        12,
        0,
        5,
    )
    assert f"{what} analysis at t = 0 s" in "\n".join(report.whole())


def test_the_balance_and_not_the_start_is_what_static_analysis_counts():
    """A plate that hangs on three links: its dependency is told at the position in balance, upright, where
    the links hold y alone and turning.
    """
    report = mb.System.from_file(ROOT / "scenes" / "three_link_plate").analyze("static")
    assert (report.counted.nc, report.counted.rank) == (3, 2)
    (row,) = report.counted.redundant
    assert {t.held.owner: t.coefficient for t in row.terms} == pytest.approx(
        {"link_A": -1.0, "link_B": 2.0}, abs=1e-7
    )
    # rows count by their length 1/m + x²/I: min Σ (1/3 + x²) λ² with Σ λ = W and Σ x λ = 0 has W/6, 2W/3, W/6
    assert report.reactions[:, 1] == pytest.approx(np.array([1, 4, 1]) / 6 * 3 * 9.81, abs=1e-7)


def test_rows_that_are_redundant_in_position_are_back_in_velocity(registry):
    """Two starts of one axis: an angle counts where positions are found, a speed where velocities are;
    neither holds the motion.
    """
    angles, both = (
        prepare(mb.System.from_text(started(start)), registry)
        for start in ("angle_deg = 0", "angle_deg = 0, speed = 0.5")
    )
    counts = lambda p: {
        name: (one.nc, one.rank, one.redundancy)
        for names, one in sets_of_rows(p.problem, p.system)
        for name in names
    }
    assert counts(angles) == {"position": (18, 12, 6), "velocity": (16, 11, 5), "acceleration": (16, 11, 5)}
    assert counts(both) == {"position": (18, 12, 6), "velocity": (18, 12, 6), "acceleration": (16, 11, 5)}
    # and again: nothing of an analysis is left for the next
    assert counts(both) == counts(both)


def test_the_second_of_two_starts_is_the_redundant_one():
    system = mb.System.from_text(started("angle_deg = 0, speed = 0.5"))
    row = system.analyze("position").counted.redundant[-1]
    assert (str(row.held), str(row.terms[0].held)) == (
        "hinge_low start: start of angle",
        "hinge_top start: start of angle",
    )
    given = {g.name: g for g in system.analyze("velocity").given}['joint "hinge_low" start.speed']
    assert (given.redundant, given.conflicts, given.used, given.by) == (
        True,
        False,
        pytest.approx(0.5),
        ('joint "hinge_top" start.speed',),
    )


def test_messages_say_which_set_of_rows_a_run_goes_by(tmp_path, registry):
    run_system(mb.System.from_text(started("angle_deg = 0")), tmp_path, registry, end=0.01)
    said = (tmp_path / "messages.txt").read_text()
    assert (
        "[info] position analysis: 18 constraint rows, rank 12, 0 degrees of freedom, 6 redundant rows"
        in said
    )
    assert (
        "[info] velocity and acceleration analysis: 16 constraint rows, rank 11, 1 degrees of freedom, 5 redundant rows"
        in said
    )
    assert (
        "[info] A run goes by the rows of the acceleration analysis, which it counts itself at its start: what a `start` gives holds only until"
        in said
    )


def test_a_run_without_redundancy_tells_its_counts_too(tmp_path, registry):
    run_system(mb.System.from_file(ROOT / "scenes" / "double_pendulum"), tmp_path, registry, end=0.01)
    said = (tmp_path / "messages.txt").read_text()
    assert (
        "Gruebler's count               nq - nc = 2\n" in said
        and "No row is redundant; every reaction is determined." in said
    )


def test_the_analysis_as_a_document_and_as_a_block_of_messages(tmp_path):
    done = command(
        "analyze",
        "scenes/door_and_handle",
        "redundancy",
        "--repairs",
        "--json",
        "-o",
        str(tmp_path),
        cwd=ROOT,
    )
    found = json.loads(done.stdout)
    assert (
        found["sets"][0]["analyses"] == ["position", "velocity", "acceleration"]
        and found["sets"][0]["redundancy"] == 5
    )
    assert found["repairs"][0]["joint"] == "hinge_low" and found["singular"] is None
    block = (tmp_path / "messages.txt").read_text().splitlines()
    assert block[0] == "== redundancy analysis ==" and block[1 : len(golden()) + 1] == golden()


def test_an_analysis_of_rows_needs_no_masses():
    text = "".join(
        line + "\n"
        for line in DOOR.splitlines()
        if not line.startswith(("mass =", "inertia =", "[parameters]"))
    )
    report = mb.System.from_text(text).analyze("redundancy")
    assert report.motion.redundancy == 5 and report.lam is None


def test_joints_that_a_law_holds_are_named_and_not_counted():
    report = mb.System.from_file(ROOT / "scenes" / "door_with_penalty_hinge").analyze("redundancy")
    assert (report.motion.redundancy, report.motion.elastic) == (0, ["hinge_low", "hinge_top"])
    assert "held elastically               hinge_low, hinge_top: their rows are not counted" in "\n".join(
        report.lines()
    )
