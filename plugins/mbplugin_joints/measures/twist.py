"""Twist of b about z beyond the bending of the two z axes: the z component of `turn`.

    s = (y_a·x_b − x_a·y_b) / 2 = n_z sin θ,        R_aᵀ R_b is a rotation by θ about n

It is zero if n is perpendicular to z: the rotation from a to b is bending without twist, and both shafts
rotate equally about their own z. Every term is a dot product of axes, with the J and the bias of `dot`.
Derived here; the conformance kit checks J and the bias against differences.
"""

from __future__ import annotations

from mbplugin.interface import Measure
from mbplugin_joints.measures.turn import component


def twist(a, b):
    return component(a, b, 0, 1)


Twist = Measure(
    phi=twist,
    unit="rad",
    formula=r"""
s = \frac{1}{2} ( \hat y_a \cdot \hat x_b - \hat x_a \cdot \hat y_b )
\dot s = c \cdot (\omega_a - \omega_b)
c = \frac{1}{2} ( \hat y_a \times \hat x_b - \hat x_a \times \hat y_b )
\gamma = -\dot c \cdot (\omega_a - \omega_b)
""",
)
