"""Contradictory constraints stop with exit code 3; the error names the joints and the consistent values."""

from __future__ import annotations

import re

import numpy as np
import pytest
from refusals import stopped
from scene_text import NO_GRAVITY, body, bundled, changed, joint, motion, pin, with_keys

import mbplugin as mb
from mbplugin.errors import PhysicsError

DOOR = bundled("door_and_handle")


def checked(text: str):
    return mb.System.from_text(text).check()


def contradicts(text: str, *names: str) -> str:
    """The error of a check of this scene, which has these names and values."""
    with stopped(PhysicsError, *names) as caught:
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
    contradicts(text, "hinge_low", "hinge_top", "-0.01 m")


def test_two_motors_on_one_axis_must_turn_alike():
    assert checked(driven("0.3*time", "0.3*time")).redundancy == 6
    contradicts(driven("0.3*time", "0.5*time"), "hinge_low", "hinge_top", "0.5 rad/s", "0.3 rad/s")


def test_motors_that_diverge_later_are_found_at_the_start():
    contradicts(driven("0.3*time", "0.3*time + 0.5*time**2"), "1.0 rad/s²", "0.0 rad/s²")


def test_two_starts_of_one_axis_that_differ():
    """Starts are rows of the position analysis only: a redundant start is no redundant row of the motion."""
    assert checked(with_keys(DOOR, "hinge_top", "hinge_low", start={"angle_deg": 5})).redundancy == 5
    text = with_keys(DOOR, "hinge_top", start={"angle_deg": 6})
    values = [f"{np.radians(angle):.15g} rad" for angle in (5, 6)]
    contradicts(with_keys(text, "hinge_low", start={"angle_deg": 5}), *values)


def test_the_error_for_a_link_that_is_too_long_has_the_consistent_length():
    """A parallelogram's third link is as long as the others, 1 m."""
    text = with_keys(bundled("three_link_plate"), "link_C", length=1.001)
    contradicts(text, "link_C", "link_A", "link_B", "1.001 m", "1.0 m")


def test_the_consistent_speed_in_the_message_can_be_used():
    """Crank A at 12 rad/s; B and C have the same velocity along BC: v_B·BC = ω_D (z × DC)·BC. Motions are
    named before joints.
    """
    text = changed(bundled("four_bar_hinges"), "start = { speed = 12.0 }", "")
    driven = lambda speed: text + motion("A", angle_velocity=12.0) + motion("D", angle_velocity=speed)
    said = contradicts(driven(5.0), "D motion", "A motion", "5.0 rad/s")
    agrees = re.search(r" (\S+) rad/s", said.partition("5.0 rad/s")[2])[1]
    B, C, D = np.array([0, 0.5]), np.array([1.093461926484556, 0.9943086235629347]), np.array([1.2, 0])
    turned = lambda r: np.array([-r[1], r[0]])
    assert float(agrees) == pytest.approx(12.0 * turned(B) @ (C - B) / (turned(C - D) @ (C - B)), rel=1e-13)
    # the velocities are consistent; two constant speeds are not, a moment later
    contradicts(driven(agrees), "D motion", "A motion", "rad/s²")


def stretched_crank(**start) -> str:
    """A crank of 1 m and a rod of 2 m in line, at the dead point of the slider that they move."""
    bar = lambda name, x: body(name, type="planar", mass=1, inertia=0.1, position=[x, 0])
    text = NO_GRAVITY + bar("crank", 0.5) + bar("rod", 2.0) + bar("slider", 3.0)
    text += pin("main", "ground", "crank", 0.0, start=start or None) + pin("mid", "crank", "rod", 1.0)
    text += pin("end", "rod", "slider", 3.0)
    return text + joint("guide", "translational", "ground", "slider", at=[3, 0], axis=[1, 0])


def test_a_start_is_at_fault_where_it_holds_a_crank_at_a_dead_point():
    """The crank turns by 0.57 rad where the slider is at −0.3 m; at the dead point nothing moves it."""
    said = contradicts(
        stretched_crank(angle=0.0) + motion("guide", length=-0.3), "main start", "guide motion"
    )
    assert "Correct or remove main start:" in said
    said = contradicts(stretched_crank() + motion("guide", length=-0.3), "guide motion")
    assert "Correct or remove the positions as written:" in said


def test_a_start_is_at_fault_whose_speed_a_motion_does_not_admit_a_moment_later():
    """At the dead point ẍ = −ω² (r + r²/l) = −1.5 m/s² of the slider for 1 rad/s of the crank."""
    crank = stretched_crank(speed=1.0)
    said = contradicts(crank + motion("guide", length=0.0), "main start", "guide motion", "-1.5 m/s²")
    assert "Correct or remove main start:" in said
    # the motion itself is at fault where no speed is given
    said = contradicts(
        stretched_crank() + motion("guide", length_acceleration=-1.5), "guide motion", "0.0 m/s²"
    )
    assert "Correct or remove guide motion:" in said
    # at this position the crank is free; what the motion does with it comes a moment later
    assert checked(crank + motion("guide", length="-0.75*time**2")).mobility == 1


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
