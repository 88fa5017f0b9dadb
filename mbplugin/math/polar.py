"""Polar decomposition F = R U of a 3 × 3 matrix with det F > 0: a rotation R and a symmetric positive
definite U. Matrices are nine numbers, row by row.

X ← ½ (g X + X⁻ᵀ/g) from X = F, with g = (|X⁻¹|/|X|)^½ until X is nearly a rotation, then g = 1, converges
to R quadratically: Newton's iteration of N. J. Higham, SIAM J. Sci. Stat. Comput. 7 (1986) 1160–1174. Tests
compare R and U with SciPy's.
"""

from __future__ import annotations

from math import nan, sqrt

from mbplugin.math.jit import jit
from mbplugin.math.vec3 import product_back

#: largest change of an entry of X in the last iteration but one: its square is below rounding
CLOSE = 1e-9
#: change from which on X is no longer scaled
NEARLY = 1e-2
#: iterations that no matrix of finite condition needs
MOST = 60
NOT_A_NUMBER = (nan, nan, nan, nan, nan, nan, nan, nan, nan)


@jit
def determinant(A):
    return (
        A[0] * (A[4] * A[8] - A[5] * A[7])
        - A[1] * (A[3] * A[8] - A[5] * A[6])
        + A[2] * (A[3] * A[7] - A[4] * A[6])
    )


@jit
def inverse_transposed(A):
    """A⁻ᵀ: the cofactors over the determinant."""
    c = (
        A[4] * A[8] - A[5] * A[7], A[5] * A[6] - A[3] * A[8], A[3] * A[7] - A[4] * A[6],
        A[2] * A[7] - A[1] * A[8], A[0] * A[8] - A[2] * A[6], A[1] * A[6] - A[0] * A[7],
        A[1] * A[5] - A[2] * A[4], A[2] * A[3] - A[0] * A[5], A[0] * A[4] - A[1] * A[3],
    )  # fmt: skip
    s = 1.0 / (A[0] * c[0] + A[1] * c[1] + A[2] * c[2])
    return weighted(s, c, 0.0, c)


@jit
def weighted(s, A, t, B):
    """s A + t B."""
    return (
        s * A[0] + t * B[0], s * A[1] + t * B[1], s * A[2] + t * B[2],
        s * A[3] + t * B[3], s * A[4] + t * B[4], s * A[5] + t * B[5],
        s * A[6] + t * B[6], s * A[7] + t * B[7], s * A[8] + t * B[8],
    )  # fmt: skip


@jit
def square(A):
    """A : A, the sum of the squares of all entries."""
    s = 0.0
    for a in A:
        s += a * a
    return s


@jit
def polar(F):
    """R and U of F = R U; NaN where det F > 0 does not hold."""
    if not determinant(F) > 0.0:
        return NOT_A_NUMBER, NOT_A_NUMBER
    X, change = F, 1.0
    for _ in range(MOST):
        other = inverse_transposed(X)
        g = sqrt(sqrt(square(other) / square(X))) if change > NEARLY else 1.0
        after = weighted(0.5 * g, X, 0.5 / g, other)
        change = sqrt(square(weighted(1.0, after, -1.0, X)))
        X = after
        if not change > CLOSE:
            break
    U = product_back(X, F)
    xy, xz, yz = 0.5 * (U[1] + U[3]), 0.5 * (U[2] + U[6]), 0.5 * (U[5] + U[7])
    return X, (U[0], xy, xz, xy, U[4], yz, xz, yz, U[8])


@jit
def turning_matrix(trace, U):
    """tr(U) 1 − U."""
    return (trace - U[0], -U[1], -U[2], -U[3], trace - U[4], -U[5], -U[6], -U[7], trace - U[8])


@jit
def axial(A):
    """ax(A), of which half is the vector of the antisymmetric part."""
    return (A[7] - A[5], A[2] - A[6], A[3] - A[1])


@jit
def crossed_with(w, A):
    """ŵ A: w × each column of A."""
    return (
        w[1] * A[6] - w[2] * A[3], w[1] * A[7] - w[2] * A[4], w[1] * A[8] - w[2] * A[5],
        w[2] * A[0] - w[0] * A[6], w[2] * A[1] - w[0] * A[7], w[2] * A[2] - w[0] * A[8],
        w[0] * A[3] - w[1] * A[0], w[0] * A[4] - w[1] * A[1], w[0] * A[5] - w[1] * A[2],
    )  # fmt: skip
