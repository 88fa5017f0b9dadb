"""Each law fails where a fault is planted: in what a run tells, or in what it does."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import checker
import generated
import numpy as np
import pytest
import symmetries
import values
from test_invariants import ENERGY, FEW, FULL, JUMP, STEPS, case, recorded

import mbplugin as mb

#: a tree with a ball joint, whose bodies hit the floor, and an undamped flight before
KINDS, SEED = generated.TREES, 3


@pytest.fixture
def told():
    scene, run, _ = case(KINDS, SEED)
    return scene, deepcopy(run)


def test_momentum_misses_the_impulse_of_a_joint(told):
    scene, run = told
    assert checker.momentum(run).ratio < 1.0
    step = run.steps[10]
    k = next(i for i, name in enumerate(step.element) if name == scene.joints[0].name)
    step.impulse[k] = step.angular[k] = 0.0
    assert checker.momentum(run).ratio > 1e6


@pytest.mark.parametrize("what", ["gyroscopic", "gravity"])
def test_momentum_misses_a_term_of_a_body(told, what):
    _, run = told
    step = run.steps[10]
    for k, name in enumerate(step.element):
        if name == what:
            step.impulse[k] = step.angular[k] = 0.0
    assert checker.momentum(run).ratio > 1e3


def test_energy_sees_a_rebound_that_is_too_fast():
    scene, run, _ = case(generated.LOOSE, 5)
    run = deepcopy(run)
    assert checker.energy(run, scene, ENERGY).ratio < 1.0
    hit = next(k for k in range(len(run.steps)) if checker.loaded(run, k))
    for v in run.v.values():
        v[hit + 1 :] *= 1.2
    assert checker.energy(run, scene, ENERGY).ratio > 10.0


def test_an_impulse_that_acts_twice_is_a_jump():
    """A rebound, once more in the second step after the contact has opened."""
    scene, run, _ = case(generated.LOOSE, 5)
    run = deepcopy(run)
    assert checker.no_jump(run, scene, JUMP).ratio < 1.0
    hit = max(k for k in range(len(run.steps) - 6) if checker.loaded(run, k))
    name = next(
        body for body, element in zip(run.steps[hit].body, run.steps[hit].element) if "contact" in element
    )
    again = run.v[name][hit + 1] - run.v[name][hit]
    run.v[name][hit + 3 :] += again
    assert checker.no_jump(run, scene, JUMP).ratio > 3.0


def test_the_mirror_image_of_another_motion_differs():
    """A velocity of 1 mm/s along y is not mirrored."""
    scene = generated.scene(KINDS, SEED).changed(keys={"residual": 1e-9})
    body = scene.bodies[0]
    changed = replace(body, velocity=body.velocity + np.array([0.0, 1e-3, 0.0]))
    other = scene.changed(bodies=(changed, *scene.bodies[1:]))
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * FEW
    mirror = FULL.mirror()
    run, image = recorded(scene, FEW, image=FULL), recorded(other, FEW, image=mirror)
    assert symmetries.alike(run, image, allowed, mirror).ratio > 1e3


def test_a_state_that_is_not_loaded_gives_other_bits(monkeypatch):
    scene = generated.scene(KINDS, SEED)
    text = scene.text(steps=STEPS // 2)
    assert values.unequal_steps(text, scene.step, STEPS // 2, SEED) == []
    monkeypatch.setattr(mb.Simulation, "load", lambda simulation, saved: None)
    assert values.unequal_steps(text, scene.step, STEPS // 2, SEED) != []


def test_a_copy_with_another_gravity_gives_other_bits():
    problem = mb.System.from_text(generated.scene(KINDS, SEED).text(steps=FEW)).compile()
    copy = problem.copy()
    copy.set_parameter("scene.gravity", [0.0, 0.0, float(np.nextafter(-9.81, -10.0))])
    runs = [values.numbers_of_result(one.run()) for one in (problem, copy)]
    assert not np.array_equal(*runs)
