"""One contact on the interior-point path: numbers of its linearized law. `interior.py` has the equations.

With x = (μ n, r_T), n = r_N + c, the linearization of n s_N = κ and x ∘ (ψ, s_T) = (κ, 0, 0), from which the
steps of ψ and s = u + t Δr (t = τ/ρ) are eliminated, is Δr = Δr₀ − D Δu.
"""

from __future__ import annotations

from math import inf, sqrt

from mbplugin.interface import inlined


@inlined
def eliminated(n, b, s, psi, mu, t):
    """D_NN; D_T (2, 2) and −D_TN / D_NN (2,) of the tangents; E (2, 2), with which their right side is
    multiplied. n > 0, (μ n, b) and (ψ, s_T) are inside their cones.
    """
    d = n / (s[0] + n * t)
    if mu == 0.0:
        return d, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    m = mu * n
    # B = ψ − b s_Tᵀ / m and its inverse; C = m − b bᵀ / m
    inverse = inverse_of(psi - b[0] * s[1] / m, -b[0] * s[2] / m, -b[1] * s[1] / m, psi - b[1] * s[2] / m)
    cross = -b[0] * b[1] / m
    first = product(inverse, (m - b[0] * b[0] / m, cross, cross, m - b[1] * b[1] / m))
    yields = inverse_of(1.0 + t * first[0], t * first[1], t * first[2], 1.0 + t * first[3])
    E = product(yields, inverse)
    g_1, g_2 = mu * s[1] - b[0] * psi / n, mu * s[2] - b[1] * psi / n
    along = E[0] * g_1 + E[1] * g_2, E[2] * g_1 + E[3] * g_2
    return d, product(yields, first), along, E


@inlined
def inverse_of(a, b, c, d):
    """Of the matrix [a b; c d], row by row."""
    f = 1.0 / (a * d - b * c)
    return f * d, -f * b, -f * c, f * a


@inlined
def product(A, B):
    """A B of two 2 x 2 matrices, row by row."""
    return (
        A[0] * B[0] + A[1] * B[2],
        A[0] * B[1] + A[1] * B[3],
        A[2] * B[0] + A[3] * B[2],
        A[2] * B[1] + A[3] * B[3],
    )


@inlined
def first_exit(x, y, z, d_x, d_y, d_z):
    """The length along d at which (x, y, z), inside the cone x > |(y, z)|, leaves it."""
    t = sqrt(y * y + z * z)
    a = d_x * d_x - d_y * d_y - d_z * d_z
    b = x * d_x - y * d_y - z * d_z
    c = (x - t) * (x + t)
    inside = b * b - a * c
    if inside < 0.0:
        return inf
    # the smallest positive root of a t² + 2 b t + c, without cancellation
    q = -(b + sqrt(inside)) if b > 0.0 else -(b - sqrt(inside))
    one = c / q if q != 0.0 else inf
    other = q / a if a != 0.0 else inf
    one = one if one > 0.0 else inf
    other = other if other > 0.0 else inf
    return min(one, other)
