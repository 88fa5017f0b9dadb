"""Every analysis counts its own set of rows; the text of a report is compared with a stored one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from child import ROOT, inside
from scene_text import SCENES, bundled, motion, with_keys
from snapshots import same_report

import mbplugin as mb
from mbplugin.analysis.redundancy.redundancy_report import sets_of_rows
from mbplugin.run.loop import run_system
from mbplugin.run.prepare import prepare

DOOR = bundled("door_and_handle")


def with_starts(**start: float) -> mb.System:
    """The door with this `start` on both hinges."""
    return mb.System.from_text(with_keys(DOOR, "hinge_top", "hinge_low", start=start))


def test_the_report_of_the_door():
    """Counts: Ansys Motion, theory manual, door and handle: 2 bodies with 6 degrees of freedom each, two
    hinges with 5 rows each, a fixed joint with 6 rows; rank 11.

    Dependencies by hand: the hinges are 1.6 m apart along z,
    u_low = u_top + w x (0, 0, -1.6) = u_top + (-1.6 w_y, 1.6 w_x, 0).

    Forces along z: 20.5 kg x 9.81 m/s2 x cos 0.1 = 200.1 N, by symmetry half of it on each hinge; all of it
    on the upper one if the lower one carries nothing.
    """
    done = inside("analyze", "scenes/door_and_handle", "redundancy", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    same_report("analyze_redundancy", done.stdout)


@pytest.mark.parametrize("what", ["position", "velocity", "acceleration", "static", "eigen"])
def test_every_analysis_of_the_door_has_the_published_counts(what):
    system = mb.System.from_text(DOOR)
    report = system.analyze(what)
    counts = report.document()["redundancy"]
    keys = ("nq", "nc", "rank", "mobility", "redundancy", "gruebler")
    assert [counts[key] for key in keys] == [12, 16, 11, 1, 5, -4]
    shared = [reaction for reaction in counts["reactions"] if reaction["state"] == "shared"]
    assert {reaction["joint"] for reaction in shared} == {"hinge_top", "hinge_low"}
    with_values = [reaction for reaction in shared if reaction.get("value") is not None]
    assert with_values == ([] if what in ("position", "velocity") else shared)


@pytest.mark.parametrize("what", ["kinematic", "inverse"])
def test_driven_analyses_count_the_motion(what):
    text = DOOR + motion("hinge_top", angle="0.3*time")
    report = mb.System.from_text(text).analyze(what, positions=3)
    counts = report.counted
    assert (counts.nc, counts.rank, counts.mobility, counts.redundancy) == (17, 12, 0, 5)


def test_static_analysis_counts_at_the_equilibrium_and_not_at_the_start():
    """A plate on three links: in equilibrium the links are vertical and constrain y and the rotation."""
    report = mb.System.from_file(SCENES / "three_link_plate").analyze("static")
    assert (report.counted.nc, report.counted.rank) == (3, 2)
    (row,) = report.counted.redundant
    assert {t.held.owner: t.coefficient for t in row.terms} == pytest.approx(
        {"link_A": -1.0, "link_B": 2.0}, abs=1e-7
    )
    # rows count by their length 1/m + x²/I: min Σ (1/3 + x²) λ² with Σ λ = W and Σ x λ = 0 has W/6, 2W/3, W/6
    assert report.reactions[:, 1] == pytest.approx(np.array([1, 4, 1]) / 6 * 3 * 9.81, abs=1e-7)


def test_rows_that_are_redundant_in_position_are_back_in_velocity(registry):
    """Two starts of one axis: angles are rows of the position analysis, speeds of the velocity analysis."""
    angles, both = (
        prepare(with_starts(**start), registry)
        for start in ({"angle_deg": 0}, {"angle_deg": 0, "speed": 0.5})
    )
    counts = lambda p: {
        name: (report.nc, report.rank, report.redundancy)
        for names, report in sets_of_rows(p.problem, p.system)
        for name in names
    }
    assert counts(angles) == {"position": (18, 12, 6), "velocity": (16, 11, 5), "acceleration": (16, 11, 5)}
    assert counts(both) == {"position": (18, 12, 6), "velocity": (18, 12, 6), "acceleration": (16, 11, 5)}
    # again: no analysis affects the next
    assert counts(both) == counts(both)


def test_the_second_of_two_starts_is_the_redundant_one():
    system = with_starts(angle_deg=0, speed=0.5)
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


def test_messages_name_the_set_of_rows_that_a_run_uses(tmp_path, registry):
    run_system(with_starts(angle_deg=0), tmp_path, registry, end=0.01)
    messages = (tmp_path / "messages.txt").read_text()
    same_report("messages_with_starts", messages)


def test_a_run_without_redundancy_reports_its_counts_too(tmp_path, registry):
    run_system(mb.System.from_file(SCENES / "double_pendulum"), tmp_path, registry, end=0.01)
    messages = (tmp_path / "messages.txt").read_text()
    same_report("messages_without_redundancy", messages)


def test_the_analysis_as_a_document_and_as_a_block_of_messages(tmp_path):
    line = f"analyze scenes/door_and_handle redundancy --repairs --json -o {tmp_path}"
    done = inside(*line.split(), cwd=ROOT)
    document = json.loads(done.stdout)
    (counts,) = document["sets"]
    assert counts["analyses"] == ["position", "velocity", "acceleration"] and counts["redundancy"] == 5
    assert document["repairs"][0]["joint"] == "hinge_low" and document["singular"] is None
    lines = mb.System.from_text(DOOR).analyze("redundancy").lines()
    block = (tmp_path / "messages.txt").read_text().splitlines()
    assert block[0] == "== redundancy analysis ==" and block[1 : len(lines) + 1] == lines


def test_redundancy_analysis_needs_no_masses():
    text = "".join(
        line + "\n"
        for line in DOOR.splitlines()
        if not line.startswith(("mass =", "inertia =", "[parameters]"))
    )
    report = mb.System.from_text(text).analyze("redundancy")
    assert report.motion.redundancy == 5 and report.lam is None


def test_elastic_joints_are_named_and_not_counted():
    report = mb.System.from_file(SCENES / "door_with_penalty_hinge").analyze("redundancy")
    assert (report.motion.redundancy, report.motion.elastic) == (0, ["hinge_low", "hinge_top"])
