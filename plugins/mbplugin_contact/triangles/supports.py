"""A surface of triangles (a) and a convex shape (b) of any kind, by its support function.

face:  where the supporting face or line of the shape lies over the triangle, or its lowest point
edge, corner:  the nearest points by GJK, of overlap by EPA, if the surface touches along their normal
"""

from __future__ import annotations

import functools

from mbplugin.interface import MAX_CORNERS
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, cross, dot, load, norm, product_back, rotate, rotate_back, scale, sub
from mbplugin_contact.geometry.epa import FAILED, epa_of
from mbplugin_contact.geometry.face_room import face_of_b
from mbplugin_contact.geometry.faces import move_face
from mbplugin_contact.geometry.gjk import APART, TOUCHING, difference_of, gjk_of
from mbplugin_contact.geometry.tables import TINY
from mbplugin_contact.triangles.directions import is_smooth
from mbplugin_contact.triangles.flat import lies_flat, put_flat
from mbplugin_contact.triangles.merged import OF_CORNER, OF_EDGE, OF_FACE, add_point, named, put_merged
from mbplugin_contact.triangles.near import corners_at, next_near, start_search
from mbplugin_contact.triangles.polyhedra import EDGE, EXAMINED, FACE, VERTEX, feature_allows, lowest_feature
from mbplugin_contact.triangles.tables import COUNT

#: difference of heights of a triangle's corners, relative to the size, up to which they are as high
AS_HIGH = 1e-7


@internal
def triangle_support(shape, d):
    """Support function of a triangle; `shape`: (T, t)."""
    T, t = shape
    best, top = 0, -1e300
    for k in range(3):
        h = dot(d, load(T.vertex, T.corner[3 * t + k]))
        if h > top:
            best, top = k, h
    return load(T.vertex, T.corner[3 * t + best]), best


@internal
def is_over(T, t, p, tolerance):
    """Whether the point p is over triangle t."""
    n = load(T.normal, t)
    for k in range(3):
        a = load(T.vertex, T.corner[3 * t + k])
        inward = cross(n, sub(load(T.vertex, T.corner[3 * t + (k + 1) % 3]), a))
        if dot(inward, sub(p, a)) < -tolerance * norm(inward):
            return False
    return True


@internal
def feature_of(T, t, d, size):
    """The feature of triangle t that is farthest along d."""
    a, b, c = corners_at(T, t)
    return lowest_feature(-dot(d, a), -dot(d, b), -dot(d, c), AS_HIGH * size)


@internal
def name_of(T, t, feature):
    if feature == FACE:
        return named(OF_FACE, T.plane[t], 0)
    if feature < VERTEX:
        return named(OF_EDGE, T.edge[3 * t + feature - EDGE], 0)
    return named(OF_CORNER, T.corner[3 * t + feature - VERTEX], 0)


@functools.cache
def surface_support(support, face):
    """The compiled function for shapes with these functions of their kind."""
    difference = difference_of(triangle_support, support)
    gjk, epa = gjk_of(difference), epa_of(difference)

    @internal
    def touch_triangle(T, hulls, t, b, x, R, r, size, margin):
        n, a = load(T.normal, t), load(T.vertex, T.corner[3 * t])
        if T.both_sides[t] == 1 and dot(n, sub(x, a)) < 0.0:
            n = scale(-1.0, n)
        q, _ = support(b, scale(-1.0, rotate_back(R, n)))
        q = add(x, rotate(R, q))
        h = dot(n, sub(q, a))
        if not h - r < margin:
            return
        room = face_of_b(hulls)
        room.radius[MAX_CORNERS, 0] = 0.0
        corners, n_b = face(room, b, scale(-1.0, rotate_back(R, n)))
        n_b = rotate(R, n_b)
        flat = lies_flat(room, corners, dot(n, n_b))
        over, deep = is_over(T, t, q, TINY * size), h < -EXAMINED * size
        if is_smooth(T, t) and not over and not flat:
            return
        if flat:
            move_face(room, corners, x, R)
        if not deep:
            if flat and put_flat(T, hulls, t, corners, n, n_b, r, size, margin) <= h + TINY * size:
                return
            if over:
                add_point(T, hulls, size, sub(q, scale(h, n)), n, h - r, named(OF_FACE, T.plane[t], 0))
                return
            if is_smooth(T, t):
                return
        work, ints = hulls.work, hulls.work_ints
        state, v, p, m = gjk(work, ints, (T, t), b, x, R, size, max(margin + r, 0.0))
        least = 1e300
        if state == TOUCHING and flat and deep:
            least = put_flat(T, hulls, t, corners, n, n_b, r, size, margin)
        if least <= h + TINY * size:
            return
        if state == TOUCHING and over:
            add_point(T, hulls, size, sub(q, scale(h, n)), n, h - r, named(OF_FACE, T.plane[t], 0))
            return
        if state == APART:
            gap = norm(v)
            d = scale(-1.0 / gap, v)
        elif state == TOUCHING:
            state, d, depth, p = epa(work, ints, (T, t), b, x, R, size, m)
            gap = -depth
            if state == FAILED:
                return
        else:
            return
        feature = feature_of(T, t, d, size)
        if gap - r < margin and feature != FACE and feature_allows(T, t, feature, n, d):
            add_point(T, hulls, size, p, d, gap - r, name_of(T, t, feature))

    @internal
    def extent(b, x, R, side):
        """The low (side −1) or high (1) corner of the box of a shape."""
        p, _ = support(b, scale(side, (R[0], R[1], R[2])))
        q, _ = support(b, scale(side, (R[3], R[4], R[5])))
        s, _ = support(b, scale(side, (R[6], R[7], R[8])))
        return add(x, (rotate(R, p)[0], rotate(R, q)[1], rotate(R, s)[2]))

    @internal
    def touch_support(T, hulls, surface, points, a, b, r, size, margin):
        """Points of a surface and a shape with a ball of radius r about every point. Returns their number."""
        x, R = rotate_back(a.R, sub(b.x, a.x)), product_back(a.R, b.R)
        T.work_ints[COUNT] = 0
        low, high = extent(b, x, R, -1.0), extent(b, x, R, 1.0)
        start_search(T, surface, low, high, r + margin)
        t = next_near(T, surface, low, high, r + margin)
        while t >= 0:
            touch_triangle(T, hulls, t, b, x, R, r, size, margin)
            t = next_near(T, surface, low, high, r + margin)
        return put_merged(T, hulls, size, points, a.x, a.R)

    return touch_support
