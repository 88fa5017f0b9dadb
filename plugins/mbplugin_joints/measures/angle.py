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
from mbplugin.math.vec3 import cross, dot
from mbplugin_joints.measures.dot import AXES


def angle(a, b, p):
    seen_from, seen, sign = (a, b, 1.0) if p.side == 0 else (b, a, -1.0)
    i, k, e = axis(seen_from, p.i), axis(seen_from, p.k), axis(seen, p.e)
    return sign * atan2(dot(e, cross(k, i)), dot(e, i))


def AngleAbout(k: str, i: str, of: str = "a", shown_by: str = "") -> Measure:
    """Angle [rad] of b about axis `k` of marker `of`, full turns counted.

    It is measured between axis `i` of that marker and axis `shown_by` (default `i`) of the other, from the
    axis of a to the axis of b.
    """
    e = shown_by or i
    seen, sign, minus = ("b", "", "-") if of == "a" else ("a", "-", "")
    return Measure(
        phi=angle,
        settings={"k": AXES.index(k), "i": AXES.index(i), "e": AXES.index(e), "side": "ab".index(of)},
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
