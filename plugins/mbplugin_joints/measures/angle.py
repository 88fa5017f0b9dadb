"""Angle of an axis of one marker about an axis of the other.

    s = atan2(e·j, e·i),   i, k axes of a, j = k × i, e an axis of b, by default i
    `Angle`: k = z, i = x

With p = (e·i) i + (e·j) j, the part of e perpendicular to k, ρ = |p| and w = ω_b − ω_a:

    ṡ = g·w,   g = k − (e·k) p / ρ²            J = [0, −g, 0, g]
    bias = ġ·w = g'·w + g·(w × ω_a)            g' as seen from a, where ė = w × e and a's axes stand still

If e ⟂ k, g = k. With `side` = 1 the axes k and i are those of b, and e is an axis of a; a and b are swapped
and s changes its sign, so that a rotation of b is positive either way. Derived here; the conformance kit
checks J and the bias against differences of s.
"""

from __future__ import annotations

from math import atan2

from mbplugin.interface import Measure, axis
from mbplugin.math.vec3 import add, cross, dot, scale, sub
from mbplugin_joints.measures.dot import AXES


def angle_kernel(a, b, p, value, J, bias):
    seen_from, sign = (a, 1.0) if p.side == 0 else (b, -1.0)
    seen = b if p.side == 0 else a
    i, k, e = axis(seen_from, p.i), axis(seen_from, p.k), axis(seen, p.e)
    j = cross(k, i)
    along, c, s = dot(e, k), dot(e, i), dot(e, j)
    rho2 = c * c + s * s
    value[0] = sign * atan2(s, c)
    w = sub(seen.w, seen_from.w)
    flat = add(scale(c, i), scale(s, j))
    g = sub(k, scale(along / rho2, flat))
    for n in range(3):
        J[n], J[3 + n], J[6 + n], J[9 + n] = 0.0, -g[n], 0.0, g[n]
    # relative to `seen_from`: ė = w × e, and its axes are constant
    e1 = cross(w, e)
    along1, c1, s1 = dot(e1, k), dot(e1, i), dot(e1, j)
    flat1 = add(scale(c1, i), scale(s1, j))
    ratio1 = (along1 * rho2 - along * 2.0 * (c * c1 + s * s1)) / (rho2 * rho2)
    g1 = scale(-1.0, add(scale(ratio1, flat), scale(along / rho2, flat1)))
    bias[0] = sign * (dot(g1, w) + dot(g, cross(w, seen_from.w)))


def AngleAbout(k: str, i: str, of: str = "a", shown_by: str = "") -> Measure:
    """Angle [rad] of b about axis `k` of marker `of`, full turns counted.

    It is measured between axis `i` of that marker and axis `shown_by` (default `i`) of the other, from the
    axis of a to the axis of b.
    """
    e = shown_by or i
    seen, sign, minus = ("b", "", "-") if of == "a" else ("a", "-", "")
    return Measure(
        angle_kernel,
        {"k": AXES.index(k), "i": AXES.index(i), "e": AXES.index(e), "side": "ab".index(of)},
        unit="rad",
        wraps=True,
        formula=rf"""
s = {sign}\mathrm{{atan2}}(e \cdot (k \times i), \; e \cdot i), \quad i = \hat {i}_{of}
k = \hat {k}_{of}, \quad e = \hat {e}_{seen}
\dot s = {sign}g \cdot (\omega_{seen} - \omega_{of}), \quad g = k - \frac{{e \cdot k}}{{\rho^2}} p
p = e - (e \cdot k) k, \quad \rho = |p|
\gamma = {minus}\dot g \cdot (\omega_{seen} - \omega_{of})
""",
    )


Angle = AngleAbout("z", "x")
