"""A surface of triangles (a) and a sphere or capsule (b): a ball moved along its core.

    face:  the part of the core over a triangle, at both ends, along its normal
    edge, corner:  the nearest points of it and the core, along the line between them

A sphere outside a solid touches where its centre has a nearest point of the surface near by; one whose
centre is inside leaves by the nearest face (J. A. Bærentzen and H. Aanæs, IEEE Trans. Visual. Comput.
Graphics 11 (2005) 243-253, on the sign of a distance).
"""

from __future__ import annotations

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, column, cross, dot, load, norm, rotate_back, scale, sub
from mbplugin_contact.geometry.capsule_pairs import PARALLEL
from mbplugin_contact.geometry.simplex import nearest_of_segments, nearest_on_triangle
from mbplugin_contact.geometry.tables import TINY
from mbplugin_contact.triangles.directions import allows, is_corner, is_seam
from mbplugin_contact.triangles.merged import OF_CORNER, OF_EDGE, OF_FACE, add_point, named, put_merged
from mbplugin_contact.triangles.near import corners_at, next_near, start_search
from mbplugin_contact.triangles.tables import COUNT, GAP, SMOOTH

#: distance of a point from the prism over a triangle, relative to the size, up to which it is examined
OVER = 1e-7


@internal
def over_triangle(T, t, p, u, tolerance):
    """Begin and end of the part of the core p + s u over triangle t (end < begin: none), and whether each is
    at a seam, beyond which the plane goes on.
    """
    n, begin, end, seam_0, seam_1 = load(T.normal, t), 0.0, 1.0, False, False
    for k in range(3):
        a = load(T.vertex, T.corner[3 * t + k])
        along = sub(load(T.vertex, T.corner[3 * t + (k + 1) % 3]), a)
        inward = cross(n, along)
        length = norm(inward)
        h0, slope = dot(inward, sub(p, a)) / length + tolerance, dot(inward, u) / length
        h1 = h0 + slope
        if h0 < 0.0 and h1 < 0.0:
            return 1.0, 0.0, False, False
        s = (h0 - tolerance) / (h0 - h1) if h0 < 0.0 or h1 < 0.0 else 0.0
        if h0 < 0.0 and s > begin:
            begin, seam_0 = s, is_seam(T, 3 * t + k)
        if h1 < 0.0 and s < end:
            end, seam_1 = s, is_seam(T, 3 * t + k)
    return begin, end, seam_0, seam_1


@internal
def touch_face(T, hulls, t, p, u, r, margin, size):
    """Points over the face of triangle t. Returns the height of the core over it, 1e300 if it is not over it;
    below zero it is behind a solid's face, and there are no points.
    """
    n, a = load(T.normal, t), load(T.vertex, T.corner[3 * t])
    begin, end, seam_0, seam_1 = over_triangle(T, t, p, u, TINY * size)
    if not begin <= end:
        return 1e300
    middle = add(p, scale(0.5 * (begin + end), u))
    if T.both_sides[t] == 1 and dot(n, sub(middle, a)) < 0.0:
        n = scale(-1.0, n)
    h0, h1 = dot(n, sub(add(p, scale(begin, u)), a)), dot(n, sub(add(p, scale(end, u)), a))
    if max(h0, h1) <= 0.0 and T.both_sides[t] == 0:
        return min(h0, h1)
    if min(h0, h1) < -TINY * size and max(h0, h1) > 0.0:
        # the core goes through the triangle: its lower end
        if T.both_sides[t] == 1 and dot(n, sub(add(p, scale(0.5, u)), a)) < 0.0:
            n = scale(-1.0, n)
        low = p if dot(n, u) >= 0.0 else add(p, u)
        h = dot(n, sub(low, a))
        add_point(T, hulls, size, sub(low, scale(h, n)), n, h - r, named(OF_FACE, T.plane[t], 0))
        return h
    two = norm(u) * (end - begin) > TINY * size
    for k in range(2 if two else 1):
        s, h = (begin, h0) if k == 0 else (end, h1)
        if h - r < margin and not (seam_0 if k == 0 else seam_1):
            on = sub(add(p, scale(s, u)), scale(h, n))
            # its ends have names, and where it leaves the triangle
            at = k if s == (0.0 if k == 0 else 1.0) else 2 + k
            add_point(T, hulls, size, on, n, h - r, named(OF_FACE, T.plane[t], at if two else 0))
    return min(h0, h1)


@internal
def touch_edge(T, hulls, t, k, p, u, r, margin, size):
    """Points at edge k of triangle t, with its ends."""
    a = load(T.vertex, T.corner[3 * t + k])
    w = sub(load(T.vertex, T.corner[3 * t + (k + 1) % 3]), a)
    sine, u2, w2 = cross(u, w), dot(u, u), dot(w, w)
    if u2 > 0.0 and dot(sine, sine) < PARALLEL * u2 * w2:
        # beside each other: where that begins and ends
        s0 = dot(u, sub(a, p)) / u2
        s1 = s0 + dot(u, w) / u2
        low, high = max(0.0, min(s0, s1)), min(1.0, max(s0, s1))
        if high - low > TINY:
            for i in range(2):
                s = low if i == 0 else high
                at_edge(T, hulls, t, k, add(p, scale(s, u)), a, w, (s - s0) / (s1 - s0), r, margin, size, i)
            return
    s, f = nearest_of_segments(p, u, a, w)
    at_edge(T, hulls, t, k, add(p, scale(s, u)), a, w, f, r, margin, size, 2)


@internal
def at_edge(T, hulls, t, k, q, a, w, f, r, margin, size, end):
    """A point between q of the core and a + f w of edge k of triangle t, if that touches along this line."""
    y = add(a, scale(f, w))
    d = sub(q, y)
    s = norm(d)
    if not s - r < margin or not s > TINY * size:
        return
    n = scale(1.0 / s, d)
    if not allows(T, t, k, f, n):
        return
    i = 3 * t + (k if f < 0.5 else (k + 1) % 3)
    if (f <= 0.0 or f >= 1.0) and is_corner(T, T.corner[i]):
        name = named(OF_CORNER, T.corner[i], 0)
    else:
        name = named(OF_EDGE, T.edge[3 * t + k], end)
    add_point(T, hulls, size, y, n, s - r, name)


@inlined
def nearest_of_triangle(p, a, b, c):
    """Squared distance of the point p from a triangle, and whether the nearest point is beside each edge."""
    w_a, w_b, w_c = nearest_on_triangle(sub(a, p), sub(b, p), sub(c, p))
    d = sub(add(add(scale(w_a, a), scale(w_b, b)), scale(w_c, c)), p)
    return dot(d, d), (w_c > 0.0, w_a > 0.0, w_b > 0.0)


@internal
def touch_core(T, hulls, surface, points, x_a, R_a, p, u, r, size, margin):
    """Points of a surface at x_a with axes R_a (a) and a ball of radius r along p + s u, in the frame of the
    surface. Returns their number.
    """
    T.work_ints[COUNT] = 0
    reach = r + margin
    q = add(p, u)
    low = (min(p[0], q[0]), min(p[1], q[1]), min(p[2], q[2]))
    high = (max(p[0], q[0]), max(p[1], q[1]), max(p[2], q[2]))
    start_search(T, surface, low, high, reach)
    t = next_near(T, surface, low, high, reach)
    behind, depth, is_point = -1, -1e300, not dot(u, u) > 0.0
    while t >= 0:
        a, b, c = corners_at(T, t)
        n = load(T.normal, t)
        h0 = dot(n, sub(p, a))
        h1 = h0 + dot(n, u)
        if min(h0, h1) < reach and max(h0, h1) > -reach:
            beside, flat = (False, False, False), True
            if is_point:
                # of a sphere the nearest point of the triangle alone may be one of the surface
                d2, beside = nearest_of_triangle(p, a, b, c)
                if not d2 < reach * reach:
                    t = next_near(T, surface, low, high, reach)
                    continue
                flat = d2 - h0 * h0 <= (OVER * size) ** 2
            height = touch_face(T, hulls, t, p, u, r, margin, size) if flat else 1e300
            if height < 0.0 and T.both_sides[t] == 0 and height > depth and max(h0, h1) <= 0.0:
                behind, depth = t, height
            if not is_point or height == 1e300:
                for k in range(3):
                    if T.edge[3 * t + k] != SMOOTH and not beside[k]:
                        touch_edge(T, hulls, t, k, p, u, r, margin, size)
        t = next_near(T, surface, low, high, reach)
    if behind >= 0 and is_inside(T, depth, r):
        T.work_ints[COUNT] = 0
        n, a = load(T.normal, behind), load(T.vertex, T.corner[3 * behind])
        lowest = p if dot(n, u) >= 0.0 else q
        h = dot(n, sub(lowest, a))
        add_point(T, hulls, size, sub(lowest, scale(h, n)), n, h - r, named(OF_FACE, T.plane[behind], 0))
    return put_merged(T, hulls, size, points, x_a, R_a)


@internal
def is_inside(T, depth, r):
    """Whether a core behind a face by `depth` (negative) is in the solid: none of the points is nearer."""
    for k in range(T.work_ints[COUNT]):
        if T.work[GAP + k, 0] + r < -depth:
            return False
    return True


@internal
def core_of(a, b, length):
    """Begin p and length u of the core of a capsule or sphere b in the frame of a."""
    u = scale(length, rotate_back(a.R, column(b.R, 2)))
    return sub(rotate_back(a.R, sub(b.x, a.x)), scale(0.5, u)), u
