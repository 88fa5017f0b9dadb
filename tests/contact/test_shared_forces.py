"""Which forces between bodies are not unique: the run says so, with the names of both."""

from __future__ import annotations

from math import cos, pi, sin

import pytest
from blocks import ball, block, contact_solver, floor, gripper, stack
from mbplugin_contact import shares
from refusals import has
from scene_text import hinge, joint, table, torque, world
from snapshots import same_message

import mbplugin as mb


def on_a_slope(n: int, angle: float = pi / 6) -> str:
    """n boxes in a row on a slope of friction 0.4, the first one against a stop."""
    turned = {"orientation": {"axis": [0, 1, 0], "angle": angle}}
    at = lambda x: [0.05 * sin(angle) - x * cos(angle), 0.0, 0.05 * cos(angle) + x * sin(angle)]
    slope = {"type": "plane", "name": "slope", "size": [2, 2], **turned}
    stop = {"type": "box", "name": "stop", "size": [0.1, 0.4, 0.1], "position": at(-0.1), **turned}
    text = world(collide=True, material="stone", shape=[slope, stop]) + table(
        "material", name="stone", friction=0.4
    )
    return text + "".join(block(f"box_{k}", (0.1, 0.1, 0.1), 2.0, at(0.1 * k), **turned) for k in range(n))


def table_on(legs: int) -> str:
    """A smooth plate on balls of the ground, which stand on a circle."""
    at = lambda k: [cos(2 * pi * k / legs), sin(2 * pi * k / legs), -0.15]
    shape = [{"type": "sphere", "name": f"leg {k}", "radius": 0.1, "position": at(k)} for k in range(legs)]
    text = world(collide=True, material="stone", shape=shape) + table("material", name="stone")
    return text + block("plate", (3.0, 3.0, 0.1), 1.0, [0, 0, 0])


def groove(friction: float) -> str:
    """A ball in a groove of two walls at 45°."""
    walls = [
        {"type": "plane", "name": name, "size": [2, 2], "orientation": {"axis": [0, 1, 0], "angle": angle}}
        for name, angle in (("left", pi / 4), ("right", -pi / 4))
    ]
    text = world(collide=True, material="stone", shape=walls) + table(
        "material", name="stone", friction=friction
    )
    return text + ball("ball", 0.05, 1.0, [0, 0, 0.05 * 2**0.5])


def remarks(text: str, end: float = 0.02) -> list[str]:
    """What a run says of forces that are not unique."""
    system = mb.System.from_text(text + (contact_solver(1e-3, end) if "[solver]" not in text else ""))
    result = system.run(end=end, files=False)
    return [m.text for m in result.messages if "unique" in m.text]


def test_the_load_of_a_stop_is_open_where_boxes_rest_on_a_slope_with_friction():
    """The stop carries any force between Σ m g (sin α ∓ μ cos α)."""
    (text,) = remarks(on_a_slope(5))
    assert has(text, '"box_0" and ground ("stop")', '"box_0" and "box_1"', "4 more")
    same_message(text)


def test_a_box_between_a_slope_and_a_stop_shares_its_load_with_the_stop():
    (text,) = remarks(on_a_slope(1))
    assert has(text, '"box_0" and ground ("slope")', '"box_0" and ground ("stop")')


@pytest.mark.parametrize("boxes", [1, 2])
def test_boxes_on_each_other_carry_their_weight(boxes):
    """Each has four points; the sum of their forces is unique."""
    assert remarks(stack(boxes, 1.0)) == []


def test_a_box_on_a_smooth_plane_carries_its_weight():
    assert remarks(floor() + block("box", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05])) == []


@pytest.mark.parametrize("legs, told", [(3, 0), (4, 1)])
def test_a_table_of_three_legs_is_determined_and_one_of_four_is_not(legs, told):
    assert len(remarks(table_on(legs))) == told


@pytest.mark.parametrize("friction, told", [(0.0, 0), (0.5, 1)])
def test_walls_of_a_groove_may_press_a_ball_between_them_where_there_is_friction(friction, told):
    found = remarks(groove(friction))
    assert len(found) == told
    assert all(has(text, '"ball" and ground ("left")', '"ball" and ground ("right")') for text in found)


def test_a_ball_that_slides_down_a_groove_is_loaded_by_its_weight_alone():
    """Both forces have one direction each."""
    turned = {"velocity": [0, 3.0, 0]}
    text = groove(0.3).replace('name = "ball"', f'name = "ball"\nvelocity = {turned["velocity"]}')
    assert remarks(text) == []


def test_fingers_share_the_weight_of_what_they_hold():
    (text,) = remarks(gripper(3.0))
    assert has(text, '"left" and "cube"', '"right" and "cube"')


def test_a_box_on_a_turning_table_is_held_by_the_table_alone():
    """The table is on a hinge, and turns by 0.002 rad in a step."""
    slab = block("slab", (0.5, 0.5, 0.1), 2.0, [0, 0, 0], angular_velocity=[0, 0, 2.0])
    axle = joint("axle", "revolute", "ground", "slab", at=[0, 0, 0], axis=[0, 0, 1])
    box = block(
        "box", (0.1, 0.1, 0.1), 1.0, [0.1, 0, 0.1], velocity=[0, 0.2, 0], angular_velocity=[0, 0, 2.0]
    )
    material = table("material", name="stone", friction=0.8)
    assert remarks(world(collide=False) + material + slab + axle + box) == []


def test_a_guide_and_a_floor_share_what_a_box_is_loaded_with():
    box = block("box", (0.1, 0.1, 0.1), 1.0, [0, 0, 0.05])
    guide = joint("guide", "translational", "ground", "box", at=[0, 0, 0.05], axis=[0, 0, 1])
    (text,) = remarks(floor(friction=0.5) + box + guide)
    assert has(text, '"box" and ground', "guide")
    same_message(text)


@pytest.mark.parametrize("hinges", [("top",), ("top", "low")])
def test_hinges_of_a_door_that_leans_on_a_stop_are_named_also_where_they_are_redundant(hinges):
    """Friction on the stop adds to what hinges leave open among themselves: even their sum is open."""
    stop = {"type": "box", "name": "stop", "size": [0.1, 0.1, 0.5], "position": [0.85, -0.07, 0]}
    text = world(gravity=[0, 0, 0], collide=True, material="stone", shape=[stop])
    text += table("material", name="stone", friction=0.3)
    text += block("door", (0.9, 0.04, 2.0), 20.0, [0.45, 0, 0]) + torque("door", z="-5")
    heights = {"top": 0.8, "low": -0.8}
    text += "".join(hinge(name, "ground", "door", [0, 0, heights[name]]) for name in hinges)
    (told,) = remarks(text)
    assert has(told, '"door" and ground', *hinges) and ("low" in told) == ("low" in hinges)


def test_what_is_not_examined_is_told(monkeypatch):
    monkeypatch.setattr(shares, "MAX_CONTACTS", 30)
    (text,) = remarks(on_a_slope(5))
    assert has(text, 30)
    same_message(text)


def test_what_is_said_of_redundant_rows_claims_joints_only():
    result = mb.System.from_text(on_a_slope(2) + contact_solver(1e-3, 0.01)).run(files=False)
    same_message(result.messages[0].text)
