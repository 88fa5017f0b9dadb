"""Points of any two convex shapes, by their support functions and supporting faces.

`face_pair(support_a, face_a, support_b, face_b)` makes the function that writes them, `face_plane(support,
face)` that of a shape over a half-space. support(a, d) and face(face, a, d) are as `ShapeKind` describes
them, of whatever a is; `no_face` stands for a shape without one. A triangle is a shape as any other.
"""

from __future__ import annotations

import functools

from mbplugin.interface import MAX_CORNERS, MAX_POINTS
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, column, dot, load, product_back, rotate, rotate_back, scale, store, sub
from mbplugin_contact.geometry.clipping import FLAT, TILTED, keep_extremes
from mbplugin_contact.geometry.face_points import circles, clip_corners, line_points, parallel_points
from mbplugin_contact.geometry.face_room import face_of_a, face_of_b
from mbplugin_contact.geometry.faces import (
    PARALLEL,
    cross2,
    is_round,
    line_of,
    move_face,
    nearest_normal,
    next_corner,
    surface_at,
)
from mbplugin_contact.geometry.gjk import difference_of
from mbplugin_contact.geometry.nearest_points import nearest_of
from mbplugin_contact.geometry.normals import OF_PARALLELS, UNKNOWN, normals_of
from mbplugin_contact.geometry.plane_pairs import put_over
from mbplugin_contact.geometry.tables import CORNER, POLYGON, TINY, put_local, vertex_of_a, witness


@internal
def opposite_points(
    hulls, points, m_a, n_a, m_b, n_b, n, kind, i_a, i_b, size, r_a, r_b, x_a, R_a, margin, max_points
):
    """Write points where the faces, or lines, that lie along n show them. Returns their number and the least
    gap.
    """
    face_a, face_b, count, min_gap = face_of_a(hulls), face_of_b(hulls), 0, 1e300
    if kind == OF_PARALLELS or (m_a == 2 and m_b == 2):
        line_a = line_of(face_a, i_a, next_corner(i_a, m_a), 1.0)
        line_b = line_of(face_b, i_b, next_corner(i_b, m_b), -1.0)
        if line_a.s > 1.0 or line_b.s > 1.0 or not cross2(line_a.e, line_b.e) < PARALLEL:
            return count, min_gap
        return parallel_points(points, line_a, line_b, n, r_a, r_b, x_a, R_a, margin, size)
    c_a, c_b = dot(n, n_a), -dot(n, n_b)
    tilted = FLAT if is_round(face_a) or is_round(face_b) else TILTED
    if m_a > 2 and m_b > 2 and max(c_a, c_b) > FLAT and min(c_a, c_b) > tilted:
        work, ints, m = hulls.work, hulls.work_ints, 0
        if is_round(face_a) and is_round(face_b):
            corners, base, origin, e, g = circles(hulls, m_a, n_a, m_b, n_b, n, TINY * size)
        else:
            corners, base, origin, e, g = clip_corners(hulls, m_a, n_a, m_b, n_b, n, TINY * size)
        for k in range(corners):
            row = POLYGON + base + k
            min_gap = min(min_gap, work[row, 2] - r_a - r_b)
            if work[row, 2] - r_a - r_b < margin:
                store(work, POLYGON + m, load(work, row))
                ints[CORNER + m] = ints[CORNER + base + k]
                m += 1
        m = keep_extremes(hulls, m, max_points)
        for k in range(m):
            row = load(work, POLYGON + k)
            on_a = add(add(origin, scale(r_a, n)), add(scale(row[0], e), scale(row[1], g)))
            gap = row[2] - r_a - r_b
            count = put_local(points, count, x_a, R_a, on_a, n, gap, ints[CORNER + k])
    elif m_a > 2 and m_b == 2 and c_a > FLAT:
        line = line_of(face_b, 0, 1, -1.0)
        if abs(line.s) < 1.0:
            return line_points(points, face_a, m_a, n_a, line, n, 1.0, r_a, r_b, x_a, R_a, margin, size)
    elif m_b > 2 and m_a == 2 and c_b > FLAT:
        line = line_of(face_a, 0, 1, 1.0)
        if abs(line.s) < 1.0:
            return line_points(points, face_b, m_b, n_b, line, n, -1.0, r_a, r_b, x_a, R_a, margin, size)
    return count, min_gap


@functools.cache
def face_pair(support_a, face_a, support_b, face_b):
    """The compiled function for shapes with these support functions and faces."""
    difference = difference_of(support_a, support_b)
    nearest, by_moving = nearest_of(difference)
    exact_normal, nearest_point = normals_of(difference)

    @internal
    def faces_along(hulls, a, b, t, R, n):
        """Fill the rooms of the faces along n. Returns their numbers of corners and normals."""
        f_a, f_b = face_of_a(hulls), face_of_b(hulls)
        f_a.radius[MAX_CORNERS, 0] = f_b.radius[MAX_CORNERS, 0] = 0.0
        m_a, n_a = face_a(f_a, a, n)
        m_b, n_b = face_b(f_b, b, scale(-1.0, rotate_back(R, n)))
        move_face(f_b, m_b, t, R)
        return m_a, n_a, m_b, rotate(R, n_b)

    @internal
    def pair(hulls, points, a, r_a, x_a, R_a, b, r_b, x_b, R_b, size, margin):
        """Write the points of shapes a and b at these poses. Returns their number; 0 if no gap is below
        `margin`.

        r_a, r_b: radius of a ball about every point of the shape, 0 of most; size: length of both shapes [m]
        """
        t, R = rotate_back(R_a, sub(x_b, x_a)), product_back(R_a, R_b)
        near, n, gap, p = nearest(hulls, a, b, t, R, size, max(margin + r_a + r_b, 0.0))
        if not near:
            return 0
        m_a, n_a, m_b, n_b = faces_along(hulls, a, b, t, R, n)
        n, gap, kind, i_a, i_b = exact_normal(hulls, a, b, t, R, size, n, gap, m_a, n_a, m_b, n_b)
        if kind == UNKNOWN:
            # near contact GJK knows the normal badly
            _, n, gap, p = by_moving(hulls, a, b, t, R, size, n)
            m_a, n_a, m_b, n_b = faces_along(hulls, a, b, t, R, n)
            n, gap, kind, i_a, i_b = exact_normal(hulls, a, b, t, R, size, n, gap, m_a, n_a, m_b, n_b)
        r = r_a + r_b
        if not gap - r < margin:
            return 0
        count, min_gap = opposite_points(
            hulls, points, m_a, n_a, m_b, n_b, n, kind, i_a, i_b, size, r_a, r_b, x_a, R_a, margin, MAX_POINTS
        )
        if min_gap > gap - r + TINY * size:
            p, i, j = nearest_point(hulls, a, b, t, R, size, n, gap, p, kind, i_a, m_a, i_b, m_b)
            place = min(count, MAX_POINTS - 1)
            put_local(points, place, x_a, R_a, add(p, scale(r_a, n)), n, gap - r, witness(i, j))
            return place + 1
        return count

    return pair


@functools.cache
def face_plane(support_a, face_a):
    """The compiled function for a shape over a half-space."""

    @internal
    def pair(hulls, points, a, r_a, x_a, R_a, x_b, R_b, size, margin):
        """Write the corners of the supporting face, each where it is lowest, and the lowest point of the
        shape if it is below them. Returns the number of points.
        """
        up, place = column(R_b, 2), sub(x_a, x_b)
        d = rotate_back(R_a, scale(-1.0, up))
        p, number = support_a(a, d)
        lowest = dot(up, add(place, rotate(R_a, p))) - r_a
        if not lowest < margin:
            return 0
        face, work, ints = face_of_a(hulls), hulls.work, hulls.work_ints
        face.radius[MAX_CORNERS, 0] = 0.0
        corners, _ = face_a(face, a, d)
        m, min_gap = 0, 1e300
        if corners == 2:
            line = line_of(face, 0, 1, 1.0)
            if abs(line.s) < 1.0:
                across = nearest_normal(line, d)
                store(face.x, 0, surface_at(line, 0.0, across))
                store(face.x, 1, surface_at(line, 1.0, across))
            else:
                corners = 0
        e, g = rotate_back(R_a, column(R_b, 0)), rotate_back(R_a, column(R_b, 1))
        for k in range(corners):
            x = load(face.x, k)
            height = dot(up, place) - dot(d, x) - r_a
            min_gap = min(min_gap, height)
            if height < margin:
                store(work, POLYGON + m, (dot(e, x), dot(g, x), height))
                ints[CORNER + m] = k
                m += 1
        m = keep_extremes(hulls, m, MAX_POINTS)
        for k in range(m):
            v = ints[CORNER + k]
            x = add(x_a, rotate(R_a, add(load(face.x, v), scale(r_a, d))))
            put_over(points, k, x, up, work[POLYGON + k, 2], margin, vertex_of_a(face.name[v]))
        if min_gap > lowest + TINY * size:
            m = min(m, MAX_POINTS - 1)
            x = add(x_a, rotate(R_a, add(p, scale(r_a, d))))
            m = put_over(points, m, x, up, lowest, margin, witness(number, 0))
        return m

    return pair
