"""Misaligned joints lock a motion; the report names the joint, the misalignment and the consequence."""

from __future__ import annotations

import numpy as np
import pytest
from child import ROOT
from refusals import has
from scene_text import SCENES, bundled, changed, motion
from small import LOW, hanging_chain, misaligned_door, system
from snapshots import same_report

import mbplugin as mb
from mbplugin.analysis.redundancy.near_redundancy import loose_rank

DOOR = bundled("door_and_handle")


@pytest.mark.parametrize(("off", "distance"), [(1e-3, "0.001 m"), (1e-7, "1e-07 m")])
def test_a_hinge_off_the_other_axis_locks_the_door_and_is_named(off, distance):
    """u_low = u_top + ω × (e, 0, −1.6): along y that of the upper hinge plus 1.6 ω_x, up to e ω_z."""
    report = misaligned_door(off).check()
    assert (report.mobility, report.redundancy, report.locked) == (0, 4, True)
    (near,) = report.nearly
    assert str(near.held) == "hinge_low: translation along y"
    assert {str(t.held): t.coefficient for t in near.terms} == pytest.approx(
        {"hinge_top: translation along y": 1.0, "hinge_top: rotation about x": 1.6}, rel=1e-2
    )
    text = str(report)
    assert has(text, distance, "[0, 0, 0.2]")
    if off == 1e-3:
        same_report("check_misaligned", text)


def test_the_page_shows_the_printed_report():
    page = (ROOT / "docs" / "redundancy.md").read_text().split("## Nearly redundant")[1]
    block = page.split("```\n")[1]
    assert block in str(misaligned_door(0.001).check())


def test_the_singular_value_is_proportional_to_the_misalignment():
    values = [misaligned_door(off).check().nearly[0].singular_value for off in (1e-3, 1e-5, 1e-7)]
    assert np.array(values[:-1]) / values[1:] == pytest.approx(100.0, rel=1e-3)


def test_the_reaction_grows_as_one_over_the_misalignment():
    """Moment balance about the upper hinge's axis: e F_y = m g sin 0.1 × arm, of door and handle."""
    moment = 9.81 * np.sin(0.1) * (20 * 0.4 + 0.5 * 0.7)
    for off in (1e-3, 1e-2):
        report = misaligned_door(off).analyze("acceleration")
        assert report.reactions[1, 1] * off == pytest.approx(moment, rel=1e-6)


def test_a_tilted_hinge_is_reported_with_its_angle():
    tilted = 'axis = ["sin(0.001)", 0, "cos(0.001)"]'
    report = system(changed(DOOR, f"{LOW}\naxis = [0, 0, 1]", f"{LOW}\n{tilted}")).check()
    (near,) = report.nearly
    assert report.mobility == 0
    assert near.misalignments == (
        "hinge_low is 0.001 rad from parallel to hinge_top; to make them parallel, "
        "align hinge_low with [0, 0, 1] (world axes), or align the others with it",
    )


def test_a_skewed_link_of_a_plate_is_nearly_redundant():
    """Its ground end is 1 mm off: the link is (0.799, −0.6) instead of (0.8, −0.6), and nothing can move."""
    report = system(changed(bundled("three_link_plate"), "at = [1, 0]", "at = [1.001, 0]")).check()
    assert (report.mobility, report.redundancy, report.locked) == (0, 0, True)
    angle = np.arctan2(0.6, 0.799) - np.arctan2(0.6, 0.8)
    assert has(str(report), f"link_C is {angle:.4g} rad", "[0.8, -0.6, 0]")


@pytest.mark.parametrize(
    "name",
    ["door_and_handle", "four_bar_hinges", "four_bar_point_line", "three_link_plate", "double_pendulum"],
)
def test_aligned_joints_are_not_nearly_redundant(name):
    report = mb.System.from_file(SCENES / name).check()
    assert report.nearly == [] and not report.locked


def test_unequal_masses_are_no_misalignment():
    """A handle of a microgram on a door of 20 kg: only the condition number is large."""
    handle = "mass = 0.5\ninertia = [1e-4, 1e-3, 1e-3]"
    report = system(changed(DOOR, handle, "mass = 1e-9\ninertia = [1e-13, 1e-12, 1e-12]")).check()
    assert report.nearly == [] and report.mobility == 1


def test_a_driven_mechanism_is_not_called_locked():
    report = system(DOOR + motion("hinge_top", angle="0.3*time")).check()
    assert (report.mobility, report.locked) == (0, False) and "nothing can move" not in str(report)


def test_a_long_chain_is_soft_but_not_misaligned():
    """The smallest singular value of n rods in line is about π / (2 n) of the largest, with no gap above."""
    chain = hanging_chain(140, 4.0, 3.999)
    report = system(chain).check()
    assert report.nc == 282 and report.nearly == []
    without_gap = 1.0 / np.arange(1, 400)
    assert loose_rank(without_gap) == (399, 0.0)
    assert loose_rank(np.array([1.0, 0.5, 1e-4, 1e-12])) == (2, pytest.approx(1e-4))
