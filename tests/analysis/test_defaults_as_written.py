"""The free length of a spring is that of the scene as written; a remark tells where assembly changes it."""

from __future__ import annotations

from math import cos, pi, sqrt

import numpy as np
import pytest
from scene_text import body, hinge, table, world

from mbplugin import System

REMARK = 'force "spring": `length` is not given'


def swing(spring, **start):
    """A rod on a hinge about y at the origin, and a spring from its mass centre to a point 1 m above that."""
    rod = body("rod", mass=2, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
    pivot = hinge("pivot", "ground", "rod", axis=[0, -1, 0], **start)
    keys = {"a": "ground.top", "b": "rod", "stiffness": 100} | spring
    force = table("force", name="spring", type="spring_damper", **keys)
    text = world(marker=[{"name": "top", "position": [0.5, 0, 1]}]) + rod + pivot + force
    return System.from_text(text + table("solver", end=0.01)).run(files=False)


def remarks(result):
    return [message.text for message in result.messages if message.text.startswith(REMARK)]


def test_a_spring_without_a_length_begins_with_the_load_of_the_start():
    result = swing({}, start={"angle_deg": -30})
    # law of cosines: from (0, 0) to the top, and to the mass centre
    distance = sqrt(1.25 + 0.25 - 2 * sqrt(1.25) * 0.5 * cos(np.arctan2(1.0, 0.5) + pi / 6))
    assert np.linalg.norm(result.force("spring").wrench[0, :3]) == pytest.approx(
        100 * (distance - 1.0), rel=1e-9
    )
    assert remarks(result) == [
        f"{REMARK} and is 1, from the positions as written; after assembly it would be {distance:.6g}"
    ]


def test_a_free_length_of_zero_is_told():
    ends = {"at": [0.5, 0, 0], "a": "ground"}
    assert remarks(swing(ends)) == [f"{REMARK} and is 0: its markers coincide as written"]
    assert not remarks(swing(ends | {"length": 0.0}))


def test_nothing_is_said_where_a_length_is_given_or_nothing_moves():
    assert not remarks(swing({"length": 1.0}, start={"angle_deg": -30}))
    assert not remarks(swing({}))
