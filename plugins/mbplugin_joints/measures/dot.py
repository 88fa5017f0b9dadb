"""Dot product of an axis of marker a and an axis of marker b.

    s = n·e,                 n axis of a, e axis of b
    ṡ = (ω_a − ω_b)·(n × e)
    bias = (ω_a × (ω_a × n))·e + 2 (ω_a × n)·(ω_b × e) + n·(ω_b × (ω_b × e))

J is (0, c, 0, −c) with c = n × e; under rotations α of a and β of b, δc = e × (n × α) − n × (e × β).
Derived here; the conformance kit checks J and the bias against differences of s, and the tangent against
differences of J.
"""

from __future__ import annotations

from mbplugin.interface import Measure, axis, jit
from mbplugin.math.patch import add_cross_cross
from mbplugin.math.vec3 import cross, dot


def dot_kernel(a, b, p, value, J, bias):
    n, e = axis(a, p.i), axis(b, p.j)
    c = cross(n, e)
    value[0] = dot(n, e)
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = 0.0, c[k], 0.0, -c[k]
    n1, e1 = cross(a.w, n), cross(b.w, e)
    bias[0] = dot(cross(a.w, n1), e) + 2.0 * dot(n1, e1) + dot(n, cross(b.w, e1))


@jit
def add_dot_tangent(K, load, n, e):
    """Add the tangent of n·e under `load`; measures that are sums of dot products add one for each."""
    for i, sign in ((3, -load), (9, load)):
        add_cross_cross(K, i, 3, sign, e, n)
        add_cross_cross(K, i, 9, -sign, n, e)


def dot_tangent(a, b, p, lam, K):
    add_dot_tangent(K, lam[0], axis(a, p.i), axis(b, p.j))


AXES = "xyz"


def Dot(i: str, j: str) -> Measure:
    """Axis `i` of a times axis `j` of b; near zero, their deviation from a right angle [rad]."""
    return Measure(
        dot_kernel,
        {"i": AXES.index(i), "j": AXES.index(j)},
        unit="rad",
        tangent=dot_tangent,
        formula=rf"""
s = n \cdot e, \quad n = \hat {i}_a, \quad e = \hat {j}_b
\dot s = (n \times e) \cdot (\omega_a - \omega_b)
\gamma = -(\omega_a \times (\omega_a \times n)) \cdot e - 2 (\omega_a """
        rf"""\times n) \cdot (\omega_b \times e) - n \cdot (\omega_b \times (\omega_b \times e))
""",
    )
