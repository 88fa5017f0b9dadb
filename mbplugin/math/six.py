"""Linear systems of six equations in flat arrays, row by row: rows of a joint over a twist."""

from __future__ import annotations

from mbplugin.math.jit import jit


@jit
def factor_six(A, pivot):
    """Overwrite A (36,) with its factors L and U, of the rows in the order `pivot` (6,); the diagonal of U is
    inverted.

    Returns the least ratio of two pivots, with the sign of det A; 0: A is singular.
    """
    side, least, most = 1.0, 1e300, 0.0
    for k in range(6):
        best, size = k, abs(A[7 * k])
        for i in range(k + 1, 6):
            d = abs(A[6 * i + k])
            if d > size:
                best, size = i, d
        pivot[k] = best
        if best != k:
            side = -side
            for j in range(6):
                A[6 * k + j], A[6 * best + j] = A[6 * best + j], A[6 * k + j]
        if not size > 0.0:
            return 0.0
        least, most = min(least, size), max(most, size)
        if A[7 * k] < 0.0:
            side = -side
        d = 1.0 / A[7 * k]
        A[7 * k] = d
        for i in range(k + 1, 6):
            f = A[6 * i + k]
            if f != 0.0:
                f *= d
                A[6 * i + k] = f
                for j in range(k + 1, 6):
                    A[6 * i + j] -= f * A[6 * k + j]
    return side * least / most


@jit
def solve_six(A, pivot, b):
    """b ← A⁻¹ b with the factors of `factor_six`."""
    for k in range(6):
        p = pivot[k]
        b[k], b[p] = b[p], b[k]
    b0 = b[0]
    b1 = b[1] - A[6] * b0
    b2 = b[2] - A[12] * b0 - A[13] * b1
    b3 = b[3] - A[18] * b0 - A[19] * b1 - A[20] * b2
    b4 = b[4] - A[24] * b0 - A[25] * b1 - A[26] * b2 - A[27] * b3
    b5 = b[5] - A[30] * b0 - A[31] * b1 - A[32] * b2 - A[33] * b3 - A[34] * b4
    b5 *= A[35]
    b4 = (b4 - A[29] * b5) * A[28]
    b3 = (b3 - A[22] * b4 - A[23] * b5) * A[21]
    b2 = (b2 - A[15] * b3 - A[16] * b4 - A[17] * b5) * A[14]
    b1 = (b1 - A[8] * b2 - A[9] * b3 - A[10] * b4 - A[11] * b5) * A[7]
    b0 = (b0 - A[1] * b1 - A[2] * b2 - A[3] * b3 - A[4] * b4 - A[5] * b5) * A[0]
    b[0], b[1], b[2], b[3], b[4], b[5] = b0, b1, b2, b3, b4, b5
