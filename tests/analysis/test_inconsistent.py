"""Constraints that contradict each other stop with exit code 3 and say which joints, and what would agree."""

from __future__ import annotations

from scene_text import motion
import re
from pathlib import Path

import numpy as np
import pytest

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


def test_a_hinge_that_is_one_centimetre_too_low_is_named_with_the_centimetre():
    """The lower hinge's place on the door is 1 cm below that on the frame."""
    text = DOOR.replace("shape = [", MARKED, 1).replace(
        'b = "door"\nat = [0, 0, 0.2]', 'b = "door.low"\nat = [0, 0, 0.2]'
    )
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(text).check()
    assert told.value.exit_code == 3
    assert (
        "hinge_low (revolute): translation along z is already held by hinge_top: translation along z, but they leave -0.01 m where it asks for 0"
        in str(told.value)
    )


def test_two_motors_on_one_axis_must_turn_alike():
    assert mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.3*time"')).check().redundancy == 6
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.5*time"')).check()
    text = str(told.value)
    assert "contradict each other in velocity" in text
    assert (
        "hinge_low motion: motion of angle is already held by hinge_top motion: motion of angle, but it asks for 0.5 rad/s; what would agree is 0.3 rad/s"
        in text
    )
    assert text.endswith("this time alone; a motion whose coordinate others drive already can be left out.")


def test_motors_that_part_after_the_start_are_found_at_the_start():
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.3*time + 0.5*time**2"')).check()
    assert "contradict each other in acceleration" in str(
        told.value
    ) and "asks for 1.0 rad/s²; what would agree is 0.0 rad/s²" in str(told.value)


def test_two_starts_of_one_axis_that_differ():
    """Starts are constraints of the analysis of position, and only there: a start that repeats one is no
    redundant row of the motion.
    """
    both = DOOR
    for name in ("hinge_top", "hinge_low"):
        both = both.replace(f'name = "{name}"', f'name = "{name}"\nstart = {{ angle_deg = 5 }}')
    assert mb.System.from_text(both).check().redundancy == 5
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(both.replace("angle_deg = 5", "angle_deg = 6", 1)).check()
    assert (
        "start of angle, but it asks for 0.0872664625997165 rad; what would agree is 0.10471975511966 rad"
        in str(told.value)
    )


def test_a_link_that_is_too_long_is_told_its_length():
    """A parallelogram's third link is as long as the others, 1 m."""
    text = (
        (SCENES / "three_link_plate" / "scene.toml")
        .read_text()
        .replace('b = "plate.C"\n', 'b = "plate.C"\nlength = 1.001\n')
    )
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(text).check()
    assert (
        "link_C (rod): distance is already held by link_A: distance and link_B: distance together, but its length 1.001 m should be 1.0 m"
        in str(told.value)
    )


def test_the_speed_that_would_agree_can_be_written_as_it_is_told():
    """Crank A at 12 rad/s; the points B and C have one velocity along BC: v_B·BC = ω_D (z × DC)·BC. Motions
    are named before joints.
    """
    text = (SCENES / "four_bar_hinges" / "scene.toml").read_text().replace("start = { speed = 12.0 }", "")
    motion = motion("{}", angle_velocity={})
    driven = lambda speed: mb.System.from_text(text + motion.format("A", 12.0) + motion.format("D", speed))
    with pytest.raises(PhysicsError, match="D motion: motion of angle is already held by A motion, ") as told:
        driven(5.0).check()
    agrees = re.search(r"asks for 5.0 rad/s; what would agree is (\S+) rad/s", str(told.value)).group(1)
    B, C, D = np.array([0, 0.5]), np.array([1.093461926484556, 0.9943086235629347]), np.array([1.2, 0])
    turned = lambda r: np.array([-r[1], r[0]])
    assert float(agrees) == pytest.approx(12.0 * turned(B) @ (C - B) / (turned(C - D) @ (C - B)), rel=1e-13)
    # velocities agree with it; constant speeds of both do not fit a moment later
    with pytest.raises(PhysicsError, match="contradict each other in acceleration"):
        driven(agrees).check()
