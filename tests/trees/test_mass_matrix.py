"""The mass matrix of trees, formed and factored: against the recursions, which never form it, and in runs."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import SCENES, body, joint, solver, world
from small_systems import chain

from mbplugin import System
from mbplugin.api import plugins
from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.kernels.tree.flat import times_mass_flat
from mbplugin.kernels.tree.solve import times_mass_spatial
from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry
from mbplugin.matrix import (
    Matrix,
    add_mass,
    add_node,
    analyse,
    begin_pattern,
    clear_matrix,
    empty_matrix,
    enlarged,
    to_csc,
)
from mbplugin.run.prepare import prepare
from mbplugin.tables.groups import Bodies, Trees
from mbplugin.tables.status import NO_ROOM, OK

#: a free root that carries an arm with a branch, and a joint with an armature
BRANCHED = (
    world(gravity=[0, 0, -9.81])
    + body("base", mass=3, inertia=[0.3, 0.4, 0.5], center_of_mass=[0.1, 0.05, 0], velocity=[1, 2, 0.3])
    + body("a", mass=1, inertia=[0.1, 0.2, 0.25], position=[1, 0, 0], angular_velocity=[0.3, 1, 2])
    + body("b", mass=0.5, inertia=[0.1, 0.12, 0.2], position=[2, 0.1, 0], center_of_mass=[0.2, 0, 0.1])
    + body("c", mass=0.7, inertia=[0.05, 0.07, 0.08], position=[1, 1, 0])
    + joint("hip", "ball", "base", "a", at=[0.5, 0, 0])
    + joint("knee", "revolute", "a", "b", at=[1.5, 0, 0], axis=[0.1, 1, 0.3], armature=0.2)
    + joint("rail", "cylindrical", "a", "c", at=[1, 0.5, 0], axis=[0, 1, 0.2])
)


def stepped(text, method):
    """The problem in joint coordinates at the start."""
    system = System.from_text(text + solver(coordinates="joint", method=method, end=1.0))
    prepared = prepare(system, plugins()[0])
    return prepared.joint.begin(prepared.problem)


def by_products(problem):
    """M of the only tree, column by column, from its products with unit velocities."""
    n, trees = problem.nv, problem[Trees]
    columns = np.zeros((n, n))
    for k, unit in enumerate(np.eye(n)):
        trees.number[0], trees.places[:] = 1.0, (unit.ctypes.data, columns[k].ctypes.data)
        problem.call_function(times_mass_flat if trees.index["flat"][0] else times_mass_spatial)
    return columns.T


@pytest.mark.parametrize("text", [BRANCHED, world() + chain(6), world() + chain(5, kinds=("revolute",))])
def test_the_formed_matrix_is_that_of_the_recursions(text):
    """Symmetric, positive definite, M v by the recursion, and M⁻¹ by that of articulated bodies."""
    formed, recursive = stepped(text, "mass_matrix"), stepped(text, "articulated_body")
    M = formed.mass(formed.q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0.0
    scale = np.abs(M).max()
    assert np.abs(M - by_products(recursive)).max() <= 1e-13 * scale
    assert np.abs(recursive.mass(recursive.q) - M).max() <= 1e-13 * scale
    b = np.random.default_rng(1).normal(size=formed.nv)
    x = np.linalg.solve(M, b)
    for problem in (formed, recursive):
        assert problem.solve_mass(b) == pytest.approx(x, rel=1e-11, abs=1e-12)
    v = formed.v
    formed.check(entries.evaluate_energies(formed.addresses))
    assert formed[Bodies].kinetic[: len(formed.names.kinds)].sum() == pytest.approx(
        0.5 * v @ M @ v, rel=1e-13
    )


@compiled_entry()
def fill(tables):
    m = view(tables, Matrix)
    begin_pattern(m, 0)
    bodies = view(tables, Bodies).index
    for i in range(bodies.shape[0]):
        add_node(m, bodies[i].nv, bodies[i].first_v, 0)
    status = analyse(m)
    if status == OK:
        clear_matrix(m)
        add_mass(tables, m, 0.5)
        add_mass(tables, m, 1.5)
    return status


@pytest.mark.parametrize("text", [BRANCHED, world() + chain(6), world() + chain(5, kinds=("revolute",))])
def test_a_tree_is_a_block_of_a_sparse_matrix(text):
    """Beside a free body: in space, in a plane, and in a plane where nothing reads a marker."""
    problem = stepped(text + body("free", mass=2.5, inertia=[0.1, 0.2, 0.3]), "articulated_body")
    problem.prepare_masses()
    problem.put(empty_matrix(Matrix))
    while fill(problem.addresses) == NO_ROOM:
        problem.put(enlarged(problem[Matrix]))
    truth = 2.0 * problem.mass(problem.q)
    found = to_csc(problem[Matrix]).toarray()
    np.testing.assert_allclose(found, truth, rtol=1e-14, atol=1e-14 * truth.max())


@pytest.mark.parametrize("form", ["acceleration", "momentum"])
@pytest.mark.parametrize("scene", ["double_pendulum", "heavy_top", "andrews_squeezer"])
def test_both_methods_give_one_motion(scene, form):
    ends = []
    for method in ("articulated_body", "mass_matrix"):
        system = System.from_file(SCENES / scene)
        system.solver.raw.update(coordinates="joint", method=method, form=form)
        result = system.run(files=False)
        ends.append(np.asarray(result.raw["bodies/center_of_mass"][:]))
    assert np.abs(ends[0] - ends[1]).max() <= 1e-9 * np.abs(ends[0]).max()


@pytest.mark.parametrize("method", ["articulated_body", "mass_matrix"])
def test_a_joint_that_moves_no_mass_is_named(method):
    problem = stepped(world() + chain(3), method)
    numbers = problem[Trees].fixed.reshape(-1, 22)
    numbers[2, 12:] = 0.0
    with pytest.raises(PhysicsError, match='joint "j2" moves no mass: give body "b2"'):
        problem.check(entries.evaluate(problem.addresses))
