"""The work of motions and forces on bodies that touch others, or are struck."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import block
from scene_text import body, force, joint, solver, table, world

from mbplugin import System

LOAD, G = 1.5, 9.81
BALL = [{"type": "sphere", "radius": 0.1}]


def lift(**motion):
    """A ball on the ground, and a load that a motion lifts from it along z, for 1 s."""
    ground = world(collide=True, shape=[{"type": "plane"}])
    base = body("base", mass=2, inertia=[0.1, 0.1, 0.1], position=[0, 0, 0.1], collide=True, shape=BALL)
    load = body("load", mass=LOAD, inertia=[0.1, 0.1, 0.1], position=[0, 0, 1])
    slide = joint("lift", "translational", "base", "load", at=[0, 0, 1], axis=[0, 0, 1])
    text = ground + base + load + slide + table("motion", joint="lift", **motion)
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


def drawer(friction: float, restitution: float, pull: float, lever: float, impact: str) -> str:
    """A drawer with play between two rails, pulled off its middle by a constant force along them."""
    rails = [{"type": "box", "size": [4, 0.1, 0.2], "position": [0, side * 0.201, 0]} for side in (-1.0, 1.0)]
    text = world(gravity=[0, 0, 0], collide=True, material="wood", shape=rails)
    text += table("material", name="wood", friction=friction, restitution=restitution)
    grip = [{"name": "grip", "position": [0, lever, 0]}]
    text += block("drawer", (0.2, 0.3, 0.1), 2.0, [0, 0, 0], material="wood", marker=grip)
    text += joint("plane", "planar", "ground", "drawer", at=[0, 0, 0], axis=[0, 0, 1])
    text += force("drawer.grip", x=pull)
    return text + solver(type="contact", step=1e-3, end=0.5, impact=impact) + table("output", frames=10)


@pytest.mark.parametrize("impact", ["newton", "sequential"])
@pytest.mark.parametrize(("friction", "restitution"), [(0.5, 0.0), (0.5, 0.5), (0.5, 1.0), (2.0, 0.5)])
def test_the_work_of_a_force_is_that_along_the_way_of_its_point(friction, restitution, impact):
    """Also in blows: the drawer rattles between its rails, or jams where μ is 2. With the velocity that it
    would have without the blow, the work would be wrong by 2e-4 to 4e-3 J.
    """
    pull, lever = 5.0, 0.1
    result = System.from_text(drawer(friction, restitution, pull, lever, impact)).run(files=False)
    moved = result["drawer"]
    turned = 2.0 * np.arctan2(moved.orientation[:, 3], moved.orientation[:, 0])
    way = moved.position[:, 0] - lever * np.sin(turned)
    assert result.energy.work == pytest.approx(pull * way, abs=1e-8)
    assert np.abs(result.energy.balance).max() < 1e-8
