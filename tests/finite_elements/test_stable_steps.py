"""The stable step of bodies of elements: a bound by elements, near the true one, and steps about it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from bodies_of_elements import block, material
from element_meshes import assembled
from headless import finish
from mbplugin_flexible.elements import rest_stiffness
from refusals import warned
from scene_text import NO_GRAVITY, solver

from mbplugin.run import stable_step

BAR = block(
    size=(1.0, 0.1, 0.1), divisions=(10, 1, 1), velocity=[0.0, 0.0, 0.0], angular_velocity=[0, 0, 0.5]
)


def test_the_bound_is_above_the_highest_frequency_and_near_it(runs):
    content = runs.prepare(NO_GRAVITY + material() + BAR + solver(end=1.0)).system.bodies[0].content
    data = content.data
    K = rest_stiffness(data.mesh.type, data.numbers, data.integers, np.arange(len(data.mesh.elements)))
    K = assembled(data.mesh.elements, K, len(data.mesh.points)).toarray()
    root = 1.0 / np.sqrt(np.repeat(data.mass, 3))
    highest = np.sqrt(np.linalg.eigvalsh(K * root * root[:, None])[-1])
    assert highest <= content.frequency <= 1.15 * highest


@pytest.mark.parametrize(("part", "bounded"), [(0.98, True), (1.2, False)])
def test_vibrations_stay_below_the_stable_step_and_grow_above(runs, monkeypatch, part, bounded):
    """The midpoint step of `contact` is stable up to 2/ω. Above it the strain energy grows without limit, or
    the run ends because an element is inverted.
    """
    monkeypatch.setattr(stable_step, "GROWTH", np.inf)
    content = runs.prepare(NO_GRAVITY + material() + BAR + solver(end=1.0)).system.bodies[0].content
    step = part * 2.0 / content.frequency
    prepared = runs.prepare(
        NO_GRAVITY + material() + BAR + solver(type="contact", step=step, end=1000 * step)
    )
    try:
        finish(prepared.start(1000 * step), 1000 * step)
        energy = float(prepared.recorder.frame()["energy/potential"])
    except Exception:
        energy = np.inf
    start = 0.5 * 0.5**2 * 10.0 / 12.0
    assert (energy < start) == bounded


def test_a_damping_that_leaves_tiny_steps_is_told_before_the_run(runs):
    """The rate −β ω² of an overdamped vibration bounds the step: with β = c/ω it is c times shorter or so."""
    prepared = runs.prepare(NO_GRAVITY + material() + BAR + solver(end=1.0))
    frequency = prepared.system.bodies[0].content.frequency
    damped = lambda c: NO_GRAVITY + material(stiffness_damping=c / frequency) + BAR + solver(end=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runs.prepare(damped(2.0))
    with warned("block", "stiffness-proportional damping", hide=None):
        runs.prepare(damped(1e6))
