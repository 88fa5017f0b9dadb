"""Small dense blocks in flat arrays: stored row by row with `n` columns, beginning at index `start`."""

from __future__ import annotations

from math import sqrt

from mbplugin.math.jit import jit


@jit
def cholesky(a, start, n):
    """Overwrite the lower triangle of a symmetric block with its Cholesky factor L, diagonal inverted.

    Returns False if the block is not positive definite.
    """
    for j in range(n):
        rj = start + j * n
        d = a[rj + j]
        for k in range(j):
            d -= a[rj + k] * a[rj + k]
        if not d > 0.0:
            return False
        d = 1.0 / sqrt(d)
        a[rj + j] = d
        for i in range(j + 1, n):
            ri = start + i * n
            s = a[ri + j]
            for k in range(j):
                s -= a[ri + k] * a[rj + k]
            a[ri + j] = s * d
    return True


@jit
def solve_lower(a, start, n, b, b0):
    """b ← L⁻¹ b."""
    for i in range(n):
        ri = start + i * n
        s = b[b0 + i]
        for k in range(i):
            s -= a[ri + k] * b[b0 + k]
        b[b0 + i] = s * a[ri + i]


@jit
def solve_lower_columns(a, start, n, b, b0, columns):
    """B ← L⁻¹ B."""
    for i in range(n):
        ri = start + i * n
        for c in range(columns):
            s = b[b0 + i * columns + c]
            for k in range(i):
                s -= a[ri + k] * b[b0 + k * columns + c]
            b[b0 + i * columns + c] = s * a[ri + i]


@jit
def solve_lower_transposed(a, start, n, b, b0):
    """b ← L⁻ᵀ b."""
    for i in range(n - 1, -1, -1):
        s = b[b0 + i]
        for k in range(i + 1, n):
            s -= a[start + k * n + i] * b[b0 + k]
        b[b0 + i] = s * a[start + i * n + i]


@jit
def lu(a, start, n, pivot):
    """Overwrite a block with its factors L (unit diagonal) and U; `pivot` (n,) receives the row exchanges.

    Returns False if a pivot is 0.
    """
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[start + i * n + k]) > abs(a[start + best * n + k]):
                best = i
        pivot[k] = best
        if best != k:
            for j in range(n):
                upper, lower = start + k * n + j, start + best * n + j
                a[upper], a[lower] = a[lower], a[upper]
        d = a[start + k * n + k]
        if d == 0.0:
            return False
        for i in range(k + 1, n):
            f = a[start + i * n + k] / d
            a[start + i * n + k] = f
            if f != 0.0:
                for j in range(k + 1, n):
                    a[start + i * n + j] -= f * a[start + k * n + j]
    return True


@jit
def lu_solve(a, start, n, pivot, b, b0):
    """b ← A⁻¹ b with the factors of `lu`."""
    for k in range(n):
        p = pivot[k]
        if p != k:
            b[b0 + k], b[b0 + p] = b[b0 + p], b[b0 + k]
    for k in range(n):
        for i in range(k + 1, n):
            b[b0 + i] -= a[start + i * n + k] * b[b0 + k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[b0 + k] -= a[start + k * n + j] * b[b0 + j]
        b[b0 + k] /= a[start + k * n + k]
