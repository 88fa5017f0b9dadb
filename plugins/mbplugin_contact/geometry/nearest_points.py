"""The nearest points of two convex bodies of any kind, given by their support functions.

    h(n) = n·w,   w = a(n) − b(−n)

is the extent of A − B along n: −h is the gap if n is the normal. At the normal, w is parallel to n. A few
Newton steps on that make the normal of smooth bodies exact after GJK or EPA; polyhedra, whose w jumps, keep
the normal of GJK or EPA.
"""

from __future__ import annotations

import functools
from math import sqrt

from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub
from mbplugin_contact.geometry.epa import FAILED, epa_of
from mbplugin_contact.geometry.gjk import APART, BEYOND, gjk_of
from mbplugin_contact.geometry.tables import perpendicular

#: part of the size by which the depth of EPA may differ from that along its normal
ROUGH_DEPTH = 1e-6
#: how often shapes are moved apart instead, and how far beyond contact, as a part of the size
MOVES, MOVED = 30, 0.05


@internal
def tilted(n, e, g, s, u):
    """The unit vector along n + s e + u g."""
    d = add(n, add(scale(s, e), scale(u, g)))
    return scale(1.0 / norm(d), d)


@internal
def unit(d):
    """The unit vector along d; along z of none."""
    length = norm(d)
    return scale(1.0 / length, d) if length > 0.0 else (0.0, 0.0, 1.0)


@functools.cache
def nearest_of(difference):
    """GJK, and EPA where shapes overlap, for a function of `difference_of`; and what finds the normal
    from shapes that are moved apart.
    """
    gjk, epa = gjk_of(difference), epa_of(difference)

    @internal
    def nearest(hulls, a, b, t, R, size, far):
        """Whether points are less than `far` apart; the normal, the gap, and the point on A."""
        state, v, p, m = gjk(hulls.work, hulls.work_ints, a, b, t, R, size, far)
        if state == BEYOND:
            return False, v, 0.0, p
        if state == APART:
            s = norm(v)
            return True, scale(-1.0 / s, v), s, p
        state, n, depth, p = epa(hulls.work, hulls.work_ints, a, b, t, R, size, m)
        if state == FAILED:
            n = unit(t)
        best = separation(a, b, t, R, n)
        exact, start = state != FAILED and abs(best + depth) <= ROUGH_DEPTH * size, n
        # a flat polytope may be inside out, one with slivers may miss the short way, which GJK was on
        for k in range(3):
            d = scale(-1.0, n) if k == 0 else (unit(scale(-1.0, v)) if k == 1 else unit(t))
            s = separation(a, b, t, R, d)
            if s > best + ROUGH_DEPTH * size:
                best, start, exact = s, d, False
        return (True, n, -depth, p) if exact else by_moving(hulls, a, b, t, R, size, start)

    @internal
    def separation(a, b, t, R, n):
        """−h(n)."""
        p, q, _, _ = difference(a, b, t, R, n)
        return dot(n, sub(q, p))

    @internal
    def by_moving(hulls, a, b, t, R, size, n):
        """The same where rounding has spoilt the polytope: the normal of A and of B moved away along n,
        and so on from there.
        """
        on_a, _, _, _ = difference(a, b, t, R, n)
        best = separation(a, b, t, R, n)
        for _ in range(MOVES):
            away = add(t, scale(MOVED * size - best, n))
            state, v, p, _ = gjk(hulls.work, hulls.work_ints, a, b, away, R, size, 1e300)
            if state != APART:
                break
            n1 = scale(-1.0 / norm(v), v)
            s = separation(a, b, t, R, n1)
            if not s > best + 1e-13 * size:
                break
            best, n, on_a = s, n1, p
        return True, n, best, on_a

    return nearest, by_moving


@functools.cache
def refinement_of(difference):
    """Newton's method for the normal, for a function of `difference_of`."""

    @internal
    def slope(a, b, t, R, n, e, g):
        """w and its components along e and g."""
        p, q, _, _ = difference(a, b, t, R, n)
        w = sub(p, q)
        return w, dot(e, w), dot(g, w), p

    @internal
    def refine_normal(a, b, t, R, size, n):
        """Newton's method on w ∥ n, with differences for the derivative. Returns n, the gap, and the point on
        A.

        A step that does not halve the tangential part of w is not taken.
        """
        d = 1e-7
        e = perpendicular(n)
        g = cross(n, e)
        w, r, s, p = slope(a, b, t, R, n, e, g)
        for _ in range(8):
            if r * r + s * s <= (1e-15 * size) ** 2:
                break
            _, r1, s1, _ = slope(a, b, t, R, tilted(n, e, g, d, 0.0), e, g)
            _, r2, s2, _ = slope(a, b, t, R, tilted(n, e, g, 0.0, d), e, g)
            # of e and g themselves, which turn with n: w·e' = w·e − d w·n
            h = dot(n, w)
            a11, a12 = (r1 - r) / d - h, (r2 - r) / d
            a21, a22 = (s1 - s) / d, (s2 - s) / d - h
            det = a11 * a22 - a12 * a21
            if det == 0.0:
                break
            du, dv = (a12 * s - a22 * r) / det, (a21 * r - a11 * s) / det
            if not du * du + dv * dv < 0.01:
                break
            n1 = tilted(n, e, g, du, dv)
            e1 = perpendicular(n1)
            g1 = cross(n1, e1)
            w1, r1, s1, p1 = slope(a, b, t, R, n1, e1, g1)
            if not r1 * r1 + s1 * s1 < 0.25 * (r * r + s * s):
                break
            n, e, g, w, r, s, p = n1, e1, g1, w1, r1, s1, p1
        return n, -dot(n, w), p, sqrt(r * r + s * s)

    return refine_normal
