"""Points where two supporting faces, or lines, lie opposite each other along a normal n, in the frame of A.

    x_b = x_a + g n,    x_a on the face or the side of A, x_b on that of B

Faces of polygons are clipped as those of polyhedra; where one is round, corners of the clipped polygon on its
edge are moved on to its circle, and of two circles the points where they cross are corners. A line is cut to
what lies over the other face. Two parallel lines touch where both begin and end to overlap.

Clipped faces are left in rows POLYGON of `Hulls.work`, as `clipping.py` leaves them.
"""

from __future__ import annotations

from math import cos, sin, sqrt

from mbplugin.interface import MAX_CORNERS
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, norm, scale, store, sub
from mbplugin_contact.geometry.clipping import OF_A, cut
from mbplugin_contact.geometry.face_room import face_of_a, face_of_b
from mbplugin_contact.geometry.faces import is_round, nearest_normal, surface_at
from mbplugin_contact.geometry.tables import (
    CORNER,
    EDGE,
    POLYGON,
    TINY,
    crossing,
    edge_name,
    perpendicular,
    put_local,
    vertex_of_a,
    vertex_of_b,
)

#: name of the circle of a round face
CIRCLE = 1023


@inlined
def along(n, normal, x, x_0, side):
    """Distance along n from A to B between x, on one of them, and the plane through x_0 of the other one;
    side: 1 if the plane is that of A, −1 of B.
    """
    return side * dot(normal, sub(x, x_0)) / dot(normal, n)


@internal
def clip_corners(hulls, m_a, n_a, m_b, n_b, n, tolerance):
    """Fill the polygon with where the faces of A and B lie opposite each other. Returns the number of corners
    and where the polygon is; origin and axes of its coordinates.
    """
    work, ints, face_a, face_b = hulls.work, hulls.work_ints, face_of_a(hulls), face_of_b(hulls)
    corner = load(face_a.x, 0)
    origin = scale(dot(n_a, corner), n_a)
    e = perpendicular(n_a)
    g = cross(n_a, e)
    i = 0
    for k in range(m_b):
        j = m_b - 1 - k
        y = load(face_b.x, i)
        gap = along(n, n_a, y, origin, 1.0)
        x = sub(sub(y, scale(gap, n)), origin)
        store(work, POLYGON + k, (dot(e, x), dot(g, x), gap))
        ints[CORNER + k] = vertex_of_b(face_b.name[i])
        ints[EDGE + k] = edge_name(face_b.name[i], face_b.name[j])
        i = j
    m, base, i = m_b, 0, m_a - 1
    for j in range(m_a):
        p, q = sub(load(face_a.x, i), origin), sub(load(face_a.x, j), origin)
        a, b = dot(g, sub(q, p)), -dot(e, sub(q, p))
        length = sqrt(a * a + b * b)
        a /= length
        b /= length
        label = OF_A + edge_name(face_a.name[i], face_a.name[j])
        m, base = cut(work, ints, m, base, a, b, a * dot(e, p) + b * dot(g, p), label, tolerance)
        if m == 0:
            break
        i = j
    if is_round(face_a) or is_round(face_b):
        for k in range(m):
            to_circle(hulls, POLYGON + base + k, ints[CORNER + base + k], m_a, m_b, n_b, n, origin, e, g)
    return m, base, origin, e, g


@internal
def corner_named(face, m, name):
    """The corner of a face with this name."""
    for k in range(m):
        if face.name[k] == name:
            return k
    return 0


@internal
def to_circle(hulls, row, feature, m_a, m_b, n_b, n, origin, e, g):
    """Move a corner where a straight edge leaves a round face along this edge on to the circle."""
    face_a, face_b = face_of_a(hulls), face_of_b(hulls)
    if feature >> 40 != 3:
        return
    name_a, name_b = (feature >> 20) & 0xFFFFF, feature & 0xFFFFF
    # the straight edge, in the plane of A
    if is_round(face_a):
        p = load(face_b.x, corner_named(face_b, m_b, name_b >> 10))
        q = load(face_b.x, corner_named(face_b, m_b, name_b & 1023))
        n_a = cross(e, g)
        p = sub(p, scale(along(n, n_a, p, origin, 1.0), n))
        q = sub(q, scale(along(n, n_a, q, origin, 1.0), n))
    else:
        p = load(face_a.x, corner_named(face_a, m_a, name_a >> 10))
        q = load(face_a.x, corner_named(face_a, m_a, name_a & 1023))
    y_0, x = load(face_b.x, 0), load(hulls.work, row)
    x = add(origin, add(scale(x[0], e), scale(x[1], g)))
    u = sub(q, p)
    start, rate = x, u
    centre, radius = load(face_a.x, MAX_CORNERS), face_a.radius[MAX_CORNERS, 0]
    if not is_round(face_a):
        centre, radius = load(face_b.x, MAX_CORNERS), face_b.radius[MAX_CORNERS, 0]
        start = add(x, scale(along(n, n_b, x, y_0, -1.0), n))
        moved = add(x, u)
        rate = sub(add(moved, scale(along(n, n_b, moved, y_0, -1.0), n)), start)
    # not beyond the ends of the edge
    done = dot(sub(x, p), u) / dot(u, u)
    r = min(max(to_sphere(sub(start, centre), rate, radius), -done), 1.0 - done)
    x = add(x, scale(r, u))
    d = sub(x, origin)
    store(hulls.work, row, (dot(e, d), dot(g, d), along(n, n_b, x, y_0, -1.0)))


@internal
def to_sphere(x, u, radius):
    """The r nearest to 0 with |x + r u| = radius; 0 if there is none."""
    a, b, c = dot(u, u), dot(x, u), dot(x, x) - radius * radius
    left = b * b - a * c
    if not (left > 0.0 and a > 0.0):
        return 0.0
    root = sqrt(left)
    # the smaller root, without cancellation
    far = -(b + root) if b >= 0.0 else -(b - root)
    return c / far if far != 0.0 else 0.0


@internal
def circles(hulls, m_a, n_a, m_b, n_b, n, tolerance):
    """The same for two round faces: corners of each inside the other, and crossings of the circles."""
    work, ints, face_a, face_b = hulls.work, hulls.work_ints, face_of_a(hulls), face_of_b(hulls)
    c_a, c_b = load(face_a.x, MAX_CORNERS), load(face_b.x, MAX_CORNERS)
    r_a, r_b = face_a.radius[MAX_CORNERS, 0], face_b.radius[MAX_CORNERS, 0]
    e = perpendicular(n_a)
    g = cross(n_a, e)
    m = 0
    for k in range(m_b):
        y = load(face_b.x, k)
        gap = along(n, n_a, y, c_a, 1.0)
        d = sub(sub(y, scale(gap, n)), c_a)
        if norm(d) <= r_a + tolerance:
            store(work, POLYGON + m, (dot(e, d), dot(g, d), gap))
            ints[CORNER + m] = vertex_of_b(face_b.name[k])
            m += 1
    for k in range(m_a):
        x = load(face_a.x, k)
        gap, d = along(n, n_b, x, c_b, -1.0), sub(x, c_a)
        if norm(sub(add(x, scale(gap, n)), c_b)) < r_b - tolerance:
            store(work, POLYGON + m, (dot(e, d), dot(g, d), gap))
            ints[CORNER + m] = vertex_of_a(face_a.name[k])
            m += 1
    d = sub(sub(c_b, scale(along(n, n_a, c_b, c_a, 1.0), n)), c_a)
    apart = norm(d)
    if abs(r_a - r_b) + tolerance < apart < r_a + r_b - tolerance:
        d = scale(1.0 / apart, d)
        far = 0.5 * (apart + (r_a - r_b) * (r_a + r_b) / apart)
        half = sqrt(max(r_a * r_a - far * far, 0.0))
        for k in range(2):
            x = add(scale(far, d), scale(half if k == 0 else -half, cross(n_a, d)))
            x, gap, miss = to_crossing(x, n, n_a, sub(c_b, c_a), n_b, r_b)
            if abs(miss) <= tolerance:
                store(work, POLYGON + m, (dot(e, x), dot(g, x), gap))
                ints[CORNER + m] = crossing(edge_name(CIRCLE, CIRCLE), edge_name(k, CIRCLE))
                m += 1
    return m, 0, c_a, e, g


@internal
def to_crossing(x, n, n_a, c, n_b, radius):
    """Move x along its circle about 0 until along n it is over the circle about c. Returns x, the gap, and by
    how much it misses that circle [m].
    """
    gap, miss = along(n, n_b, x, c, -1.0), 0.0
    for _ in range(8):
        u = cross(n_a, x)  # for a unit of angle
        y, w = sub(add(x, scale(gap, n)), c), sub(u, scale(dot(n_b, u) / dot(n_b, n), n))
        miss, rate = dot(y, y) - radius * radius, 2.0 * dot(y, w)
        if abs(miss) <= 1e-15 * radius * radius or rate == 0.0:
            break
        angle = min(max(-miss / rate, -0.1), 0.1)
        x = add(scale(cos(angle), x), scale(sin(angle), u))
        gap = along(n, n_b, x, c, -1.0)
    return x, gap, miss / radius


@internal
def cut_line(face, m, normal, x, u, n, tolerance):
    """The part of the line x + r u, 0 ≤ r ≤ 1, over a face along its outward n: where it begins and ends
    (end < begin: nothing), and the names of the edges there, −1 at ends of the line.
    """
    begin, end, name_0, name_1 = 0.0, 1.0, -1, -1
    if is_round(face):
        c, radius = load(face.x, MAX_CORNERS), face.radius[MAX_CORNERS, 0]
        d = sub(x, c)
        slope = dot(normal, n)
        d = sub(d, scale(dot(normal, d) / slope, n))
        w = sub(u, scale(dot(normal, u) / slope, n))
        a, b = dot(w, w), dot(d, w)
        left = b * b - a * (dot(d, d) - (radius + tolerance) ** 2)
        if not left > 0.0:
            return 1.0, 0.0, -1, -1
        # within the tolerance an end stays what it is, else it is on the circle itself
        low, high = (-b - sqrt(left)) / a, (-b + sqrt(left)) / a
        inner = sqrt(max(b * b - a * (dot(d, d) - radius * radius), 0.0))
        if low > begin:
            begin, name_0 = (-b - inner) / a, edge_name(0, CIRCLE)
        if high < end:
            end, name_1 = (-b + inner) / a, edge_name(1, CIRCLE)
        return begin, end, name_0, name_1
    for k in range(m):
        j = k + 1 if k + 1 < m else 0
        q = load(face.x, k)
        side = cross(sub(load(face.x, j), q), n)
        length = norm(side)
        if length == 0.0:
            continue
        h0, slope = dot(side, sub(x, q)) / length - tolerance, dot(side, u) / length
        h1 = h0 + slope
        if h0 > 0.0 and h1 > 0.0:
            return 1.0, 0.0, -1, -1
        if h0 > 0.0 or h1 > 0.0:
            r = (h0 + tolerance) / (h0 - h1)
            if h0 > 0.0 and r > begin:
                begin, name_0 = r, edge_name(face.name[k], face.name[j])
            if h1 > 0.0 and r < end:
                end, name_1 = r, edge_name(face.name[k], face.name[j])
    return begin, end, name_0, name_1


@internal
def line_points(points, face, m, normal, line, n, side, r_a, r_b, x_a, R_a, margin, size):
    """Write the ends of a line that lies over a face; side: 1 of a face of A. Returns as
    `parallel_points`.
    """
    across = nearest_normal(line, n)
    x = surface_at(line, 0.0, across)
    u = sub(surface_at(line, 1.0, across), x)
    begin, end, name_0, name_1 = cut_line(face, m, normal, x, u, scale(side, n), TINY * size)
    count, min_gap = 0, 1e300
    if begin > end:
        return count, min_gap
    own, x_0 = edge_name(line.name_0, line.name_1), load(face.x, 0)
    for k in range(2 if norm(u) * (end - begin) > TINY * size else 1):
        y = add(x, scale(begin if k == 0 else end, u))
        apart, edge = along(n, normal, y, x_0, side), name_0 if k == 0 else name_1
        gap = apart - r_a - r_b
        min_gap = min(min_gap, gap)
        if gap < margin:
            vertex = line.name_0 if k == 0 else line.name_1
            if side > 0.0:
                y = sub(y, scale(apart, n))
                feature = vertex_of_b(vertex) if edge < 0 else crossing(edge, own)
            else:
                feature = vertex_of_a(vertex) if edge < 0 else crossing(own, edge)
            count = put_local(points, count, x_a, R_a, add(y, scale(r_a, n)), n, gap, feature)
    return count, min_gap


@internal
def parallel_points(points, a, b, n, r_a, r_b, x_a, R_a, margin, size):
    """Write the points where two parallel lines begin and end to overlap, each with the normal that it has
    between their balls. Returns their number and the least gap.

    r_a, r_b: radii of balls about the points of the shapes
    """
    m_a, m_b = nearest_normal(a, n), nearest_normal(b, n)
    p, q = surface_at(a, 0.0, m_a), surface_at(b, 0.0, m_b)
    u, w = sub(surface_at(a, 1.0, m_a), p), sub(surface_at(b, 1.0, m_b), q)
    u2 = dot(u, u)
    count, min_gap = 0, 1e300
    z_0 = dot(u, sub(q, p)) / u2
    z_1 = z_0 + dot(u, w) / u2
    low, high = max(0.0, min(z_0, z_1)), min(1.0, max(z_0, z_1))
    if not high - low > TINY or z_0 == z_1:
        return count, min_gap
    for k in range(2):
        z = low if k == 0 else high
        y = (z - z_0) / (z_1 - z_0)
        c_a, c_b = add(a.c, scale(z, a.u)), add(b.c, scale(y, b.u))
        own = a.first + z * (a.last - a.first)
        total = own - (b.first + y * (b.last - b.first)) + r_a + r_b
        d = sub(c_b, c_a)
        normal, gap = n, dot(n, d) - total
        if total > TINY * size and norm(d) > 0.0:
            normal, gap = scale(1.0 / norm(d), d), norm(d) - total
        min_gap = min(min_gap, gap)
        if gap < margin:
            if z == (0.0 if k == 0 else 1.0):
                feature = vertex_of_a(a.name_0 if k == 0 else a.name_1)
            else:
                feature = vertex_of_b(b.name_0 if y < 0.5 else b.name_1)
            on_a = add(c_a, scale(own + r_a, normal))
            count = put_local(points, count, x_a, R_a, on_a, normal, gap, feature)
    return count, min_gap
