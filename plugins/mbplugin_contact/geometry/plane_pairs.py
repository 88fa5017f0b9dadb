"""A shape and a half-space: the plane z = 0 of its frame with all that is below it. A shape can
leave it only along its normal, so the contact points are points of the shape, and their heights the gaps.
"""

from __future__ import annotations

from mbplugin.interface import MAX_POINTS, put_point
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, column, dot, rotate, rotate_back, scale, store, sub
from mbplugin_contact.geometry.clipping import keep_extremes
from mbplugin_contact.geometry.tables import CORNER, POLYGON, hull_vertex, vertex_of_a


@inlined
def put_over(points, k, x, up, height, margin, feature):
    """Put point k at x, at this height over a plane, if below the margin. Returns the number of points."""
    if not height < margin:
        return k
    return put_point(points, k, x, sub(x, scale(height, up)), scale(-1.0, up), height, feature)


def sphere_plane(points, a, b, margin):
    up = column(b.R, 2)
    height = dot(up, sub(a.x, b.x)) - a.p[0]
    return put_over(points, 0, sub(a.x, scale(a.p[0], up)), up, height, margin, 0)


def capsule_plane(points, a, b, margin):
    """The lowest points of both ends."""
    up, axis = column(b.R, 2), column(a.R, 2)
    count = 0
    for k in range(2):
        end = add(a.x, scale((k - 0.5) * a.p[1], axis))
        height = dot(up, sub(end, b.x)) - a.p[0]
        count = put_over(points, count, sub(end, scale(a.p[0], up)), up, height, margin, vertex_of_a(k))
    return count


def box_plane(points, a, b, margin):
    """All corners that are near."""
    up, size = column(b.R, 2), (a.p[0], a.p[1], a.p[2])
    arm = sub(a.x, b.x)
    centre = dot(up, arm)
    n = rotate_back(a.R, up)
    reach = 0.5 * (abs(n[0]) * size[0] + abs(n[1]) * size[1] + abs(n[2]) * size[2])
    if not centre - reach < margin:
        return 0
    count = 0
    for k in range(8):
        p = (
            size[0] * (0.5 if k & 1 else -0.5),
            size[1] * (0.5 if k & 2 else -0.5),
            size[2] * (0.5 if k & 4 else -0.5),
        )
        corner = rotate(a.R, p)
        height = dot(up, add(arm, corner))
        count = put_over(points, count, add(a.x, corner), up, height, margin, vertex_of_a(k))
    return count


@internal
def convex_plane(hulls, points, hull, x_a, R_a, x_b, R_b, margin):
    """The vertices that are near; if there are more than MAX_POINTS, the lowest and the outermost of them."""
    up = column(R_b, 2)
    n = rotate_back(R_a, up)
    offset = dot(up, sub(x_a, x_b))
    record = hulls.index[hull]
    centre = (record.x, record.y, record.z)
    if not offset + dot(n, centre) - record.radius < margin:
        return 0
    one = (1.0, 1.0, 1.0)
    e, g = rotate_back(R_a, column(R_b, 0)), rotate_back(R_a, column(R_b, 1))
    m = 0
    for k in range(record.vertices):
        p = hull_vertex(hulls, hull, one, k)
        height = offset + dot(n, p)
        if height < margin:
            store(hulls.work, POLYGON + m, (dot(e, p), dot(g, p), height))
            hulls.work_ints[CORNER + m] = k
            m += 1
    m = keep_extremes(hulls, m, MAX_POINTS)
    for k in range(m):
        height, v = hulls.work[POLYGON + k, 2], hulls.work_ints[CORNER + k]
        x = add(x_a, rotate(R_a, hull_vertex(hulls, hull, one, v)))
        put_over(points, k, x, up, height, margin, vertex_of_a(v))
    return m
