"""Distance between two markers.

    s = |d|,  u = d / s,           d = x_b − x_a
    ṡ = u·ḋ,                       ḋ = v_b − v_a
    bias = (ḋ·ḋ − ṡ²) / s
    ∂u/∂d = (1 − u uᵀ) / s

Derived here; the conformance kit checks J and the bias against differences of s, and the tangent against
differences of J.
"""

from __future__ import annotations

from mbplugin.interface import Measure
from mbplugin.math.patch import add_diagonal, add_outer
from mbplugin.math.vec3 import dot, norm, scale, sub


def distance_kernel(a, b, value, J, bias):
    d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
    s = norm(d)
    u = scale(1.0 / s, d)
    s_dot = dot(u, d_dot)
    value[0] = s
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = -u[k], 0.0, u[k], 0.0
    bias[0] = (dot(d_dot, d_dot) - s_dot * s_dot) / s


def distance_tangent(a, b, lam, K):
    """−∂(λ u)/∂d of the force λ u on b, and its opposite on a."""
    d = sub(b.x, a.x)
    s = norm(d)
    u = scale(1.0 / s, d)
    for i in (0, 6):
        for j in (0, 6):
            sign = -lam[0] / s if i == j else lam[0] / s
            add_diagonal(K, i, j, sign)
            add_outer(K, i, j, -sign, u, u)


Distance = Measure(
    distance_kernel,
    tangent=distance_tangent,
    formula=r"""
s = |d|, \quad d = r_b - r_a, \quad u = d / s
\dot s = u \cdot (v_b - v_a)
\gamma = -(\dot d \cdot \dot d - \dot s^2) / s
""",
)
