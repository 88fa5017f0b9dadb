"""Scenes of blocks, balls and wedges that touch, and what is measured on them."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sin
from typing import Any

import numpy as np
from mbplugin_contact.arrays import Contacts
from scene_text import body, force, joint, motion, solver, table, world

from mbplugin.tables.groups import State, Step, TransientRows

G = 9.81
#: how the tests for 60 s end in the suite
SHORT = 2.0


def floor(angle: float = 0.0, **keys: Any) -> str:
    """A plane through the origin that descends along x at `angle` [rad]; keys of its material."""
    shape = [{"type": "plane", "size": [2, 2], "orientation": {"axis": [0, 1, 0], "angle": angle}}]
    return world(collide=True, material="stone", shape=shape) + table("material", name="stone", **keys)


def contact_solver(step: float = 1e-3, end: float = 1.0, **output: Any) -> str:
    """`output`: keys of its table. Few frames: one with contacts takes longer than a step."""
    return solver(type="contact", step=step, end=end) + table("output", **{"frames": 50} | output)


def block(name: str, size: Any, mass: float, at: Any, **keys: Any) -> str:
    """A homogeneous block of the material `stone`."""
    x, y, z = size
    inertia = [mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)]
    keys = {"collide": True, "material": "stone", "shape": [{"type": "box", "size": list(size)}], **keys}
    return body(name, mass=mass, inertia=inertia, position=list(at), **keys)


def ball(name: str, radius: float, mass: float, at: Any, **keys: Any) -> str:
    """A homogeneous ball of the material `stone`."""
    keys = {"collide": True, "material": "stone", "shape": [{"type": "sphere", "radius": radius}], **keys}
    return body(name, mass=mass, inertia=[0.4 * mass * radius**2] * 3, position=list(at), **keys)


def on_incline(angle: float, friction: float, speed: float = 0.0, step: float = 1e-3, **keys: Any) -> str:
    """A block on a plane that descends along x, at `speed` down the slope."""
    normal, down = np.array([sin(angle), 0.0, cos(angle)]), np.array([cos(angle), 0.0, -sin(angle)])
    placed = {"orientation": {"axis": [0, 1, 0], "angle": angle}, "velocity": list(speed * down)}
    return (
        floor(angle, friction=friction, **keys)
        + block("block", (0.3, 0.3, 0.2), 2.0, 0.1 * normal, **placed)
        + contact_solver(step)
    )


def stack(n: int, top: float, friction: float = 0.5, step: float = 2e-3) -> str:
    """Cubes of 1 kg on each other, the top one of another mass."""
    cubes = [
        block(f"cube_{k}", (0.1, 0.1, 0.1), top if k == n - 1 else 1.0, [0, 0, 0.05 + 0.1 * k])
        for k in range(n)
    ]
    return floor(friction=friction) + "".join(cubes) + contact_solver(step)


#: mass and edge of the cube in the gripper [kg, m], and force of each finger [N]
CUBE, EDGE, PRESS = 0.064, 0.04, 3.48


def gripper(part: float, shake: float = 0.0, step: float = 1e-3) -> str:
    """A cube between two fingers on sliders of a hand; friction `part` of m g / 2 N; the hand is moved along
    the fingers' faces with `shake` as its largest acceleration [m/s²].
    """
    rate = 4.0 * pi
    text = world(collide=False) + table("material", name="stone", friction=part * CUBE * G / (2.0 * PRESS))
    text += body("hand", mass=0.5, inertia=[1e-3] * 3, position=[0, 0, 0.15])
    text += joint("carriage", "translational", "ground", "hand", at=[0, 0, 0.15], axis=[0, 1, 0])
    text += motion("carriage", length=f"{shake / rate**2!r}*(1 - cos({rate!r}*time))")
    for name, side in (("left", -1.0), ("right", 1.0)):
        at = [side * (0.5 * EDGE + 0.01), 0, 0]
        text += block(name, (0.02, 0.06, 0.2), 0.1, at)
        text += joint(f"slider_{name}", "translational", "hand", name, at=at, axis=[1, 0, 0])
        text += force(name, name=f"press_{name}", x=-side * PRESS)
    return text + block("cube", (EDGE, EDGE, EDGE), CUBE, [0, 0, 0]) + contact_solver(step)


def wall(rows: int, columns: int, drop: float = 0.0, step: float = 2e-3, push: float = 0.0) -> str:
    """Bricks in stretcher bond, each row `drop` above the one below. An even number of rows: the last bricks
    of a long row stand on half their length, and fall if nothing is on them. push: speed of the top [m/s],
    in proportion to height, so that the wall topples.
    """
    length, height, depth, joint_width = 0.2, 0.1, 0.1, 1e-3
    text, k = floor(friction=0.5), 0
    for row in range(rows):
        for column in range(columns - row % 2):
            at = [
                (column + 0.5 * (row % 2)) * (length + joint_width),
                0,
                height * (row + 0.5) + drop * (row + 1),
            ]
            speed = push * at[2] / (height * (rows - 0.5))
            moving = {"velocity": [0, speed, 0]} if push else {}
            text += block(f"brick_{k}", (length, depth, height), 2.0, at, **moving)
            k += 1
    return text + contact_solver(step)


def arch(
    thickness: float, n: int = 27, radius: float = 10.0, friction: float = 0.5, step: float = 1e-3
) -> str:
    """A semicircle of n straight-sided wedges on the floor; `thickness` as a part of the radius."""
    inside, outside, depth = radius * (1 - 0.5 * thickness), radius * (1 + 0.5 * thickness), 5.0
    text = floor(friction=friction)
    for k in range(n):
        angles = pi * k / n, pi * (k + 1) / n
        corners = [(r * cos(a), r * sin(a)) for r in (inside, outside) for a in angles]
        x, z = np.mean(corners, axis=0)
        points = [[p - x, y, q - z] for p, q in corners for y in (-0.5 * depth, 0.5 * depth)]
        shape = [{"type": "convex", "points": points}]
        keys = {"density": 2000.0, "shape": shape, "position": [x, 0, z]}
        text += body(f"wedge_{k}", collide=True, material="stone", **keys)
    return text + contact_solver(step)


class Watch:
    """A run that stops after each step, or after many."""

    def __init__(self, runs: Any, text: str) -> None:
        self.prepared = runs.prepare(text)
        self.problem = self.prepared.problem
        self.integrator = self.prepared.start(1e9)
        self.step = self.problem[Step].record[0].fixed

    def to(self, time: float) -> Watch:
        """Advance to a multiple of the step."""
        while self.integrator.time < time - 0.5 * self.step:
            self.integrator.advance(time, np.inf, 10**9)
        return self

    def steps(self, n: int) -> Iterator[float]:
        """Advance n times by a step; yields the times."""
        first = round(self.integrator.time / self.step)
        for k in range(first + 1, first + n + 1):
            self.to(k * self.step)
            yield k * self.step

    @property
    def q(self) -> Any:
        """(n, 7) poses of spatial bodies: position, quaternion."""
        return self.problem[State].q.reshape(-1, 7).copy()

    @property
    def v(self) -> Any:
        """(n, 6) velocities and angular velocities of spatial bodies."""
        return self.problem[State].v.reshape(-1, 6).copy()

    @property
    def record(self) -> Any:
        """Counts and the residual of the last step."""
        return self.problem[Contacts].record[0]

    @property
    def gap(self) -> Any:
        """Gaps of the contacts of the last step, in its middle [m]."""
        return self.problem[TransientRows].phi[: 3 * self.problem[TransientRows].used[0] : 3].copy()

    @property
    def statuses(self) -> Any:
        return self.problem[Contacts].status[: self.problem[TransientRows].used[0]].copy()

    def load_of_ground(self) -> Any:
        """(3,) mean force of the ground in the last step [N], world axes."""
        transient, total = self.problem[TransientRows], np.zeros(3)
        for k in range(transient.used[0]):
            bodies = [transient.member[2 * k + s].body for s in range(2)]
            if min(bodies) < 0:
                side = int(bodies[0] < 0)
                for row in range(3):
                    at = 12 * (3 * k + row) + 6 * side
                    total += transient.impulse[3 * k + row] * transient.G_marker[at : at + 3]
        return total / self.step
