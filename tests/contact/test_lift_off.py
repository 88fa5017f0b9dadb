"""What leaves a curved surface flies freely from there."""

from __future__ import annotations

from math import asin, ceil, cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
from blocks import G, Watch, ball, contact_solver
from scene_text import body, joint, motion, table, world
from scipy.integrate import solve_ivp

BALL, DOMES = 0.1, {"sphere": 0.9, "cylinder": 0.4, "kerb": 0.0}


def dome(kind: str, radius: float) -> dict[str, Any]:
    """A shape whose top is the origin, curved along x."""
    match kind:
        case "sphere":
            return {"type": "sphere", "radius": radius, "position": [0, 0, -radius]}
        case "cylinder":
            lying = {"orientation": {"axis": [1, 0, 0], "angle_deg": 90}, "position": [0, 0, -radius]}
            return {"type": "capsule", "radius": radius, "length": 1.0, **lying}
        case _:
            return {"type": "box", "size": [1, 1, 1], "position": [-0.5, 0, -0.5]}


def leave(length: float, speed: float) -> tuple[float, Any, Any]:
    """When, where and how fast a point leaves a dome of this radius, on which it slides from its top."""
    rates = lambda t, y: [y[1], G / length * sin(y[0])]
    loaded = lambda t, y: G * cos(y[0]) - length * y[1] ** 2
    loaded.terminal = True  # type: ignore[attr-defined]
    keys = {"events": loaded, "method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    found = solve_ivp(rates, (0, 10), [0, speed / length], **keys)
    angle, rate = found.y[:, -1]
    position = length * np.array([sin(angle), cos(angle)])
    return found.t[-1], position, length * rate * np.array([cos(angle), -sin(angle)])


def slides_off(
    runs: Any, kind: str, radius: float, ball_radius: float, part: float, step: float
) -> tuple[Any, Any, float]:
    """Errors of position [m] and velocity [m/s] of a ball 20 ms after it has left a dome, and the largest
    force on it in between [N], but that of the step in which it leaves. part: of the speed at which it would
    leave at once.
    """
    length = radius + ball_radius
    speed = part * sqrt(G * length)
    time, x, v = leave(length, speed)
    text = world(collide=True, material="stone", shape=[dome(kind, radius)])
    text += table("material", name="stone", friction=0.0, restitution=0.0)
    text += ball("ball", ball_radius, 1.0, [0, 0, ball_radius], velocity=[speed, 0, 0])
    watch, worst = Watch(runs, text + contact_solver(step)), 0.0
    watch.to(step * (ceil(time / step) + 1))
    for _ in range(ceil(0.02 / step)):
        watch.to(watch.integrator.time + step)
        worst = max(worst, float(np.abs(watch.load_of_ground()).max()))
    flown = watch.integrator.time - time
    right = x + v * flown - [0, 0.5 * G * flown**2], v - [0, G * flown]
    q, u = watch.q[0], watch.v[0]
    return q[[0, 2]] - right[0] + [0, radius], u[[0, 2]] - right[1], worst


@pytest.mark.parametrize("kind", DOMES)
def test_a_ball_that_has_left_a_dome_falls_freely(runs, kind):
    """Errors fall with the square of the step: a force of one more step would change the velocity by a part
    of g h. The step in which the force vanishes has one of the order h.
    """
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        x, v, force = slides_off(runs, kind, DOMES[kind], BALL, 0.5, step)
        assert force == 0.0
        errors.append([np.abs(x).max(), np.abs(v).max()])
        assert np.abs(v).max() < 5e-3 * G * step
    assert max(errors[-1]) < 0.1 * max(errors[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_balls_leave_domes_of_all_sizes(runs, seed):
    """From 1 cm to 2 m, at all speeds, with steps of up to 1/100 of the time in which the ball falls by the
    radius.
    """
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(list(DOMES)))
    radius = 0.0 if kind == "kerb" else float(np.exp(rng.uniform(np.log(0.01), np.log(2.0))))
    ball_radius = float(np.exp(rng.uniform(np.log(0.02), np.log(0.5))))
    part, length = float(rng.uniform(0.1, 0.95)), radius + ball_radius
    step = float(rng.uniform(1e-3, 1e-2)) * sqrt(length / G)
    _, v, force = slides_off(runs, kind, radius, ball_radius, part, step)
    assert force == 0.0
    assert np.abs(v).max() < 2e-2 * G * step


@pytest.mark.parametrize("amplitude", [1.5, 10.0])
def test_a_plate_leaves_an_eccentric_cam_where_that_falls_faster_than_it(runs, amplitude):
    """A plate on a slider lies on a ball that turns about an axle `off` its centre: it rises by off sin(ω t),
    until off ω² sin(ω t) = g; from there it is thrown.
    """
    off, radius = 0.02, 0.1
    rate = sqrt(amplitude * G / off)
    leaves = asin(1.0 / amplitude) / rate
    step = 1e-3 / rate
    text = world(collide=False) + table("material", name="stone", friction=0.0)
    text += ball("cam", radius, 1.0, [off, 0, 0])
    text += joint("axle", "revolute", "ground", "cam", at=[0, 0, 0], axis=[0, -1, 0])
    text += motion("axle", angle=f"{rate!r}*time")
    plate = {"shape": [{"type": "box", "size": [0.4, 0.4, 0.02]}], "collide": True, "material": "stone"}
    moving = {"position": [0, 0, radius + 0.01], "velocity": [0, 0, off * rate]}
    text += body("plate", mass=2.0, inertia=[0.1] * 3, **plate, **moving)
    text += joint("slider", "translational", "ground", "plate", at=[0, 0, radius + 0.01], axis=[0, 0, 1])
    watch = Watch(runs, text + contact_solver(step))
    # the plate is thrown, and has not come down again
    flight = 0.25 * pi / rate
    watch.to(step * ceil((leaves + flight) / step))
    flown = watch.integrator.time - leaves
    speed = off * rate * cos(rate * leaves)
    height = off * sin(rate * leaves) + speed * flown - 0.5 * G * flown**2
    assert watch.q[1, 2] - radius - 0.01 == pytest.approx(height, abs=1e-6 * off)
    assert watch.v[1, 2] == pytest.approx(speed - G * flown, abs=1e-6 * off * rate)
