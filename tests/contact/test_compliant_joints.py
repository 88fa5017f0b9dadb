"""Joints held by springs and dampers on a box that stands on a floor: any stiffness with one step."""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Any

import pytest
from blocks import G, Watch, block, contact_solver, floor
from mbplugin_contact.arrays import Contacts
from scene_text import body, joint

from mbplugin.tables.groups import Rows

BASE, ARM, LENGTH, TOP = 5.0, 1.0, 0.2, 0.5


def arm(enforce: Any, tilt: float = 0.0, step: float = 1e-3) -> str:
    """An arm hinged to a box on the floor, in the box's middle plane; `tilt` from the vertical [rad]."""
    at = [LENGTH * sin(tilt), 0, TOP - LENGTH * cos(tilt)]
    return (
        floor(friction=0.8)
        + block("base", (0.4, 0.2, 0.1), BASE, [0, 0, 0.05])
        + body("arm", mass=ARM, inertia=[1e-2] * 3, position=at)
        + joint("hinge", "revolute", "base", "arm", at=[0, 0, TOP], axis=[0, 1, 0], enforce=enforce)
        + contact_solver(step)
    )


def spring(k: float, d: Any = 0.0, **keys: Any) -> dict[str, Any]:
    law = {"stiffness": k, "damping": d, "angular_stiffness": k, "angular_damping": d}
    return {"type": "penalty", **law, **keys}


def stretch(watch: Watch) -> float:
    """Of the hinge, downwards [m]."""
    return TOP - LENGTH - float(watch.q[1, 2])


@pytest.fixture(scope="module")
def vibrations(runs):
    """(watch, errors of stretch and velocity) at 0.5 s, of three steps, under a sudden load on a box that its
    weight holds: z = m g / k (1 − cos √(k/m) t).
    """
    k, end = 400.0, 0.5
    w = sqrt(k / ARM)
    found = []
    for step in (2e-3, 1e-3, 5e-4):
        watch = Watch(runs, arm(spring(k), step=step)).to(end)
        z, rate = ARM * G / k * (1.0 - cos(w * end)), ARM * G / w * sin(w * end)
        found.append((watch, stretch(watch) - z, -float(watch.v[1, 2]) - rate))
    return found


def test_errors_of_a_hinge_of_springs_fall_with_the_square_of_the_step(vibrations):
    for k in (1, 2):
        for number in (1, 2):
            assert vibrations[k - 1][number] / vibrations[k][number] == pytest.approx(4.0, rel=0.03)
    assert abs(vibrations[2][1]) < 1e-4 * 2.0 * ARM * G / 400.0


def test_a_hinge_of_springs_does_not_damp(vibrations):
    """½ m v² + ½ k z² = m g z, as at the start."""
    for watch, _, _ in vibrations:
        z, rate = stretch(watch), float(watch.v[1, 2])
        energy = 0.5 * ARM * rate**2 + 0.5 * 400.0 * z**2 - ARM * G * z
        assert abs(energy) <= 1e-7 * (ARM * G) ** 2 / 400.0


@pytest.mark.parametrize("k", [1e-2, 1e2, 1e4, 1e6, 1e8, 1e10])
def test_a_hinge_of_any_stiffness_is_stable(runs, k):
    """It stretches by no more than 2 m g / k; where a step does not resolve its vibration, that ends at
    m g / k and the ground carries all weight.
    """
    watch = Watch(runs, arm(spring(k)))
    largest = 0.0
    for _ in watch.steps(300):
        largest = max(largest, stretch(watch))
    assert largest <= 2.0 * ARM * G / k * (1.0 + 1e-6)
    assert watch.problem[Contacts].missed[0] == 0
    if k >= 1e8:
        assert stretch(watch) == pytest.approx(ARM * G / k, rel=1e-4)
        assert watch.load_of_ground()[2] == pytest.approx((BASE + ARM) * G, rel=1e-9)


def test_a_stiff_hinge_swings_as_an_exact_one(runs):
    """Both are of order 2: they differ by 1e-6 m at 2 ms, and by a quarter of that, or less, at 1 ms."""
    gaps = []
    for step in (2e-3, 1e-3):
        exact = Watch(runs, arm("lagrange", 0.5, step)).to(0.4)
        stiff = [Watch(runs, arm(spring(k, d), 0.5, step)).to(0.4) for k, d in ((1e10, 0.0), (1e10, "auto"))]
        gaps.append(max(abs(watch.q - exact.q)[1].max() for watch in stiff))
    assert gaps[0] <= 2e-6
    assert gaps[0] / gaps[1] >= 3.2


def test_an_augmented_hinge_holds_exactly_while_the_box_is_pressed_on_the_floor(runs):
    watch = Watch(runs, arm(spring(1e3, "auto", augment=True), 0.5)).to(0.4)
    exact = Watch(runs, arm("lagrange", 0.5)).to(0.4)
    assert abs(watch.problem[Rows].phi).max() <= 1e-6
    assert abs(watch.q - exact.q)[1].max() <= 2e-6
