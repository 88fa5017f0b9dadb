"""The system of the constraint forces alone: S λ = γ − G M⁻¹ h,  S = G M⁻¹ Gᵀ + δ, in joint blocks.

Bodies are eliminated first (document 000: X = M⁻¹ Gᵀ), then S is factored on the joint graph in a block minimum-degree order that was
found once per topology. Rows are scaled by 1/√diag(G M⁻¹ Gᵀ), so that δ = 1e-10 means the same for every row. Proximal passes

    (S + δ) Δλ = γ − G v̇,    λ ← λ + Δλ,    v̇ ← v̇ + X Δλ                        (Carpentier et al., RSS 2021)

converge to the solution where rows are independent, and to the minimum-norm one from λ = 0 where they repeat each other.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.view import view
from mbplugin.math.dense import cholesky, solve_lower, solve_lower_transposed
from mbplugin.math.jit import jit
from mbplugin.tables.groups import (
    B_FORM, B_MASS, B_NV, B_V, DENSE, K_BODIES, K_BODY, K_ROW, K_ROWS, Blocks, Bodies, Factor, Rows,
)  # fmt: skip

#: δ of the scaled system
PROXIMAL = 1e-10
#: no more passes than these
PASSES = 20
#: residual that ends the passes, relative to 1 + |γ|
RESIDUAL = 1e-12
#: squared norm of a row, relative to the largest, below which it has none
NO_NORM = 1e-26


@jit
def choose_rows(tables, level):
    """Rows that take part: active ones whose level is at most `level`."""
    rows = view(tables, Rows)
    for r in range(rows.level.shape[0]):
        rows.on[r] = 1 if rows.active[r] == 1 and rows.level[r] <= level else 0


@jit
def solve_mass(bodies, body, b, b0):
    """b ← M⁻¹ b for one body."""
    row = bodies.row[body]
    if row[B_FORM] == DENSE:
        solve_lower(bodies.L, row[B_MASS], row[B_NV], b, b0)
        solve_lower_transposed(bodies.L, row[B_MASS], row[B_NV], b, b0)
    else:
        for k in range(row[B_NV]):
            b[b0 + k] *= bodies.inverse[row[B_V] + k]


@jit
def eliminate_bodies(tables):
    """X = M⁻¹ Gᵀ, the norms of the rows, and G and X scaled by them."""
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
    for k in range(blocks.row.shape[0]):
        block = blocks.row[k]
        r0, nr = block[K_ROW], block[K_ROWS]
        for i in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
            g0, nv = blocks.body[i, 1], blocks.body[i, 3]
            for r in range(nr):
                s = rows.scale[r0 + r]
                for c in range(g0 + r * nv, g0 + (r + 1) * nv):
                    blocks.G[c] *= s
                    blocks.X[c] *= s


@jit
def add_product(values, target, X, x0, rows, G, g0, columns, nv, diagonal):
    """S_ij += X_i G_jᵀ (the lower triangle only where i = j)."""
    for r in range(rows):
        xr = x0 + r * nv
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
            values[target + r * columns + c] += s


@jit
def factorise(tables):
    """S + δ = L Lᵀ in joint blocks; False where a pivot is not positive."""
    blocks = view(tables, Blocks)
    factor = view(tables, Factor)
    values = factor.values
    for i in range(values.shape[0]):
        values[i] = 0.0
    for i in range(factor.product.shape[0]):
        job = factor.product[i]
        add_product(values, job[0], blocks.X, job[1], job[2], blocks.G, job[3], job[4], job[5], job[6] == 1)
    scale = view(tables, Rows).scale
    u = 0
    for k in range(factor.node.shape[0]):
        row0, n, d0, nbelow = factor.node[k, 0], factor.node[k, 1], factor.node[k, 2], factor.node[k, 3]
        for r in range(n):
            values[d0 + r * n + r] += PROXIMAL if scale[row0 + r] != 0.0 else 1.0
        if not cholesky(values, d0, n):
            return False
        b0 = factor.below0[k]
        for i in range(b0, b0 + nbelow):
            start, m = factor.below[i, 1], factor.below[i, 3]
            for r in range(m):
                solve_lower(values, d0, n, values, start + r * n)
        for i in range(b0, b0 + nbelow):
            si, mi = factor.below[i, 1], factor.below[i, 3]
            for j in range(b0, i + 1):
                sj, mj = factor.below[j, 1], factor.below[j, 3]
                target = factor.update[u]
                u += 1
                for r in range(mi):
                    a = si + r * n
                    for c in range(r + 1 if i == j else mj):
                        b = sj + c * n
                        s = 0.0
                        for l in range(n):
                            s += values[a + l] * values[b + l]
                        values[target + r * mj + c] -= s
    return True


@jit
def solve(tables, b):
    """b ← (S + δ)⁻¹ b, rows in scaled units."""
    factor = view(tables, Factor)
    values = factor.values
    nodes = factor.node.shape[0]
    for k in range(nodes):
        row0, n, d0, nbelow = factor.node[k, 0], factor.node[k, 1], factor.node[k, 2], factor.node[k, 3]
        solve_lower(values, d0, n, b, row0)
        for i in range(factor.below0[k], factor.below0[k] + nbelow):
            start, to, m = factor.below[i, 1], factor.below[i, 2], factor.below[i, 3]
            for r in range(m):
                s = 0.0
                for c in range(n):
                    s += values[start + r * n + c] * b[row0 + c]
                b[to + r] -= s
    for k in range(nodes - 1, -1, -1):
        row0, n, d0, nbelow = factor.node[k, 0], factor.node[k, 1], factor.node[k, 2], factor.node[k, 3]
        for i in range(factor.below0[k], factor.below0[k] + nbelow):
            start, to, m = factor.below[i, 1], factor.below[i, 2], factor.below[i, 3]
            for r in range(m):
                s = b[to + r]
                for c in range(n):
                    b[row0 + c] -= values[start + r * n + c] * s
        solve_lower_transposed(values, d0, n, b, row0)


@jit
def apply_G(tables, v, out):
    """out = G v, rows in scaled units."""
    blocks = view(tables, Blocks)
    for k in range(blocks.row.shape[0]):
        block = blocks.row[k]
        r0, nr = block[K_ROW], block[K_ROWS]
        for r in range(nr):
            out[r0 + r] = 0.0
        for i in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
            g0, v0, nv = blocks.body[i, 1], blocks.body[i, 2], blocks.body[i, 3]
            for r in range(nr):
                s = 0.0
                for c in range(nv):
                    s += blocks.G[g0 + r * nv + c] * v[v0 + c]
                out[r0 + r] += s


@jit
def add_impulse(tables, lam, v):
    """v ← v + M⁻¹ Gᵀ λ, rows in scaled units."""
    blocks = view(tables, Blocks)
    for k in range(blocks.row.shape[0]):
        block = blocks.row[k]
        r0, nr = block[K_ROW], block[K_ROWS]
        for i in range(block[K_BODY], block[K_BODY] + block[K_BODIES]):
            g0, v0, nv = blocks.body[i, 1], blocks.body[i, 2], blocks.body[i, 3]
            for r in range(nr):
                l = lam[r0 + r]
                for c in range(nv):
                    v[v0 + c] += blocks.X[g0 + r * nv + c] * l


@jit
def proximal(tables, v, target):
    """Bring G v to `target` (scaled rows) by impulses M⁻¹ Gᵀ λ: v changes in place, λ is left in `rows.lam` (scaled).

    Returns the number of passes; the last residual is left in `rows.outcome`.
    """
    rows = view(tables, Rows)
    nc = rows.lam.shape[0]
    size = 0.0
    for r in range(nc):
        rows.lam[r] = 0.0
        size = max(size, abs(target[r]))
    if nc == 0:
        rows.outcome[0] = 0.0
        return 0
    worst, before, reach = 0.0, 1e300, 0.0
    for k in range(PASSES):
        apply_G(tables, v, rows.residual)
        worst = 0.0
        for r in range(nc):
            reach = max(reach, abs(rows.residual[r]))
            rows.solution[r] = (target[r] - rows.residual[r]) if rows.scale[r] != 0.0 else 0.0
            worst = max(worst, abs(rows.solution[r]))
        if k > 0 and (worst <= RESIDUAL * (size + reach) or worst > 0.5 * before and worst <= 1e3 * RESIDUAL * (size + reach)):
            rows.outcome[0] = worst
            return k
        before = worst
        solve(tables, rows.solution)
        for r in range(nc):
            rows.lam[r] += rows.solution[r]
        add_impulse(tables, rows.solution, v)
    rows.outcome[0] = worst
    return PASSES
