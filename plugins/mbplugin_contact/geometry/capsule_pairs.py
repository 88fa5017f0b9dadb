"""A capsule, a ball moved along its core, and another shape; and a sphere and a polyhedron, whose core is a
point.

Two capsules touch in one point, nearly parallel ones in the two where their cores begin and end to overlap.
On a polyhedron the core is clipped to the face below it.
"""

from __future__ import annotations

from mbplugin.interface import put_point
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, column, cross, dot, norm, product_back, rotate, rotate_back, scale, sub
from mbplugin_contact.geometry.clipping import FLAT, corners_of, edge_of
from mbplugin_contact.geometry.gjk import APART, BEYOND, lowest_id
from mbplugin_contact.geometry.hull_distance import hull_gjk
from mbplugin_contact.geometry.simplex import nearest_along, nearest_of_segments
from mbplugin_contact.geometry.tables import (
    SEGMENT,
    SIMPLEX_ID_A,
    SIMPLEX_ID_B,
    TINY,
    crossing,
    edge_name,
    face_offset,
    facing,
    hull_normal,
    hull_vertex,
    perpendicular,
    vertex_of_a,
    witness,
)

#: squared sine of the angle below which two capsules touch in two points
PARALLEL = 1e-6


@internal
def between_cores(points, k, r_a, p, r_b, q, u, w, margin, feature):
    """Point k between the points p and q of the cores along u and w. Returns the number of points."""
    d = sub(q, p)
    s = norm(d)
    gap = s - r_a - r_b
    if not gap < margin:
        return k
    if s > TINY * (r_a + r_b):
        n = scale(1.0 / s, d)
    else:
        # the cores cross: out sideways of both
        n = cross(u, w)
        length = norm(n)
        n = (
            scale(1.0 / length, n)
            if length > 1e-8 * norm(u) * norm(w)
            else perpendicular(scale(1.0 / norm(u), u))
        )
    return put_point(points, k, add(p, scale(r_a, n)), sub(q, scale(r_b, n)), n, gap, feature)


def capsule_capsule(points, a, b, margin):
    """Points of two capsules, or of a sphere, whose length is 0, and one."""
    e, g, r_a, r_b = column(a.R, 2), column(b.R, 2), a.p[0], b.p[0]
    l_a = a.p[1]
    u, w = scale(l_a, e), scale(b.p[1], g)
    # relative to a, so that no digits are lost far from the origin
    p, q = scale(-0.5, u), sub(sub(b.x, a.x), scale(0.5, w))
    s, t = nearest_of_segments(p, u, q, w)
    count = 0
    sine = cross(e, g)
    if dot(sine, sine) < PARALLEL:
        # where along e the core of b begins and ends
        z0 = dot(e, sub(q, p))
        z1 = z0 + dot(e, w)
        low, high = max(0.0, min(z0, z1)), min(l_a, max(z0, z1))
        if high - low > TINY * l_a and z1 != z0:
            for k in range(2):
                z = low if k == 0 else high
                x = add(p, scale(z, e))
                y = add(q, scale((z - z0) / (z1 - z0), w))
                # the nearest point of the other core is in its plane across e, to second order
                end = k if z == (0.0 if k == 0 else l_a) else 2 + (k if z1 > z0 else 1 - k)
                count = between_cores(
                    points, count, r_a, add(a.x, x), r_b, add(a.x, y), e, g, margin, vertex_of_a(end)
                )
            if count > 0:
                return count
    x, y = add(p, scale(s, u)), add(q, scale(t, w))
    return between_cores(points, 0, r_a, add(a.x, x), r_b, add(a.x, y), e, g, margin, 0)


@internal
def best_axis(hulls, hull, size, p, u, margin):
    """The axis along which the segment p + s u, 0 ≤ s ≤ 1, is farthest outside a polyhedron: its separation;
    the outward normal; the edge, or −1 of a face. All in the frame of the polyhedron.
    """
    record = hulls.index[hull]
    best, face, edge = -1e300, 0, -1
    for f in range(record.faces):
        n = hull_normal(hulls, hull, f)
        s = dot(n, p) + min(dot(n, u), 0.0) - face_offset(hulls, hull, size, f)
        if s > best:
            best, face = s, f
            if s >= margin:
                return best, n, -1
    n = hull_normal(hulls, hull, face)
    u2 = dot(u, u)
    if not u2 > 0.0:
        return best, n, -1
    radius = record.radius * max(max(size[0], size[1]), size[2])
    for k in range(record.first_edge, record.first_edge + 4 * record.edges, 4):
        n0, n1 = hull_normal(hulls, hull, hulls.list[k + 2]), hull_normal(hulls, hull, hulls.list[k + 3])
        if not dot(n0, u) * dot(n1, u) < 0.0:
            continue
        q = hull_vertex(hulls, hull, size, hulls.list[k])
        w = sub(hull_vertex(hulls, hull, size, hulls.list[k + 1]), q)
        axis = cross(u, w)
        length2 = dot(axis, axis)
        if length2 < 1e-16 * u2 * dot(w, w):
            continue
        if dot(axis, add(n0, n1)) < 0.0:
            axis = scale(-1.0, axis)
        s, length = dot(axis, sub(p, q)), norm(axis)
        if s > (best + TINY * radius) * length:
            best, n, edge = s / length, scale(1.0 / length, axis), k
            if best >= margin:
                break
    return best, n, edge


@internal
def on_face(hulls, hull, size, n, p, u, tolerance):
    """The part of the segment p + s u that lies over the face of a polyhedron along n: the face; s where it
    begins and ends (end < begin: empty); the vertices of the edges there, −1 at the segment's own ends.
    """
    f = facing(hulls, hull, size, n)
    m = hull_normal(hulls, hull, f)
    begin, end, name_0, name_1 = 0.0, 1.0, -1, -1
    if dot(n, m) < FLAT:
        return f, 1.0, 0.0, -1, -1
    for k in range(corners_of(hulls, hull, f)):
        i, j = edge_of(hulls, hull, f, k)
        q = hull_vertex(hulls, hull, size, i)
        side = sub(hull_vertex(hulls, hull, size, j), q)
        # outward of the prism along n over the edge
        side = cross(side, n)
        length = norm(side)
        if length == 0.0:
            continue
        h0, slope = dot(side, sub(p, q)) / length - tolerance, dot(side, u) / length
        h1 = h0 + slope
        if h0 > 0.0 and h1 > 0.0:
            return f, 1.0, 0.0, -1, -1
        if h0 > 0.0 or h1 > 0.0:
            # nearer than the tolerance, an end stays what it is
            s = (h0 + tolerance) / (h0 - h1)
            if h0 > 0.0 and s > begin:
                begin, name_0 = s, edge_name(i, j)
            if h1 > 0.0 and s < end:
                end, name_1 = s, edge_name(i, j)
    return f, begin, end, name_0, name_1


@internal
def segment_points(hulls, points, hull, size, n, gap, p, u, r, margin, nearest, feature, x, R):
    """Points of a capsule (a) and a polyhedron (b, at x with axes R), along the outward normal n of the
    polyhedron.

    p + s u: the core, in the frame of the polyhedron; gap: between the core and the polyhedron; nearest,
    feature: the point of the core there (feature < 0: unknown). Returns their number and the least gap of the
    core.
    """
    radius = hulls.index[hull].radius * max(max(size[0], size[1]), size[2])
    f, begin, end, name_0, name_1 = on_face(hulls, hull, size, n, p, u, TINY * radius)
    m = hull_normal(hulls, hull, f)
    offset = face_offset(hulls, hull, size, f)
    normal = scale(-1.0, rotate(R, n))
    count, min_gap = 0, 1e300
    if begin <= end:
        two = norm(u) * (end - begin) > TINY * radius
        for k in range(2 if two else 1):
            s = begin if k == 0 else end
            edge = name_0 if k == 0 else name_1
            q = add(p, scale(s, u))
            height = (dot(m, q) - offset) / dot(m, n)
            min_gap = min(min_gap, height)
            if height - r < margin:
                a = sub(q, scale(r, n))
                feature_k = vertex_of_a(k) if edge < 0 else crossing(k, edge)
                count = put_point(
                    points,
                    count,
                    add(x, rotate(R, a)),
                    add(x, rotate(R, sub(q, scale(height, n)))),
                    normal,
                    height - r,
                    feature_k,
                )
    if feature >= 0 and min_gap > gap + TINY * radius and gap - r < margin:
        place = count
        if count == 2:
            # of three points on one line the middle one is redundant, but the lowest is that one
            place = 0 if points.gap[0] > points.gap[1] else 1
        a = sub(nearest, scale(r, n))
        b = sub(nearest, scale(gap, n))
        put_point(points, place, add(x, rotate(R, a)), add(x, rotate(R, b)), normal, gap - r, feature)
        count, min_gap = max(count, place + 1), gap
    return count, min_gap


@internal
def capsule_polyhedron(hulls, points, r, length, x_a, R_a, hull, size, x_b, R_b, margin):
    """Points of a capsule (a), or a sphere (length 0), and a polyhedron (b); at most two."""
    axis = rotate_back(R_b, column(R_a, 2))
    centre = rotate_back(R_b, sub(x_a, x_b))
    record = hulls.index[hull]
    radius = record.radius * max(max(size[0], size[1]), size[2])
    arm = sub(centre, (size[0] * record.x, size[1] * record.y, size[2] * record.z))
    if not norm(arm) < radius + r + 0.5 * length + margin:
        return 0
    u = scale(length, axis)
    p = sub(centre, scale(0.5, u))
    gap, n, edge = best_axis(hulls, hull, size, p, u, margin + r)
    if not gap - r < margin:
        return 0
    nearest, feature = p, -1
    if edge >= 0:
        i, j = hulls.list[edge], hulls.list[edge + 1]
        q = hull_vertex(hulls, hull, size, i)
        w = sub(hull_vertex(hulls, hull, size, j), q)
        nearest, true = nearest_along(p, u, q, w, scale(-1.0, n), gap, TINY * radius)
        feature = crossing(0, edge_name(i, j)) if true else -1
    count, min_gap = segment_points(
        hulls, points, hull, size, n, gap, p, u, r, margin, nearest, feature, x_b, R_b
    )
    tiny = TINY * (radius + length)
    if min_gap <= gap + 3.0 * tiny:
        return count
    if gap > tiny:
        # a vertex or an edge is nearest
        state, v, q, m = hull_gjk(
            hulls.work,
            hulls.work_ints,
            (hulls, hull, size),
            (hulls, SEGMENT, (0.0, 0.0, length)),
            centre,
            product_back(R_b, R_a),
            radius + length,
            margin + r,
        )
        if state == BEYOND:
            return 0
        if state == APART:
            gap = norm(v)
            n = scale(-1.0 / gap, v)
            ints = hulls.work_ints
            feature = witness(lowest_id(ints, SIMPLEX_ID_B, m), lowest_id(ints, SIMPLEX_ID_A, m))
            nearest = add(q, scale(gap, n))
            return segment_points(
                hulls, points, hull, size, n, gap, p, u, r, margin, nearest, feature, x_b, R_b
            )[0]
    # rounding: the end that is lower
    nearest = p if dot(n, u) >= 0.0 else add(p, u)
    return segment_points(
        hulls, points, hull, size, n, gap, p, u, r, margin, nearest, witness(0, 0), x_b, R_b
    )[0]
