"""Rotation of frame b relative to frame a: the antisymmetric part of R_aᵀ R_b.

    s = (a_z·b_y − a_y·b_z,  a_x·b_z − a_z·b_x,  a_y·b_x − a_x·b_y) / 2 = n sin θ

R_aᵀ R_b is a rotation by θ about n, which has the same components in the axes of a and of b. Every term is a
dot product of axes, with the J and the bias of `dot`. Rows change sign at zero, as Newton's method needs;
they are zero at a half turn as well. Derived here; the conformance kit checks J and the bias against
differences.
"""

from __future__ import annotations

from mbplugin.interface import Measure, axis, jit
from mbplugin.math.vec3 import ZERO_MATRIX, add_outer
from mbplugin_joints.measures.dot import dot_of_axes, put_dots_tangent


@jit
def put_component(a, b, i, j, r, value, J, bias):
    """(a_j·b_i − a_i·b_j) / 2 into row r."""
    value[r], bias[r] = 0.0, 0.0
    for k in range(12):
        J[12 * r + k] = 0.0
    for sign, n, e in ((0.5, axis(a, j), axis(b, i)), (-0.5, axis(a, i), axis(b, j))):
        s, c, bias_of_one = dot_of_axes(a, b, n, e)
        value[r] += sign * s
        bias[r] += sign * bias_of_one
        for k in range(3):
            J[12 * r + 3 + k] += sign * c[k]
            J[12 * r + 9 + k] -= sign * c[k]


def turn_kernel(a, b, value, J, bias):
    for r in range(3):
        put_component(a, b, (r + 1) % 3, (r + 2) % 3, r, value, J, bias)


def turn_tangent(a, b, lam, K):
    S = ZERO_MATRIX
    for r in range(3):
        i, j = (r + 1) % 3, (r + 2) % 3
        S = add_outer(S, 0.5 * lam[r], axis(a, j), axis(b, i))
        S = add_outer(S, -0.5 * lam[r], axis(a, i), axis(b, j))
    put_dots_tangent(S, K)


Turn = Measure(
    turn_kernel,
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
