"""The augmented system at the present state: its blocks in a matrix, its residual, its solution in the
tables.

[ M  Ĝᵀ ]
[ Ĝ  −δ ]      nodes of a sparse matrix: all bodies, then all blocks of rows
"""

from __future__ import annotations

from math import nan

from mbplugin.kernels.inertia import apply_mass, mass_norm
from mbplugin.kernels.schur import PROXIMAL
from mbplugin.kernels.tree.mass_matrix import add_mass_of_tree
from mbplugin.kernels.view import tables_of, view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.profile import profile_entry
from mbplugin.math.vectors import add_scaled, copy, fill
from mbplugin.matrix.pattern import add_edge, add_node, begin_pattern
from mbplugin.matrix.values import add_diagonal, add_pair, place
from mbplugin.tables.groups import Blocks, Bodies, Rates, Rows, Status
from mbplugin.tables.records import DENSE, DIAGONAL, PROFILE, TREE


@internal
def begin_solution(tables):
    """Set v̇ and λ̂ (of scaled rows) to zero."""
    fill(view(tables, Rates).v_dot, 0.0)
    fill(view(tables, Rows).lam, 0.0)


@internal
def residual(tables, r):
    """r (nv + nc,) = [h + Ĝᵀλ̂ − M v̇; γ̂ − Ĝ v̇] of the solution in the tables.

    Returns the largest entry of the second part, also stored in `Status.residual`, and its reference size.
    """
    bodies, blocks, rows = view(tables, Bodies), view(tables, Blocks), view(tables, Rows)
    v_dot, lam = view(tables, Rates).v_dot, rows.lam
    nv, nc = v_dot.shape[0], lam.shape[0]
    size = 0.0
    copy(bodies.h, r)
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, -1.0, v_dot, r)
    for c in range(nc):
        r[nv + c] = rows.scale[c] * rows.gamma[c]
        size = max(size, abs(r[nv + c]))
        rows.image[c] = 0.0
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
                    rows.image[row] += g * v_dot[member.first_v + b]
    worst = 0.0
    for c in range(nc):
        size = max(size, abs(rows.image[c]))
        r[nv + c] = r[nv + c] - rows.image[c] if rows.scale[c] != 0.0 else 0.0
        worst = max(worst, abs(r[nv + c]))
    view(tables, Status).residual[0] = worst
    return worst, max(size, mass_norm(tables, v_dot))


@internal
def add_solution(tables, r):
    """Add the solution [Δv̇; −Δλ̂] to v̇ and λ̂."""
    rates, lam = view(tables, Rates), view(tables, Rows).lam
    nv = rates.v_dot.shape[0]
    add_scaled(1.0, r, 0, rates.v_dot, 0, nv)
    add_scaled(-1.0, r, nv, lam, 0, lam.shape[0])


@internal
def no_solution(tables):
    """Set v̇ to NaN: the stepper detects it and looks for what failed."""
    fill(view(tables, Rates).v_dot, nan)


@internal
def finish_solution(tables):
    """Undo the row scaling: λ in N and N·m."""
    rows = view(tables, Rows)
    for r in range(rows.lam.shape[0]):
        rows.lam[r] *= rows.scale[r]


@inlined
def mass_entry(bodies, i, r, c):
    """M[r, c] of body i, which is no tree."""
    body = bodies.index[i]
    if body.mass_form == DENSE:
        return bodies.M[body.first_mass + r * body.nv + c]
    if body.mass_form == PROFILE:
        return profile_entry(bodies.M, body.first_mass, bodies.profile, body.first_profile, r, c)
    return 1.0 / bodies.inverse[body.first_v + r] if r == c else 0.0


@internal
def declare_augmented(tables, m, symmetric):
    """Begin the pattern of a matrix with all bodies and all blocks of rows; each block is coupled with its
    bodies.

    Vectors are [over velocities; over rows].
    """
    bodies, blocks = view(tables, Bodies), view(tables, Blocks)
    nb, nv = bodies.index.shape[0], bodies.h.shape[0]
    begin_pattern(m, symmetric)
    for i in range(nb):
        add_node(m, bodies.index[i].nv, bodies.index[i].first_v, 0)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        add_node(m, block.rows, nv + block.first_row, 1)
        for i in range(block.first_member, block.first_member + block.members):
            add_edge(m, nb + k, blocks.member[i].body)


@internal
def add_mass(tables, m, factor):
    """Add factor M to the nodes of the bodies. After `Problem.prepare_masses`."""
    bodies = view(tables, Bodies)
    for i in range(bodies.index.shape[0]):
        add_mass_of(bodies, m, i, factor)


@internal
def add_mass_of(bodies, m, i, factor):
    """Add factor M of body i to its node. After `Problem.prepare_masses`."""
    start, step, _, _ = place(m, i, i)
    nv = bodies.index[i].nv
    if bodies.index[i].mass_form == TREE:
        add_mass_of_tree(tables_of(bodies), bodies.index[i].tree, factor, m.upper, start, step)
    elif bodies.index[i].mass_form != DIAGONAL:
        for r in range(nv):
            for c in range(nv):
                m.upper[start + r * step + c] += factor * mass_entry(bodies, i, r, c)
    else:
        for r in range(nv):
            m.upper[start + r * (step + 1)] += factor * mass_entry(bodies, i, r, r)


@internal
def add_constraints(tables, m, scale, back):
    """Add Ĝ = diag(scale) G to the rows of the blocks, and back Ĝᵀ to their columns.

    scale: (nc,) of each row, such as `Rows.scale`
    """
    blocks = view(tables, Blocks)
    nb = view(tables, Bodies).index.shape[0]
    for k in range(blocks.index.shape[0]):
        add_constraints_of(blocks, m, nb, k, scale, back)


@internal
def add_constraints_of(blocks, m, nb, k, scale, back):
    """Add the scaled rows of block k, whose node comes behind those of nb bodies, and back times their
    transpose.
    """
    block = blocks.index[k]
    for i in range(block.first_member, block.first_member + block.members):
        member = blocks.member[i]
        add_pair(m, nb + k, member.body, back, blocks.G, member.first_G, scale, block.first_row)


@internal
def add_proximal(tables, m, factor):
    """Add factor δ to the diagonal of the rows, δ = 1e-10; factor 1 for rows that are not selected or have no
    norm.
    """
    blocks, rows = view(tables, Blocks), view(tables, Rows)
    nb = view(tables, Bodies).index.shape[0]
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            delta = PROXIMAL if rows.scale[block.first_row + r] != 0.0 else 1.0
            add_diagonal(m, nb + k, r, factor * delta)


@internal
def fill_dense(tables, K, n):
    """K (n, n), row by row: the whole matrix, with δ = 1e-10."""
    bodies, blocks, rows = view(tables, Bodies), view(tables, Blocks), view(tables, Rows)
    nv = bodies.h.shape[0]
    fill(K, 0.0)
    for i in range(bodies.index.shape[0]):
        body = bodies.index[i]
        for a in range(body.nv):
            for b in range(body.nv):
                K[(body.first_v + a) * n + body.first_v + b] = mass_entry(bodies, i, a, b)
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
def row_scale(tables):
    """(nc,) scale of each row; 0 where it is not selected or has no norm."""
    return view(tables, Rows).scale


@internal
def residual_goal(tables):
    """The relative residual that the solver requires."""
    return view(tables, Rows).goal[0]
