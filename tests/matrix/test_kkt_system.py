"""M and Ĝ in the blocks of a matrix against the dense M and G of the problem."""

import numpy as np
import pytest
from scene_text import bundled, changed

from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry
from mbplugin.matrix import (
    Matrix,
    MethodMatrix,
    add_constraints,
    add_mass,
    add_proximal,
    analyse,
    clear_matrix,
    declare_augmented,
    empty_matrix,
    enlarged,
    factor_matrix,
    row_scale,
    solve_matrix,
    to_csc,
)
from mbplugin.tables.groups import Rows
from mbplugin.tables.status import NO_ROOM, OK

SCENES = ["double_pendulum", "piston_crank", "door_and_handle"]


@compiled_entry()
def declare(tables):
    m = view(tables, Matrix)
    declare_augmented(tables, m, 0)
    return analyse(m)


@compiled_entry()
def fill(tables):
    m = view(tables, Matrix)
    clear_matrix(m)
    add_mass(tables, m, 1.0)
    add_constraints(tables, m, row_scale(tables), -1.0)
    add_proximal(tables, m, 1.0)


@compiled_entry()
def factor_and_solve(tables):
    m = view(tables, Matrix)
    status = factor_matrix(m)
    solve_matrix(m, m.x)
    return status


@pytest.mark.parametrize("name", SCENES)
def test_bodies_and_joints_form_the_bordered_matrix(runs, name):
    prepared = runs.prepare(changed(bundled(name), "[solver]\n", '[solver]\nmethod = "kkt"\n'))
    problem = prepared.problem
    prepared.start(1.0).show(0.0)
    problem.put(empty_matrix(Matrix))
    while declare(problem.addresses) == NO_ROOM:
        problem.put(enlarged(problem[Matrix]))
    fill(problem.addresses)
    M = problem.mass(problem.q)
    G, _ = problem.constraints(problem.time, problem.q, problem.v)
    scale = problem[Rows].scale
    G = scale[:, None] * G
    delta = np.diag(np.where(scale != 0.0, 1e-10, 1.0))
    A = np.block([[M, -G.T], [G, delta]])
    np.testing.assert_allclose(to_csc(problem[Matrix]).toarray(), A, rtol=1e-14, atol=0)
    # the method's own matrix is another one
    assert len(problem[MethodMatrix].node) == len(problem[Matrix].node[: problem[Matrix].info[0].nodes])
    b = A @ np.arange(1.0, len(A) + 1.0)
    problem[Matrix].x[: len(b)] = b
    assert factor_and_solve(problem.addresses) == OK
    x = problem[Matrix].x[: len(b)]
    # redundant rows have pivots of the size of δ
    assert np.abs(A @ x - b).max() <= 1e-9 * np.abs(b).max()
