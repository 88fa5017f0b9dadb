"""The normal of two convex shapes from their supporting faces.

    s(n) = −h(n),   h(n) the extent of A − B along n

is a lower bound of the gap for every n, and the gap at the normal. GJK and EPA know the normal nearly; what
lies opposite each other there says what it is exactly: the normal of a face of either; that common to two
lines; along a line, the normal across it with the largest s; between smooth surfaces, Newton's method. Of
all of these that with the largest s is the normal, the first one where they agree within rounding.
"""

from __future__ import annotations

import functools
from math import cos, sin

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub
from mbplugin_contact.geometry.face_room import face_of_a, face_of_b
from mbplugin_contact.geometry.faces import (
    common_normal,
    line_of,
    lines_of,
    may_face,
    nearest_normal,
    next_corner,
    surface_at,
)
from mbplugin_contact.geometry.nearest_points import refinement_of
from mbplugin_contact.geometry.simplex import nearest_of_segments
from mbplugin_contact.geometry.tables import TINY, perpendicular

#: what the normal is that of: unknown, a face, a line of each, parallel ones, a line and a point, two points
UNKNOWN, OF_FACE_A, OF_FACE_B, OF_LINES, OF_PARALLELS, OF_LINE_A, OF_LINE_B, OF_POINTS = range(8)
#: part of the size by which the gap along an exact normal may differ from that of GJK or EPA
ROUGH_GAP = 1e-6
#: part of the size by which lines may be farther apart than the shapes, that are not other edges of a face
SAME_LINE = 1e-8
#: tilt of a normal beside, and part of the size by which the point there may differ
BESIDE, SAME_POINT = 1e-5, 1e-3


@inlined
def lines_apart(a, b, n):
    """Distance along their normal n from the line a to the line b."""
    return dot(n, sub(surface_at(b, 0.0, n), surface_at(a, 0.0, n)))


@functools.cache
def normals_of(difference):
    """The searches for the normal, and for the nearest point, for a function of `difference_of`."""
    refine_normal = refinement_of(difference)

    @internal
    def separation(a, b, t, R, n):
        """s(n)."""
        p, q, _, _ = difference(a, b, t, R, n)
        return dot(n, sub(q, p))

    @internal
    def slope(a, b, t, R, axis, f, g, s, c, angle):
        """w along the tangent, at a normal s axis + c (cos f + sin g)."""
        x, y = cos(angle), sin(angle)
        n = add(scale(s, axis), scale(c, add(scale(x, f), scale(y, g))))
        p, q, _, _ = difference(a, b, t, R, n)
        return dot(sub(p, q), sub(scale(x, g), scale(y, f))), n

    @internal
    def across(a, b, t, R, line, n):
        """The normal across a line with the largest s, by Newton's method from n."""
        f = sub(nearest_normal(line, n), scale(line.s, line.e))
        c = norm(f)
        f = scale(1.0 / c, f)
        g, angle = cross(line.e, f), 0.0
        w, best = slope(a, b, t, R, line.e, f, g, line.s, c, angle)
        for _ in range(10):
            w1, _ = slope(a, b, t, R, line.e, f, g, line.s, c, angle + 1e-7)
            rate = (w1 - w) * 1e7
            if not rate > 0.0:
                break
            step = min(max(-w / rate, -0.1), 0.1)
            w1, n1 = slope(a, b, t, R, line.e, f, g, line.s, c, angle + step)
            if not abs(w1) < abs(w):
                break
            angle, w, best = angle + step, w1, n1
        return best

    @internal
    def normal(hulls, a, b, t, R, size, n, gap, m_a, n_a, m_b, n_b):
        """The normal and the gap, beginning with those of GJK or EPA; what it is the normal of, with the
        lines of the faces.

        m_a, n_a: corners and normal of the face of A, in its room; m_b, n_b: of that of B
        """
        face_a, face_b = face_of_a(hulls), face_of_b(hulls)
        tiny, enough = TINY * size, gap - TINY * size
        best, found, kind, i_a, i_b = gap - ROUGH_GAP * size, n, UNKNOWN, 0, 0
        if m_a > 2:
            s = separation(a, b, t, R, n_a)
            if s > best:
                best, found, kind = s, n_a, OF_FACE_A
        if best < enough and m_b > 2:
            s = separation(a, b, t, R, scale(-1.0, n_b))
            if s > best + (tiny if kind != UNKNOWN else 0.0):
                best, found, kind = s, scale(-1.0, n_b), OF_FACE_B
        if best < enough:
            for i in range(lines_of(face_a, m_a)):
                line_a = line_of(face_a, i, next_corner(i, m_a), 1.0)
                if not may_face(line_a, n):
                    continue
                turned = across(a, b, t, R, line_a, n)
                s_turned = separation(a, b, t, R, turned)
                for j in range(lines_of(face_b, m_b)):
                    line_b = line_of(face_b, j, next_corner(j, m_b), -1.0)
                    if may_face(line_b, n):
                        x = common_normal(line_a, line_b, n)
                        both = dot(x, x) > 0.0
                        x = x if both else turned
                        s = separation(a, b, t, R, x) if both else s_turned
                        nearest = lines_apart(line_a, line_b, x) <= s + SAME_LINE * size
                        if nearest and s > best + (tiny if kind != UNKNOWN else 0.0):
                            best, i_a, i_b = s, i, j
                            found, kind = x, OF_LINES if both else OF_PARALLELS
                if s_turned > best + (tiny if kind != UNKNOWN else 0.0):
                    best, found, kind, i_a = s_turned, turned, OF_LINE_A, i
        if best < enough:
            for j in range(lines_of(face_b, m_b)):
                line_b = line_of(face_b, j, next_corner(j, m_b), -1.0)
                if may_face(line_b, n):
                    turned = across(a, b, t, R, line_b, n)
                    s = separation(a, b, t, R, turned)
                    if s > best + (tiny if kind != UNKNOWN else 0.0):
                        best, found, kind, i_b = s, turned, OF_LINE_B, j
        if best < enough:
            n1, gap1, _, error = refine_normal(a, b, t, R, size, n)
            if error <= tiny and gap1 > best + (tiny if kind != UNKNOWN else 0.0):
                best, found, kind = gap1, n1, OF_POINTS
        if kind == UNKNOWN:
            return n, gap, kind, i_a, i_b
        return found, best, kind, i_a, i_b

    @internal
    def nearest_point(hulls, a, b, t, R, size, n, gap, p, kind, i_a, m_a, i_b, m_b):
        """The point on A that is nearest to B, of a normal that is known; p: that of GJK or EPA.

        What lies farthest along the normal on A or on B is that point, if a normal beside has the same.
        """
        q_a, q_b, i, j = difference(a, b, t, R, n)
        if kind == OF_LINES:
            line_a = line_of(face_of_a(hulls), i_a, next_corner(i_a, m_a), 1.0)
            line_b = line_of(face_of_b(hulls), i_b, next_corner(i_b, m_b), -1.0)
            x, y = surface_at(line_a, 0.0, n), surface_at(line_b, 0.0, n)
            u, w = sub(surface_at(line_a, 1.0, n), x), sub(surface_at(line_b, 1.0, n), y)
            r, _ = nearest_of_segments(x, u, y, w)
            return add(x, scale(r, u)), i, j
        e = perpendicular(n)
        g, off_a, off_b = cross(n, e), 0.0, 0.0
        for k in range(3):
            y = 0.0 if k == 0 else (0.866 if k == 1 else -0.866)
            beside = add(n, scale(BESIDE, add(scale(1.0 if k == 0 else -0.5, e), scale(y, g))))
            p_a, p_b, _, _ = difference(a, b, t, R, beside)
            off_a = max(off_a, norm(sub(p_a, q_a)))
            off_b = max(off_b, norm(sub(p_b, q_b)))
        if min(off_a, off_b) > SAME_POINT * size:
            return add(p, scale(dot(sub(q_a, p), n), n)), i, j
        return (q_a if off_a <= off_b else sub(q_b, scale(gap, n))), i, j

    return normal, nearest_point
