"""The matrix of an implicit step, its residual and its corrections.

    [ a M + b D + c K T   −Ĝᵀ ] [ δ ]     [ r / e ]      r = M v̇ − h − Gᵀ λ
    [ Ĝ T                  δ_p ] [ μ ]  = −[ Φ̂     ]      λ += e μ

over bodies and blocks of constraint rows, with the rows scaled as in S. e is the derivative of v̇ by the
unknown, g that of v. A row at velocity level has (G v + Φₜ) / g in the place of Φ, one at acceleration level
(G v̇ − γ) / e. Rows that are not on, whose scale is 0, have a pivot of 1 and no more.
"""

from __future__ import annotations

from mbplugin.kernels.bounded import bound_by
from mbplugin.kernels.cones import leads, rate_of
from mbplugin.kernels.form_tangent import form_step_tangent
from mbplugin.kernels.increments import increment_tangents, rows_by_increments
from mbplugin.kernels.inertia import apply_mass
from mbplugin.kernels.rows import row_times
from mbplugin.kernels.schur import PROXIMAL
from mbplugin.kernels.view import view
from mbplugin.math.emitters.arrays import clear
from mbplugin.math.jit import internal
from mbplugin.matrix.numeric import factor_matrix, solve_matrix
from mbplugin.matrix.pattern import add_edge, add_node, begin_pattern
from mbplugin.matrix.values import add_block, add_diagonal, clear_matrix
from mbplugin.tables.groups import (
    Blocks,
    Bodies,
    Border,
    Bounded,
    Increments,
    Matrix,
    Rows,
    State,
    Step,
    TangentBlocks,
)
from mbplugin.tables.records import ACCELERATION_LEVEL, LOWER, POSITION_LEVEL

#: T, and rates that change with positions, count where a body turns in the step by more than about twice this
#: [rad]; below, Newton's method converges by this factor per pass without them
SMALL_ANGLE = 0.01


@internal
def multipliers(tables):
    """λ (nc,) [N, N·m] as the tables have it: an array that may be read and written."""
    return view(tables, Rows).lam


@internal
def step_residual(tables, v_dot, lam, e, g):
    """Minus the residual of the step, into `Matrix.x`. v̇ (nv,) and λ (nc,) [N, N·m]; e, g as above.

    Returns the largest |r|, the largest force that it is made of [N, N·m], and the largest residual of a row:
    metres over the size of the mechanism or radians.
    """
    bodies, blocks, rows = view(tables, Bodies), view(tables, Blocks), view(tables, Rows)
    x = view(tables, Matrix).x
    size = view(tables, Step).record[0].length_scale
    v = view(tables, State).v
    nv, nc = v_dot.shape[0], lam.shape[0]
    force, worst, opened = 0.0, 0.0, 0.0
    clear(x, 0, nv + nc)
    for i in range(bodies.index.shape[0]):
        apply_mass(bodies, i, -1.0, v_dot, x)
    for k in range(nv):
        force = max(force, max(abs(x[k]), abs(bodies.h[k])))
        x[k] += bodies.h[k]
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            if rows.scale[row] == 0.0:
                continue
            for i in range(block.first_member, block.first_member + block.members):
                member = blocks.member[i]
                for c in range(member.nv):
                    f = blocks.G[member.first_G + r * member.nv + c] * lam[row]
                    force = max(force, abs(f))
                    x[member.first_v + c] += f
            if rows.level[row] == POSITION_LEVEL:
                residual = rows.phi[row]
            elif rows.level[row] == ACCELERATION_LEVEL:
                residual = (row_times(tables, k, r, v_dot) - rows.gamma[row]) / e
            else:
                residual = (row_times(tables, k, r, v) + rows.phi_t[row]) / g
            if not abs(residual) <= 1e300:
                return 1e301, force, opened
            opened = max(opened, abs(residual) if rows.radians[row] == 1 else abs(residual) / size)
            x[nv + row] = -rows.scale[row] * residual
    for k in range(nv):
        worst = max(worst, abs(x[k]))
        x[k] /= e
        if not abs(x[k]) <= 1e300:
            return 1e301, force, opened
    return worst, force, opened


@internal
def declare_step_matrix(tables):
    """Begin the pattern of `Matrix` again: bodies that tangents couple, blocks of rows with their bodies.

    What comes and goes is added to it before `analyse`. Vectors are [over velocities; over rows].
    """
    m, border = view(tables, Matrix), view(tables, Border)
    bodies, blocks, tangent = view(tables, Bodies), view(tables, Blocks), view(tables, TangentBlocks)
    nv = bodies.h.shape[0]
    begin_pattern(m, 0)
    for i in range(bodies.index.shape[0]):
        add_node(m, bodies.index[i].nv, bodies.index[i].first_v, 0)
    for k in range(tangent.index.shape[0]):
        if tangent.index[k].row < tangent.index[k].column:
            add_edge(m, tangent.index[k].row, tangent.index[k].column)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        if border.node[k] >= 0:
            add_node(m, block.rows, nv + block.first_row, 1)
            for i in range(block.first_member, block.first_member + block.members):
                add_edge(m, border.node[k], blocks.member[i].body)


@internal
def form_step_matrix(tables, dq, a, b, c, s):
    """Fill and factor the matrix at the present state, `Rows.lam` and `Rates.v_dot`. Returns a status."""
    status = fill_step_matrix(tables, dq, a, b, c, s)
    return status if status != 0 else factor_matrix(view(tables, Matrix))


@internal
def fill_step_matrix(tables, dq, a, b, c, s):
    """The matrix at the present state and `Rows.lam`, with T at the increment dq (nv,) of the step; a solver
    may add to it before `factor_matrix`. In joint coordinates M depends on positions: ∂(M v̇)/∂q is that of
    the v̇ in `Rates.v_dot`.

    s: ∂x/∂ẋ of inner states in the step [s]. Returns a status.
    """
    status = increment_tangents(tables, dq)
    if status != 0:
        return status
    use_retraction_tangent = largest_angle(tables) > SMALL_ANGLE
    status = form_step_tangent(tables, a, b, c, s, int(use_retraction_tangent))
    if status != 0:
        return status
    m = view(tables, Matrix)
    tangent = view(tables, TangentBlocks)
    clear_matrix(m)
    for k in range(tangent.index.shape[0]):
        t = tangent.index[k]
        add_block(m, t.row, t.column, 1.0, tangent.value, t.first, t.columns, 1)
    put_border(tables, use_retraction_tangent)
    if view(tables, Bounded).index.shape[0] > 0:
        put_slips(tables, b)
    add_border(tables, use_retraction_tangent)
    return 0


@internal
def largest_angle(tables):
    """Largest entry of T − 1 of any body: about half the angle that it turns in the step [rad]."""
    increments = view(tables, Increments)
    bodies = view(tables, Bodies).index
    largest = 0.0
    for i in range(bodies.shape[0]):
        n = bodies[i].nv
        for r in range(n):
            for c in range(n):
                t = increments.T[increments.first[i] + r * n + c]
                largest = max(largest, abs(t - 1.0 if r == c else t))
    return largest


@internal
def put_border(tables, use_retraction_tangent):
    """Ĝ and, where it counts, Ĝ T of every block of constraint rows into `Border`, and δ_p."""
    m, border = view(tables, Matrix), view(tables, Border)
    blocks, rows = view(tables, Blocks), view(tables, Rows)
    if use_retraction_tangent:
        rows_by_increments(tables, border.G_T)
    for k in range(blocks.index.shape[0]):
        node = border.node[k]
        if node < 0:
            continue
        block = blocks.index[k]
        for r in range(block.rows):
            row = block.first_row + r
            s = rows.scale[row]
            add_diagonal(m, node, r, PROXIMAL if s != 0.0 else 1.0)
        for i in range(block.first_member, block.first_member + block.members):
            member = blocks.member[i]
            n = member.nv
            for r in range(block.rows):
                row = block.first_row + r
                s = rows.scale[row]
                g = member.first_G + r * n
                for c in range(n):
                    border.G[g + c] = s * blocks.G[g + c]
                    if use_retraction_tangent:
                        border.G_T[g + c] *= s


@internal
def put_slips(tables, b):
    """Add that rows which slip on a cone have the force −μ p s/|s|, whose derivative by the velocities is −gᵀ
    (μ p/|s|) g with g = d₂ G₁ − d₁ G₂, across the slip: a row g with the pivot |s| / (b μ p) in the place of
    G₁.
    """
    m, border, blocks = view(tables, Matrix), view(tables, Border), view(tables, Blocks)
    bounded, mode = view(tables, Bounded), view(tables, State).mode
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if not leads(one, i) or mode[one.row] != LOWER:
            continue
        d1, d2 = bounded.direction[i], bounded.direction[one.partner]
        other = bounded.index[one.partner]
        size = d1 * rate_of(tables, one) + d2 * rate_of(tables, other)
        force = one.upper * bound_by(tables, one)
        block, node = blocks.index[one.block], border.node[one.block]
        if force == 0.0 or size == 0.0 or node < 0:
            continue
        first, second = one.row - block.first_row, other.row - block.first_row
        add_diagonal(m, node, first, size / (b * force) - 1.0)
        for j in range(block.first_member, block.first_member + block.members):
            member = blocks.member[j]
            for c in range(member.nv):
                g = member.first_G + first * member.nv + c
                across = d2 * blocks.G[g] - d1 * blocks.G[member.first_G + second * member.nv + c]
                border.G[g] = border.G_T[g] = across


@internal
def add_border(tables, use_retraction_tangent):
    """−Ĝᵀ and Ĝ T (or Ĝ) of every block of constraint rows."""
    m, border, blocks = view(tables, Matrix), view(tables, Border), view(tables, Blocks)
    along = border.G_T if use_retraction_tangent else border.G
    for k in range(blocks.index.shape[0]):
        node, block = border.node[k], blocks.index[k]
        if node < 0:
            continue
        for i in range(block.first_member, block.first_member + block.members):
            member = blocks.member[i]
            add_block(m, node, member.body, 1.0, along, member.first_G, member.nv, 1)
            add_block(m, member.body, node, -1.0, border.G, member.first_G, 1, member.nv)


@internal
def step_correction(tables, lam, e):
    """Solve for δ and μ; λ += e μ in N and N·m. Returns δ (nv,), followed by the scaled μ / e."""
    m, rows = view(tables, Matrix), view(tables, Rows)
    solve_matrix(m, m.x)
    nv = view(tables, State).v.shape[0]
    for r in range(lam.shape[0]):
        lam[r] += e * rows.scale[r] * m.x[nv + r]
    return m.x
