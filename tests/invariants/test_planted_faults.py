"""Each law fails where a fault is planted: in what a run tells, or in what it does."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import checker
import generated
import numpy as np
import pytest
import scene_text
import symmetries
import test_order_within_phases as test_order
import values
from images import Image
from test_invariants import ENERGY, FEW, FLUSH, FULL, JUMP, STEPS, case, exact, recorded
from test_momentum_of_methods import METHODS, open_by
from test_momentum_of_methods import STEPS as STEPS_OF_METHODS

import mbplugin as mb

#: a tree with a ball joint, whose bodies hit the floor, and an undamped flight before
KINDS, SEED = generated.TREES, 3


@pytest.fixture
def told():
    scene, run, _ = case(KINDS, SEED)
    return scene, deepcopy(run)


def test_momentum_misses_the_impulse_of_a_joint(told):
    scene, run = told
    assert checker.momentum(run, scene).ratio < 1.0
    step = run.steps[10]
    k = next(i for i, name in enumerate(step.element) if name == scene.joints[0].name)
    step.impulse[k] = step.angular[k] = 0.0
    assert checker.momentum(run, scene).ratio > 1e6


@pytest.mark.parametrize("what", ["gyroscopic", "gravity"])
def test_momentum_misses_a_term_of_a_body(told, what):
    scene, run = told
    step = run.steps[10]
    for k, name in enumerate(step.element):
        if name == what:
            step.impulse[k] = step.angular[k] = 0.0
    assert checker.momentum(run, scene).ratio > 1e3


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


def test_a_contact_that_gives_a_thousandth_too_much_misses_its_law():
    scene, run, _ = case(generated.LOOSE, 5)
    run = deepcopy(run)
    assert checker.residual(run, scene).ratio < 1.0
    hit = next(k for k in range(len(run.steps)) if checker.loaded(run, k))
    run.steps[hit].contacts.impulse *= 1.001
    assert checker.residual(run, scene).ratio > 1e3


def test_a_contact_that_lets_bodies_through_misses_its_law():
    """By 1 mm/s, upwards or downwards."""
    scene, run, _ = case(generated.CRADLES, 1)
    hit = next(k for k in range(len(run.steps)) if checker.loaded(run, k))
    name = next(
        b for b, what in zip(run.steps[hit].body, run.steps[hit].element) if what.startswith("contact")
    )
    for sign in (-1.0, 1.0):
        changed = deepcopy(run)
        changed.steps[hit].v[name] += sign * np.array([1e-3, 0.0, 0.0])
        assert checker.residual(changed, scene).ratio > 1e3


def test_a_joint_held_at_the_end_of_the_step_misses_its_rows(told):
    """Not at the mean velocity."""
    scene, run = told
    assert checker.residual(run, scene).ratio < 1.0
    k = next(k for k in range(len(run.steps)) if checker.loaded(run, k))
    step = run.steps[k]
    for name in step.v:
        step.v[name], step.w[name] = run.v[name][k + 1], run.w[name][k + 1]
    assert checker.residual(run, scene).ratio > 10.0


def test_an_impulse_between_bodies_that_do_not_meet_is_seen():
    """A rebound a step before the bodies are near, at the points where they will touch."""
    scene, run, _ = case(generated.LOOSE, 5)
    run = deepcopy(run)
    assert checker.closing(run, scene).ratio < 1.0
    hit = next(k for k in range(len(run.steps)) if checker.loaded(run, k))
    listed = [k for k in range(hit) if len(run.steps[k].contacts.body_a)]
    early = run.steps[listed[-1]]
    impulses = run.steps[hit].contacts.impulse
    early.contacts.impulse[:] = impulses[np.linalg.norm(impulses, axis=1).argmax()]
    k = int(early.contacts.body_b[0])
    early.v[run.bodies[k].name] += early.contacts.impulse[0] / run.bodies[k].mass
    assert checker.closing(run, scene).ratio > 10.0


@pytest.mark.parametrize("what", ["rotated", "moving"])
def test_gravity_that_stays_behind_is_no_image(what):
    """Its direction, when the scene is rotated; a spring to the ground, when its frame moves."""
    scene, run, judged = exact(generated.SWARM, 3)
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * FEW * judged.condition
    if what == "rotated":
        image = Image(turn=(0.36, 0.48, -0.64, 0.48))
        g = image.Q.T @ np.array(scene.gravity)
        other = recorded(scene.changed(gravity=g), FEW, image=image)
    else:
        image = Image(turn=FULL.turn, drift=(0.7, -0.4, 0.3))
        spring = generated.Force("held", "spring", "ground", "b0", stiffness=50.0, length=0.1)
        scene = scene.changed(forces=(spring,))
        run, other = recorded(scene, FEW, image=FULL), recorded(scene, FEW, image=image)
    assert symmetries.alike(run, other, allowed, image).ratio > 1e3


def test_bodies_that_are_given_another_place_in_the_file_keep_their_own():
    """Two bodies that exchange their velocities are not renumbered."""
    scene, run, judged = exact(generated.LOOSE, 5)
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * FEW * judged.condition
    first, second, *others = scene.bodies
    pair = (replace(first, velocity=second.velocity), replace(second, velocity=first.velocity))
    other = recorded(scene.changed(bodies=(*pair, *others)), FEW, image=FULL, order=1)
    assert symmetries.alike(run, other, allowed).ratio > 1e3


def test_a_mechanism_that_is_tied_to_the_first_one_is_not_beside_it(monkeypatch):
    scene, run, judged = exact(generated.LOOSE, 5)
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * FEW * judged.condition
    tied = generated.FAR_HINGE + scene_text.spring("pendulum", "b0", stiffness=0.1, length=0.0, name="tie")
    monkeypatch.setattr(generated, "FAR_HINGE", tied)
    other = recorded(scene, FEW, image=FULL, beside=True)
    assert symmetries.alike(run, other, allowed).ratio > 1e3


def test_a_motion_that_grazes_is_left_out():
    """A contact on the edge of the cone."""
    scene, run, judged = exact(generated.LOOSE, 8)
    assert judged.reason == ""
    run = deepcopy(run)
    hit = max(k for k in range(len(run.steps)) if checker.loaded(run, k))
    step = run.steps[hit]
    for i in range(len(step.contacts.body_a)):
        n, r = step.contacts.normal[i], step.contacts.impulse[i]
        step.contacts.impulse[i] = 1e-12 * (r @ n) * n
    assert symmetries.judged(run, scene).reason.startswith("grazes")


def test_bodies_that_overlap_without_a_contact_are_seen():
    scene, run, _ = case(generated.LOOSE, 5)
    run = deepcopy(run)
    for step in run.steps:
        for key, array in vars(step.contacts).items():
            setattr(step.contacts, key, array[:0])
    for x in run.x.values():
        x[:, 2] -= 0.01
    assert checker.closing(run, scene).ratio > 1e3


def test_a_step_of_a_tenth_of_a_millimetre_is_no_flush_seam():
    seed = FLUSH[0]
    scene = generated.scene(generated.SEAMS, seed).changed(keys={"residual": 1e-9})
    first, *others = scene.ground
    x, y, z = first["position"]
    low = scene.changed(ground=({**first, "position": [x, y, z - 1e-4]}, *others))
    allowed = 100 * 1e-9 * generated.GRAVITY * scene.step * STEPS
    assert (
        symmetries.alike(recorded(scene, impulses=False), recorded(low, impulses=False), allowed).ratio > 1e3
    )


def test_an_error_of_first_order_is_no_second_order():
    values = [np.array([1.0 + h**2 + 1e-2 * h]) for h in (0.1, 0.05, 0.025, 0.0125)]
    assert abs(test_order.order(values)[0] - 2.0) > test_order.NEAR
    assert (
        abs(test_order.order([v - 1e-2 * h for v, h in zip(values, (0.1, 0.05, 0.025, 0.0125))])[0] - 2.0)
        < 1e-6
    )


@pytest.mark.parametrize("method", METHODS)
def test_momentum_under_a_method_misses_a_spring(method):
    kinds, keys, order = METHODS[method]
    scene = generated.scene(kinds, 0).changed(keys=keys)
    errors = [open_by(scene, steps, left_out=scene.forces[0].name)[0] for steps in STEPS_OF_METHODS]
    assert test_order.slope(errors) < order - 0.3


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
