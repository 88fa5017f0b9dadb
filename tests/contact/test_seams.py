"""What slides or flies past edges on which it does not meet anything is not deflected."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from blocks import Watch, ball, block, contact_solver
from scene_text import body, table, world

EDGE, RADIUS, MASS = 0.1, 0.05, 1.0
#: a tetrahedron with a flat face below, and one that meets others with a vertex
TETRAHEDRON = [[0.05, 0.05, -0.05], [-0.05, 0.05, -0.05], [-0.05, -0.05, -0.05], [0.05, -0.05, -0.05]]
HULL = [*TETRAHEDRON, [0.0, 0.0, 0.05]]
ACROSS = {"axis": [1, 0, 0], "angle": pi / 2}
SHAPES = {
    "sphere": {"type": "sphere", "radius": RADIUS},
    "capsule": {"type": "capsule", "radius": RADIUS, "length": 0.1, "orientation": ACROSS},
    "box": {"type": "box", "size": [EDGE] * 3},
    "convex": {"type": "convex", "points": HULL},
}


def slab(middle: float, top: float = 0.0) -> dict[str, object]:
    """A box of 2 m whose upper face is at z = top."""
    return {"type": "box", "size": [2, 2, 2], "position": [middle, 0, top - 1]}


def mover(shape: str, at: list[float], velocity: list[float], spin: list[float] | None = None) -> str:
    inertia = [MASS * EDGE**2 / 6] * 3
    keys = {"collide": True, "material": "stone", "shape": [SHAPES[shape]]}
    turning = {"velocity": velocity, "angular_velocity": spin or [0, 0, 0]}
    return body("mover", mass=MASS, inertia=inertia, position=at, **turning, **keys)


def scene(moving: str, ground: list[dict[str, object]], e: float, step: float, gravity: float = 9.81) -> str:
    return (
        world(gravity=[0, 0, -gravity], collide=True, material="stone", shape=ground)
        + table("material", name="stone", restitution=e)
        + moving
        + contact_solver(step)
    )


def motion(runs, text: str, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """(steps, 7) poses and (steps, 6) velocities of the first body after every step."""
    watch, q, v = Watch(runs, text), [], []
    for _ in watch.steps(steps):
        q.append(watch.q[0])
        v.append(watch.v[0])
        assert watch.record.missed == 0
    return np.array(q), np.array(v)


@pytest.mark.parametrize("step", [1e-3, pytest.param(2.5e-4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("e", [0.0, 0.8])
@pytest.mark.parametrize("speed", [0.2, pytest.param(1.0, marks=pytest.mark.slow), 5.0, 20.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_flush_seam_is_not_felt(runs, shape, speed, e, step):
    """Two boxes of one height: without friction the speed stays, and nothing hops or turns."""
    way = max(0.01, 6.5 * speed * step)
    # not exactly at the seam after a step
    moving = mover(shape, [-EDGE / 2 - 0.513 * way, 0, RADIUS], [speed, 0, 0])
    steps = min(int(1.6 * way / (speed * step)), 400)
    q, v = motion(runs, scene(moving, [slab(-1), slab(1)], e, step), steps)
    assert q[-1, 0] + EDGE / 2 > 0.3 * way
    assert np.abs(q[:, 2] - RADIUS).max() < 1e-10
    assert np.abs(v - [speed, 0, 0, 0, 0, 0]).max() < 1e-9 * (1 + speed)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_loose_bricks_of_one_height_are_a_plane(runs, friction):
    """A cube slides over three bricks that lie on a plane. With friction it has the deceleration μ g."""
    plane = {"type": "plane"}
    bricks = "".join(block(f"brick_{k}", (0.2999, 0.2, 0.1), 50.0, [0.3 * k, 0, 0.05]) for k in range(3))
    cube = block("cube", (0.1, 0.1, 0.1), 0.5, [0.01, 0, 0.15], velocity=[1.0, 0, 0])
    text = (
        world(gravity=[0, 0, -9.81], collide=True, material="stone", shape=[plane])
        + table("material", name="stone", friction=friction)
        + cube
        + bricks
        + contact_solver(1e-3)
    )
    steps = 320
    watch = Watch(runs, text)
    speeds, heights = [], []
    for _ in watch.steps(steps):
        speeds.append(watch.v[0, 0])
        heights.append(watch.q[0, 2])
    expected = np.maximum(1.0 - friction * 9.81 * 1e-3 * np.arange(1, steps + 1), 0.0)
    assert np.abs(np.array(speeds) - expected).max() < (1e-9 if friction == 0 else 5e-4)
    assert np.abs(np.array(heights) - 0.15).max() < 1e-7


@pytest.mark.parametrize("step", [1e-3, 5e-4])
@pytest.mark.parametrize("lower", [1e-6, 1e-4, 1e-3])
def test_a_box_that_leaves_an_edge_tilts_and_is_not_stopped(runs, lower, step):
    """The second slab is lower. Until the mass centre is past the edge nothing changes; then it tilts under
    its weight: kinetic and potential energy are never more than at the start.
    """
    moving = mover("box", [-0.0303, 0, EDGE / 2], [1.0, 0, 0])
    q, v = motion(runs, scene(moving, [slab(-1), slab(1, -lower)], 0.0, step), int(0.06 / step))
    before = q[:, 0] < -1.1 * step
    assert before.sum() > 10
    assert np.abs(v[before] - [1, 0, 0, 0, 0, 0]).max() < 1e-8
    inertia = MASS * EDGE**2 / 6
    kinetic = 0.5 * MASS * (v[:, :3] ** 2).sum(1) + 0.5 * inertia * (v[:, 3:] ** 2).sum(1)
    gained = kinetic + MASS * 9.81 * (q[:, 2] - EDGE / 2) - 0.5 * MASS
    assert gained.max() < 8 * step**2
    assert v[-1, 0] > 0.9999
    # what it has fallen it has in speed, less what the impact on the lower slab takes
    assert gained[-1] > -MASS * 9.81 * lower - 1e-9


@pytest.mark.parametrize("air", [1e-5, 5e-4])
@pytest.mark.parametrize("edge", SHAPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_flies_past_with_air_between_is_not_touched(runs, shape, edge, air):
    """At 20 m/s, 20 mm in a step, over the top of another shape; restitution would show too."""
    target = {**SHAPES[edge], "position": [0.0, 0.0, -RADIUS]}
    moving = mover(shape, [-0.1313, 0.013 if edge == "box" else 0.0, RADIUS + air], [20.0, 0, 0])
    top = scene(moving, [target], 0.8, 1e-3, gravity=0.0)
    q, v = motion(runs, top, 14)
    assert q[-1, 0] > 0.13
    assert np.abs(v - [20, 0, 0, 0, 0, 0]).max() < 1e-9


@pytest.mark.parametrize("shape", SHAPES)
def test_what_falls_past_a_corner_falls_straight(runs, shape):
    """0.1 mm beside a box."""
    box = {"type": "box", "size": [0.4] * 3, "position": [-0.2, 0, -0.2]}
    moving = mover(shape, [RADIUS + 1e-4, 0.0, 0.11], [0, 0, -3.0])
    q, v = motion(runs, scene(moving, [box], 0.8, 1e-3), 60)
    assert q[-1, 2] < -0.05
    assert np.abs(v[:, [0, 1, 3, 4, 5]]).max() < 1e-9
    assert np.abs(v[:, 2] + 3.0 + 9.81e-3 * np.arange(1, 61)).max() < 1e-9


def test_what_is_thrown_onto_what_it_would_pass_meets_it(runs):
    """A ball flies 0.1 mm over a box at 5 m/s; another one strikes it from above at the edge: it does not go
    through.
    """
    box = {"type": "box", "size": [1, 1, 1], "position": [0.5, 0, -0.5]}
    flies = mover("sphere", [-0.012, 0, RADIUS + 1e-4], [5.0, 0, 0])
    falls = ball("hammer", RADIUS, 10.0, [-0.012, 0, 3 * RADIUS + 2e-4], velocity=[5.0, 0, -10.0])
    watch = Watch(runs, scene(flies + falls, [box], 0.0, 1e-3))
    for _ in watch.steps(30):
        x, _, z = watch.q[0, :3]
        assert np.hypot(max(-x, 0.0), max(z, 0.0)) > RADIUS - 2e-4
