"""Products of tangents in vector registers, as in `blocks.py`, for rigid bodies."""

from __future__ import annotations

from mbplugin.math.emitters.blocks import combination, for_sizes


@for_sizes([(0, 12, 6, 6), (3, 12, 6, 6), (0, 6, 6, 6), (3, 6, 6, 6), (0, 6, 3, 3)])
def add_transformed(builder, blocks, skip, stride, rows, columns):
    """C += f Hᵀ K P, called with (C, H, K, P, f), (skip, stride, rows, columns): H (6, rows), P (6, columns),
    and one number f.

    K (6, 6) is part of a matrix with `stride` columns; its first `skip` rows and columns, which are zero, are
    left out.
    """
    C, H, K, P, factor = blocks
    kept = range(skip, 6)
    right = [P.rows(6, columns)[k] for k in kept]
    f = factor.number(0)
    middle = [combination(builder, [K.number(stride * r + k) for k in kept], right) * f for r in kept]
    left = H.numbers(6, rows)
    C.store(
        [
            c + combination(builder, [left[k][r] for k in kept], middle)
            for r, c in enumerate(C.rows(rows, columns))
        ]
    )


@for_sizes([(9,), (36,)])
def add_numbers(builder, blocks, count):
    """c += a, called with (c, a), (count,)."""
    c, a = blocks
    c.store([c.rows(1, count)[0] + a.rows(1, count)[0]])


@for_sizes([(d, 6, 6) for d in (1, 2, 3, 5, 6)] + [(d, 3, 3) for d in (1, 2, 3)])
def add_transposed_product(builder, blocks, depth, rows, columns):
    """C += Aᵀ B, called with (C, A, B), (depth, rows, columns)."""
    C, A, B = blocks
    right, left = B.rows(depth, columns), A.numbers(depth, rows)
    C.store(
        [
            c + combination(builder, [left[k][r] for k in range(depth)], right)
            for r, c in enumerate(C.rows(rows, columns))
        ]
    )
