"""Polar decomposition F = R U of a 3 × 3 matrix with det F > 0: a rotation R and a symmetric positive
definite U. Matrices are nine numbers, row by row.

In closed form, with the principal invariants I, II, III of U and C = FᵀF:

    λ⁴ − 2 |F|² λ² − 8 det F λ + |F|⁴ − 4 |cof F|² = 0           I is the largest root
    II = ½ (I² − |F|²),  III = det F
    (I II − III) R = I cof F + (I² − II) F − F C

The roots are ±σ₁ ± σ₂ ± σ₃ of the principal stretches with an even number of minuses, so Newton's method
from √3 |F| ≥ I falls to I; I II − III = (σ₁ + σ₂)(σ₂ + σ₃)(σ₃ + σ₁). The third line follows from
U³ − I U² + II U = III and cof U = U² − I U + II. Derived here.

Where two stretches are small beside the third, the closed form loses digits, and Newton's iteration takes its
place: X ← ½ (g X + X⁻ᵀ/g) from X = F, with g = (|X⁻¹|/|X|)^½ until X is nearly a rotation, then g = 1,
converges to R quadratically: N. J. Higham, SIAM J. Sci. Stat. Comput. 7 (1986) 1160–1174. Tests compare R and
U with SciPy's.
"""

from __future__ import annotations

from math import nan, sqrt

from mbplugin.math.jit import jit
from mbplugin.math.vec3 import product, product_back, rotate, sub

#: largest change of an entry of X in the last iteration but one: its square is below rounding
LAST_CHANGE_OF_ROTATION = 1e-9
#: change from which on X is no longer scaled
UNSCALED_CHANGE = 1e-2
#: least I II − III, as a part of I³, for the closed form; 8/27 without strain
CLOSED_FORM_RATIO = 0.05
#: last but one change of I, as a part of I: its square is below rounding
LAST_CHANGE_OF_TRACE = 1e-8
#: iterations that no matrix of finite condition needs
MAX_ITERATIONS = 60
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
    c = cofactors(A)
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
    one, two = A[0] * A[0] + A[1] * A[1], A[2] * A[2] + A[3] * A[3]
    three, four = A[4] * A[4] + A[5] * A[5], A[6] * A[6] + A[7] * A[7]
    return ((one + two) + (three + four)) + A[8] * A[8]


@jit
def cofactors(A):
    """cof A = det A A⁻ᵀ."""
    return (
        A[4] * A[8] - A[5] * A[7], A[5] * A[6] - A[3] * A[8], A[3] * A[7] - A[4] * A[6],
        A[2] * A[7] - A[1] * A[8], A[0] * A[8] - A[2] * A[6], A[1] * A[6] - A[0] * A[7],
        A[1] * A[5] - A[2] * A[4], A[2] * A[3] - A[0] * A[5], A[0] * A[4] - A[1] * A[3],
    )  # fmt: skip


@jit
def polar(F):
    """R and U of F = R U; NaN where det F > 0 does not hold."""
    cofactor = cofactors(F)
    det = F[0] * cofactor[0] + F[1] * cofactor[1] + F[2] * cofactor[2]
    if not det > 0.0:
        return NOT_A_NUMBER, NOT_A_NUMBER
    size = square(F)
    first = trace_of_stretch(size, square(cofactor), det)
    second = 0.5 * (first * first - size)
    divisor = first * second - det
    if divisor > CLOSED_FORM_RATIO * first * first * first:
        s = 1.0 / divisor
        R = weighted(s * first, cofactor, s * (first * first - second), F)
        R = weighted(1.0, R, -s, product(F, product_back(F, F)))
    else:
        R = iterated_rotation(F)
    U = product_back(R, F)
    xy, xz, yz = 0.5 * (U[1] + U[3]), 0.5 * (U[2] + U[6]), 0.5 * (U[5] + U[7])
    return R, (U[0], xy, xz, xy, U[4], yz, xz, yz, U[8])


@jit
def trace_of_stretch(size, areas, det):
    """I of U, from |F|², |cof F|² and det F."""
    x = sqrt(3.0 * size)
    last = size * size - 4.0 * areas
    for _ in range(MAX_ITERATIONS):
        xx = x * x
        value = (xx - 2.0 * size) * xx - 8.0 * det * x + last
        change = value / (4.0 * x * (xx - size) - 8.0 * det)
        x -= change
        if not abs(change) > LAST_CHANGE_OF_TRACE * x:
            break
    return x


@jit
def iterated_rotation(F):
    """R by Newton's iteration."""
    X, change = F, 1.0
    for _ in range(MAX_ITERATIONS):
        other = inverse_transposed(X)
        g = sqrt(sqrt(square(other) / square(X))) if change > UNSCALED_CHANGE else 1.0
        after = weighted(0.5 * g, X, 0.5 / g, other)
        change = sqrt(square(weighted(1.0, after, -1.0, X)))
        X = after
        if not change > LAST_CHANGE_OF_ROTATION:
            break
    return X


@jit
def turning_matrix(U):
    """Y = tr(U) 1 − U."""
    trace = U[0] + U[4] + U[8]
    return (trace - U[0], -U[1], -U[2], -U[3], trace - U[4], -U[5], -U[6], -U[7], trace - U[8])


@jit
def turning_inverse(U):
    """Y⁻¹; it is symmetric."""
    return inverse_transposed(turning_matrix(U))


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


@jit
def hat(a):
    """â, the matrix of the cross product with a."""
    return (0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)


@jit
def unit_matrix(k):
    """The matrix whose k-th number is 1, the others 0."""
    return (
        1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0,
        1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0,
        1.0 if k == 6 else 0.0, 1.0 if k == 7 else 0.0, 1.0 if k == 8 else 0.0,
    )  # fmt: skip


@jit
def polar_change(R, inverse, U, dF):
    """ρ of dR = R ρ̂, and dU, for a change dF of F = R U:  Y ρ = ax(RᵀdF),  dU = RᵀdF − ρ̂ U. inverse: Y⁻¹."""
    L = product_back(R, dF)
    turn = rotate(inverse, axial(L))
    return turn, weighted(1.0, L, -1.0, crossed_with(turn, U))


@jit
def spin_of(R, U, inverse, F_dot, F_bias):
    """ω of R and its rate, from Ḟ and F̈ of F = R U:

        Y ω_b = ax(L),  L = RᵀḞ,  ω = R ω_b
        Y ω̇_b = ax(L̇) − Ẏ ω_b,  L̇ = RᵀF̈ − ω̂_b L,  U̇ = L − ω̂_b U,  Ẏ = tr(U̇) 1 − U̇

    since L = ω̂_b U + U̇, whose antisymmetric part does not contain U̇. inverse: Y⁻¹
    """
    L = product_back(R, F_dot)
    w = rotate(inverse, axial(L))
    U_dot = weighted(1.0, L, -1.0, crossed_with(w, U))
    L_dot = weighted(1.0, product_back(R, F_bias), -1.0, crossed_with(w, L))
    moved = rotate(turning_matrix(U_dot), w)
    return rotate(R, w), rotate(R, rotate(inverse, sub(axial(L_dot), moved)))
