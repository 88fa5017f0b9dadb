"""Sums of transformed tangents, for bodies of any number of velocities."""

from __future__ import annotations

from mbplugin.math.emitters.arrays import clear
from mbplugin.math.emitters.tangent_blocks import add_numbers, add_transformed, add_transposed_product
from mbplugin.math.jit import internal
from mbplugin.math.vectors import add_scaled


@internal
def add_sandwich(C, c, H, h, K, k, stride, P, p, factors, f, rows, columns, line):
    """C += factors[f] Hᵀ K P from the starts c, h, k, p: H (6, rows), P (6, columns), C (rows, columns), K
    (6, 6) in a matrix with `stride` columns. line (columns,): work array.

    Zeros of H and K are left out: of a tree, H has them where a velocity does not move the marker.
    """
    skip = zero_part(K, k, stride)
    if skip == 6 or add_transformed((C, c, H, h, K, k, P, p, factors, f), (skip, stride, rows, columns)):
        return
    for i in range(6):
        clear(line, 0, columns)
        for m in range(6):
            x = K[k + stride * i + m]
            if x != 0.0:
                add_scaled(x, P, p + m * columns, line, 0, columns)
        for j in range(columns):
            line[j] *= factors[f]
        for r in range(rows):
            x = H[h + i * rows + r]
            if x != 0.0:
                add_scaled(x, line, 0, C, c + r * columns, columns)


@internal
def zero_part(K, k, stride):
    """6: K (6, 6) is zero; 3: all but the rotations (rows and columns 3 to 5) is; else 0."""
    other = False
    for r in range(6):
        for c in range(6 if r < 3 else 3):
            other |= K[k + stride * r + c] != 0.0
    if other:
        return 0
    for r in range(3, 6):
        for c in range(3, 6):
            other |= K[k + stride * r + c] != 0.0
    return 3 if other else 6


@internal
def add_range(C, c, A, a, count):
    """C += A for `count` numbers from the starts c, a."""
    done = 0
    while done < count:
        part = 36 if count - done >= 36 else 9
        if count - done < 9 or not add_numbers((C, c + done, A, a + done), (part,)):
            break
        done += part
    for k in range(done, count):
        C[c + k] += A[a + k]


@internal
def add_product_of_rows(C, c, A, a, B, b, depth, rows, columns):
    """C += Aᵀ B from the starts c, a, b: A (depth, rows), B (depth, columns), C (rows, columns)."""
    if add_transposed_product((C, c, A, a, B, b), (depth, rows, columns)):
        return
    for i in range(depth):
        for r in range(rows):
            f = A[a + i * rows + r]
            add_scaled(f, B, b + i * columns, C, c + r * columns, columns)


@internal
def put_by_increment(C, c, A, a, increments, body, factor, rows, n):
    """C = factor A T from the starts c, a: A (rows, n), and T (n, n) of the increment of a body."""
    T, t, band = increments.T, increments.first[body], increments.band[body]
    for i in range(rows):
        for j in range(n):
            s = 0.0
            for m in range(max(0, j - band), min(n, j + band + 1)):
                s += A[a + i * n + m] * T[t + m * n + j]
            C[c + i * n + j] = factor * s
