"""Rotation of frame b relative to frame a: the antisymmetric part of R_aᵀ R_b.

    s = (a_z·b_y − a_y·b_z,  a_x·b_z − a_z·b_x,  a_y·b_x − a_x·b_y) / 2 = n sin θ

R_aᵀ R_b is a rotation by θ about n, which has the same components in the axes of a and of b. Every term is a
dot product of axes, with the J and the bias of `dot`. Rows change sign at zero, as Newton's method needs;
they are zero at a half turn as well. Derived here; the conformance kit checks J and the bias against
differences.
"""

from __future__ import annotations

from mbplugin.interface import Measure, axis, jit
from mbplugin.math.vec3 import ZERO_MATRIX, add_outer, dot


def component(a, b, i, j):
    """(a_j·b_i − a_i·b_j) / 2."""
    return 0.5 * (dot(axis(a, j), axis(b, i)) - dot(axis(a, i), axis(b, j)))


def turn(a, b):
    return component(a, b, 1, 2), component(a, b, 2, 0), component(a, b, 0, 1)


@jit
def put_dots_tangent(S, K):
    """The tangent of Σ load n·e by S = Σ load n eᵀ: −T and Tᵀ on a, T and −Tᵀ on b with T = S − (tr S) 1."""
    trace = S[0] + S[4] + S[8]
    for r in range(3):
        for c in range(3):
            T, transposed = S[3 * r + c], S[3 * c + r]
            if r == c:
                T, transposed = T - trace, transposed - trace
            K[3 + r, 3 + c], K[3 + r, 9 + c] = -T, transposed
            K[9 + r, 3 + c], K[9 + r, 9 + c] = T, -transposed


def turn_tangent(a, b, lam, K):
    """Takes two thirds of the time of a derived one."""
    S = ZERO_MATRIX
    for r in range(3):
        i, j = (r + 1) % 3, (r + 2) % 3
        S = add_outer(S, 0.5 * lam[r], axis(a, j), axis(b, i))
        S = add_outer(S, -0.5 * lam[r], axis(a, i), axis(b, j))
    put_dots_tangent(S, K)


Turn = Measure(
    phi=turn,
    rows=3,
    unit="rad",
    tangent=turn_tangent,
    formula=r"""
s = \frac{1}{2} R_a^T \left( \hat x_a \times \hat x_b + \hat y_a \times \hat y_b + \hat z_a """
    r"""\times \hat z_b \right)
s = n \sin \theta
R_a^T R_b = e^{\theta [n]_\times}
\dot s = A (\omega_b - \omega_a), \quad A = \frac{1}{2} ( \mathrm{tr}(B) I - B ) R_a^T, \quad B = R_a^T R_b
\gamma = -\dot A (\omega_b - \omega_a)
""",
)
