"""The system of the constraint forces alone: S λ = γ − G M⁻¹ h,  S = G M⁻¹ Gᵀ + δ, in joint blocks.

Bodies are eliminated first (document 000: X = M⁻¹ Gᵀ), then S is factored on the joint graph in a block minimum-degree order that was
found once per topology. Rows are scaled by 1/√diag(G M⁻¹ Gᵀ), so that δ means the same for every row: 1e-10 where some pivot is small (rows repeat others, or a singular
position is near), 1e-14 elsewhere. Proximal passes

    (S + δ) Δλ = γ − G v̇,    λ ← λ + Δλ,    v̇ ← v̇ + X Δλ                        (Carpentier et al., RSS 2021)

converge to the solution where rows are independent, and to the minimum-norm one from λ = 0 where they repeat each other.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.view import view
from mbplugin.math.dense import cholesky, solve_lower, solve_lower_transposed
from mbplugin.math.jit import internal
from mbplugin.tables.groups import (
    B_FORM,
    B_MASS,
    B_NV,
    B_V,
    DENSE,
    K_BODIES,
    K_BODY,
    K_ROW,
    K_ROWS,
    Blocks,
    Bodies,
    Factor,
    Rows,
)  # fmt: skip

#: δ of the scaled system where some pivot is small, and where all rows are well apart, so that one pass is enough
PROXIMAL, APART = 1e-10, 1e-14
#: no more passes than these
PASSES = 20
#: residual that ends the passes, relative to 1 + |γ|
RESIDUAL = 1e-12
#: pivots of S below this belong to rows that repeat others, or to a position near a singular one
SMALL = 1e-3
#: squared norm of a row, relative to the largest, below which it has none
NO_NORM = 1e-26


@internal
def choose_rows(tables, level):
    """Rows that take part: active ones whose level is at most `level`."""
    rows = view(tables, Rows)
    for r in range(rows.level.shape[0]):
        rows.on[r] = 1 if rows.active[r] == 1 and rows.level[r] <= level else 0


@internal
def solve_mass(bodies, body, b, b0):
    """b ← M⁻¹ b for one body."""
    row = bodies.row[body]
    if row[B_FORM] == DENSE:
        solve_lower(bodies.L, row[B_MASS], row[B_NV], b, b0)
        solve_lower_transposed(bodies.L, row[B_MASS], row[B_NV], b, b0)
    else:
        for k in range(row[B_NV]):
            b[b0 + k] *= bodies.inverse[row[B_V] + k]


@internal
def mass_norm(tables, v):
    """√(vᵀ M v) over the bodies whose M is diagonal."""
    inverse = view(tables, Bodies).inverse
    s = 0.0
    for k in range(v.shape[0]):
        if inverse[k] > 0.0:
            s += v[k] * v[k] / inverse[k]
    return sqrt(s)


@internal
def eliminate_bodies(tables):
    """X = M⁻¹ Gᵀ and the scales of the rows."""
    bodies = view(tables, Bodies)
    blocks = view(tables, Blocks)
    rows = view(tables, Rows)
    largest = 0.0
    for k in range(blocks.row.shape[0]):
        block = blocks.row[k]
        r0, nr = block[K_ROW], block[K_ROWS]
        for r in range(nr):
            rows.scale[r0 + r] = 0.0
        for i in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
            body, g0, v0, nv = blocks.body[i, 0], blocks.body[i, 1], blocks.body[i, 2], blocks.body[i, 3]
            diagonal = bodies.row[body, B_FORM] != DENSE
            for r in range(nr):
                g = g0 + r * nv
                s = 0.0
                if diagonal:
                    for c in range(nv):
                        x = blocks.G[g + c] * bodies.inverse[v0 + c]
                        blocks.X[g + c] = x
                        s += x * blocks.G[g + c]
                else:
                    for c in range(nv):
                        blocks.X[g + c] = blocks.G[g + c]
                    solve_mass(bodies, body, blocks.X, g)
                    for c in range(nv):
                        s += blocks.X[g + c] * blocks.G[g + c]
                rows.scale[r0 + r] += s
        for r in range(r0, r0 + nr):
            largest = max(largest, rows.scale[r])
    for r in range(rows.scale.shape[0]):
        norm = rows.scale[r]
        rows.dropped[r] = 1 if rows.on[r] == 1 and not norm > NO_NORM * largest else 0
        rows.scale[r] = 1.0 / sqrt(norm) if rows.on[r] == 1 and rows.dropped[r] == 0 else 0.0


@internal
def add_product(values, target, X, x0, rows, G, g0, columns, nv, diagonal, scale, row0, column0):
    """S_ij += s_i X_i G_jᵀ s_j (the lower triangle only where i = j)."""
    for r in range(rows):
        xr = x0 + r * nv
        sr = scale[row0 + r]
        for c in range(r + 1 if diagonal else columns):
            gc = g0 + c * nv
            s = 0.0
            if nv == 6:
                s = (
                    X[xr] * G[gc] + X[xr + 1] * G[gc + 1] + X[xr + 2] * G[gc + 2]
                    + X[xr + 3] * G[gc + 3] + X[xr + 4] * G[gc + 4] + X[xr + 5] * G[gc + 5]
                )  # fmt: skip
            else:
                for k in range(nv):
                    s += X[xr + k] * G[gc + k]
            values[target + r * columns + c] += sr * s * scale[column0 + c]


@internal
def update_block(values, target, si, mi, sj, mj, n, lower):
    """B_ij −= L_ik L_jkᵀ (the lower triangle only where i = j)."""
    for r in range(mi):
        a = si + r * n
        for c in range(r + 1 if lower else mj):
            b = sj + c * n
            s = 0.0
            for l in range(n):
                s += values[a + l] * values[b + l]
            values[target + r * mj + c] -= s


@internal
def eliminate_node(values, factor, k, n):
    """Factor the diagonal block of node k, of n rows, and its column; update what comes later. False where a pivot is not positive.

    `n` is a constant where the call says so, and the loops are unrolled.
    """
    d0, b0, u = factor.node[k, 2], factor.below0[k], factor.update0[k]
    if not cholesky(values, d0, n):
        return False
    end = b0 + factor.node[k, 3]
    for i in range(b0, end):
        start = factor.below[i, 1]
        for r in range(factor.below[i, 3]):
            solve_lower(values, d0, n, values, start + r * n)
    for i in range(b0, end):
        si, mi = factor.below[i, 1], factor.below[i, 3]
        for j in range(b0, i + 1):
            sj, mj = factor.below[j, 1], factor.below[j, 3]
            if mi == n and mj == n:
                update_block(values, factor.update[u], si, n, sj, n, n, i == j)
            else:
                update_block(values, factor.update[u], si, mi, sj, mj, n, i == j)
            u += 1
    return True


@internal
def build(values, blocks, factor, scale):
    """The lower triangle of G M⁻¹ Gᵀ, in scaled rows."""
    for i in range(values.shape[0]):
        values[i] = 0.0
    for i in range(factor.product.shape[0]):
        job = factor.product[i]
        target, x, mi, g, mj, nv, ri, rj = job[0], job[1], job[2], job[3], job[4], job[5], job[6], job[7]
        if mi == 5 and mj == 5 and nv == 6:
            add_product(values, target, blocks.X, x, 5, blocks.G, g, 5, 6, ri == rj, scale, ri, rj)
        else:
            add_product(values, target, blocks.X, x, mi, blocks.G, g, mj, nv, ri == rj, scale, ri, rj)


@internal
def has_small(values, d0, n):
    """Whether a pivot of a factored block (its diagonal is inverted) is small."""
    for r in range(n):
        if values[d0 + r * n + r] * values[d0 + r * n + r] * SMALL > 1.0:
            return True
    return False


@internal
def factorise(tables):
    """S + δ = L Lᵀ in joint blocks; False where a pivot is not positive. Blocks of 3 and 5 rows have code of their own.

    The δ that served last is tried first; where the pivots do not fit it, the other is taken.
    """
    blocks = view(tables, Blocks)
    factor = view(tables, Factor)
    rows = view(tables, Rows)
    scale = rows.scale
    values = factor.values
    for trial in range(2):
        delta = PROXIMAL if rows.delta[0] == PROXIMAL else APART
        build(values, blocks, factor, scale)
        small, good = False, True
        for k in range(factor.node.shape[0]):
            row0, n, d0 = factor.node[k, 0], factor.node[k, 1], factor.node[k, 2]
            for r in range(n):
                values[d0 + r * n + r] += delta if scale[row0 + r] != 0.0 else 1.0
            if n == 5:
                good = eliminate_node(values, factor, k, 5)
            elif n == 3:
                good = eliminate_node(values, factor, k, 3)
            else:
                good = eliminate_node(values, factor, k, n)
            small = small or not good or has_small(values, d0, n)
            if not good or (small and delta == APART):
                break
        if delta == PROXIMAL and not good:
            return False
        if small == (delta == PROXIMAL) or trial == 1:
            break
        rows.delta[0] = PROXIMAL if small else APART
    return good


@internal
def small_pivots(tables, repeated):
    """How many pivots of the factored S are small, and the smallest but for the first `repeated` (1 where there are no more).

    Rows that repeat others leave pivots of the size of δ at any position; another one that falls says that a singular position is near, at a distance
    that goes with its square root.
    """
    if view(tables, Rows).delta[0] == APART:
        return 0, 1.0
    factor = view(tables, Factor)
    values = factor.values
    limit = 1.0 / sqrt(SMALL)
    count = 0
    for k in range(factor.node.shape[0]):
        n, d0 = factor.node[k, 1], factor.node[k, 2]
        for r in range(n):
            if values[d0 + r * n + r] > limit:
                count += 1
    if count <= repeated:
        return count, 1.0
    largest = 1e300
    for _ in range(repeated + 1):
        below = 0.0
        for k in range(factor.node.shape[0]):
            n, d0 = factor.node[k, 1], factor.node[k, 2]
            for r in range(n):
                inverse = values[d0 + r * n + r]
                if below < inverse < largest:
                    below = inverse
        largest = below
    return count, 1.0 / (largest * largest)


@internal
def forward_node(values, factor, k, n, b):
    """Forward substitution through node k."""
    row0 = factor.node[k, 0]
    solve_lower(values, factor.node[k, 2], n, b, row0)
    for i in range(factor.below0[k], factor.below0[k] + factor.node[k, 3]):
        start, to = factor.below[i, 1], factor.below[i, 2]
        for r in range(factor.below[i, 3]):
            s = 0.0
            for c in range(n):
                s += values[start + r * n + c] * b[row0 + c]
            b[to + r] -= s


@internal
def backward_node(values, factor, k, n, b):
    """Back substitution through node k."""
    row0 = factor.node[k, 0]
    for i in range(factor.below0[k], factor.below0[k] + factor.node[k, 3]):
        start, to = factor.below[i, 1], factor.below[i, 2]
        for r in range(factor.below[i, 3]):
            s = b[to + r]
            for c in range(n):
                b[row0 + c] -= values[start + r * n + c] * s
    solve_lower_transposed(values, factor.node[k, 2], n, b, row0)


@internal
def solve(tables, b):
    """b ← (S + δ)⁻¹ b, rows in scaled units."""
    factor = view(tables, Factor)
    values = factor.values
    nodes = factor.node.shape[0]
    for k in range(nodes):
        n = factor.node[k, 1]
        if n == 5:
            forward_node(values, factor, k, 5, b)
        else:
            forward_node(values, factor, k, n, b)
    for k in range(nodes - 1, -1, -1):
        n = factor.node[k, 1]
        if n == 5:
            backward_node(values, factor, k, 5, b)
        else:
            backward_node(values, factor, k, n, b)


@internal
def apply_G(tables, v, out):
    """out = G v, rows in scaled units."""
    blocks = view(tables, Blocks)
    scale = view(tables, Rows).scale
    for k in range(blocks.row.shape[0]):
        block = blocks.row[k]
        r0, nr = block[K_ROW], block[K_ROWS]
        for r in range(nr):
            out[r0 + r] = 0.0
        for i in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
            g, v0, nv = blocks.body[i, 1], blocks.body[i, 2], blocks.body[i, 3]
            if nv == 6:
                a, b, c, d, e, f = v[v0], v[v0 + 1], v[v0 + 2], v[v0 + 3], v[v0 + 4], v[v0 + 5]
                for r in range(nr):
                    G = blocks.G
                    out[r0 + r] += G[g] * a + G[g + 1] * b + G[g + 2] * c + G[g + 3] * d + G[g + 4] * e + G[g + 5] * f
                    g += 6
            else:
                for r in range(nr):
                    s = 0.0
                    for c in range(nv):
                        s += blocks.G[g + c] * v[v0 + c]
                    out[r0 + r] += s
                    g += nv
        for r in range(r0, r0 + nr):
            out[r] *= scale[r]


@internal
def add_impulse(tables, lam, v):
    """v ← v + M⁻¹ Gᵀ λ, rows in scaled units."""
    blocks = view(tables, Blocks)
    scale = view(tables, Rows).scale
    for k in range(blocks.row.shape[0]):
        block = blocks.row[k]
        r0, nr = block[K_ROW], block[K_ROWS]
        for i in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
            x, v0, nv = blocks.body[i, 1], blocks.body[i, 2], blocks.body[i, 3]
            for r in range(nr):
                l = lam[r0 + r] * scale[r0 + r]
                for c in range(nv):
                    v[v0 + c] += blocks.X[x + c] * l
                x += nv


@internal
def proximal(tables, v, target, passes, size):
    """Bring G v to `target` (scaled rows) by impulses M⁻¹ Gᵀ λ: v changes in place, λ is left in `rows.lam` (scaled).

    `size`: what residuals are compared with, besides the target and G v themselves. Ends where the residual is RESIDUAL of that, or where the rate of
    the last pass says that one more pass has brought it there. Returns the number of passes; the last residual is left in `rows.outcome`.
    """
    rows = view(tables, Rows)
    nc = rows.lam.shape[0]
    rows.outcome[0] = 0.0
    for r in range(nc):
        rows.lam[r] = 0.0
        size = max(size, abs(target[r]))
    if nc == 0:
        return 0
    worst, before, reach = 0.0, 1e300, 0.0
    for k in range(passes):
        apply_G(tables, v, rows.residual)
        worst = 0.0
        for r in range(nc):
            reach = max(reach, abs(rows.residual[r]))
            rows.solution[r] = (target[r] - rows.residual[r]) if rows.scale[r] != 0.0 else 0.0
            worst = max(worst, abs(rows.solution[r]))
        rows.outcome[0] = worst
        wanted = RESIDUAL * (size + reach)
        if worst <= wanted or (k > 0 and worst > 0.5 * before and worst <= 1e3 * wanted):
            return k
        solve(tables, rows.solution)
        for r in range(nc):
            rows.lam[r] += rows.solution[r]
        add_impulse(tables, rows.solution, v)
        if k > 0 and worst * (worst / before) <= 0.1 * wanted:
            rows.outcome[0] = worst * (worst / before)
            return k + 1
        before = worst
    return passes
