"""Products of tangents in vector registers, as in `blocks.py`, for rigid bodies."""

from __future__ import annotations

from mbplugin.math.blocks import BODIES, combination, for_sizes


@for_sizes([(n, n) for n in BODIES])
def add_transformed(builder, blocks, rows, columns):
    """C += Hᵀ K P, called with (C, H, K, P), (rows, columns): H (6, rows), K (6, 6), P (6, columns)."""
    C, H, K, P = blocks
    right = P.rows(6, columns)
    middle = [combination(builder, k, right) for k in K.numbers(6, 6)]
    left = H.numbers(6, rows)
    C.store(
        [
            c + combination(builder, [left[k][r] for k in range(6)], middle)
            for r, c in enumerate(C.rows(rows, columns))
        ]
    )


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
