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
from mbplugin.math.vec3 import ZERO_MATRIX, add_outer, cross, dot


@jit
def dot_of_axes(a, b, n, e):
    """s, c and the bias of an axis n of a and an axis e of b."""
    n1, e1 = cross(a.w, n), cross(b.w, e)
    bias = dot(cross(a.w, n1), e) + 2.0 * dot(n1, e1) + dot(n, cross(b.w, e1))
    return dot(n, e), cross(n, e), bias


def dot_kernel(a, b, p, value, J, bias):
    value[0], c, bias[0] = dot_of_axes(a, b, axis(a, p.i), axis(b, p.j))
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = 0.0, c[k], 0.0, -c[k]


@jit
def put_dots_tangent(S, K):
    """The tangent of Σ load n·e by S = Σ load n eᵀ: −T and Tᵀ on a, T and −Tᵀ on b with T = S − (tr S) 1."""
    trace = S[0] + S[4] + S[8]
    for r in range(3):
        for c in range(3):
            T, transposed = S[3 * r + c], S[3 * c + r]
            if r == c:
                T, transposed = T - trace, transposed - trace
            K[3 + r, 3 + c], K[3 + r, 9 + c] = -T, transposed
            K[9 + r, 3 + c], K[9 + r, 9 + c] = T, -transposed


def dot_tangent(a, b, p, lam, K):
    put_dots_tangent(add_outer(ZERO_MATRIX, lam[0], axis(a, p.i), axis(b, p.j)), K)


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
