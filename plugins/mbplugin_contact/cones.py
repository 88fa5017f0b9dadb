"""One contact on the interior-point path: numbers of its linearized law. `interior.py` has the equations.

With x = (μ n, r_T), n = r_N + c, the linearization of n s_N = κ and x ∘ (ψ, s_T) = (κ, 0, 0), from which the
steps of ψ and s = u + t Δr (t = τ/ρ) are eliminated, is Δr = Δr₀ − D Δu.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import inlined


@inlined
def eliminated(n, b, s, psi, mu, t):
    """Returns D_NN; the tangential block D_T (2, 2); −D_TN / D_NN (2,); and E (2, 2), by which the tangential
    right-hand side is multiplied. Assumes n > 0, and (μ n, b) and (ψ, s_T) inside their cones.
    """
    d = n / (s[0] + n * t)
    if mu == 0.0:
        return d, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    m = mu * n
    p, q = b[0] / m, b[1] / m
    # B = ψ − b s_Tᵀ / m and its inverse; C = m − b bᵀ / m
    E = inverse_of(psi - p * s[1], -p * s[2], -q * s[1], psi - q * s[2])
    cross = -p * b[1]
    tangents = product(E, (m - p * b[0], cross, cross, m - q * b[1]))
    if t > 0.0:
        F, D = E, tangents
        yields = inverse_of(1.0 + t * D[0], t * D[1], t * D[2], 1.0 + t * D[3])
        E, tangents = product(yields, F), product(yields, D)
    g, h = mu * (s[1] - p * psi), mu * (s[2] - q * psi)
    return d, tangents, (E[0] * g + E[1] * h, E[2] * g + E[3] * h), E


@inlined
def inverse_of(a, b, c, d):
    """The inverse of the matrix [a b; c d], row by row."""
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
def first_exit(x, y, z, d_x, d_y, d_z, max_length):
    """The length along d at which (x, y, z) leaves the cone x > |(y, z)|, in which it is; at most
    `max_length`.
    """
    end, f, g = x + max_length * d_x, y + max_length * d_y, z + max_length * d_z
    if end > 0.0 and end * end > f * f + g * g:
        return max_length
    t = sqrt(y * y + z * z)
    a = d_x * d_x - d_y * d_y - d_z * d_z
    b = x * d_x - y * d_y - z * d_z
    c = (x - t) * (x + t)
    return first_root(a, b, c, max_length)


@inlined
def first_root(a, b, c, limit):
    """The smallest positive root of a t² + 2 b t + c, without cancellation; at most `limit`."""
    inside = b * b - a * c
    if inside < 0.0:
        return limit
    q = -(b + sqrt(inside)) if b > 0.0 else -(b - sqrt(inside))
    one = c / q if q != 0.0 else limit
    other = q / a if a != 0.0 else limit
    return min(one if one > 0.0 else limit, other if other > 0.0 else limit, limit)
