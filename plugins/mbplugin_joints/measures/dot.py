"""Dot product of an axis of marker a and an axis of marker b.

    s = n·e,                 n axis of a, e axis of b
    ṡ = (ω_a − ω_b)·(n × e)
    bias = (ω_a × (ω_a × n))·e + 2 (ω_a × n)·(ω_b × e) + n·(ω_b × (ω_b × e))

Derived here; the conformance kit checks J and the bias against differences of s.
"""

from __future__ import annotations

from mbplugin.interface import Measure, axis
from mbplugin.math.vec3 import cross, dot


def dot_kernel(a, b, p, value, J, bias):
    n, e = axis(a, p.i), axis(b, p.j)
    c = cross(n, e)
    value[0] = dot(n, e)
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = 0.0, c[k], 0.0, -c[k]
    n1, e1 = cross(a.w, n), cross(b.w, e)
    bias[0] = dot(cross(a.w, n1), e) + 2.0 * dot(n1, e1) + dot(n, cross(b.w, e1))


AXES = "xyz"


def Dot(i: str, j: str) -> Measure:
    """Axis `i` of a times axis `j` of b; near zero it is the angle [rad] by which they miss a right angle."""
    return Measure(
        dot_kernel,
        {"i": AXES.index(i), "j": AXES.index(j)},
        unit="rad",
        formula=rf"""
s = n \cdot e, \quad n = \hat {i}_a, \quad e = \hat {j}_b
\dot s = (n \times e) \cdot (\omega_a - \omega_b)
\gamma = -(\omega_a \times (\omega_a \times n)) \cdot e - 2 (\omega_a \times n) \cdot (\omega_b \times e) - n \cdot (\omega_b \times (\omega_b \times e))
""",
    )
