"""Points of many triangles with one shape made few: of those in one plane the corners of their convex hull.

A gap is linear over a plane if the other shape is flat there too, so that points inside and on the sides of
the hull are redundant; the lowest one stays in any case. Points are in the frame of the surface.
"""

from __future__ import annotations

from mbplugin.interface import MAX_POINTS, put_point
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, rotate, scale, store, sub
from mbplugin_contact.geometry.clipping import keep_extremes
from mbplugin_contact.geometry.tables import CORNER, POLYGON, perpendicular
from mbplugin_contact.triangles.tables import (
    COUNT,
    FEATURE,
    GAP,
    KEPT,
    MEMBER,
    MOST,
    NORMAL,
    ON_SURFACE,
    PLANE,
)

#: difference of normals up to which points are in one plane
SAME_NORMAL = 1e-6
#: distance from a plane, and of points from each other, that is rounding, relative to the size
SAME = 1e-9
#: kinds of points by what touches: a face, an edge, a corner of the surface
OF_FACE, OF_EDGE, OF_CORNER = 1, 2, 3


@inlined
def named(kind, number, other):
    """The feature: number of the plane, edge or vertex, and that of what touches it (below 2²⁰)."""
    return (kind << 60) | (number << 20) | other


@internal
def add_point(T, hulls, size, p, n, gap, feature):
    """Note the point p of the surface, whose outward normal is n there."""
    ints = T.work_ints
    for k in range(ints[COUNT]):
        if ints[FEATURE + k] == feature:
            arm = sub(load(T.work, ON_SURFACE + k), p)
            if dot(arm, arm) <= (SAME * size) ** 2:
                return  # a corner or an edge that triangles share
    if ints[COUNT] == MOST:
        merge(T, hulls, size)
        keep_lowest(T, MOST // 2)
    k = ints[COUNT]
    store(T.work, ON_SURFACE + k, p)
    store(T.work, NORMAL + k, n)
    T.work[GAP + k, 0] = gap
    ints[FEATURE + k] = feature
    ints[COUNT] = k + 1


@internal
def merge(T, hulls, size):
    """Merge the points in one plane, plane by plane."""
    work, ints = T.work, T.work_ints
    m, tolerance = ints[COUNT], SAME * size
    for k in range(m):
        ints[PLANE + k], ints[KEPT + k] = -1, 0
    for i in range(m):
        if ints[PLANE + i] >= 0:
            continue
        n, p, members = load(work, NORMAL + i), load(work, ON_SURFACE + i), 0
        for j in range(i, m):
            if ints[PLANE + j] < 0:
                d = sub(load(work, NORMAL + j), n)
                arm = sub(load(work, ON_SURFACE + j), p)
                if dot(d, d) <= SAME_NORMAL * SAME_NORMAL and abs(dot(n, arm)) <= tolerance:
                    ints[PLANE + j], ints[MEMBER + members] = i, j
                    members += 1
        keep_hull(T, hulls, members, n, tolerance)
    count = 0
    for k in range(m):
        if ints[KEPT + k] == 1:
            move(T, k, count)
            count += 1
    ints[COUNT] = count


@inlined
def move(T, k, to):
    """Copy point k to place `to`."""
    for row in (ON_SURFACE, NORMAL, GAP):
        store(T.work, row + to, load(T.work, row + k))
    T.work_ints[FEATURE + to] = T.work_ints[FEATURE + k]


@internal
def keep_hull(T, hulls, members, n, tolerance):
    """Mark the corners of the convex hull of the members in the plane with the normal n, and the lowest."""
    work, ints = T.work, T.work_ints
    if members == 1:
        ints[KEPT + ints[MEMBER]] = 1
        return
    e = perpendicular(n)
    g = cross(n, e)
    origin = load(work, ON_SURFACE + ints[MEMBER])
    lowest, first = ints[MEMBER], ints[MEMBER]
    for i in range(members):
        k = ints[MEMBER + i]
        arm = sub(load(work, ON_SURFACE + k), origin)
        work[GAP + k, 1], work[GAP + k, 2] = dot(e, arm), dot(g, arm)
        if work[GAP + k, 0] < work[GAP + lowest, 0]:
            lowest = k
    for i in range(members):
        # the first corner: farthest along e, of those along g
        k = ints[MEMBER + i]
        du, dv = work[GAP + k, 1] - work[GAP + first, 1], work[GAP + k, 2] - work[GAP + first, 2]
        if du > tolerance or (du > -tolerance and dv > tolerance):
            first = k
    at, corners = first, 0
    while corners < members and corners < 240:
        ints[KEPT + at] = 1
        store(hulls.work, POLYGON + corners, (work[GAP + at, 1], work[GAP + at, 2], work[GAP + at, 0]))
        hulls.work_ints[CORNER + corners] = at
        corners += 1
        at = next_corner(T, members, at, tolerance)
        if at < 0 or near(T, at, first, tolerance):
            break
    if corners > MAX_POINTS:
        for i in range(corners):
            ints[KEPT + hulls.work_ints[CORNER + i]] = 0
        for i in range(keep_extremes(hulls, corners, MAX_POINTS)):
            ints[KEPT + hulls.work_ints[CORNER + i]] = 1
    least = 1e300
    for i in range(members):
        k = ints[MEMBER + i]
        if ints[KEPT + k] == 1:
            least = min(least, work[GAP + k, 0])
    if work[GAP + lowest, 0] < least - tolerance:
        ints[KEPT + lowest] = 1


@inlined
def near(T, i, j, tolerance):
    """Whether two points of a plane are the same."""
    work = T.work
    return (
        abs(work[GAP + i, 1] - work[GAP + j, 1]) <= tolerance
        and abs(work[GAP + i, 2] - work[GAP + j, 2]) <= tolerance
    )


@internal
def next_corner(T, members, at, tolerance):
    """The next corner of the hull behind `at`, counter-clockwise: all others are to the left of the way to
    it, and of those on one line it is the farthest. −1: all are in one place.
    """
    work, ints, best = T.work, T.work_ints, -1
    u, v, length = 0.0, 0.0, 0.0
    for i in range(members):
        k = ints[MEMBER + i]
        if near(T, k, at, tolerance):
            continue
        du, dv = work[GAP + k, 1] - work[GAP + at, 1], work[GAP + k, 2] - work[GAP + at, 2]
        far = max(abs(du), abs(dv))
        if best < 0:
            best, u, v, length = k, du, dv, far
            continue
        side = u * dv - v * du
        slack = tolerance * max(far, length)
        behind = side <= slack and u * du + v * dv > 0.0 and far > length
        if side < -slack or behind:
            best, u, v, length = k, du, dv, far
    return best


@internal
def keep_lowest(T, most):
    """Keep at most so many points: those with the smallest gaps, in their order."""
    work, ints = T.work, T.work_ints
    while ints[COUNT] > most:
        worst = 0
        for k in range(ints[COUNT]):
            if work[GAP + k, 0] > work[GAP + worst, 0]:
                worst = k
        for k in range(worst, ints[COUNT] - 1):
            move(T, k + 1, k)
        ints[COUNT] -= 1


@internal
def put_merged(T, hulls, size, points, x, R):
    """Merge the points, and write them in the world, of a surface at x with axes R. Returns their number."""
    if T.work_ints[COUNT] > 1:
        merge(T, hulls, size)
        keep_lowest(T, points.gap.shape[0])
    for k in range(T.work_ints[COUNT]):
        normal, gap = rotate(R, load(T.work, NORMAL + k)), T.work[GAP + k, 0]
        on_a = add(x, rotate(R, load(T.work, ON_SURFACE + k)))
        put_point(points, k, on_a, add(on_a, scale(gap, normal)), normal, gap, T.work_ints[FEATURE + k])
    return T.work_ints[COUNT]
