"""A symmetric 12 × 12 matrix of 3 × 3 blocks times four vectors."""

from __future__ import annotations

from mbplugin.interface import inlined
from mbplugin_flexible.elements.tensors import rotate, rotate_back


@inlined
def symmetric_product(H, q):
    """H q as four vectors; H (90,): the blocks of its lower half, row by row."""
    a, b, c, d = q
    return (
        sum4(block(H, 0, a), back(H, 9, b), back(H, 27, c), back(H, 54, d)),
        sum4(block(H, 9, a), block(H, 18, b), back(H, 36, c), back(H, 63, d)),
        sum4(block(H, 27, a), block(H, 36, b), block(H, 45, c), back(H, 72, d)),
        sum4(block(H, 54, a), block(H, 63, b), block(H, 72, c), block(H, 81, d)),
    )


@inlined
def block(p, i, x):
    return rotate((p[i], p[i + 1], p[i + 2], p[i + 3], p[i + 4], p[i + 5], p[i + 6], p[i + 7], p[i + 8]), x)


@inlined
def back(p, i, x):
    return rotate_back(
        (p[i], p[i + 1], p[i + 2], p[i + 3], p[i + 4], p[i + 5], p[i + 6], p[i + 7], p[i + 8]), x
    )


@inlined
def sum4(a, b, c, d):
    return ((a[0] + b[0]) + (c[0] + d[0]), (a[1] + b[1]) + (c[1] + d[1]), (a[2] + b[2]) + (c[2] + d[2]))
