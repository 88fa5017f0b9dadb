"""Distance of two convex bodies from their support functions.

A step adds the point of the difference A − B that is farthest against the nearest point v so far, and finds
the nearest point of the new simplex (E. G. Gilbert, D. W. Johnson and S. S. Keerthi, IEEE J. Robotics and
Automation 4 (1988) 193-203; stop after G. van den Bergen, J. Graphics Tools 4 (1999) 7-25).

A support function is `support(shape, d) -> ((x, y, z), number)`: the point of the shape farthest along d, in
the shape's own frame, and an integer that names it (0 of smooth shapes). `shape` is whatever it needs.
"""

from __future__ import annotations

import functools

from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, dot, load, rotate, rotate_back, scale, store, sub
from mbplugin_contact.geometry.simplex import nearest_on_segment, nearest_on_tetrahedron, nearest_on_triangle
from mbplugin_contact.geometry.tables import SIMPLEX_A, SIMPLEX_B, SIMPLEX_ID_A, SIMPLEX_ID_B, SIMPLEX_W

#: results: a distance; they touch within rounding, or overlap; the distance is above the limit
APART, TOUCHING, BEYOND = range(3)
STEPS = 100


@functools.cache
def difference_of(support_a, support_b):
    """The compiled function that finds the farthest point of A − B, for two support functions."""

    @internal
    def difference(a, b, t, R, d):
        """The points on A and B, in the frame of A, whose difference is farthest along d; their numbers."""
        p, i = support_a(a, d)
        q, j = support_b(b, scale(-1.0, rotate_back(R, d)))
        return p, add(t, rotate(R, q)), i, j

    return difference


@internal
def put_corner(work, ints, k, p, q, i, j):
    """Make corner k of the simplex."""
    store(work, SIMPLEX_W + k, sub(p, q))
    store(work, SIMPLEX_A + k, p)
    store(work, SIMPLEX_B + k, q)
    ints[SIMPLEX_ID_A + k], ints[SIMPLEX_ID_B + k] = i, j


@internal
def nearest(work, m):
    """Weights of the m corners of the simplex, and whether it holds the origin."""
    w0 = load(work, SIMPLEX_W)
    if m == 1:
        return 1.0, 0.0, 0.0, 0.0, False
    w1 = load(work, SIMPLEX_W + 1)
    if m == 2:
        s, t = nearest_on_segment(w0, w1)
        return s, t, 0.0, 0.0, False
    w2 = load(work, SIMPLEX_W + 2)
    if m == 3:
        u, v, w = nearest_on_triangle(w0, w1, w2)
        return u, v, w, 0.0, False
    return nearest_on_tetrahedron(w0, w1, w2, load(work, SIMPLEX_W + 3))


@internal
def drop_corners(work, ints, m, weights):
    """Leave out the corners without weight. Returns how many are left, and their weights."""
    count = 0
    w0, w1, w2, w3 = 0.0, 0.0, 0.0, 0.0
    for k in range(m):
        weight = weights[k]
        if weight > 0.0:
            for row in (SIMPLEX_W, SIMPLEX_A, SIMPLEX_B):
                store(work, row + count, load(work, row + k))
            ints[SIMPLEX_ID_A + count] = ints[SIMPLEX_ID_A + k]
            ints[SIMPLEX_ID_B + count] = ints[SIMPLEX_ID_B + k]
            if count == 0:
                w0 = weight
            elif count == 1:
                w1 = weight
            elif count == 2:
                w2 = weight
            else:
                w3 = weight
            count += 1
    return count, (w0, w1, w2, w3)


@internal
def combine(work, row, m, weights):
    """Σ weight × row."""
    x = (0.0, 0.0, 0.0)
    for k in range(m):
        x = add(x, scale(weights[k], load(work, row + k)))
    return x


@internal
def lowest_id(ints, first, m):
    """The lowest number among the corners' points on one shape."""
    best = ints[first]
    for k in range(1, m):
        best = min(best, ints[first + k])
    return best


@functools.cache
def gjk_of(difference):
    """GJK for a function of `difference_of`."""

    @internal
    def gjk(work, ints, a, b, t, R, size, far):
        """Distance of A and B, which is at t with axes R in the frame of A.

        size: length of both; far: distance above which the search ends [m].
        Returns APART, TOUCHING or BEYOND; v from B to A; the nearest point on A; corners of the simplex in
        `work`.
        """
        d = t if dot(t, t) > 0.0 else (1.0, 0.0, 0.0)
        p, q, i, j = difference(a, b, t, R, d)
        put_corner(work, ints, 0, p, q, i, j)
        m, weights = 1, (1.0, 0.0, 0.0, 0.0)
        v = sub(p, q)
        tiny = (1e-10 * size) ** 2
        for step in range(STEPS):
            v2 = dot(v, v)
            if v2 <= tiny:
                return TOUCHING, v, p, m
            p, q, i, j = difference(a, b, t, R, scale(-1.0, v))
            w = sub(p, q)
            below = dot(v, w)
            if below > 0.0 and below * below > far * far * v2:
                return BEYOND, v, p, m
            if v2 - below <= 1e-15 * v2:
                break
            known = False
            for k in range(m):
                c = load(work, SIMPLEX_W + k)
                if c[0] == w[0] and c[1] == w[1] and c[2] == w[2]:
                    known = True
            if known:
                break
            # the corners before are kept until the new point is known to be nearer
            put_corner(work, ints, m, p, q, i, j)
            w0, w1, w2, w3, inside = nearest(work, m + 1)
            if inside:
                return TOUCHING, (0.0, 0.0, 0.0), p, m + 1
            x = combine(work, SIMPLEX_W, m + 1, (w0, w1, w2, w3))
            if not dot(x, x) < v2:
                break
            v = x
            m, weights = drop_corners(work, ints, m + 1, (w0, w1, w2, w3))
        return APART, v, combine(work, SIMPLEX_A, m, weights), m

    return gjk
