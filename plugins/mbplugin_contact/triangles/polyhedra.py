"""A surface of triangles (a) and a convex polyhedron (b).

With each triangle: the direction along which both are farthest apart or overlap least, among the normals of
both and the products of edges, of those along which the surface touches there (`directions.py`). Points are
where the triangle and the supporting face of the polyhedron lie opposite each other along it, or else the
nearest points. All in the frame of the surface.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.math.jit import internal
from mbplugin.math.vec3 import (
    add,
    cross,
    dot,
    load,
    norm,
    product_back,
    rotate,
    rotate_back,
    scale,
    store,
    sub,
)
from mbplugin_contact.geometry.clipping import FLAT, OF_A, clip_faces
from mbplugin_contact.geometry.epa import FAILED
from mbplugin_contact.geometry.gjk import APART, BEYOND, lowest_id
from mbplugin_contact.geometry.hull_distance import hull_epa, hull_gjk
from mbplugin_contact.geometry.simplex import nearest_along
from mbplugin_contact.geometry.tables import (
    CORNER,
    MOVED_NORMAL,
    MOVED_VERTEX,
    POLYGON,
    SIMPLEX_ID_A,
    SIMPLEX_ID_B,
    TINY,
    TRIANGLE,
    edge_name,
    facing,
    hull_normal,
    hull_vertex,
    support_vertex,
)
from mbplugin_contact.triangles.directions import corner_allows, edge_allows, is_seam, is_smooth
from mbplugin_contact.triangles.merged import OF_CORNER, OF_EDGE, OF_FACE, add_point, named, put_merged
from mbplugin_contact.triangles.near import corners_at, next_near, start_search
from mbplugin_contact.triangles.tables import COUNT, DEEPEST, GAP, OVERLAPPED, SMOOTH

ONE = (1.0, 1.0, 1.0)
#: features of a triangle by which it is farthest: its face, an edge EDGE + k, a corner; none that touches
FACE, EDGE, VERTEX, NONE = 0, 1, 4, 7
#: overlap relative to the size, above which it is examined whether both overlap at all
EXAMINED = 1e-7
#: kinds of features for points of a polyhedron's vertex over a face, of crossing edges, and of a corner
CROSSING = 1 << 19


@internal
def touch_polyhedron(T, hulls, surface, points, a, b, hull, size_b, size, margin):
    """Points of a surface and a polyhedron with these edges (1 of other kinds). Returns their number."""
    t, R = rotate_back(a.R, sub(b.x, a.x)), product_back(a.R, b.R)
    record, work = hulls.index[hull], hulls.work
    low, high = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300)
    for k in range(record.vertices):
        v = add(t, rotate(R, hull_vertex(hulls, hull, size_b, k)))
        store(work, MOVED_VERTEX + k, v)
        low = (min(low[0], v[0]), min(low[1], v[1]), min(low[2], v[2]))
        high = (max(high[0], v[0]), max(high[1], v[1]), max(high[2], v[2]))
    for k in range(record.faces):
        store(work, MOVED_NORMAL + k, rotate(R, hull_normal(hulls, hull, k)))
    T.work_ints[COUNT], T.work_ints[OVERLAPPED], T.work[DEEPEST, 0] = 0, -1, -1e300
    start_search(T, surface, low, high, margin)
    one = next_near(T, surface, low, high, margin)
    while one >= 0:
        touch_triangle(T, hulls, one, hull, size_b, t, R, size, margin)
        one = next_near(T, surface, low, high, margin)
    least = 1e300
    for k in range(T.work_ints[COUNT]):
        least = min(least, T.work[GAP + k, 0])
    if T.work_ints[OVERLAPPED] >= 0 and least > -TINY * size:
        # overlap that no corner shows: the vertex that is deepest along the normal of least overlap
        d, gap = load(T.work, DEEPEST + 1), T.work[DEEPEST, 0]
        k = support_vertex(hulls, hull, size_b, scale(-1.0, rotate_back(R, d)), 0)
        on = sub(load(work, MOVED_VERTEX + k), scale(gap, d))
        name = named(OF_FACE, T.plane[T.work_ints[OVERLAPPED]], k)
        add_point(T, hulls, size, on, d, gap, name)
    return put_merged(T, hulls, size, points, a.x, a.R)


@internal
def set_triangle(T, hulls, t):
    """Make triangle t the polyhedron TRIANGLE."""
    record, n = hulls.index[TRIANGLE], load(T.normal, t)
    corners = corners_at(T, t)
    middle = scale(1.0 / 3.0, add(corners[0], add(corners[1], corners[2])))
    far = 0.0
    for k in range(3):
        v = load(T.vertex, T.corner[3 * t + k])
        store(hulls.vertex, record.first_vertex + k, v)
        far = max(far, norm(sub(v, middle)))
    store(hulls.normal, record.first_face, n)
    store(hulls.normal, record.first_face + 1, scale(-1.0, n))
    record.x, record.y, record.z = middle
    record.radius = far


@internal
def feature_allows(T, t, feature, n, d):
    """Whether a feature of triangle t, seen along n from its face, touches along d."""
    if feature == FACE:
        return dot(n, d) > 0.0
    if feature < VERTEX:
        return edge_allows(T, t, feature - EDGE, d)
    return corner_allows(T, t, feature - VERTEX, d)


@internal
def lowest_feature(h0, h1, h2, tolerance):
    """The feature of a triangle with corners of these heights that is lowest: a corner, an edge, or all."""
    low = min(min(h0, h1), h2) + tolerance
    if h0 <= low and h1 <= low:
        return FACE if h2 <= low else EDGE
    if h1 <= low and h2 <= low:
        return EDGE + 1
    if h2 <= low and h0 <= low:
        return EDGE + 2
    return VERTEX if h0 <= low else (VERTEX + 1 if h1 <= low else VERTEX + 2)


@internal
def face_directions(T, hulls, t, hull, margin, tolerance):
    """The largest separation along the normals of both, along which the surface touches: it, the direction
    from the surface, the feature of the triangle, and the face of the polyhedron (−1: that of the triangle).
    NONE: they are farther apart than the margin.
    """
    work, record = hulls.work, hulls.index[hull]
    n = load(T.normal, t)
    a, b, c = corners_at(T, t)
    low, high = 1e300, -1e300
    for k in range(record.vertices):
        h = dot(n, sub(load(work, MOVED_VERTEX + k), a))
        low, high = min(low, h), max(high, h)
    s = low
    if T.both_sides[t] == 1 and -high > low:
        s, n = -high, scale(-1.0, n)
    if s >= margin:
        return s, n, NONE, -1
    d, feature, face = n, FACE, -1
    for f in range(record.faces):
        m = load(work, MOVED_NORMAL + f)
        v = load(work, MOVED_VERTEX + hulls.list[hulls.list[record.corners + f]])
        h0, h1, h2 = dot(m, sub(a, v)), dot(m, sub(b, v)), dot(m, sub(c, v))
        height = min(min(h0, h1), h2)
        if height >= margin:
            return height, n, NONE, -1
        if height > s + tolerance:
            lowest, away = lowest_feature(h0, h1, h2, tolerance), scale(-1.0, m)
            if feature_allows(T, t, lowest, n, away):
                s, d, feature, face = height, away, lowest, f
    return s, d, feature, face


@internal
def edge_directions(T, hulls, t, hull, margin, tolerance, s, d):
    """`face_directions`, with the products of edges: the separation and the direction; the edges of the
    triangle and of the polyhedron (−1: of none); 1e300: they are farther apart than the margin.
    """
    work, record, list = hulls.work, hulls.index[hull], hulls.list
    at, other = -1, -1
    for k in range(3):
        if T.edge[3 * t + k] == SMOOTH:
            continue
        p = load(T.vertex, T.corner[3 * t + k])
        u = sub(load(T.vertex, T.corner[3 * t + (k + 1) % 3]), p)
        u2 = dot(u, u)
        for j in range(record.first_edge, record.first_edge + 4 * record.edges, 4):
            m0, m1 = load(work, MOVED_NORMAL + list[j + 2]), load(work, MOVED_NORMAL + list[j + 3])
            if not dot(m0, u) * dot(m1, u) < 0.0:
                continue
            q = load(work, MOVED_VERTEX + list[j])
            w = sub(load(work, MOVED_VERTEX + list[j + 1]), q)
            axis = cross(u, w)
            length2 = dot(axis, axis)
            if length2 < 1e-16 * u2 * dot(w, w):
                continue
            # out of the triangle into the polyhedron
            length = -sqrt(length2) if dot(axis, add(m0, m1)) > 0.0 else sqrt(length2)
            away = scale(1.0 / length, axis)
            height = dot(away, sub(q, p))
            if height > s + tolerance and edge_allows(T, t, k, away):
                s, d, at, other = height, away, k, j
                if s >= margin:
                    return 1e300, d, at, other
    return s, d, at, other


@internal
def touch_triangle(T, hulls, t, hull, size_b, x, R, size, margin):
    """Points of triangle t and a polyhedron at x with axes R."""
    tolerance = TINY * size
    s, d, feature, face = face_directions(T, hulls, t, hull, margin, tolerance)
    if feature == NONE:
        return
    s, d, at, other = edge_directions(T, hulls, t, hull, margin, tolerance, s, d)
    if s >= margin:
        return
    set_triangle(T, hulls, t)
    smooth = is_smooth(T, t)
    triangle, body = (hulls, TRIANGLE, ONE), (hulls, hull, size_b)
    if s < -EXAMINED * size:
        work, ints = hulls.work, hulls.work_ints
        state, _, _, m = hull_gjk(work, ints, triangle, body, x, R, size, margin)
        if state in (BEYOND, APART):
            return
        state, _, depth, _ = hull_epa(work, ints, triangle, body, x, R, size, m)
        if s > T.work[DEEPEST, 0] and (state == FAILED or depth > EXAMINED * size):
            T.work[DEEPEST, 0], T.work_ints[OVERLAPPED] = s, t
            store(T.work, DEEPEST + 1, d)
        if state != FAILED and depth < -0.5 * s:
            return  # they leave each other another way: by what is beside this triangle
    least = clip(T, hulls, t, hull, size_b, x, R, d, size, margin)
    if least <= s + 3.0 * tolerance:
        return
    if at >= 0:
        list, work = hulls.list, hulls.work
        p, q = load(T.vertex, T.corner[3 * t + at]), load(work, MOVED_VERTEX + list[other])
        u = sub(load(T.vertex, T.corner[3 * t + (at + 1) % 3]), p)
        w = sub(load(work, MOVED_VERTEX + list[other + 1]), q)
        on, true = nearest_along(p, u, q, w, d, s, tolerance)
        if true:
            name = edge_name(list[other], list[other + 1])
            add_point(T, hulls, size, on, d, s, named(OF_EDGE, T.edge[3 * t + at], name))
            return
    elif face >= 0 and over_face(T, hulls, t, hull, feature, d, s, size, tolerance):
        return
    if not smooth:
        nearest(T, hulls, t, triangle, body, x, R, size, margin)


@internal
def clip(T, hulls, t, hull, size_b, x, R, d, size, margin):
    """Points where triangle t and the supporting face of the polyhedron are opposite each other along d.
    Returns the smallest gap.
    """
    work, ints, least = hulls.work, hulls.work_ints, 1e300
    f = facing(hulls, hull, size_b, scale(-1.0, rotate_back(R, d)))
    c_a, c_b = abs(dot(d, load(T.normal, t))), -dot(d, load(work, MOVED_NORMAL + f))
    if not (max(c_a, c_b) > FLAT and min(c_a, c_b) > 0.1):
        return least
    side = 0 if dot(d, load(T.normal, t)) > 0.0 else 1
    corners, base, origin, e, g = clip_faces(
        hulls, TRIANGLE, ONE, side, hull, size_b, f, x, R, d, TINY * size
    )
    for k in range(corners):
        row = load(work, POLYGON + base + k)
        least = min(least, row[2])
        name = name_of(T, t, ints[CORNER + base + k])
        if row[2] < margin and name > 0:
            on = add(origin, add(scale(row[0], e), scale(row[1], g)))
            add_point(T, hulls, size, on, d, row[2], name)
    return least


@internal
def name_of(T, t, corner):
    """The feature of a corner of a clipped polygon: a vertex of the polyhedron, one of the triangle, or a
    crossing of edges; 0 at a seam, beyond which the plane goes on.
    """
    kind, name = corner >> 40, corner & ((1 << 40) - 1)
    if kind == 2:
        return named(OF_FACE, T.plane[t], name)
    if kind == 1:
        if is_seam(T, 3 * t + name) and is_seam(T, 3 * t + (name + 2) % 3):
            return 0
        return named(OF_CORNER, T.corner[3 * t + name], 0)
    edge = (name >> 20) & (OF_A - 1)
    i, j = edge >> 10, edge & 1023
    k = 2 if i == 0 and j == 2 else i
    number = T.edge[3 * t + k]
    if is_seam(T, 3 * t + k):
        return 0
    if number == SMOOTH:
        return named(OF_FACE, T.plane[t], CROSSING | (name & (CROSSING - 1)))
    return named(OF_EDGE, number, name & ((1 << 20) - 1))


@internal
def over_face(T, hulls, t, hull, feature, d, s, size, tolerance):
    """Points of the corners of triangle t that are lowest along −d, the outward normal of a face of the
    polyhedron, and opposite it. Returns whether there are any.
    """
    record, found = hulls.index[hull], False
    for k in range(3):
        is_lowest = feature == VERTEX + k or feature == EDGE + k or feature == EDGE + (k + 2) % 3
        if not is_lowest:
            continue
        p = load(T.vertex, T.corner[3 * t + k])
        on_b, inside = add(p, scale(s, d)), True
        for f in range(record.faces):
            v = load(hulls.work, MOVED_VERTEX + hulls.list[hulls.list[record.corners + f]])
            if dot(load(hulls.work, MOVED_NORMAL + f), sub(on_b, v)) > tolerance:
                inside = False
        if inside:
            found = True
            add_point(T, hulls, size, p, d, s, named(OF_CORNER, T.corner[3 * t + k], 1))
    return found


@internal
def nearest(T, hulls, t, triangle, body, x, R, size, margin):
    """The nearest points of triangle t and a polyhedron that are apart, if the surface touches along them."""
    ints = hulls.work_ints
    state, v, p, m = hull_gjk(hulls.work, ints, triangle, body, x, R, size, margin)
    gap = norm(v)
    if state != APART or not gap < margin or not gap > TINY * size:
        return
    d = scale(-1.0 / gap, v)
    i, j = ints[SIMPLEX_ID_A], ints[SIMPLEX_ID_A]
    for k in range(1, m):
        i, j = min(i, ints[SIMPLEX_ID_A + k]), max(j, ints[SIMPLEX_ID_A + k])
    other = lowest_id(ints, SIMPLEX_ID_B, m)
    for k in range(1, m):
        if ints[SIMPLEX_ID_A + k] != i and ints[SIMPLEX_ID_A + k] != j:
            return  # its face
    if i == j:
        if corner_allows(T, t, i, d):
            name = named(OF_CORNER, T.corner[3 * t + i], 2 + other)
            add_point(T, hulls, size, p, d, gap, name)
        return
    k = 2 if i == 0 and j == 2 else i
    if edge_allows(T, t, k, d):
        add_point(T, hulls, size, p, d, gap, named(OF_EDGE, T.edge[3 * t + k], CROSSING | other))
