"""What is meant to be in line and is a little out of line: it locks a motion, and the report says which
joint, by how much, and what the reactions do.
"""

from __future__ import annotations

from scene_text import motion
from pathlib import Path

import numpy as np
import pytest
from small import hanging_chain, system

import mbplugin as mb
from mbplugin.analysis.redundancy.near_redundancy import loose_rank

SCENES = Path(__file__).parents[2] / "scenes"
DOOR = (SCENES / "door_and_handle" / "scene.toml").read_text()
PLATE = (SCENES / "three_link_plate" / "scene.toml").read_text()
LOW = "at = [0, 0, 0.2]"


@pytest.mark.parametrize(("off", "names"), [(1e-3, "0.001 m"), (1e-7, "1e-07 m")])
def test_a_hinge_that_is_off_the_other_axis_locks_the_door_and_is_named(off, names):
    """u_low = u_top + ω × (e, 0, −1.6): its y is that of the upper hinge and 1.6 ω_x, but for e ω_z."""
    found = mb.System.from_text(DOOR.replace(LOW, f"at = [{off}, 0, 0.2]")).check()
    assert (found.mobility, found.redundancy, found.locked) == (0, 4, True)
    (near,) = found.nearly
    assert str(near.held) == "hinge_low: translation along y"
    assert {str(t.held): t.coefficient for t in near.terms} == pytest.approx(
        {"hinge_top: translation along y": 1.0, "hinge_top: rotation about x": 1.6}, rel=1e-2
    )
    text = str(found)
    assert "nq - rank = 0: nothing can move" in text
    assert (
        f"hinge_low is {names} off the axis of hinge_top; if they should be in line, move it to [0, 0, 0.2] (world), or the other."
        in text
    )
    assert (
        "Without it the mobility would be 1: it locks a motion" in text
        and "nothing can move with them or without them" in text
    )


def test_the_page_shows_what_is_printed():
    page = (SCENES.parent / "docs" / "redundancy.md").read_text().split("## Nearly redundant")[1]
    block = page.split("```\n")[1]
    assert block.startswith("1 of the independent rows") and block in str(
        mb.System.from_text(DOOR.replace(LOW, "at = [0.001, 0, 0.2]")).check()
    )


def test_the_singular_value_is_proportional_to_how_far_out_of_line():
    values = [
        mb.System.from_text(DOOR.replace(LOW, f"at = [{off}, 0, 0.2]")).check().nearly[0].singular
        for off in (1e-3, 1e-5, 1e-7)
    ]
    assert np.array(values[:-1]) / values[1:] == pytest.approx(100.0, rel=1e-3)


def test_the_reactions_grow_as_one_over_what_is_out_of_line():
    """Nothing moves, so the loads have no moment about the upper hinge's axis: e F_y = m g sin 0.1 × arm, of
    door and handle.
    """
    weighs = 9.81 * np.sin(0.1) * (20 * 0.4 + 0.5 * 0.7)
    for off in (1e-3, 1e-2):
        report = mb.System.from_text(DOOR.replace(LOW, f"at = [{off}, 0, 0.2]")).analyze("acceleration")
        assert report.reactions[1, 1] * off == pytest.approx(weighs, rel=1e-6)


def test_a_hinge_that_is_tilted_is_told_with_its_angle():
    found = mb.System.from_text(
        DOOR.replace(LOW + "\naxis = [0, 0, 1]", LOW + '\naxis = ["sin(0.001)", 0, "cos(0.001)"]')
    ).check()
    (near,) = found.nearly
    assert found.mobility == 0
    assert near.out == (
        "hinge_low is 0.001 rad out of parallel with hinge_top; if they should be parallel, turn it along [0, 0, 1] (world), or the other",
    )


def test_a_skewed_link_of_a_plate_is_nearly_redundant():
    """Its ground end is 1 mm aside, the link is (0.799, −0.6): the angle to (0.8, −0.6) by the tangent. No
    row is redundant, and nothing can move.
    """
    found = mb.System.from_text(PLATE.replace("at = [1, 0]", "at = [1.001, 0]")).check()
    assert (found.mobility, found.redundancy, found.locked) == (0, 0, True)
    angle = np.arctan2(0.6, 0.799) - np.arctan2(0.6, 0.8)
    there = "if they should be parallel, turn it along [0.8, -0.6, 0] (world), or the other."
    assert f"link_C is {angle:.4g} rad out of parallel with link_A and link_B; {there}" in str(found)


@pytest.mark.parametrize(
    "name",
    ["door_and_handle", "four_bar_hinges", "four_bar_point_line", "three_link_plate", "double_pendulum"],
)
def test_what_is_in_line_is_not_nearly_redundant(name):
    found = mb.System.from_file(SCENES / name).check()
    assert (
        found.nearly == [] and "nearly redundant" not in str(found) and "nothing can move" not in str(found)
    )


def test_unequal_masses_are_no_geometry():
    """A handle of a microgram beside a door of 20 kg: the condition number is large, and nothing is out of
    line.
    """
    found = mb.System.from_text(
        DOOR.replace(
            "mass = 0.5\ninertia = [1e-4, 1e-3, 1e-3]", "mass = 1e-9\ninertia = [1e-13, 1e-12, 1e-12]"
        )
    ).check()
    assert found.nearly == [] and found.mobility == 1


def test_a_driven_mechanism_is_not_called_locked():
    found = mb.System.from_text(DOOR + motion("hinge_top", angle="0.3*time")).check()
    assert (found.mobility, found.locked) == (0, False) and "nothing can move" not in str(found)


def test_a_long_chain_is_soft_and_nothing_is_out_of_line():
    """The least singular value of n rods in line is about π / (2 n) of the largest, as for any string of
    equal springs; those above it fall as slowly.
    """
    chain = hanging_chain(140, 4.0, 3.999)
    found = system(chain).check()
    assert found.nc == 282 and found.nearly == []
    slowly = 1.0 / np.arange(1, 400)
    assert loose_rank(slowly) == (399, 0.0)
    assert loose_rank(np.array([1.0, 0.5, 1e-4, 1e-12])) == (2, pytest.approx(1e-4))
