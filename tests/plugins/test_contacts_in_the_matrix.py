"""Contacts in the matrix of the step: terms of compliant ones, borders of rigid ones, a changing pattern."""

from __future__ import annotations

import numpy as np
import pytest
from headless import show
from scene_text import body, force, hinge, solver, world

from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry
from mbplugin.matrix import add_transient_terms, clear_matrix, to_csc
from mbplugin.tables.groups import Matrix, TransientRows

G = 9.81
STEP = 1e-3
STIFFNESS = 1e5


def point(name, x, z, mass=1.0, **keys):
    return body(name, mass=mass, inertia=[0.1, 0.1, 0.1], position=[x, 0, z], **keys)


def run(runs, text, until, **keys):
    prepared = runs.prepare(text + solver(type="foreign_implicit_contacts", step=STEP, end=until, **keys))
    integrator = prepared.start(until)
    show(integrator, until, until)
    return prepared


def stack():
    """Three bodies, one after another above each other, that fall onto the plane and onto each other."""
    return world() + point("low", 0, 0.01) + point("middle", 0, 0.03, 2.0) + point("high", 0, 0.08, 5.0)


@pytest.mark.parametrize("stiffness", [STIFFNESS, 1e9])
def test_springs_between_all_bodies_carry_their_weights(runs, stiffness):
    prepared = run(runs, stack(), 3.0, stiffness=stiffness, near=0.02)
    z = prepared.recorder.frame()["bodies/position"][:, 2]
    # six equal springs: of each to the plane, and between each two
    K = stiffness * (4.0 * np.eye(3) - np.ones((3, 3)))
    np.testing.assert_allclose(z, np.linalg.solve(K, -G * np.array([1.0, 2.0, 5.0])), rtol=1e-7)


def test_borders_of_a_stack_carry_what_stands_on_them(runs):
    prepared = run(runs, stack(), 1.0, near=0.02)
    transient = prepared.problem[TransientRows]
    assert transient.used[0] > 0
    np.testing.assert_allclose(prepared.recorder.frame()["bodies/position"][:, 2], 0.0, atol=1e-10)
    carried = np.zeros(3)
    for k in range(transient.used[0]):
        for side in range(2):
            member = transient.member[2 * k + side]
            if member.nv > 0:
                carried[member.body] += (-1.0, 1.0)[side] * transient.impulse[k]
    np.testing.assert_allclose(carried, G * np.array([1.0, 2.0, 5.0]), rtol=1e-9)


@pytest.mark.parametrize("stiffness", [None, 1e8])
def test_a_lever_on_a_hinge_presses_with_its_weight_and_twice_the_load_at_its_end(runs, stiffness):
    text = (
        world()
        + point("lever", 0, 1e-3, marker=[{"name": "tip", "position": [1, 0, 0]}])
        + hinge("pivot", "ground", "lever", at=[-1, 0, 1e-3], axis=[0, 1, 0])
        + force("lever.tip", z=-3.0)
    )
    prepared = run(runs, text, 1.0, stiffness=stiffness)
    np.testing.assert_allclose(prepared.problem[TransientRows].impulse[0], G + 6.0, rtol=1e-9)


@compiled_entry()
def add_law(tables):  # type: ignore[no-untyped-def]
    """Terms of every block, −C in the place of `TransientRows.target`: unsymmetric, from its first row."""
    m, transient = view(tables, Matrix), view(tables, TransientRows)
    clear_matrix(m)
    for k in range(transient.used[0]):
        add_transient_terms(tables, m, k, transient.target, k)
    return 0


def test_terms_of_the_pool_are_the_products_of_their_jacobians(runs):
    prepared = run(runs, stack(), 1.0, stiffness=STIFFNESS, near=0.02)
    problem = prepared.problem
    transient, nv = problem[TransientRows], problem.nv
    assert transient.used[0] == 6  # each pair, and each with the plane
    transient.target[:6] = np.random.default_rng(2).uniform(-1.0, 1.0, 6)
    expected = np.zeros((nv, nv))
    for k in range(6):
        row = np.zeros(nv)
        for member in transient.member[2 * k : 2 * k + 2]:
            row[member.first_v : member.first_v + member.nv] += transient.G[
                member.first_G : member.first_G + member.nv
            ]
        expected += transient.target[k] * np.outer(row, row)
    add_law(problem.addresses)
    np.testing.assert_allclose(to_csc(problem[Matrix]).toarray(), expected, atol=1e-14)
