"""Constraints that contradict each other stop with exit code 3 and say which joints, and by how much."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbplugin as mb
from mbplugin.errors import PhysicsError

DOOR = (Path(__file__).parents[2] / "scenes" / "door_and_handle" / "scene.toml").read_text()
MARKED = 'marker = [{ name = "low", position = [-0.4, 0, -0.81] }]\nshape = ['


def driven(*expressions: str) -> str:
    return DOOR + "".join(f'[[motion]]\njoint = "{joint}"\n{expression}\n' for joint, expression in zip(("hinge_top", "hinge_low"), expressions))


def test_a_hinge_that_is_one_centimetre_too_low_is_named_with_the_centimetre():
    """The lower hinge's place on the door is 1 cm below that on the frame."""
    text = DOOR.replace("shape = [", MARKED, 1).replace('b = "door"\nat = [0, 0, 0.2]', 'b = "door.low"\nat = [0, 0, 0.2]')
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(text).check()
    assert told.value.exit_code == 3
    assert "hinge_low (revolute): translation along z is already held by hinge_top: translation along z, but it asks for 0.01 m else than that" in str(told.value)


def test_two_motors_on_one_axis_must_turn_alike():
    assert mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.3*time"')).check().redundancy == 6
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.5*time"')).check()
    text = str(told.value)
    assert "contradict each other in velocity" in text
    assert "hinge_low motion: motion of angle is already held by hinge_top motion: motion of angle, but it asks for 0.2 rad/s else than that" in text


def test_motors_that_part_after_the_start_are_found_at_the_start():
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(driven('angle = "0.3*time"', 'angle = "0.3*time + 0.5*time**2"')).check()
    assert "contradict each other in acceleration" in str(told.value) and "asks for 1 rad/s² else" in str(told.value)


def test_two_starts_of_one_axis_that_differ():
    """Starts are constraints of the analysis of position, and only there: a start that repeats one is no redundant row of the motion."""
    both = DOOR
    for name in ("hinge_top", "hinge_low"):
        both = both.replace(f'name = "{name}"', f'name = "{name}"\nstart = {{ angle_deg = 5 }}')
    assert mb.System.from_text(both).check().redundancy == 5
    with pytest.raises(PhysicsError) as told:
        mb.System.from_text(both.replace("angle_deg = 5", "angle_deg = 6", 1)).check()
    assert "hinge_low start: start of angle is already held by hinge_top start: start of angle, but it asks for 0.01745 rad else" in str(told.value)
