"""Twist of b about z beyond the bending of the two z axes: the z component of `turn`.

    s = (y_a·x_b − x_a·y_b) / 2 = n_z sin θ,        R_aᵀ R_b is a rotation by θ about n

It is zero if n is perpendicular to z: the rotation from a to b is bending without twist, and both shafts
rotate equally about their own z. Every term is a dot product of axes, with the J and the bias of `dot`.
Derived here; the conformance kit checks J and the bias against differences.
"""

from __future__ import annotations

from mbplugin.interface import Measure, axis
from mbplugin.math.vec3 import ZERO_MATRIX, add_outer
from mbplugin_joints.measures.dot import put_dots_tangent
from mbplugin_joints.measures.turn import put_component


def twist_kernel(a, b, value, J, bias):
    put_component(a, b, 0, 1, 0, value, J, bias)


def twist_tangent(a, b, lam, K):
    S = add_outer(ZERO_MATRIX, 0.5 * lam[0], axis(a, 1), axis(b, 0))
    put_dots_tangent(add_outer(S, -0.5 * lam[0], axis(a, 0), axis(b, 1)), K)


Twist = Measure(
    twist_kernel,
    unit="rad",
    tangent=twist_tangent,
    formula=r"""
s = \frac{1}{2} ( \hat y_a \cdot \hat x_b - \hat x_a \cdot \hat y_b )
\dot s = c \cdot (\omega_a - \omega_b)
c = \frac{1}{2} ( \hat y_a \times \hat x_b - \hat x_a \times \hat y_b )
\gamma = -\dot c \cdot (\omega_a - \omega_b)
""",
)
