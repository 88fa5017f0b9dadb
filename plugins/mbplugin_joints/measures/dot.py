"""Dot product of an axis of marker a and an axis of marker b.

    s = n·e,                 n axis of a, e axis of b
    ṡ = (ω_a − ω_b)·(n × e)
    bias = (ω_a × (ω_a × n))·e + 2 (ω_a × n)·(ω_b × e) + n·(ω_b × (ω_b × e))

J is (0, c, 0, −c) with c = n × e; under rotations α of a and β of b, δc = e × (n × α) − n × (e × β).
Derived here; the conformance kit checks J and the bias against differences of s, and the tangent against
differences of J.
"""

from __future__ import annotations

from mbplugin.interface import Measure, axis
from mbplugin.math.vec3 import dot


def dot_product(a, b, p):
    return dot(axis(a, p.i), axis(b, p.j))


AXES = "xyz"


def Dot(i: str, j: str) -> Measure:
    """Axis `i` of a times axis `j` of b; near zero, their deviation from a right angle [rad]."""
    return Measure(
        phi=dot_product,
        settings={"i": AXES.index(i), "j": AXES.index(j)},
        unit="rad",
        formula=rf"""
s = n \cdot e, \quad n = \hat {i}_a, \quad e = \hat {j}_b
\dot s = (n \times e) \cdot (\omega_a - \omega_b)
\gamma = -(\omega_a \times (\omega_a \times n)) \cdot e - 2 (\omega_a """
        rf"""\times n) \cdot (\omega_b \times e) - n \cdot (\omega_b \times (\omega_b \times e))
""",
    )
