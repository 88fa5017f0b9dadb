"""A symmetric 12 × 12 matrix, stored by the rows of its lower half, times four vectors."""

from __future__ import annotations

from mbplugin.interface import inlined
from mbplugin.math.emitters.stack import stack_array


@inlined
def symmetric_product(p, first, q):
    """H q as four vectors."""
    x, r = stack_array(12), stack_array(12)
    for k in range(4):
        x[3 * k], x[3 * k + 1], x[3 * k + 2] = q[k]
    row = first
    for i in range(12):
        s = 0.0
        for j in range(i):
            s += p[row + j] * x[j]
            r[j] += p[row + j] * x[i]
        r[i] = s + p[row + i] * x[i]
        row += i + 1
    return (
        (r[0], r[1], r[2]),
        (r[3], r[4], r[5]),
        (r[6], r[7], r[8]),
        (r[9], r[10], r[11]),
    )
