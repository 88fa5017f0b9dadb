"""Distance between two markers.

    s = |d|,  u = d / s,           d = x_b − x_a
    ṡ = u·ḋ,                       ḋ = v_b − v_a
    bias = (ḋ·ḋ − ṡ²) / s
    ∂u/∂d = (1 − u uᵀ) / s

Derived here; the conformance kit checks J and the bias against differences of s, and the tangent against
differences of J.
"""

from __future__ import annotations

from mbplugin.interface import Measure, jit
from mbplugin.math.vec3 import dot, norm, scale, sub


@jit
def line(a, b):
    """Distance s, direction u from a to b, and bias of s̈."""
    d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
    s = norm(d)
    u = scale(1.0 / s, d)
    s_dot = dot(u, d_dot)
    return s, u, (dot(d_dot, d_dot) - s_dot * s_dot) / s


def distance(a, b):
    return norm(sub(b.x, a.x))


Distance = Measure(
    phi=distance,
    formula=r"""
s = |d|, \quad d = r_b - r_a, \quad u = d / s
\dot s = u \cdot (v_b - v_a)
\gamma = -(\dot d \cdot \dot d - \dot s^2) / s
""",
)
