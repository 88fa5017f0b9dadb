"""Mechanisms whose bodies touch: energy is only lost, whatever slides, sticks or strikes, at every step."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
from blocks import G, ball, block, floor
from scene_text import body, joint, solver, table, world

import mbplugin as mb


def rod(name: str, length: float, at: list[float], angle: float, **keys: object) -> str:
    """A capsule of 1 kg along its x axis, turned about −y by `angle`."""
    inertia = [1e-3, length**2 / 12, length**2 / 12]
    along = {"axis": [0, 1, 0], "angle": pi / 2}
    shape = {"type": "capsule", "radius": 0.02, "length": length - 0.04, "orientation": along}
    pose = {"axis": [0, 1, 0], "angle": -angle}
    collides = {"collide": True, "material": "stone", "shape": [shape]}
    return body(name, mass=1.0, inertia=inertia, position=at, orientation=pose, **{**collides, **keys})


def double_pendulum(friction: float, e: float) -> str:
    """Two rods of 0.5 m that fall onto the floor and against a wall."""
    length, a, b = 0.5, 0.9, -0.2
    elbow = [length * cos(a), 0, 0.7 + length * sin(a)]
    tip = [elbow[0] + length * cos(b), 0, elbow[2] + length * sin(b)]
    middle = lambda p, q: [0.5 * (p[k] + q[k]) for k in range(3)]
    wall = {"type": "box", "size": [0.2, 2, 4], "position": [0.95, 0, 0]}
    text = world(gravity=[0, 0, -G], collide=True, material="stone", shape=[{"type": "plane"}, wall])
    text += table("material", name="stone", friction=friction, restitution=e)
    text += rod("upper", length, middle([0, 0, 0.7], elbow), a) + rod("lower", length, middle(elbow, tip), b)
    text += joint("shoulder", "revolute", "ground", "upper", at=[0, 0, 0.7], axis=[0, 1, 0])
    return text + joint("elbow", "revolute", "upper", "lower", at=elbow, axis=[0, 1, 0])


def crank_with_clearance(friction: float, e: float) -> str:
    """A slider with 1 mm of play in its guide, swung by a crank and a rod, free."""
    guide = [{"type": "box", "size": [1, 0.2, 0.1], "position": [0.5, 0, side * 0.091]} for side in (-1, 1)]
    text = world(gravity=[0, 0, -G], collide=True, material="stone", shape=guide)
    text += table("material", name="stone", friction=friction, restitution=e)
    pin, slider = [0.1 * cos(0.7), 0, 0.1 * sin(0.7)], 0.1 * cos(0.7) + (0.09 - (0.1 * sin(0.7)) ** 2) ** 0.5
    spin = {"angular_velocity": [0, -15, 0]}
    text += body("crank", mass=0.5, inertia=[1e-3] * 3, position=[0, 0, 0], **spin)
    text += body(
        "rod", mass=0.3, inertia=[1e-4, 2e-3, 2e-3], position=[0.5 * (pin[0] + slider), 0, pin[2] / 2]
    )
    text += block("slider", (0.08, 0.05, 0.08), 0.4, [slider, 0, 0])
    text += joint("main", "revolute", "ground", "crank", at=[0, 0, 0], axis=[0, 1, 0])
    text += joint("pin", "revolute", "crank", "rod", at=pin, axis=[0, 1, 0])
    return text + joint("wrist", "revolute", "rod", "slider", at=[slider, 0, 0], axis=[0, 1, 0])


def balls_between_sliders(friction: float, e: float) -> str:
    """Two plates on guides, coupled against each other, close on two balls that lie between them."""
    text = floor(friction=friction, restitution=e)
    for side in (-1, 1):
        at = [0.2 * side, 0, 0.06]
        text += block(f"plate_{side + 1}", (0.02, 0.2, 0.1), 1.0, at, velocity=[-1.0 * side, 0, 0])
        text += joint(
            f"guide_{side + 1}", "translational", "ground", f"plate_{side + 1}", at=at, axis=[1, 0, 0]
        )
    text += table("joint", name="pair", type="coupler", joints=["guide_0", "guide_2"], factors=[1.0, 1.0])
    return (
        text
        + ball("left", 0.05, 0.3, [-0.06, 0.01, 0.0501])
        + ball("right", 0.05, 0.3, [0.06, -0.02, 0.0501])
    )


def bead_on_drum(friction: float, e: float) -> str:
    """A bead falls onto a free drum that turns about a level axle."""
    text = world(gravity=[0, 0, -G]) + table("material", name="stone", friction=friction, restitution=e)
    lying = {"axis": [1, 0, 0], "angle": pi / 2}
    drum = {"type": "capsule", "radius": 0.2, "length": 0.4, "orientation": lying}
    keys = {"collide": True, "material": "stone", "shape": [drum], "angular_velocity": [0, 4.0, 0]}
    text += body("drum", mass=3.0, inertia=[0.1, 0.06, 0.1], position=[0, 0, 0], **keys)
    text += joint("axle", "revolute", "ground", "drum", at=[0, 0, 0], axis=[0, 1, 0])
    return text + ball("bead", 0.02, 0.2, [0.03, 0.05, 0.24], velocity=[0, 0.2, 0])


#: woodpecker: half widths of pole and hole, half the height of the sleeve; from the sleeve to the spring, and
#: from there to the bird's mass centre [m] (C. Glocker, Set-Valued Force Laws, Springer 2001, 12.1)
POLE, HOLE, SLEEVE, ARM, BIRD = 0.0025, 0.0031, 0.0058, 0.010, 0.015


def woodpecker(friction: float, e: float) -> str:
    """A sleeve with play on a pole, and a bird on a spring at the sleeve, whose beak strikes the pole."""
    pole = [{"type": "box", "size": [2 * POLE, 0.1, 2.0], "position": [0, 0, 0]}]
    text = world(gravity=[0, 0, -G], collide=True, material="stone", shape=pole)
    text += table("material", name="stone", friction=friction, restitution=e)
    sides = [
        {"type": "box", "size": [0.002, 0.01, 2 * SLEEVE], "position": [side * (HOLE + 0.001), 0, 0]}
        for side in (-1, 1)
    ]
    collides = {"collide": True, "material": "stone"}
    text += body("sleeve", mass=3e-4, inertia=[5e-9] * 3, position=[0, 0, 0], shape=sides, **collides)
    at = ARM + BIRD
    beak = {"type": "sphere", "radius": 0.002, "position": [0.0055 - at, 0, 0.02]}
    turning = {"angular_velocity": [0, 12.0, 0], "velocity": [0, 0, -12.0 * BIRD - 0.1]}
    text += body(
        "bird", mass=4.5e-3, inertia=[7e-7] * 3, position=[at, 0, 0], shape=[beak], **collides, **turning
    )
    text += joint("plane", "planar", "ground", "sleeve", at=[0, 0, 0], axis=[0, 1, 0])
    keys = {"stiffness": 0.0056, "damping": 0.0}
    return text + joint("spring", "revolute", "sleeve", "bird", at=[ARM, 0, 0], axis=[0, 1, 0], **keys)


SCENES = {
    "woodpecker": (woodpecker, 5e-5, 0.3),
    "double pendulum": (double_pendulum, 1e-3, 0.8),
    "crank with clearance": (crank_with_clearance, 1e-5, 0.06),
    "balls between sliders": (balls_between_sliders, 1e-3, 0.5),
    "bead on a drum": (bead_on_drum, 1e-3, 0.6),
}


#: (restitution, friction) of each scene in the default run
BOTH = {
    "woodpecker": [(0.0, 0.4)],
    "double pendulum": [(0.6, 0.4)],
    "crank with clearance": [(0.6, 0.4)],
    "balls between sliders": [(0.6, 0.4)],
    "bead on a drum": [(1.0, 0.4)],
}
CASES = [
    pytest.param(name, e, friction, marks=() if (e, friction) in BOTH[name] else pytest.mark.slow)
    for name in SCENES
    for e in (0.0, 0.6, 1.0)
    for friction in (0.0, 0.4)
]


@pytest.mark.parametrize(("name", "e", "friction"), CASES)
def test_energy_is_only_lost(name, e, friction):
    make, step, end = SCENES[name]
    growth = []
    for h in (step, step / 2):
        text = make(friction, e) + solver(type="contact", step=h, end=end) + table("output", frames=200)
        result = mb.System.from_text(text).run(files=False)
        total = result.energy.kinetic + result.energy.potential
        scale = np.ptp(result.energy.potential) + np.max(result.energy.kinetic)
        growth.append((total - np.minimum.accumulate(total)).max() / scale)
        assert not any("missed" in str(message) for message in result.messages)
    # the spring of the woodpecker turns its sleeve at 1,000 rad/s
    assert growth[0] < (1e-5 if name == "woodpecker" else 1e-6)
    assert growth[1] < max(0.5 * growth[0], 1e-9)
