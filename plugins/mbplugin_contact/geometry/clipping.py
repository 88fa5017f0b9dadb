"""Points where the supporting faces of two polyhedra lie opposite each other.

    x_b = x_a + g n,    x_a in the plane of face a, x_b in that of face b

The face of b is projected along n onto that of a and clipped there (I. E. Sutherland and G. W. Hodgman, Comm.
ACM 17 (1974) 32-42). Corners of the clipped polygon are vertices of b, vertices of a or crossings of two
edges, and are named so. A corner that is outside by less than TINY stays where it is, so that equal faces on
each other keep their corners whatever the rounding.

The polygon is in rows POLYGON of `Hulls.work` (coordinates in the face of a, gap), its corners' names and the
labels of the edges that leave them in `work_ints`; a second one, OTHER, lies BEHIND rows and places further
on.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, rotate, rotate_back, scale, store, sub
from mbplugin_contact.geometry.tables import (
    ALIVE,
    CORNER,
    EDGE,
    OTHER,
    POLYGON,
    SIDE,
    TINY,
    crossing,
    edge_name,
    face_offset,
    facing,
    hull_normal,
    hull_vertex,
    perpendicular,
    put_local,
    vertex_of_a,
    vertex_of_b,
)

#: cosine of the angle between the normal and that of one of both faces from which there are several points
FLAT = 0.95
#: that of the other one, at least
TILTED = 0.1
#: label of edges of a; those of b have their name alone
OF_A = 1 << 30
BEHIND = OTHER - POLYGON


@inlined
def edge_of(hulls, hull, f, k):
    """The vertices at which edge k of face f begins and ends."""
    first = hulls.list[hulls.index[hull].corners + f]
    end = hulls.list[hulls.index[hull].corners + f + 1]
    return hulls.list[first + k], hulls.list[first + k + 1 if first + k + 1 < end else first]


@inlined
def corners_of(hulls, hull, f):
    start = hulls.index[hull].corners + f
    return hulls.list[start + 1] - hulls.list[start]


@internal
def corner_name(edge, label):
    """The feature where an edge of the polygon is cut by an edge of a."""
    if edge < OF_A:
        return crossing(label - OF_A, edge)
    i, j, k, l = (edge - OF_A) >> 10, edge & 1023, (label - OF_A) >> 10, label & 1023
    if i in (k, l):
        return vertex_of_a(i)
    if j in (k, l):
        return vertex_of_a(j)
    return crossing(label - OF_A, edge - OF_A)


@internal
def cut(work, ints, m, base, a, b, c, label, tolerance):
    """Clip polygon `base` (0 or BEHIND) of m corners by a u + b v ≤ c; `label`: of the new edge. Returns the
    number of corners and where the polygon is then.
    """
    outside = False
    for i in range(m):
        s = a * work[POLYGON + base + i, 0] + b * work[POLYGON + base + i, 1] - c
        work[SIDE + i, 0] = s
        outside |= s > tolerance
    if not outside:
        return m, base
    to = BEHIND - base
    count = 0
    for i in range(m):
        j = i + 1 if i + 1 < m else 0
        s_i, s_j = work[SIDE + i, 0], work[SIDE + j, 0]
        inside_i, inside_j = s_i <= tolerance, s_j <= tolerance
        row = POLYGON + base + i
        edge = ints[EDGE + base + i]
        if inside_i:
            store(work, POLYGON + to + count, load(work, row))
            ints[CORNER + to + count] = ints[CORNER + base + i]
            ints[EDGE + to + count] = label if not inside_j and s_i >= -tolerance else edge
            count += 1
        if inside_i != inside_j and (s_i if inside_i else s_j) < -tolerance:
            p, q = load(work, row), load(work, POLYGON + base + j)
            store(work, POLYGON + to + count, add(p, scale(s_i / (s_i - s_j), sub(q, p))))
            ints[CORNER + to + count] = corner_name(edge, label)
            ints[EDGE + to + count] = label if inside_i else edge
            count += 1
    return count, to


@inlined
def clip_faces(hulls, hull_a, size_a, f_a, hull_b, size_b, f_b, t, R, n, tolerance):
    """Fill the polygon with where faces f_a and f_b lie opposite each other along n, in the frame of a; b is
    at t with axes R. Returns the number of corners and where the polygon is, 0 or BEHIND; origin and axes of
    its coordinates.
    """
    work, ints = hulls.work, hulls.work_ints
    f = hull_normal(hulls, hull_a, f_a)
    # the foot of the frame's origin, which is the middle of a box's face: equal corners stay equal
    origin = scale(face_offset(hulls, hull_a, size_a, f_a), f)
    e = perpendicular(f)
    g = cross(f, e)
    slope = 1.0 / dot(n, f)
    n_e, n_g = dot(n, e), dot(n, g)
    list, start = hulls.list, hulls.index[hull_b].corners + f_b
    first, end = list[start], list[start + 1]
    m = end - first
    i = list[first]
    for k in range(m):
        # b's face is seen from a's side: backwards
        j = list[end - 1 - k]
        arm = sub(add(t, rotate(R, hull_vertex(hulls, hull_b, size_b, i))), origin)
        gap = slope * dot(f, arm)
        store(work, POLYGON + k, (dot(e, arm) - gap * n_e, dot(g, arm) - gap * n_g, gap))
        ints[CORNER + k] = vertex_of_b(i)
        ints[EDGE + k] = edge_name(i, j)
        i = j
    base = 0
    start = hulls.index[hull_a].corners + f_a
    first, end = list[start], list[start + 1]
    i = list[end - 1]
    p = hull_vertex(hulls, hull_a, size_a, i)
    u, v = dot(e, p), dot(g, p)
    for k in range(first, end):
        j = list[k]
        q = hull_vertex(hulls, hull_a, size_a, j)
        u_j, v_j = dot(e, q), dot(g, q)
        a, b = v_j - v, u - u_j
        length = sqrt(a * a + b * b)
        a /= length
        b /= length
        m, base = cut(work, ints, m, base, a, b, a * u + b * v, OF_A + edge_name(i, j), tolerance)
        if m == 0:
            break
        i, u, v = j, u_j, v_j
    return m, base, origin, e, g


def supporting_points(
    hulls,
    points,
    hull_a,
    size_a,
    hull_b,
    size_b,
    t,
    R,
    n,
    size,
    margin,
    max_points,
    gap,
    p,
    feature,
    x_a,
    R_a,
):
    """Points of two polyhedra whose normal n [frame of a] is known, at most `most`. Returns their number.

    gap: their distance along n; p, feature: the point on a where it is, used if the faces do not show it
    (`feature` < 0: it is not known)
    """
    f_a = facing(hulls, hull_a, size_a, n)
    f_b = facing(hulls, hull_b, size_b, scale(-1.0, rotate_back(R, n)))
    c_a = dot(n, hull_normal(hulls, hull_a, f_a))
    c_b = -dot(n, rotate(R, hull_normal(hulls, hull_b, f_b)))
    work, ints = hulls.work, hulls.work_ints
    m, min_gap = 0, 1e300
    origin, e, g = n, n, n
    if max(c_a, c_b) > FLAT and min(c_a, c_b) > TILTED:
        corners, base, origin, e, g = clip_faces(
            hulls, hull_a, size_a, f_a, hull_b, size_b, f_b, t, R, n, TINY * size
        )
        for k in range(corners):
            row = POLYGON + base + k
            if work[row, 2] < margin:
                min_gap = min(min_gap, work[row, 2])
                store(work, POLYGON + m, load(work, row))
                ints[CORNER + m] = ints[CORNER + base + k]
                m += 1
    count = 0
    if feature >= 0 and min_gap > gap + TINY * size:
        count = put_local(points, 0, x_a, R_a, p, n, gap, feature)
    m = keep_extremes(hulls, m, max_points - count)
    for k in range(m):
        row = load(work, POLYGON + k)
        on_a = add(origin, add(scale(row[0], e), scale(row[1], g)))
        count = put_local(points, count, x_a, R_a, on_a, n, row[2], ints[CORNER + k])
    return count


manifold = internal(supporting_points)
#: the same where the call would cost more than half of the work
inlined_manifold = inlined(supporting_points)


@internal
def keep_extremes(hulls, m, max_points):
    """Keep at most so many corners of the first polygon: the lowest one, and again and again the one farthest
    from those that are kept, low ones before others. Ties within a billionth go to the earlier corner, so
    that rounding does not change the choice. Returns their number.
    """
    if m <= max_points:
        return m
    work, ints = hulls.work, hulls.work_ints
    low, high, extent = 1e300, -1e300, 0.0
    for k in range(m):
        height = work[POLYGON + k, 2]
        low, high = min(low, height), max(high, height)
        for c in range(2):
            extent = max(extent, abs(work[POLYGON + k, c] - work[POLYGON, c]))
    level = low + max(0.1 * (high - low), 1e-6 * extent)
    kept = m - 1
    for k in range(m - 1, -1, -1):
        ints[ALIVE + k] = 0
        # squared distance from those that are kept
        work[SIDE + k, 0] = 1e6 * extent * extent
        if work[POLYGON + k, 2] <= low + 1e-9 * extent:
            kept = k
    for _ in range(max_points):
        ints[ALIVE + kept] = 1
        x, y, far = work[POLYGON + kept, 0], work[POLYGON + kept, 1], -1.0
        for k in range(m):
            u, v = work[POLYGON + k, 0] - x, work[POLYGON + k, 1] - y
            work[SIDE + k, 0] = min(work[SIDE + k, 0], u * u + v * v)
            # more for low ones than any other can have
            distance = work[SIDE + k, 0] + (1e3 * extent * extent if work[POLYGON + k, 2] <= level else 0.0)
            if ints[ALIVE + k] == 0 and distance > far + 1e-9 * abs(far):
                kept, far = k, distance
    count = 0
    for k in range(m):
        if ints[ALIVE + k] == 1:
            store(work, POLYGON + count, load(work, POLYGON + k))
            ints[CORNER + count] = ints[CORNER + k]
            count += 1
    return count
