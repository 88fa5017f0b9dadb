"""Contradictory constraints stop with exit code 3; the error names the joints and the consistent values."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scene_text import body, bundled, changed, joint, motion, with_keys

import mbplugin as mb
from mbplugin.errors import PhysicsError

DOOR = bundled("door_and_handle")


def checked(text: str):
    return mb.System.from_text(text).check()


def error_of(text: str) -> str:
    """The error of a check of this scene."""
    with pytest.raises(PhysicsError) as caught:
        checked(text)
    assert caught.value.exit_code == 3
    return str(caught.value)


def driven(top: str, low: str) -> str:
    """The door with a motion of each hinge."""
    return DOOR + motion("hinge_top", angle=top) + motion("hinge_low", angle=low)


def test_a_hinge_that_is_one_centimetre_too_low_is_named_with_its_residual():
    """The lower hinge's point on the door is 1 cm below that on the frame."""
    text = with_keys(DOOR, "door", marker=[{"name": "low", "position": [-0.4, 0, -0.81]}])
    text = changed(text, 'b = "door"\nat = [0, 0, 0.2]', 'b = "door.low"\nat = [0, 0, 0.2]')
    assert (
        "hinge_low (revolute): translation along z is already constrained by hinge_top "
        "(translation along z), but the residual is -0.01 m instead of 0"
    ) in error_of(text)


def test_two_motors_on_one_axis_must_turn_alike():
    assert checked(driven("0.3*time", "0.3*time")).redundancy == 6
    text = error_of(driven("0.3*time", "0.5*time"))
    assert "contradict each other at velocity level" in text
    assert (
        "hinge_low motion: motion of angle is already constrained by hinge_top motion (motion of angle), "
        "but it prescribes 0.5 rad/s; the consistent value is 0.3 rad/s"
    ) in text
    assert text.endswith("a motion of a coordinate that is driven already can be removed.")


def test_motors_that_diverge_later_are_found_at_the_start():
    text = error_of(driven("0.3*time", "0.3*time + 0.5*time**2"))
    assert "contradict each other at acceleration level" in text
    assert "prescribes 1.0 rad/s²; the consistent value is 0.0 rad/s²" in text


def test_two_starts_of_one_axis_that_differ():
    """Starts are rows of the position analysis only: a redundant start is no redundant row of the motion."""
    assert checked(with_keys(DOOR, "hinge_top", "hinge_low", start={"angle_deg": 5})).redundancy == 5
    text = with_keys(DOOR, "hinge_top", start={"angle_deg": 6})
    said = "but it prescribes 0.0872664625997165 rad; the consistent value is 0.10471975511966 rad"
    assert said in error_of(with_keys(text, "hinge_low", start={"angle_deg": 5}))


def test_the_error_for_a_link_that_is_too_long_has_the_consistent_length():
    """A parallelogram's third link is as long as the others, 1 m."""
    assert (
        "link_C (rod): distance is already constrained by link_A (distance) and link_B (distance) together, "
        "but its length is 1.001 m; the consistent value is 1.0 m"
    ) in error_of(with_keys(bundled("three_link_plate"), "link_C", length=1.001))


def test_the_consistent_speed_in_the_message_can_be_used():
    """Crank A at 12 rad/s; B and C have the same velocity along BC: v_B·BC = ω_D (z × DC)·BC. Motions are
    named before joints.
    """
    text = changed(bundled("four_bar_hinges"), "start = { speed = 12.0 }", "")
    driven = lambda speed: text + motion("A", angle_velocity=12.0) + motion("D", angle_velocity=speed)
    said = error_of(driven(5.0))
    assert "D motion: motion of angle is already constrained by A motion, " in said
    agrees = re.search(r"prescribes 5.0 rad/s; the consistent value is (\S+) rad/s", said).group(1)
    B, C, D = np.array([0, 0.5]), np.array([1.093461926484556, 0.9943086235629347]), np.array([1.2, 0])
    turned = lambda r: np.array([-r[1], r[0]])
    assert float(agrees) == pytest.approx(12.0 * turned(B) @ (C - B) / (turned(C - D) @ (C - B)), rel=1e-13)
    # the velocities are consistent; two constant speeds are not, a moment later
    assert "contradict each other at acceleration level" in error_of(driven(agrees))


def test_rates_of_parts_with_mass_centres_far_away_are_those_of_the_linkage():
    """A slider-crank of 0.1 m with mass centres 45 m away, as of parts in millimetres."""
    crank, rod = [0.023, 0, 0.019], [0.111, 0, 0]
    text = body("crank", mass=0.1, inertia=[1e-4] * 3, center_of_mass=[15, 0, 2])
    text += body("rod", mass=0.1, inertia=[1e-4] * 3, position=crank, center_of_mass=[45, 0, 1])
    text += body("piston", mass=0.1, inertia=[1e-5] * 3, position=rod)
    for name, a, b, at in (("main", "ground", "crank", [0, 0, 0]), ("big_end", "crank", "rod", crank)):
        text += joint(name, "revolute", a, b, at=at, axis=[0, 1, 0])
    text += joint("small_end", "revolute", "rod", "piston", at=rod, axis=[0, 1, 0])
    text += joint("guide", "translational", "ground", "piston", at=rod, axis=[1, 0, 0])
    driven = mb.System.from_text(text + motion("main", angle="20*time"))
    piston = driven.analyze("velocity").velocity[2]
    # v = ω e_y × r at both pins; the rod turns so that the piston does not rise
    across = 20 * crank[0] / (rod[0] - crank[0])
    assert piston[0] == pytest.approx(20 * crank[2] + across * crank[2], rel=1e-8)
