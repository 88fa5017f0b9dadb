"""A motion that presses its bodies on the ground: its work is what the lifted body gains."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, solver, table, world

from mbplugin import System

LOAD, G = 1.5, 9.81
BALL = [{"type": "sphere", "radius": 0.1}]


def lift(**motion):
    """A ball on the ground, and a load that a motion lifts from it along z, for 1 s."""
    ground = world(collide=True, shape=[{"type": "plane"}])
    base = body("base", mass=2, inertia=[0.1, 0.1, 0.1], position=[0, 0, 0.1], collide=True, shape=BALL)
    load = body("load", mass=LOAD, inertia=[0.1, 0.1, 0.1], position=[0, 0, 1])
    joint = table(
        "joint", name="lift", type="translational", a="base", b="load", at=[0, 0, 1], axis=[0, 0, 1]
    )
    text = ground + base + load + joint + table("motion", joint="lift", **motion)
    return System.from_text(text + solver(step=1e-3, end=1.0) + table("output", frames=50)).run(files=False)


@pytest.mark.parametrize(
    "motion",
    [{"length": "0.5*time**2"}, {"length_velocity": "time"}, {"length_acceleration": "1.0"}],
    ids=["position", "velocity", "acceleration"],
)
def test_a_motion_from_rest_gives_a_load_its_weight_times_height_and_its_kinetic_energy(motion):
    result = lift(**motion)
    height, speed = 0.5, 1.0
    assert result.energy.work[-1] == pytest.approx(LOAD * (G * height + 0.5 * speed**2), rel=1e-10)
    assert np.abs(result.energy.balance).max() <= 1e-10
