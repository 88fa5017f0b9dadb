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
from mbplugin.math.patch import add_cross, add_cross_cross
from mbplugin.math.vec3 import cross, dot, sub
from mbplugin_joints.measures.dot import AXES


def component_kernel(a, b, p, value, J, bias):
    n = axis(a, p.i)
    d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
    c = cross(n, d)
    value[0] = dot(n, d)
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = -n[k], c[k], n[k], 0.0
    n1 = cross(a.w, n)
    bias[0] = 2.0 * dot(n1, d_dot) + dot(cross(a.w, n1), d)


def component_tangent(a, b, p, lam, K):
    n, d = axis(a, p.i), sub(b.x, a.x)
    add_cross(K, 0, 3, -lam[0], n)
    add_cross(K, 6, 3, lam[0], n)
    add_cross(K, 3, 0, lam[0], n)
    add_cross(K, 3, 6, -lam[0], n)
    add_cross_cross(K, 3, 3, -lam[0], d, n)


def Component(i: str) -> Measure:
    """Displacement [m] of b from a along axis `i` of a."""
    return Measure(
        component_kernel,
        {"i": AXES.index(i)},
        tangent=component_tangent,
        formula=rf"""
s = n \cdot d, \quad d = r_b - r_a, \quad n = \hat {i}_a
\dot s = n \cdot (v_b - v_a) + (n \times d) \cdot \omega_a
\gamma = -2 (\omega_a \times n) \cdot \dot d - (\omega_a \times (\omega_a \times n)) \cdot d
""",
    )
