"""The vector from marker a to marker b, in world axes.

s = x_b − x_a,   ṡ = v_b − v_a,   bias = 0
"""

from __future__ import annotations

from mbplugin.interface import Measure


def separation_kernel(a, b, value, J, bias):
    for r in range(3):
        value[r] = b.x[r] - a.x[r]
        for k in range(12):
            J[12 * r + k] = 0.0
        J[12 * r + r], J[12 * r + 6 + r] = -1.0, 1.0
        bias[r] = 0.0


def separation_tangent(K):
    """J is constant: K = 0."""


Separation = Measure(
    separation_kernel,
    rows=3,
    tangent=separation_tangent,
    formula=r"""
s = r_b - r_a
\dot s = v_b - v_a
\gamma = 0
""",
)
