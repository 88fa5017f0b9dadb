"""Degrees in the place of radians: with a unit they are refused, without one they are told."""

from __future__ import annotations

import pytest

from mbplugin.errors import SceneError
from mbplugin.model import System, large_angles

SCENE = """
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
orientation = {{ axis = [0, 0, 1], {turn} }}
marker = [{{ name = "m", orientation = {{ euler = "xyz", angles = {angles} }} }}]
[[joint]]
name = "j"
type = "revolute"
a = "ground"
b = "b"
axis = [0, 0, 1]
start = {{ {start} }}
"""


def scene(turn="angle = 1", angles=(0, 0, 0), start="angle = 1"):
    return System.from_text(SCENE.format(turn=turn, angles=list(angles), start=start))


@pytest.mark.parametrize("given", ['"90 deg"', '"90°"', '"-9.5e1 degrees"'])
def test_a_number_with_degrees_is_refused_with_the_key_that_takes_it(given):
    number = given.strip('"').split(" ")[0].rstrip("°")
    for keys, where in (
        ({"turn": f"angle = {given}"}, "body[0].orientation.angle"),
        ({"start": f"angle = {given}"}, "joint[0].start.angle"),
    ):
        with pytest.raises(SceneError) as caught:
            scene(**keys)
        assert where in str(caught.value) and f"`angle_deg = {number}`" in str(caught.value)


def test_more_than_a_turn_in_radians_is_told_and_a_turn_or_degrees_are_not():
    assert large_angles.remarks(scene()) == []
    assert (
        large_angles.remarks(scene(turn="angle = 6.28", angles=(6.2, -6.2, 0), start="angle = -6.28")) == []
    )
    assert large_angles.remarks(scene(turn="angle_deg = 900", start="angle_deg = 900")) == []
    said = large_angles.remarks(scene(turn="angle = 90", angles=(0, 45, -90), start="angle = 90"))
    assert [line.split(" ")[0] for line in said] == [
        "body[0].orientation.angle",
        "body[0].marker[0].orientation.angles",
        "joint[0].start.angle",
    ]
    assert (
        said[0] == "body[0].orientation.angle = 90 rad is 14.3 turns; if degrees are meant, use `angle_deg`"
    )


def test_a_run_tells_it(runs):
    text = SCENE.format(turn="angle = 90", angles=[0, 0, 0], start="angle = 1") + "[solver]\nend = 1\n"
    assert any("14.3 turns" in line for line in runs.prepare(text).assembly.messages)
