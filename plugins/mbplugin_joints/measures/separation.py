"""The vector from marker a to marker b, in world axes.

s = x_b − x_a,   ṡ = v_b − v_a,   bias = 0
"""

from __future__ import annotations

from mbplugin.interface import Measure
from mbplugin.math.vec3 import sub


def separation(a, b):
    return sub(b.x, a.x)


Separation = Measure(
    phi=separation,
    rows=3,
    formula=r"""
s = r_b - r_a
\dot s = v_b - v_a
\gamma = 0
""",
)
