"""Component of the vector from marker a to marker b along an axis of a.

    s = n·d,   d = x_b − x_a,   ḋ = v_b − v_a
    ṡ = n·ḋ + (ω_a × n)·d = n·(v_b − v_a) + ω_a·(n × d)
    bias = 2 (ω_a × n)·ḋ + (ω_a × (ω_a × n))·d

J is (−n, n × d, n, 0); under a rotation α of a and translations of both, δn = α × n and
δ(n × d) = d × (n × α) + n × δd.
Derived here; the conformance kit checks J and the bias against differences of s, and the tangent against
differences of J.
"""

from __future__ import annotations

from mbplugin.interface import Measure, axis
from mbplugin.math.vec3 import dot, sub
from mbplugin_joints.measures.dot import AXES


def component(a, b, p):
    return dot(axis(a, p.i), sub(b.x, a.x))


def Component(i: str) -> Measure:
    """Displacement [m] of b from a along axis `i` of a."""
    return Measure(
        phi=component,
        settings={"i": AXES.index(i)},
        formula=rf"""
s = n \cdot d, \quad d = r_b - r_a, \quad n = \hat {i}_a
\dot s = n \cdot (v_b - v_a) + (n \times d) \cdot \omega_a
\gamma = -2 (\omega_a \times n) \cdot \dot d - (\omega_a \times (\omega_a \times n)) \cdot d
""",
    )
