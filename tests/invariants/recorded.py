"""Runs of generated scenes as plain arrays, by the public interface alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import mbplugin as mb

Array = Any


@dataclass
class Given:
    """A body as the scene gives it."""

    name: str
    type: str
    mass: float
    inertia: Array  # (3, 3) about the mass centre, axes of the body


@dataclass
class Step:
    """What a step of the solver `contact` has done."""

    start: float
    end: float
    element: list[str]
    body: list[str]
    impulse: Array  # (n, 3)
    angular: Array  # (n, 3)
    residual: float  # [m/s]


@dataclass
class Run:
    """n steps: states at their ends, (n + 1, ...), by body; impulses of each step."""

    h: float
    bodies: list[Given]
    time: Array
    x: dict[str, Array]  # of the mass centre
    R: dict[str, Array]  # (n + 1, 3, 3)
    v: dict[str, Array]
    w: dict[str, Array]  # world axes
    steps: list[Step]
    messages: list[tuple[float, str, str]]


def rotation(q: Array) -> Array:
    """(3, 3) of the unit quaternion w, x, y, z."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rotated(axis: Array) -> Array:
    """(3, 3) rotation by the vector `axis` [rad], Rodrigues."""
    angle = float(np.linalg.norm(axis))
    if angle == 0.0:
        return np.eye(3)
    n = np.asarray(axis) / angle
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def record(text: str, n: int, impulses: bool = True, dt: float | None = None) -> Run:
    """n steps of a scene; dt: between states, by default the solver's step."""
    system = mb.System.from_text(text)
    simulation = system.simulate()
    h = float(dt if dt is not None else system.solver.raw["step"])
    given = []
    for body in system.bodies:
        mass = body.mass_properties()
        given.append(Given(body.name, body.type, float(mass.mass), np.array(mass.inertia, float)))
    names = [body.name for body in given]
    times, states, steps = [], [], []
    for k in range(n + 1):
        if k > 0:
            simulation.run(k * h)
            if impulses:
                found = simulation.impulses()
                residual = simulation.output("contact.residual")
                arrays = found.impulse.copy(), found.angular_impulse.copy()
                steps.append(Step(found.start, found.end, found.element, found.body, *arrays, residual))
        times.append(simulation.time)
        states.append(
            [
                np.concatenate(
                    [one.position, one.velocity, one.angular_velocity, rotation(one.orientation).ravel()]
                )
                for one in (simulation[name] for name in names)
            ]
        )
    all = np.array(states).reshape(n + 1, len(names), 18)
    pick = lambda i, j: {name: all[:, k, i:j] for k, name in enumerate(names)}
    R = {name: array.reshape(-1, 3, 3) for name, array in pick(9, 18).items()}
    return Run(
        h, given, np.array(times), pick(0, 3), R, pick(3, 6), pick(6, 9), steps, list(simulation.messages)
    )
