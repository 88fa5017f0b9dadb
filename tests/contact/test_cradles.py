"""Rows of balls and boxes that touch, without friction: Newton's law of impact at all contacts at once."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import Watch, ball, block, contact_solver
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.report import closing
from scene_text import joint, table, world

SIZE = 0.2


def row(kind: str, n: int, lifted: int, e: float, more: str = "", step: float = 1e-3) -> str:
    """n bodies that touch along x; the first `lifted` of them arrive at 1 m/s from 0.1 m away."""
    text = world(gravity=[0, 0, 0]) + table("material", name="stone", restitution=e)
    for k in range(n):
        at, speed = [SIZE * k - (0.1 if k < lifted else 0.0), 0, 0], [1.0 if k < lifted else 0.0, 0, 0]
        if kind == "balls":
            text += ball(f"ball_{k}", SIZE / 2, 1.0, at, velocity=speed)
        else:
            text += block(f"box_{k}", (SIZE, SIZE, SIZE), 1.0, at, velocity=speed)
    return text + more + contact_solver(step)


@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize(
    ("n", "lifted"),
    [(2, 1), (5, 3), *(pytest.param(n, k, marks=pytest.mark.slow) for n, k in ((3, 1), (4, 2), (5, 1)))],
)
@pytest.mark.parametrize("kind", ["balls", "boxes"])
def test_those_that_touch_are_struck_at_once(runs, kind, n, lifted, e):
    """m balls that arrive and n − m at rest: u⁺ = −e u⁻ where they meet, m v = n times the mean."""
    watch = Watch(runs, row(kind, n, lifted, e))
    for _ in watch.steps(150):
        pass
    left, right = (lifted - e * (n - lifted)) / n, lifted * (1.0 + e) / n
    expected = np.where(np.arange(n) < lifted, left, right)
    assert watch.v[:, 0] == pytest.approx(expected, abs=1e-8)
    energy = 0.5 * (watch.v[:, 0] ** 2).sum()
    assert energy == pytest.approx(0.5 * (lifted * left**2 + (n - lifted) * right**2), rel=1e-9)
    assert watch.problem[Contacts].totals[0].softened == 0
    assert "rebound" not in str(closing(watch.problem, 150))


@pytest.mark.parametrize("third", [False, True])
def test_a_pendulum_elsewhere_does_not_change_an_impact(runs, third):
    """Two balls on hinges exchange their velocities at e = 1, whatever hits the ground 5 m away, in an impact
    with friction that alone would add energy.
    """
    text = world(gravity=[0, 0, 0]) + table("material", name="stone", restitution=1.0)
    for k, rate in enumerate((-1.0, 0.0)):
        at = [SIZE * k - (0.02 if k == 0 else 0.0), 0, -1.0]
        spin = {"velocity": [-rate, 0, 0], "angular_velocity": [0, rate, 0]}
        text += ball(f"bob_{k}", SIZE / 2, 1.0, at, **spin)
        text += joint(f"hinge_{k}", "revolute", "ground", f"bob_{k}", at=[at[0], 0, 0], axis=[0, 1, 0])
    if third:
        text += table("material", name="chalk", restitution=1.0, friction=0.5)
        pose = {"axis": [1, 0, 0], "angle": 0.7}
        moving = {"velocity": [0, 1.0, -2.0], "angular_velocity": [3.0, 0, 0]}
        keys = {"orientation": pose, "material": "chalk", **moving}
        text += block("cube", (0.2, 0.2, 0.2), 1.0, [5, 0, 0.3], **keys)
        text += block("slab", (2, 2, 0.2), 1e6, [5, 0, -0.1], material="chalk")
    watch = Watch(runs, text + contact_solver(1e-3))
    energies = []
    for _ in watch.steps(200):
        energies.append(0.5 * (watch.v[:2, :3] ** 2).sum() + 0.002 * (watch.v[:2, 3:] ** 2).sum())
    assert watch.v[:2, 4] == pytest.approx([0.0, -1.0], abs=2e-3)
    assert energies[-1] == pytest.approx(energies[0], rel=1e-5)


@pytest.mark.parametrize("air", [1e-6, 1e-4, 3e-4])
@pytest.mark.parametrize("e", [0.8, 1.0])
@pytest.mark.parametrize(
    ("n", "lifted"),
    [(5, 1), (8, 3), *(pytest.param(n, k, marks=pytest.mark.slow) for n, k in ((3, 1), (5, 2)))],
)
def test_those_with_air_between_are_struck_in_turn(runs, n, lifted, e, air):
    """Less air than a ball crosses in a step: each impact is one of two balls. The last ball leaves with
    ((1 + e)/2)^(n − 1) of the first one's velocity; at e = 1 as many leave as arrive, and energy stays.
    """
    text = world(gravity=[0, 0, 0]) + table("material", name="stone", restitution=e)
    for k in range(n):
        at = [(SIZE + air) * k - (0.1 if k < lifted else 0.0), 0, 0]
        text += ball(f"ball_{k}", SIZE / 2, 1.0, at, velocity=[1.0 if k < lifted else 0.0, 0, 0])
    watch = Watch(runs, text + contact_solver(1e-3))
    for _ in watch.steps(150):
        assert watch.record.missed == 0
    speeds = watch.v[:, 0]
    assert speeds.sum() == pytest.approx(lifted, abs=1e-12)
    if e == 1.0:
        assert speeds == pytest.approx([0.0] * (n - lifted) + [1.0] * lifted, abs=1e-7)
    elif lifted == 1:
        assert speeds[-1] == pytest.approx((0.5 * (1 + e)) ** (n - 1), abs=1e-7)
