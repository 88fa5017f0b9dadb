"""The Schur complement of the constraint forces: S λ = γ − G M⁻¹ h,  S = G M⁻¹ Gᵀ + δ, in joint blocks.

Bodies are eliminated first (X = M⁻¹ Gᵀ, as in the constraint force algorithm), then S is factored on the
joint graph in a block minimum-degree order, computed once per topology. Rows are scaled by
1/√diag(G M⁻¹ Gᵀ), so that δ means the same for every row: 1e-10 if a pivot is small (redundant rows, or a
singular position nearby), else 0. Proximal passes (Carpentier et al., RSS 2021)

    (S + δ) Δλ = γ − G v̇,    λ ← λ + Δλ,    v̇ ← v̇ + X Δλ

converge to the solution if rows are independent, and from λ = 0 to the minimum-norm solution if some are
redundant. Rows that are independent by a small angle only, with a singular value σ of S^½ below √δ, lose σ²/δ
of their residual in a pass; conjugate gradients with the preconditioner (S + δ)⁻¹, which take a step for each
such σ, bring them to the solution as well.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.inertia import mass_norm, solve_mass
from mbplugin.kernels.modes import select_rows
from mbplugin.kernels.tree.members import member_on_tree
from mbplugin.kernels.view import view
from mbplugin.math.dense import cholesky, solve_lower, solve_lower_columns, solve_lower_transposed
from mbplugin.math.emitters.blocks import (
    add_combination,
    add_product,
    cholesky_block,
    gemv_sub,
    scale_rows,
    solve_lower_block,
    solve_upper_block,
    subtract_combination,
    subtract_gram,
    transpose_and_norms,
)
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import add_scaled, fill
from mbplugin.tables.groups import Blocks, Bodies, Factor, Rates, Rows, State, Status
from mbplugin.tables.records import DIAGONAL
from mbplugin.tables.status import NO_PIVOT

#: what `solve_rows` changes
ACCELERATIONS, VELOCITIES, POSITIONS, INCREMENTS = range(4)

#: δ of the scaled system if some pivot is small, and if all rows are well separated and one pass suffices
PROXIMAL, APART = 1e-10, 0.0
#: limit of passes
PASSES = 20
#: relative residuals at which passes end: one solve reaches the first; the second, below rounding, forces one
#: refinement
ROUNDING_OF_VELOCITY, BELOW_ROUNDING = 1e-15, 1e-16
#: relative residuals up to which passes that stall count as converged: rounding, and what no row holds
STALLED_BY_ROUNDING, STALLED = 1e-11, 1e-9
#: mean σ² / δ of a residual below which no row holds it: σ = 1e-9 of the largest one, as the rank counts
UNHELD = 3e-8
#: pivots of S below this indicate redundant rows or a singular position nearby
SMALL_PIVOT = 1e-3
#: δ by which redundant rows are told apart, over PROXIMAL, and growth of their pivots from one to the other
LARGER_DELTA, PIVOT_GROWTH = 100.0, 10.0
#: squared norm of a row, relative to the largest, below which the row counts as zero
NO_NORM = 1e-26


@by_address(seconds=4)
def factor(tables, level):
    """Factor S for the rows that are on, up to this level. Returns a status: NO_PIVOT, or 0."""
    select_rows(tables, level)
    eliminate_bodies(tables)
    return 0 if factorise(tables) else NO_PIVOT


@by_address(seconds=3)
def solve_rows(tables, what):
    """Bring the rows to `rows.target` with the present factor; passes and residual are in `Status`. Returns
    0.

    what: ACCELERATIONS changes v̇, VELOCITIES changes v, INCREMENTS such a difference in the place of v̇,
    POSITIONS (one pass) writes an increment of q into v̇
    """
    rows = view(tables, Rows)
    if what in (VELOCITIES, INCREMENTS):
        v = view(tables, State).v if what == VELOCITIES else view(tables, Rates).v_dot
        # the scaled rows have unit length in the norm of M, so that G v is rounded at |v| in it
        return proximal(tables, v, rows.target, PASSES, mass_norm(tables, v), ROUNDING_OF_VELOCITY)
    passes = PASSES if what == ACCELERATIONS else 1
    return proximal(tables, view(tables, Rates).v_dot, rows.target, passes, 0.0, rows.goal[0])


@inlined
def transpose_block(blocks, bodies, scale, i, r0, nr):
    """T = Gᵀ of member i of a block of nr rows; adds its part to the squared norms of the rows.

    Also X = M⁻¹ Gᵀ if M is not diagonal.
    """
    member = blocks.member[i]
    g0, v0, nv = member.first_G, member.first_v, member.nv
    diagonal = bodies.index[member.body].mass_form == DIAGONAL
    if diagonal and transpose_and_norms(
        (blocks.T, g0, scale, r0, blocks.G, g0, bodies.inverse, v0), (nr, nv)
    ):
        return
    for r in range(nr):
        g = g0 + r * nv
        for c in range(nv):
            blocks.T[g0 + c * nr + r] = blocks.G[g + c]
            blocks.X[g + c] = blocks.G[g + c] * bodies.inverse[v0 + c] if diagonal else blocks.G[g + c]
        if not diagonal:
            solve_mass(bodies, member.body, blocks.X, g)
        s = 0.0
        for c in range(nv):
            s += blocks.X[g + c] * blocks.G[g + c]
        scale[r0 + r] += s


@inlined
def scale_block(blocks, bodies, scale, i, r0, nr):
    """X = M⁻¹ Gᵀ and T = Gᵀ of member i, in scaled rows."""
    member = blocks.member[i]
    g0, v0, nv = member.first_G, member.first_v, member.nv
    diagonal = bodies.index[member.body].mass_form == DIAGONAL
    if diagonal and scale_rows(
        (blocks.X, g0, blocks.T, g0, blocks.G, g0, bodies.inverse, v0, scale, r0), (nr, nv)
    ):
        return
    for r in range(nr):
        for c in range(nv):
            blocks.X[g0 + r * nv + c] *= scale[r0 + r]
            blocks.T[g0 + c * nr + r] *= scale[r0 + r]


@internal
def eliminate_bodies(tables):
    """Compute the scales of the rows, and X = M⁻¹ Gᵀ and T = Gᵀ in scaled rows."""
    bodies = view(tables, Bodies)
    blocks = view(tables, Blocks)
    rows = view(tables, Rows)
    scale = rows.scale
    fill(scale, 0.0)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        if blocks.selected[k] == 0:
            continue
        for i in range(block.first_member, block.first_member + block.members):
            if bodies.index[blocks.member[i].body].tree >= 0:
                member_on_tree(tables, k, i)
            else:
                transpose_block(blocks, bodies, scale, i, block.first_row, block.rows)
    largest = 0.0
    for r in range(scale.shape[0]):
        largest = max(largest, scale[r])
    for r in range(scale.shape[0]):
        has_norm = scale[r] > NO_NORM * largest
        scale[r] = 1.0 / sqrt(scale[r]) if has_norm and rows.selected[r] == 1 else 0.0
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        if blocks.selected[k] == 0:
            continue
        for i in range(block.first_member, block.first_member + block.members):
            scale_block(blocks, bodies, scale, i, block.first_row, block.rows)


@internal
def build(values, blocks, factor):
    """The upper triangle of blocks of G M⁻¹ Gᵀ in scaled rows, with full diagonal blocks."""
    fill(values, 0.0)
    for i in range(factor.product.shape[0]):
        job = factor.product[i]
        if blocks.selected[job.block] == 0 or blocks.selected[job.other] == 0:
            continue
        target, nv = job.target, job.nv
        x, mi, t, mj = job.first_X, job.X_rows, job.first_T, job.T_columns
        if not add_product((values, target, blocks.X, x, blocks.T, t), (mi, mj, nv)):
            for r in range(mi):
                for c in range(mj):
                    s = 0.0
                    for k in range(nv):
                        s += blocks.X[x + r * nv + k] * blocks.T[t + k * mj + c]
                    values[target + r * mj + c] += s


@inlined
def eliminate_node(values, factor, selected, k, n):
    """Factor the diagonal block of node k, of n rows, and its off-diagonal blocks, W_j = L⁻¹ S_kj; update the
    later blocks, S_ij −= W_iᵀ W_j. Returns False if a pivot is not positive.
    """
    d0, b0, u = factor.node[k].first_value, factor.node[k].first_off_diagonal, factor.node[k].first_update
    if not cholesky_block((values, d0), (n,)) and not cholesky(values, d0, n):
        return False
    for r in range(n):
        if not values[d0 + r * n + r] > 0.0:
            return False
    end = b0 + factor.node[k].off_diagonals
    for j in range(b0, end):
        start, m = factor.off_diagonal[j].first_value, factor.off_diagonal[j].rows
        if selected[factor.off_diagonal[j].block] == 0:
            continue
        if not solve_lower_block((values, d0, values, start), (n, m)):
            solve_lower_columns(values, d0, n, values, start, m)
    for j in range(b0, end):
        sj, mj = factor.off_diagonal[j].first_value, factor.off_diagonal[j].rows
        if selected[factor.off_diagonal[j].block] == 0:
            u += j + 1 - b0
            continue
        for i in range(b0, j + 1):
            if selected[factor.off_diagonal[i].block] == 0:
                u += 1
                continue
            si, mi, target = factor.off_diagonal[i].first_value, factor.off_diagonal[i].rows, factor.update[u]
            if not subtract_gram((values, target, values, si, values, sj), (mi, mj, n)):
                for r in range(mi):
                    for c in range(mj):
                        s = 0.0
                        for l in range(n):
                            s += values[si + l * mi + r] * values[sj + l * mj + c]
                        values[target + r * mj + c] -= s
            u += 1
    return True


@internal
def has_small(values, d0, n):
    """Whether a factored block, whose diagonal is inverted, has a small pivot."""
    for r in range(n):
        if values[d0 + r * n + r] * values[d0 + r * n + r] * SMALL_PIVOT > 1.0:
            return True
    return False


@internal
def factorise(tables):
    """Factor S + δ = L Lᵀ in joint blocks. Returns False if a pivot is not positive.

    Tries the last δ first; if the pivots do not fit it, the other one. PROXIMAL serves in any case.
    """
    rows = view(tables, Rows)
    for trial in range(3):
        delta = PROXIMAL if rows.delta[0] == PROXIMAL else APART
        good, small = factor_with(tables, delta)
        if delta == PROXIMAL and not good:
            return False
        if small == (delta == PROXIMAL) or (delta == PROXIMAL and trial > 0):
            break
        rows.delta[0] = PROXIMAL if small else APART
    return good


@internal
def small_pivots(tables, repeated):
    """Number of small pivots of the factored S, and the smallest after the `repeated` smallest; 1 if none.

    Redundant rows have pivots of the size of δ at any position. A further pivot that decreases indicates a
    singular position at a distance proportional to its square root.
    """
    if view(tables, Rows).delta[0] == APART:
        return 0, 1.0
    factor = view(tables, Factor)
    values = factor.values
    limit = 1.0 / sqrt(SMALL_PIVOT)
    count = 0
    for k in range(factor.node.shape[0]):
        n, d0 = factor.node[k].rows, factor.node[k].first_value
        for r in range(n):
            if values[d0 + r * n + r] > limit:
                count += 1
    if count <= repeated:
        return count, 1.0
    largest, left = 1e300, repeated
    while left >= 0:
        beside, equal = 0.0, 0
        for k in range(factor.node.shape[0]):
            n, d0 = factor.node[k].rows, factor.node[k].first_value
            for r in range(n):
                inverse = values[d0 + r * n + r]
                if beside < inverse < largest:
                    beside, equal = inverse, 1
                elif inverse == beside:
                    # those of rows without any effect are δ exactly
                    equal += 1
        largest, left = beside, left - equal
    return count, 1.0 / (largest * largest)


@internal
def free_motions(tables):
    """Degrees of freedom that the rows which are on leave: nv − rank of G, of the factored S. A pivot of a
    redundant row is δ times a number; that of any other row is hardly changed by a larger δ.
    """
    rows, factor, selected = view(tables, Rows), view(tables, Factor), view(tables, Blocks).selected
    dof = view(tables, State).v.shape[0]
    for r in range(rows.scale.shape[0]):
        if rows.scale[r] != 0.0:
            dof -= 1
    if rows.delta[0] == APART:
        return dof
    read_pivots(factor, selected, rows.solution)
    factor_with(tables, LARGER_DELTA * PROXIMAL)
    read_pivots(factor, selected, rows.image)
    factor_with(tables, PROXIMAL)
    for r in range(rows.scale.shape[0]):
        if rows.scale[r] != 0.0 and rows.image[r] > PIVOT_GROWTH * rows.solution[r]:
            dof += 1
    return dof


@internal
def read_pivots(factor, selected, pivots):
    """The pivots (nc,) of the factored S; those of nodes that are left out stay as they are."""
    for k in range(factor.node.shape[0]):
        row0, n, d0 = factor.node[k].first_row, factor.node[k].rows, factor.node[k].first_value
        for r in range(n if selected[factor.node[k].block] > 0 else 0):
            inverse = factor.values[d0 + r * n + r]
            pivots[row0 + r] = 1.0 / (inverse * inverse)


@internal
def factor_with(tables, delta):
    """Factor S + δ with this δ, up to a pivot that is not positive, or is small beside APART. Returns whether
    all are positive, and whether one is small.
    """
    factor, blocks, scale = view(tables, Factor), view(tables, Blocks), view(tables, Rows).scale
    values, selected = factor.values, blocks.selected
    build(values, blocks, factor)
    small = False
    for k in range(factor.node.shape[0]):
        row0, n, d0 = factor.node[k].first_row, factor.node[k].rows, factor.node[k].first_value
        if selected[factor.node[k].block] == 0:
            continue
        for r in range(n):
            values[d0 + r * n + r] += delta if scale[row0 + r] != 0.0 else 1.0
        if not eliminate_node(values, factor, selected, k, n):
            return False, True
        small = small or has_small(values, d0, n)
        if small and delta == APART:
            break
    return True, small


@inlined
def forward_node(values, factor, selected, k, b):
    """Forward substitution through node k."""
    if selected[factor.node[k].block] == 0:
        return
    row0, n, d0 = factor.node[k].first_row, factor.node[k].rows, factor.node[k].first_value
    if not solve_lower_block((values, d0, b, row0), (n, 1)):
        solve_lower(values, d0, n, b, row0)
    first, count = factor.node[k].first_off_diagonal, factor.node[k].off_diagonals
    for j in range(first, first + count):
        column = factor.off_diagonal[j]
        if selected[column.block] == 0:
            continue
        start, to, m = column.first_value, column.first_row, column.rows
        if not subtract_combination((b, to, b, row0, values, start), (n, m)):
            for r in range(n):
                add_scaled(-b[row0 + r], values, start + r * m, b, to, m)


@inlined
def backward_node(values, factor, selected, k, b):
    """Back substitution through node k."""
    if selected[factor.node[k].block] == 0:
        return
    row0, n, d0 = factor.node[k].first_row, factor.node[k].rows, factor.node[k].first_value
    first, count = factor.node[k].first_off_diagonal, factor.node[k].off_diagonals
    for j in range(first, first + count):
        column = factor.off_diagonal[j]
        if selected[column.block] == 0:
            continue
        start, to, m = column.first_value, column.first_row, column.rows
        if not gemv_sub((b, row0, values, start, b, to), (n, m)):
            for r in range(n):
                s = 0.0
                for c in range(m):
                    s += values[start + r * m + c] * b[to + c]
                b[row0 + r] -= s
    if not solve_upper_block((values, d0, b, row0), (n,)):
        solve_lower_transposed(values, d0, n, b, row0)


@internal
def solve(tables, b):
    """b ← (S + δ)⁻¹ b, in scaled rows."""
    factor, selected = view(tables, Factor), view(tables, Blocks).selected
    nodes = factor.node.shape[0]
    for k in range(nodes):
        forward_node(factor.values, factor, selected, k, b)
    for k in range(nodes - 1, -1, -1):
        backward_node(factor.values, factor, selected, k, b)


@internal
def apply_G(tables, v, out):
    """out = G v, in scaled rows."""
    blocks = view(tables, Blocks)
    fill(out, 0.0)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        r0, nr = block.first_row, block.rows
        if blocks.selected[k] == 0:
            continue
        for i in range(block.first_member, block.first_member + block.members):
            g, v0, nv = blocks.member[i].first_G, blocks.member[i].first_v, blocks.member[i].nv
            if not add_combination((out, r0, v, v0, blocks.T, g), (nv, nr)):
                for c in range(nv):
                    add_scaled(v[v0 + c], blocks.T, g + c * nr, out, r0, nr)


@internal
def add_impulse(tables, lam, v):
    """v ← v + M⁻¹ Gᵀ λ, λ in scaled rows."""
    blocks = view(tables, Blocks)
    for k in range(blocks.index.shape[0]):
        block = blocks.index[k]
        r0, nr = block.first_row, block.rows
        if blocks.selected[k] == 0:
            continue
        for i in range(block.first_member, block.first_member + block.members):
            x, v0, nv = blocks.member[i].first_G, blocks.member[i].first_v, blocks.member[i].nv
            if not add_combination((v, v0, lam, r0, blocks.X, x), (nr, nv)):
                for r in range(nr):
                    add_scaled(lam[r0 + r], blocks.X, x + r * nv, v, v0, nv)


@internal
def conjugate(tables, target, last):
    """Turn the pass z = (S + δ)⁻¹ r in `rows.solution` into a step of conjugate gradients, r = target − G v.

    last: rᵀz of the step before, 0 at the first one

    Returns rᵀz; 0 if no row holds what is left.
    """
    rows = view(tables, Rows)
    change = view(tables, Rates).change
    product = 0.0
    for r in range(target.shape[0]):
        if rows.scale[r] != 0.0:
            product += (target[r] - rows.residual[r]) * rows.solution[r]
    along = 0.0
    for r in range(target.shape[0]):
        rows.direction[r] = rows.solution[r] + (product / last * rows.direction[r] if last > 0.0 else 0.0)
        along += (target[r] - rows.residual[r]) * rows.direction[r]
    fill(change, 0.0)
    add_impulse(tables, rows.direction, change)
    apply_G(tables, change, rows.image)
    curvature = 0.0
    for r in range(target.shape[0]):
        curvature += rows.direction[r] * rows.image[r]
    if not curvature > UNHELD * product:
        return 0.0
    for r in range(target.shape[0]):
        # rᵀd is rᵀz, but where r is rounding: then d may be next to nothing, and rᵀz is not
        rows.solution[r] = rows.direction[r] * (along / curvature)
    return product


@internal
def proximal(tables, v, target, passes, size, goal):
    """Bring G v to `target` (scaled rows) by v ← v + M⁻¹ Gᵀ λ; λ is written to `rows.lam` (scaled).

    passes: limit of proximal passes
    size:   reference of the residuals, besides the target and G v
    goal:   relative residual to reach

    Ends if the residual is below the goal, if the convergence rate predicts this for the last pass, or if
    passes stall; those that stall above STALLED_BY_ROUNDING go on as conjugate gradients. Passes and residual
    are in `Status`; returns 0.
    """
    rows = view(tables, Rows)
    status = view(tables, Status)
    nc = rows.lam.shape[0]
    status.passes[0], status.residual[0] = 0, 0.0
    for r in range(nc):
        rows.lam[r] = 0.0
        size = max(size, abs(target[r]))
    if nc == 0:
        return 0
    worst, before, reach, last = 0.0, 1e300, 0.0, 0.0
    for k in range(passes):
        apply_G(tables, v, rows.residual)
        worst = 0.0
        for r in range(nc):
            reach = max(reach, abs(rows.residual[r]))
            rows.solution[r] = (target[r] - rows.residual[r]) if rows.scale[r] != 0.0 else 0.0
            worst = max(worst, abs(rows.solution[r]))
        status.passes[0], status.residual[0] = k, worst
        wanted = goal * (size + reach)
        if worst <= wanted or (
            k > 0 and worst > 0.5 * before and worst <= STALLED_BY_ROUNDING * (size + reach)
        ):
            return 0
        solve(tables, rows.solution)
        if last > 0.0 or (k > 0 and worst > 0.5 * before):
            last = conjugate(tables, target, last)
            if last == 0.0:
                break
        add_scaled(1.0, rows.solution, 0, rows.lam, 0, nc)
        add_impulse(tables, rows.solution, v)
        if last == 0.0 and k > 1 and worst * (worst / before) <= 0.1 * wanted:
            status.passes[0], status.residual[0] = k + 1, worst * (worst / before)
            return 0
        before = worst
    # what conjugate gradients leave is rounding of forces that cancel, as near a state of rest
    if worst > STALLED * (size + reach):
        status.passes[0] = passes
    return 0
