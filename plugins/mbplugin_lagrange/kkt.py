"""The whole augmented (KKT) system: methods `newton_euler` (dense) and `kkt` (sparse LDLᵀ in blocks).

    [ M  Ĝᵀ ] [  Δv̇ ]   [ h + Ĝᵀλ̂ − M v̇ ]
    [ Ĝ  −δ ] [ −Δλ̂ ] = [ γ̂ − Ĝ v̇        ]         rows scaled as in `constraint_force`, λ̂ from 0

Each pass is a proximal iteration and a step of iterative refinement. Passes repeat until the second
residual is `Rows.goal` times its initial size. Both are references for `constraint_force`, as in the paper
on the constraint force algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mbplugin.interface import MethodKind, internal
from mbplugin.matrix import (
    PASSES,
    STALLED,
    Floats,
    Ints,
    MethodMatrix,
    add_constraints,
    add_mass,
    add_proximal,
    add_solution,
    begin_solution,
    clear_matrix,
    factor_matrix,
    fill_dense,
    finish_solution,
    lu,
    lu_solve,
    method_matrix,
    method_tables,
    no_solution,
    residual,
    residual_goal,
    row_scale,
    solve_matrix,
    table_at,
    view,
)


@method_tables
class Dense(NamedTuple):
    """The dense matrix and its factors."""

    pivot: Ints  # (n,)
    K: Floats  # (n²,)
    right: Floats  # (n,) right-hand side and solution


@internal
def refined(tables, factors, right, solve):
    """Passes until the goal, by `solve(factors)`, which solves for `right` in place. Returns their number.

    The first two always run, because they compute v̇ itself; later ones stop at the goal or if stalled.
    """
    begin_solution(tables)
    before, passes = 1e300, PASSES
    for k in range(PASSES):
        worst, size = residual(tables, right)
        stalled = worst > 0.5 * before and worst <= STALLED * size
        if k > 1 and (worst <= residual_goal(tables) * size or stalled):
            passes = k
            break
        before = worst
        solve(factors)
        add_solution(tables, right)
    finish_solution(tables)
    return passes


@internal
def solve_dense(dense):
    lu_solve(dense.K, 0, dense.right.shape[0], dense.pivot, dense.right, 0)


@internal
def solve_sparse(m):
    solve_matrix(m, m.x)


def newton_euler(first, count, address):
    tables = table_at(address)
    dense = view(tables, Dense)
    n = dense.right.shape[0]
    fill_dense(tables, dense.K, n)
    lu(dense.K, 0, n, dense.pivot)
    return refined(tables, dense, dense.right, solve_dense)


def kkt(first, count, address):
    tables = table_at(address)
    m = view(tables, MethodMatrix)
    clear_matrix(m)
    add_mass(tables, m, 1.0)
    add_constraints(tables, m, row_scale(tables), 1.0)
    add_proximal(tables, m, -1.0)
    if factor_matrix(m) != 0:
        no_solution(tables)
        return 0
    return refined(tables, m, m.x, solve_sparse)


class ConstraintForce(MethodKind):
    """S = G M⁻¹ Gᵀ in joint blocks: the engine's own factor (`kernels/schur.py`), also used for projection.

    Its address is 0, for which `solve_accelerations` (`kernels/accelerations.py`) solves with that factor.
    """

    name = "constraint_force"
    engine = True


class NewtonEuler(MethodKind):
    """The whole system, dense."""

    name = "newton_euler"
    kernel = staticmethod(newton_euler)

    @staticmethod
    def arrays(problem):
        n = problem.nv + problem.nc
        return Dense(np.zeros(n, np.int64), np.zeros(n * n), np.zeros(n))


class Kkt(MethodKind):
    """The whole system, sparse LDLᵀ in blocks."""

    name = "kkt"
    kernel = staticmethod(kkt)

    @staticmethod
    def arrays(problem):
        return method_matrix(problem, symmetric=True)
