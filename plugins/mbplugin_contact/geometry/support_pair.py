"""Two convex bodies of any kind, given by their support functions: one pair of nearest points.

    h(n) = n·w,   w = a(n) − b(−n)

is the extent of A − B along n: −h is the gap if n is the normal. At the normal, w is parallel to n. A few Newton
steps on that make the normal of smooth bodies exact after GJK or EPA; polyhedra, whose w jumps, keep what they have.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, column, cross, dot, norm, rotate, rotate_back, scale, sub
from mbplugin_contact.geometry.epa import FAILED, epa
from mbplugin_contact.geometry.gjk import APART, BEYOND, gjk, support_difference
from mbplugin_contact.geometry.tables import TINY, perpendicular, put, put_local, support_vertex, witness


@internal
def point_support(shape, d):
    """Support function of a point: the core of a sphere."""
    return (0.0, 0.0, 0.0), 0


@internal
def segment_support(shape, d):
    """Support function of the core of a capsule; `shape`: (half its length,)."""
    return (0.0, 0.0, shape[0] if d[2] >= 0.0 else -shape[0]), 1 if d[2] >= 0.0 else 0


@internal
def hull_support(shape, d):
    """Support function of a polyhedron; `shape`: (hulls, number, size)."""
    hulls, hull, size = shape
    k = support_vertex(hulls, hull, size, d, 0)
    first = hulls.index[hull].first_vertex + k
    x = hulls.vertex[first, 0], hulls.vertex[first, 1], hulls.vertex[first, 2]
    return (size[0] * x[0], size[1] * x[1], size[2] * x[2]), k


@internal
def slope(support_a, a, support_b, b, t, R, n, e, g):
    """w and its components along e and g."""
    p, q, _, _ = support_difference(support_a, a, support_b, b, t, R, n)
    w = sub(p, q)
    return w, dot(e, w), dot(g, w), p


@internal
def tilted(n, e, g, s, u):
    """The unit vector along n + s e + u g."""
    d = add(n, add(scale(s, e), scale(u, g)))
    return scale(1.0 / norm(d), d)


@internal
def refine_normal(support_a, a, support_b, b, t, R, size, n):
    """Newton's method on w ∥ n, with differences for the derivative. Returns n, the gap, and the point on A.

    A step that does not halve the tangential part of w is not taken.
    """
    d = 1e-7
    e = perpendicular(n)
    g = cross(n, e)
    w, r, s, p = slope(support_a, a, support_b, b, t, R, n, e, g)
    for _ in range(8):
        if r * r + s * s <= (1e-15 * size) ** 2:
            break
        _, r1, s1, _ = slope(support_a, a, support_b, b, t, R, tilted(n, e, g, d, 0.0), e, g)
        _, r2, s2, _ = slope(support_a, a, support_b, b, t, R, tilted(n, e, g, 0.0, d), e, g)
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
        w1, r1, s1, p1 = slope(support_a, a, support_b, b, t, R, n1, e1, g1)
        if not r1 * r1 + s1 * s1 < 0.25 * (r * r + s * s):
            break
        n, e, g, w, r, s, p = n1, e1, g1, w1, r1, s1, p1
    return n, -dot(n, w), p, sqrt(r * r + s * s)


@internal
def support_pair(work, ints, support_a, a, r_a, support_b, b, r_b, t, R, size, margin):
    """The nearest points of A and B, each the core of its support function and a ball of radius r about it.

    B is at t with axes R in the frame of A. Returns the number of points, 1 or 0 (no gap below `margin`, or no
    result); the normal from A to B and the point on A in the frame of A; the gap; numbers of the points' vertices.
    """
    none = (0.0, 0.0, 0.0)
    r = r_a + r_b
    state, v, p, m = gjk(work, ints, support_a, a, support_b, b, t, R, size, max(margin + r, 0.0))
    if state == BEYOND:
        return 0, none, none, 0.0
    if state == APART:
        s = norm(v)
        n, gap = scale(-1.0 / s, v), s
    else:
        state, n, depth, p = epa(work, ints, support_a, a, support_b, b, t, R, size, m)
        gap = -depth
        if state == FAILED:
            return 0, none, none, 0.0
    n1, gap1, p1, error = refine_normal(support_a, a, support_b, b, t, R, size, n)
    # the gap of an exact normal is no smaller than what GJK has found, and no larger than EPA's
    if error <= TINY * size and abs(gap1 - gap) <= 1e-6 * size:
        n, gap, p = n1, gap1, p1
    if not gap - r < margin:
        return 0, none, none, 0.0
    return 1, n, add(p, scale(r_a, n)), gap - r


@internal
def put_support_pair(
    points, work, ints, support_a, a, r_a, x_a, R_a, support_b, b, r_b, t, R, size, margin
):
    """`support_pair` in world axes, with A at (x_a, R_a). Returns the number of points."""
    count, n, p, gap = support_pair(work, ints, support_a, a, r_a, support_b, b, r_b, t, R, size, margin)
    if count == 0:
        return 0
    return put_local(points, 0, x_a, R_a, p, n, gap, witness(0, 0))


@internal
def support_plane(points, support_a, a, r_a, x_a, R_a, x_b, R_b, margin):
    """The lowest point of a shape over a half-space. Returns the number of points."""
    up = column(R_b, 2)
    d = rotate_back(R_a, scale(-1.0, up))
    p, _ = support_a(a, d)
    height = dot(up, add(sub(x_a, x_b), rotate(R_a, p))) - r_a
    if not height < margin:
        return 0
    x = add(x_a, rotate(R_a, add(p, scale(r_a, d))))
    return put(points, 0, x, sub(x, scale(height, up)), scale(-1.0, up), height, 0)
