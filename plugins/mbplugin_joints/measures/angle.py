"""Angle of marker b against marker a about the z axis of a.

    s = atan2(x_b·y_a, x_b·x_a)

With e = x_b, axes i, j, k of a, c = e·i, s = e·j, ρ² = c² + s², f = c i + s j and w = ω_b − ω_a:

    ṡ = g·w,   g = k − (e·k) f / ρ²            J = [0, −g, 0, g]
    bias = ġ·w = g'·w + g·(w × ω_a)            g' as seen from a, where ė = w × e and a's axes stand still

Where the z axes coincide, g = k. Derived here; the conformance kit checks J and the bias against differences of s.
"""

from __future__ import annotations

from math import atan2

from mbplugin.interface import Measure, axis
from mbplugin.math.vec3 import add, cross, dot, scale, sub


def angle_kernel(a, b, value, J, bias):
    i, j, k, e = axis(a, 0), axis(a, 1), axis(a, 2), axis(b, 0)
    along, c, s = dot(e, k), dot(e, i), dot(e, j)
    rho2 = c * c + s * s
    value[0] = atan2(s, c)
    w = sub(b.w, a.w)
    flat = add(scale(c, i), scale(s, j))
    g = sub(k, scale(along / rho2, flat))
    for n in range(3):
        J[n], J[3 + n], J[6 + n], J[9 + n] = 0.0, -g[n], 0.0, g[n]
    # seen from a: ė = w × e, the axes of a stand still
    e1 = cross(w, e)
    along1, c1, s1 = dot(e1, k), dot(e1, i), dot(e1, j)
    flat1 = add(scale(c1, i), scale(s1, j))
    ratio1 = (along1 * rho2 - along * 2.0 * (c * c1 + s * s1)) / (rho2 * rho2)
    g1 = scale(-1.0, add(scale(ratio1, flat), scale(along / rho2, flat1)))
    bias[0] = dot(g1, w) + dot(g, cross(w, a.w))


Angle = Measure(angle_kernel, unit="rad", turns=True)
