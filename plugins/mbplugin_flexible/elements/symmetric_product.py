"""A symmetric 12 × 12 matrix of 3 × 3 blocks times four vectors."""

from __future__ import annotations

from mbplugin.interface import inlined
from mbplugin_flexible.elements.tensors import rotate, rotate_back


@inlined
def symmetric_product(p, first, q):
    """H q as four vectors; of H the blocks of its lower half are at p[first], row by row."""
    a, b, c, d = q
    return (
        sum4(block(p, first, a), back(p, first + 9, b), back(p, first + 27, c), back(p, first + 54, d)),
        sum4(block(p, first + 9, a), block(p, first + 18, b), back(p, first + 36, c), back(p, first + 63, d)),
        sum4(
            block(p, first + 27, a), block(p, first + 36, b), block(p, first + 45, c), back(p, first + 72, d)
        ),
        sum4(
            block(p, first + 54, a), block(p, first + 63, b), block(p, first + 72, c), block(p, first + 81, d)
        ),
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
