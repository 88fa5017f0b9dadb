"""Contradictory constraints stop with exit code 3; the error names the joints and the consistent values."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scene_text import motion

import mbplugin as mb
from mbplugin.errors import PhysicsError

SCENES = Path(__file__).parents[2] / "scenes"
DOOR = (SCENES / "door_and_handle" / "scene.toml").read_text()
MARKED = 'marker = [{ name = "low", position = [-0.4, 0, -0.81] }]\nshape = ['


def driven(*expressions: str) -> str:
    return DOOR + "".join(
        f'[[motion]]\njoint = "{joint}"\n{expression}\n'
        for joint, expression in zip(("hinge_top", "hinge_low"), expressions)
    )


def test_a_hinge_that_is_one_centimetre_too_low_is_named_with_its_residual():
    """The lower hinge's point on the door is 1 cm below that on the frame."""
    text = DOOR.replace("shape = [", MARKED, 1).replace(
        'b = "door"\nat = [0, 0, 0.2]', 'b = "door.low"\nat = [0, 0, 0.2]'
    )
    with pytest.raises(PhysicsError) as caught:
        mb.System.from_text(text).check()
    assert caught.value.exit_code == 3
    assert (
        "hinge_low (revolute): translation along z is already constrained by hinge_top (translation along z), "
        "but the residual is -0.01 m instead of 0"
    ) in str(caught.value)


def test_two_motors_on_one_axis_must_turn_alike():
    assert mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.3*time"')).check().redundancy == 6
    with pytest.raises(PhysicsError) as caught:
        mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.5*time"')).check()
    text = str(caught.value)
    assert "contradict each other at velocity level" in text
    assert (
        "hinge_low motion: motion of angle is already constrained by hinge_top motion (motion of angle), "
        "but it prescribes 0.5 rad/s; the consistent value is 0.3 rad/s"
    ) in text
    assert text.endswith("a motion of a coordinate that is driven already can be removed.")


def test_motors_that_diverge_after_the_start_are_found_at_the_start():
    with pytest.raises(PhysicsError) as caught:
        mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.3*time + 0.5*time**2"')).check()
    assert "contradict each other at acceleration level" in str(caught.value)
    assert "prescribes 1.0 rad/s²; the consistent value is 0.0 rad/s²" in str(caught.value)


def test_two_starts_of_one_axis_that_differ():
    """Starts are rows of the position analysis only: a redundant start is no redundant row of the motion."""
    both = DOOR
    for name in ("hinge_top", "hinge_low"):
        both = both.replace(f'name = "{name}"', f'name = "{name}"\nstart = {{ angle_deg = 5 }}')
    assert mb.System.from_text(both).check().redundancy == 5
    with pytest.raises(PhysicsError) as caught:
        mb.System.from_text(both.replace("angle_deg = 5", "angle_deg = 6", 1)).check()
    assert "but it prescribes 0.0872664625997165 rad; the consistent value is 0.10471975511966 rad" in str(
        caught.value
    )


def test_the_error_for_a_link_that_is_too_long_has_the_consistent_length():
    """A parallelogram's third link is as long as the others, 1 m."""
    text = (
        (SCENES / "three_link_plate" / "scene.toml")
        .read_text()
        .replace('b = "plate.C"\n', 'b = "plate.C"\nlength = 1.001\n')
    )
    with pytest.raises(PhysicsError) as caught:
        mb.System.from_text(text).check()
    assert (
        "link_C (rod): distance is already constrained by link_A (distance) and link_B (distance) together, "
        "but its length is 1.001 m; the consistent value is 1.0 m"
    ) in str(caught.value)


def test_the_consistent_speed_in_the_message_can_be_used():
    """Crank A at 12 rad/s; B and C have the same velocity along BC: v_B·BC = ω_D (z × DC)·BC. Motions are
    named before joints.
    """
    text = (SCENES / "four_bar_hinges" / "scene.toml").read_text().replace("start = { speed = 12.0 }", "")
    driven = lambda speed: mb.System.from_text(
        text + motion("A", angle_velocity=12.0) + motion("D", angle_velocity=speed)
    )
    sentence = "D motion: motion of angle is already constrained by A motion, "
    with pytest.raises(PhysicsError, match=sentence) as caught:
        driven(5.0).check()
    value = r"prescribes 5.0 rad/s; the consistent value is (\S+) rad/s"
    agrees = re.search(value, str(caught.value)).group(1)
    B, C, D = np.array([0, 0.5]), np.array([1.093461926484556, 0.9943086235629347]), np.array([1.2, 0])
    turned = lambda r: np.array([-r[1], r[0]])
    assert float(agrees) == pytest.approx(12.0 * turned(B) @ (C - B) / (turned(C - D) @ (C - B)), rel=1e-13)
    # the velocities are consistent; two constant speeds are not, a moment later
    with pytest.raises(PhysicsError, match="contradict each other at acceleration level"):
        driven(agrees).check()
