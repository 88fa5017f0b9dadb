"""At e = 1 and without friction, several impacts in one step keep the energy, under both laws."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from blocks import G, Watch, ball, block, floor
from scene_text import solver

LAWS = ("newton", "sequential")
SLOW = pytest.mark.slow


def energies(watch: Watch, masses: Any, moments: Any, steps: int) -> np.ndarray:
    """(steps + 1,) of bodies whose inertia is `moments` (n, 3), in body axes: kinetic and potential [J]."""

    def energy() -> float:
        q, v = watch.q, watch.v
        turning = np.sum(np.asarray(moments) * v[:, 3:] ** 2)
        return 0.5 * float(masses @ (v[:, :3] ** 2).sum(1) + turning) + G * float(masses @ q[:, 2])

    masses = np.asarray(masses)
    return np.array([energy(), *(energy() for _ in watch.steps(steps))])


def cases() -> Any:
    """Ratios of masses, gaps [m], steps [s]; a corner of each by default."""
    for ratio, gap, step in product((1, 3, 10, 100, 1000), (0.0, 1e-5, 1e-3, 1e-2), (1e-3, 2.3e-4)):
        few = (ratio, gap) in ((3, 1e-3), (10, 1e-2), (1000, 1e-5), (100, 1e-2)) and step == 1e-3
        yield pytest.param(ratio, gap, step, marks=() if few else SLOW)


@pytest.mark.parametrize("impact", LAWS)
@pytest.mark.parametrize(("ratio", "gap", "step"), cases())
def test_a_light_ball_between_a_heavy_one_and_the_floor(runs, ratio, gap, step, impact):
    """It strikes both many times, the more the lighter it is, across gaps that it crosses in parts of a
    step: π/2 √ratio pairs of impacts, of which some fall into one step.
    """
    low, high, light = 0.1, 0.03, 1.0 / ratio
    text = floor(restitution=1.0) + ball("low", low, light, [0, 0, 0.2])
    text += ball("high", high, 1.0, [0, 0, 0.33 + gap])
    watch = Watch(runs, text + solver(type="contact", step=step, end=1.0, impact=impact))
    moments = [[0.4 * light * low**2] * 3, [0.4 * high**2] * 3]
    found = energies(watch, [light, 1.0], moments, int(0.2 / step))
    assert np.ptp(found) < 1e-11 * found[0]
    assert watch.v[1, 2] > 0.8


@pytest.mark.parametrize("impact", LAWS)
@pytest.mark.parametrize("step", [4e-3, pytest.param(1e-3, marks=SLOW)])
def test_a_ball_that_falls_on_one_above_the_floor(runs, step, impact):
    """The lower ball hovers a millimetre above the floor, and is driven into it within the step. Loads of the
    step in the velocity from which it rebounds would be energy of the order g h.
    """
    text = floor(restitution=1.0) + ball("low", 0.1, 4.0, [0, 0, 0.101], velocity=[0, 0, -0.1])
    text += ball("high", 0.05, 0.5, [0, 0, 0.2525], velocity=[0, 0, -1.0])
    watch = Watch(runs, text + solver(type="contact", step=step, end=1.0, impact=impact))
    found = energies(watch, [4.0, 0.5], [[0.016] * 3, [5e-4] * 3], int(0.04 / step))
    assert np.diff(found).max() < 1e-12


@pytest.mark.parametrize("impact", LAWS)
def test_a_tumbling_box_that_strikes_with_several_corners(runs, impact):
    """After a blow gyroscopic moments are those of the new velocity: what they do at the old one would be
    energy of the order h² in the next step.
    """
    sizes, mass = (0.2, 0.12, 0.06), 2.0
    moving = {"velocity": [0.1, 0.3, -1.0], "angular_velocity": [6.0, -8.0, 3.0]}
    text = floor(restitution=1.0, friction=0.0) + block("box", sizes, mass, [0, 0, 0.15], **moving)
    squares = np.square(sizes)
    moments = [mass / 12.0 * (squares.sum() - squares)]
    grown = []
    for step in (1e-3, 5e-4):
        watch = Watch(runs, text + solver(type="contact", step=step, end=1.0, impact=impact))
        found = energies(watch, [mass], moments, int(0.5 / step))
        grown.append(np.abs(np.diff(found)).max())
    assert grown[0] < 4e-6
    assert grown[1] < 0.2 * grown[0]
