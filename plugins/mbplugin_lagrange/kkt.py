"""The whole system at once, in two ways: methods `newton_euler` (dense) and `kkt` (scalar sparse LDLᵀ).

    [ M  Ĝᵀ ] [  Δv̇ ]   [ h + Ĝᵀλ − M v̇ ]
    [ Ĝ  −δ ] [ −Δλ ] = [ γ̂ − Ĝ v̇       ]         rows scaled as in `constraint_force`, λ from 0

are repeated (proximal passes and iterative refinement in one) until the second residual is `Rows.goal` of
what it started from. Both are oracles for `constraint_force`, and what the paper on the constraint force
algorithm compares it with.
"""

from __future__ import annotations

import numpy as np

from mbplugin.interface import MethodKind, internal
from mbplugin.interface.problem import Problem
from mbplugin.kernels.inertia import apply_mass, mass_norm
from mbplugin.kernels.schur import PASSES, PROXIMAL, STALLED
from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.math.dense import lu, lu_solve
from mbplugin.tables.groups import Blocks, Bodies, Rates, Rows, Status, Workspace
from mbplugin.tables.records import DENSE
from mbplugin_lagrange.ldl import ldl_numeric, ldl_solve, sparse_workspace


@internal
def right_hand_side(tables, v_dot, lam, r):
    """r = [h + Ĝᵀλ − M v̇; γ̂ − Ĝ v̇]; returns the largest of the second part, and what it is compared with."""
    bodies, blocks, rows = view(tables, Bodies), view(tables, Blocks), view(tables, Rows)
    nv, nc = v_dot.shape[0], lam.shape[0]
    size = 0.0
    for k in range(nv):
        r[k] = bodies.h[k]
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, -1.0, v_dot, r)
    for c in range(nc):
        r[nv + c] = rows.scale[c] * rows.gamma[c]
        size = max(size, abs(r[nv + c]))
        rows.residual[c] = 0.0
    for k in range(blocks.index.shape[0]):
        r0, nr = blocks.index[k].first_row, blocks.index[k].rows
        for i in range(blocks.index[k].first_member, blocks.index[k].first_member + blocks.index[k].members):
            g0, v0, n = blocks.member[i].first_G, blocks.member[i].first_v, blocks.member[i].nv
            for a in range(nr):
                s = rows.scale[r0 + a]
                for b in range(n):
                    g = s * blocks.G[g0 + a * n + b]
                    r[v0 + b] += g * lam[r0 + a]
                    rows.residual[r0 + a] += g * v_dot[v0 + b]
    worst = 0.0
    for c in range(nc):
        size = max(size, abs(rows.residual[c]))
        r[nv + c] = r[nv + c] - rows.residual[c] if rows.scale[c] != 0.0 else 0.0
        worst = max(worst, abs(r[nv + c]))
    return worst, max(size, mass_norm(tables, v_dot))


@internal
def finished(rows, k, worst, before, size):
    """Converged, or stalled at rounding; the first passes always run, because they find v̇ itself."""
    return k > 1 and (worst <= rows.goal[0] * size or (worst > 0.5 * before and worst <= STALLED * size))


@internal
def add_solution(v_dot, lam, r):
    nv = v_dot.shape[0]
    for k in range(nv):
        v_dot[k] += r[k]
    for c in range(lam.shape[0]):
        lam[c] -= r[nv + c]


@internal
def dense_matrix(tables, K, n):
    """Fill K (n × n, row by row)."""
    bodies, blocks, rows = view(tables, Bodies), view(tables, Blocks), view(tables, Rows)
    nv = bodies.h.shape[0]
    for i in range(n * n):
        K[i] = 0.0
    for i in range(bodies.index.shape[0]):
        v0, m = bodies.index[i].first_v, bodies.index[i].nv
        for a in range(m):
            if bodies.index[i].mass_form == DENSE:
                for b in range(m):
                    K[(v0 + a) * n + v0 + b] = bodies.M[bodies.index[i].first_mass + a * m + b]
            else:
                K[(v0 + a) * n + v0 + a] = 1.0 / bodies.inverse[v0 + a]
    for k in range(blocks.index.shape[0]):
        r0, nr = blocks.index[k].first_row, blocks.index[k].rows
        for i in range(blocks.index[k].first_member, blocks.index[k].first_member + blocks.index[k].members):
            g0, v0, m = blocks.member[i].first_G, blocks.member[i].first_v, blocks.member[i].nv
            for a in range(nr):
                for b in range(m):
                    g = rows.scale[r0 + a] * blocks.G[g0 + a * m + b]
                    K[(nv + r0 + a) * n + v0 + b] = g
                    K[(v0 + b) * n + nv + r0 + a] = g
    for c in range(n - nv):
        K[(nv + c) * n + nv + c] = -PROXIMAL if rows.scale[c] != 0.0 else -1.0


def newton_euler(first, count, address):
    tables = table_at(address, 2 * TABLES)
    workspace, rows, v_dot = view(tables, Workspace), view(tables, Rows), view(tables, Rates).v_dot
    n = v_dot.shape[0] + rows.lam.shape[0]
    K, r = workspace.floats[: n * n], workspace.floats[n * n : n * n + n]
    dense_matrix(tables, K, n)
    lu(K, 0, n, workspace.ints)
    v_dot[:] = 0.0
    rows.lam[:] = 0.0
    before = 1e300
    for k in range(PASSES):
        worst, size = right_hand_side(tables, v_dot, rows.lam, r)
        view(tables, Status).residual[0] = worst
        if finished(rows, k, worst, before, size):
            rows.lam[:] *= rows.scale
            return k
        before = worst
        lu_solve(K, 0, n, workspace.ints, r, 0)
        add_solution(v_dot, rows.lam, r)
    rows.lam[:] *= rows.scale
    return PASSES


def kkt(first, count, address):
    tables = table_at(address, 2 * TABLES)
    rows, v_dot = view(tables, Rows), view(tables, Rates).v_dot
    n = v_dot.shape[0] + rows.lam.shape[0]
    r = view(tables, Workspace).floats[:n]
    ldl_numeric(tables, n)
    v_dot[:] = 0.0
    rows.lam[:] = 0.0
    before = 1e300
    for k in range(PASSES):
        worst, size = right_hand_side(tables, v_dot, rows.lam, r)
        view(tables, Status).residual[0] = worst
        if finished(rows, k, worst, before, size):
            rows.lam[:] *= rows.scale
            return k
        before = worst
        ldl_solve(tables, n)
        add_solution(v_dot, rows.lam, r)
    rows.lam[:] *= rows.scale
    return PASSES


def dense_workspace(problem: Problem) -> Workspace:
    n = problem.nv + problem.nc
    return Workspace(np.zeros(n, np.int64), np.zeros(n * n + n))


class ConstraintForce(MethodKind):
    """S = G M⁻¹ Gᵀ in joint blocks: the engine's own factor, which also projects."""

    name = "constraint_force"
    engine = True


class NewtonEuler(MethodKind):
    """The whole system, dense."""

    name = "newton_euler"
    kernel = staticmethod(newton_euler)
    workspace = staticmethod(dense_workspace)


class Kkt(MethodKind):
    """The whole system, sparse LDLᵀ."""

    name = "kkt"
    kernel = staticmethod(kkt)
    workspace = staticmethod(sparse_workspace)
