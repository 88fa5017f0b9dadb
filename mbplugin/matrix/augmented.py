"""The augmented system at the present state: its residual, its dense matrix, its solution in the tables."""

from __future__ import annotations

from mbplugin.kernels.inertia import apply_mass, mass_norm
from mbplugin.kernels.schur import PROXIMAL
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Blocks, Bodies, Rates, Rows, Status
from mbplugin.tables.records import DENSE


@internal
def begin_solution(tables):
    """Set v̇ and λ̂ (of scaled rows) to zero."""
    rates, rows = view(tables, Rates), view(tables, Rows)
    for k in range(rates.v_dot.shape[0]):
        rates.v_dot[k] = 0.0
    for r in range(rows.lam.shape[0]):
        rows.lam[r] = 0.0


@internal
def residual(tables, r):
    """r (nv + nc,) = [h + Ĝᵀλ̂ − M v̇; γ̂ − Ĝ v̇] of the solution in the tables.

    Returns the largest entry of the second part, also stored in `Status.residual`, and its reference size.
    """
    bodies, blocks, rows = view(tables, Bodies), view(tables, Blocks), view(tables, Rows)
    v_dot, lam = view(tables, Rates).v_dot, rows.lam
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
        block = blocks.index[k]
        for i in range(block.first_member, block.first_member + block.members):
            member = blocks.member[i]
            for a in range(block.rows):
                row = block.first_row + a
                s = rows.scale[row]
                for b in range(member.nv):
                    g = s * blocks.G[member.first_G + a * member.nv + b]
                    r[member.first_v + b] += g * lam[row]
                    rows.residual[row] += g * v_dot[member.first_v + b]
    worst = 0.0
    for c in range(nc):
        size = max(size, abs(rows.residual[c]))
        r[nv + c] = r[nv + c] - rows.residual[c] if rows.scale[c] != 0.0 else 0.0
        worst = max(worst, abs(r[nv + c]))
    view(tables, Status).residual[0] = worst
    return worst, max(size, mass_norm(tables, v_dot))


@internal
def add_solution(tables, r):
    """Add the solution [Δv̇; −Δλ̂] to v̇ and λ̂."""
    rates, lam = view(tables, Rates), view(tables, Rows).lam
    nv = rates.v_dot.shape[0]
    for k in range(nv):
        rates.v_dot[k] += r[k]
    for c in range(lam.shape[0]):
        lam[c] -= r[nv + c]


@internal
def finish_solution(tables):
    """Undo the row scaling: λ in N and N·m."""
    rows = view(tables, Rows)
    for r in range(rows.lam.shape[0]):
        rows.lam[r] *= rows.scale[r]


@internal
def fill_dense(tables, K, n):
    """K (n, n), row by row: the whole matrix, with δ = 1e-10."""
    bodies, blocks, rows = view(tables, Bodies), view(tables, Blocks), view(tables, Rows)
    nv = bodies.h.shape[0]
    for i in range(n * n):
        K[i] = 0.0
    for i in range(bodies.index.shape[0]):
        body = bodies.index[i]
        for a in range(body.nv):
            row = (body.first_v + a) * n + body.first_v
            if body.mass_form == DENSE:
                for b in range(body.nv):
                    K[row + b] = bodies.M[body.first_mass + a * body.nv + b]
            else:
                K[row + a] = 1.0 / bodies.inverse[body.first_v + a]
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for i in range(block.first_member, block.first_member + block.members):
            member = blocks.member[i]
            for a in range(block.rows):
                row = block.first_row + a
                for b in range(member.nv):
                    g = rows.scale[row] * blocks.G[member.first_G + a * member.nv + b]
                    K[(nv + row) * n + member.first_v + b] = g
                    K[(member.first_v + b) * n + nv + row] = g
    for c in range(n - nv):
        K[(nv + c) * n + nv + c] = -PROXIMAL if rows.scale[c] != 0.0 else -1.0


@internal
def residual_goal(tables):
    """The relative residual that the solver requires."""
    return view(tables, Rows).goal[0]
