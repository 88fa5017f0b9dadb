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
from mbplugin_contact.geometry.tables import (
    SIMPLEX_A,
    SIMPLEX_B,
    SIMPLEX_ID_A,
    SIMPLEX_ID_B,
    SIMPLEX_W,
    SIMPLEX_WEIGHT,
)

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
def weigh_corners(work, m):
    """Write the weights with which the m corners have the point nearest to the origin. Returns whether the
    simplex holds the origin.
    """
    w0, w1, w2 = load(work, SIMPLEX_W), load(work, SIMPLEX_W + 1), load(work, SIMPLEX_W + 2)
    s, t, u, v, inside = 1.0, 0.0, 0.0, 0.0, False
    if m == 2:
        s, t = nearest_on_segment(w0, w1)
    elif m == 3:
        s, t, u = nearest_on_triangle(w0, w1, w2)
    elif m == 4:
        s, t, u, v, inside = nearest_on_tetrahedron(w0, w1, w2, load(work, SIMPLEX_W + 3))
    store(work, SIMPLEX_WEIGHT, (s, 0.0, 0.0))
    store(work, SIMPLEX_WEIGHT + 1, (t, 0.0, 0.0))
    store(work, SIMPLEX_WEIGHT + 2, (u, 0.0, 0.0))
    store(work, SIMPLEX_WEIGHT + 3, (v, 0.0, 0.0))
    return inside


@internal
def drop_corners(work, ints, m):
    """Leave out the corners without weight. Returns how many are left."""
    count = 0
    for k in range(m):
        if work[SIMPLEX_WEIGHT + k, 0] > 0.0:
            for row in (SIMPLEX_W, SIMPLEX_A, SIMPLEX_B, SIMPLEX_WEIGHT):
                store(work, row + count, load(work, row + k))
            ints[SIMPLEX_ID_A + count] = ints[SIMPLEX_ID_A + k]
            ints[SIMPLEX_ID_B + count] = ints[SIMPLEX_ID_B + k]
            count += 1
    return count


@internal
def combine(work, row, m):
    """Σ weight × row."""
    x = (0.0, 0.0, 0.0)
    for k in range(m):
        x = add(x, scale(work[SIMPLEX_WEIGHT + k, 0], load(work, row + k)))
    return x


@internal
def is_known(work, row, count, w):
    """Whether w is one of so many points from a row on."""
    for k in range(row, row + count):
        if work[k, 0] == w[0] and work[k, 1] == w[1] and work[k, 2] == w[2]:
            return True
    return False


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
        Returns APART, TOUCHING or BEYOND; v from B to A, of those that touch the last one before they did;
        the nearest point on A; corners of the simplex in `work`.
        """
        d = t if dot(t, t) > 0.0 else (1.0, 0.0, 0.0)
        p, q, i, j = difference(a, b, t, R, d)
        put_corner(work, ints, 0, p, q, i, j)
        m, point_on_a = 1, p
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
            if is_known(work, SIMPLEX_W, m, w):
                break
            # the corners before are kept until the new point is known to be nearer
            put_corner(work, ints, m, p, q, i, j)
            if weigh_corners(work, m + 1):
                return TOUCHING, v, p, m + 1
            x = combine(work, SIMPLEX_W, m + 1)
            if not dot(x, x) < v2:
                break
            m = drop_corners(work, ints, m + 1)
            v, point_on_a = x, combine(work, SIMPLEX_A, m)
        return APART, v, point_on_a, m

    return gjk
