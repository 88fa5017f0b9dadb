"""Swing, twist and rotation angle of frame b relative to frame a, in a ball joint.

With R = R_aᵀ R_b = swing · twist: the twist turns b about its z, and the swing, about an axis across z, takes
z from a to b along a great circle (P. Dobrowolski, Swing-twist decomposition in Clifford algebra,
arXiv:1506.05481 (2015)).

    swing      σ = angle of ẑ_a and ẑ_b, 0 to π
    twist      τ = atan2(ŷ_a·x̂_b − x̂_a·ŷ_b, x̂_a·x̂_b + ŷ_a·ŷ_b)     2 atan2(q_z, q_w) of the quaternion of R
    rotation   φ = angle of R, 0 to π

    σ̇ = u·w,  u = ẑ_a × ẑ_b/sin σ,    τ̇ = (ẑ_a + ẑ_b)·w/(1 + cos σ),    φ̇ = n·w,    w = ω_b − ω_a

The twist is singular at σ = π. Swing and rotation are the sizes of a motion in two and in three directions,
with a corner at 0, where their Jacobian is set to 0. The swing moves ẑ_b, as a sees it, by ψ = (e₁·w, e₂·w),
with e₁ and e₂ the x and y of a after the swing, across ẑ_b: |ψ| is the speed of the tip of ẑ_b.
Derived here; the conformance kit checks J and the bias against differences of s.
"""

from __future__ import annotations

from math import atan2, pi, sqrt

from mbplugin.interface import ConstraintKind, Measure, axis, jit
from mbplugin.math.vec3 import cross, dot, sub

#: squared sine of an angle below which it counts as 0 or π
SQUARED_SINE_OF_ZERO = 1e-24


def swing(a, b):
    z, n = axis(a, 2), axis(b, 2)
    c, u = dot(z, n), cross(z, n)
    q = dot(u, u)
    if q < SQUARED_SINE_OF_ZERO:
        return 0.0 if c > 0.0 else pi
    return atan2(sqrt(q), c)


def twist_angle(a, b):
    xa, ya, xb, yb = axis(a, 0), axis(a, 1), axis(b, 0), axis(b, 1)
    return atan2(dot(ya, xb) - dot(xa, yb), dot(xa, xb) + dot(ya, yb))


def rotation_angle(a, b):
    x = 0.5 * (dot(axis(a, 2), axis(b, 1)) - dot(axis(a, 1), axis(b, 2)))
    y = 0.5 * (dot(axis(a, 0), axis(b, 2)) - dot(axis(a, 2), axis(b, 0)))
    z = 0.5 * (dot(axis(a, 1), axis(b, 0)) - dot(axis(a, 0), axis(b, 1)))
    c = 0.5 * (dot(axis(a, 0), axis(b, 0)) + dot(axis(a, 1), axis(b, 1)) + dot(axis(a, 2), axis(b, 2)) - 1.0)
    q = x * x + y * y + z * z
    if q < SQUARED_SINE_OF_ZERO:
        return 0.0 if c > 0.0 else pi
    return atan2(sqrt(q), c)


@jit
def swing_rates(a, b):
    """ψ: the velocity of the tip of ẑ_b as a sees it, turned by a right angle."""
    z, n = axis(a, 2), axis(b, 2)
    w = sub(b.w, a.w)
    part = (dot(z, w) + dot(n, w)) / (1.0 + dot(z, n))
    x, y = axis(a, 0), axis(a, 1)
    return dot(x, w) - dot(x, n) * part, dot(y, w) - dot(y, n) * part


class SwingFriction(ConstraintKind):
    """Dry friction of a swing: a moment across ẑ_b against the motion of its tip, of at most one size."""

    name = "swing_friction"
    psi = staticmethod(swing_rates)
    labels = ("friction 1 of swing", "friction 2 of swing")
    units = ("rad", "rad")
    level = 1


Swing = Measure(
    phi=swing,
    unit="rad",
    size=True,
    spring="swing_spring_damper",
    friction=SwingFriction,
    formula=r"""
s = \mathrm{atan2}(|\hat z_a \times \hat z_b|, \; \hat z_a \cdot \hat z_b)
\dot s = u \cdot (\omega_b - \omega_a), \quad u = \frac{\hat z_a \times \hat z_b}{|\hat z_a \times \hat z_b|}
""",
)

TwistAngle = Measure(
    phi=twist_angle,
    unit="rad",
    wraps=True,
    formula=r"""
s = \mathrm{atan2}(\hat y_a \cdot \hat x_b - \hat x_a \cdot \hat y_b, \; """
    r"""\hat x_a \cdot \hat x_b + \hat y_a \cdot \hat y_b)
\dot s = \frac{\hat z_a + \hat z_b}{1 + \hat z_a \cdot \hat z_b} \cdot (\omega_b - \omega_a)
""",
)

RotationAngle = Measure(
    phi=rotation_angle,
    unit="rad",
    size=True,
    spring="rotation_spring_damper",
    formula=r"""
s = \mathrm{atan2}(|c|, \; \mathrm{tr}(R_a^T R_b) - 1), \quad c = \hat x_a \times \hat x_b """
    r"""+ \hat y_a \times \hat y_b + \hat z_a \times \hat z_b
\dot s = n \cdot (\omega_b - \omega_a), \quad n = \frac{c}{|c|}
""",
)
