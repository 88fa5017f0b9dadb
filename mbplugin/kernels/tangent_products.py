"""Sums of transformed tangents, for bodies of any number of velocities."""

from __future__ import annotations

from mbplugin.math.jit import internal
from mbplugin.math.tangent_blocks import add_transformed, add_transposed_product


@internal
def add_sandwich(C, c, H, h, K, k, P, p, rows, columns):
    """C += Hᵀ K P from the starts c, h, k, p: H (6, rows), K (6, 6), P (6, columns), C (rows, columns)."""
    if add_transformed((C, c, H, h, K, k, P, p), (rows, columns)):
        return
    for i in range(6):
        for j in range(columns):
            s = 0.0
            for m in range(6):
                s += K[k + 6 * i + m] * P[p + m * columns + j]
            if s != 0.0:
                for r in range(rows):
                    C[c + r * columns + j] += H[h + i * rows + r] * s


@internal
def add_product_of_rows(C, c, A, a, B, b, depth, rows, columns):
    """C += Aᵀ B from the starts c, a, b: A (depth, rows), B (depth, columns), C (rows, columns)."""
    if add_transposed_product((C, c, A, a, B, b), (depth, rows, columns)):
        return
    for i in range(depth):
        for r in range(rows):
            f = A[a + i * rows + r]
            for j in range(columns):
                C[c + r * columns + j] += f * B[b + i * columns + j]


@internal
def put_product(C, c, A, a, B, b, factor, rows, depth, columns):
    """C = factor A B from the starts c, a, b: A (rows, depth), B (depth, columns)."""
    for i in range(rows):
        for j in range(columns):
            s = 0.0
            for m in range(depth):
                s += A[a + i * depth + m] * B[b + m * columns + j]
            C[c + i * columns + j] = factor * s


@internal
def picked(source, start, stride, target, at):
    """Copy the (6, 6) block that begins at `start` of a matrix with `stride` columns to `at`.

    Returns False if it is zero.
    """
    nonzero = False
    for r in range(6):
        for c in range(6):
            x = source[start + r * stride + c]
            target[at + 6 * r + c] = x
            nonzero |= x != 0.0
    return nonzero
