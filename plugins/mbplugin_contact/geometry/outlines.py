"""Two outlines in the plane of the scene: convex polygons with a ball about every point, and half-planes.

    disc: one corner and a radius;  capsule: two corners and a radius;  polygon: corners, counter-clockwise

    s_i = min_k m_i · (b_k − a_i)          of edge i of a with the outward normal m_i; the same for b

Apart, the largest s is the distance of the corners' polygons if the two edges that lie opposite each other
show a point where it is attained; else two corners are nearest. Where polygons overlap, it is the smallest
overlap. The edges are clipped to each other, so that two polygons touch in at most two points.

Vectors are (x, y) along e₁ and e₂, from the origin of the first shape; those of a are in rows A of
`Hulls.work`, those of b in rows B.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.interface import MAX_POINTS, put_point
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, dot, load, rotate, scale
from mbplugin_contact.geometry.clipping import FLAT
from mbplugin_contact.geometry.tables import MOVED_VERTEX, POLYGON, TINY, vertex_of_a, vertex_of_b, witness

#: rows of the corners of both outlines
A, B = POLYGON, MOVED_VERTEX
#: cosine of the angle to the normal above which an edge counts as opposite the other one
OPPOSITE = 0.1


@internal
def put_corners(work, row, vertex, first, count, R, arm, e, g):
    """Write the corners of an outline, in a frame at `arm` with axes R, into work from `row` on. Returns its
    size: the largest distance of a corner from the first one.
    """
    far = 0.0
    for k in range(count):
        p = add(arm, rotate(R, load(vertex, first + k)))
        work[row + k, 0], work[row + k, 1] = dot(e, p), dot(g, p)
        x, y = work[row + k, 0] - work[row, 0], work[row + k, 1] - work[row, 1]
        far = max(far, x * x + y * y)
    return sqrt(far)


@inlined
def following(k, count):
    return k + 1 if k + 1 < count else 0


@internal
def edge_normal(work, row, count, k):
    """Outward normal of the edge that leaves corner k."""
    i = row + following(k, count)
    x, y = work[i, 0] - work[row + k, 0], work[i, 1] - work[row + k, 1]
    length = sqrt(x * x + y * y)
    return y / length, -x / length


@inlined
def height(work, row, x, y):
    """Of the corner in this row, along (x, y)."""
    return x * work[row, 0] + y * work[row, 1]


@internal
def lowest(work, row, count, x, y):
    """The corner that lies lowest along (x, y)."""
    best = 0
    for k in range(1, count):
        if height(work, row + k, x, y) < height(work, row + best, x, y):
            best = k
    return best


@internal
def best_edge(work, row, count, other, others):
    """The largest s of the edges of one outline over the corners of the other one, and its edge; −1e300 of a
    single corner.
    """
    best, edge, k = -1e300, -1, -1
    for i in range(count if count > 1 else 0):
        x, y = edge_normal(work, row, count, i)
        if k < 0:
            k = lowest(work, other, others, x, y)
        # normals turn counter-clockwise, and the lowest corner with them
        for _ in range(others):
            j = following(k, others)
            if height(work, other + j, x, y) > height(work, other + k, x, y):
                break
            k = j
        s = height(work, other + k, x, y) - height(work, row + i, x, y)
        if s > best:
            best, edge = s, i
    return best, edge


@internal
def facing(work, row, count, x, y):
    """The edge whose outward normal is nearest to (x, y), and the cosine of the angle between them."""
    best, edge = -2.0, 0
    for k in range(count):
        m_x, m_y = edge_normal(work, row, count, k)
        c = m_x * x + m_y * y
        if c > best:
            best, edge = c, k
    return best, edge


@internal
def nearest_corners(work, count_a, count_b):
    """The two corners that are nearest to each other, and their distance."""
    best, i, j = 1e300, 0, 0
    for k in range(count_a):
        for l in range(count_b):
            x, y = work[B + l, 0] - work[A + k, 0], work[B + l, 1] - work[A + k, 1]
            if x * x + y * y < best:
                best, i, j = x * x + y * y, k, l
    return i, j, sqrt(best)


@inlined
def put(points, k, frame, x, y, n_x, n_y, gap, r_a, r_b, margin, feature):
    """Point k at (x, y) of the polygon a, with the gap of the polygons along the normal, if that of the balls
    around it is below the margin. Returns the number of points.
    """
    rounded = gap - r_a - r_b
    if not rounded < margin:
        return k
    origin, e, g = frame
    normal = add(scale(n_x, e), scale(n_y, g))
    on_a = add(add(origin, add(scale(x, e), scale(y, g))), scale(r_a, normal))
    return put_point(points, k, on_a, add(on_a, scale(rounded, normal)), normal, rounded, feature)


@internal
def opposite_edges(work, points, frame, count_a, count_b, n_x, n_y, r_a, r_b, margin, tiny):
    """Points where the edges lie opposite each other along the normal; their number, and the smallest gap of
    the polygons there.
    """
    c_a, i = facing(work, A, count_a, n_x, n_y)
    c_b, k = facing(work, B, count_b, -n_x, -n_y)
    if not (max(c_a, c_b) > FLAT and min(c_a, c_b) > OPPOSITE):
        return 0, 1e300
    j, l = following(i, count_a), following(k, count_b)
    m_x, m_y = edge_normal(work, A, count_a, i)
    e_x, e_y = -m_y, m_x
    length = height(work, A + j, e_x, e_y) - height(work, A + i, e_x, e_y)
    # ends of the edge of b, seen along the normal: place on the edge of a, and gap; b runs the other way
    v_0, g_0 = seen(work, A + i, B + l, e_x, e_y, n_x, n_y)
    v_1, g_1 = seen(work, A + i, B + k, e_x, e_y, n_x, n_y)
    if v_1 < -tiny or v_0 > length + tiny:
        return 0, 1e300
    name_0, name_1 = vertex_of_b(l), vertex_of_b(k)
    slope = (g_1 - g_0) / (v_1 - v_0)
    if v_0 < -tiny:
        g_0 -= slope * v_0
        v_0, name_0 = 0.0, vertex_of_a(i)
    if v_1 > length + tiny:
        g_1 += slope * (length - v_1)
        v_1, name_1 = length, vertex_of_a(j)
    x, y = work[A + i, 0], work[A + i, 1]
    n = put(points, 0, frame, x + v_0 * e_x, y + v_0 * e_y, n_x, n_y, g_0, r_a, r_b, margin, name_0)
    if v_1 - v_0 > tiny:
        n = put(points, n, frame, x + v_1 * e_x, y + v_1 * e_y, n_x, n_y, g_1, r_a, r_b, margin, name_1)
    return n, min(g_0, g_1)


@inlined
def seen(work, start, row, e_x, e_y, n_x, n_y):
    """A corner seen along the normal from the edge that leaves the corner `start` along e: place on it, and
    gap.
    """
    x, y = work[row, 0] - work[start, 0], work[row, 1] - work[start, 1]
    # (x, y) = v e + gap n
    gap = (e_x * y - e_y * x) / (e_x * n_y - e_y * n_x)
    return e_x * (x - gap * n_x) + e_y * (y - gap * n_y), gap


@internal
def between_polygons(work, points, frame, count_a, size_a, r_a, count_b, size_b, r_b, margin):
    """Points of two outlines with these corners; at most two."""
    tiny = TINY * (size_a + size_b + r_a + r_b)
    reach = margin + r_a + r_b
    s, i = best_edge(work, A, count_a, B, count_b)
    n_x, n_y = (1.0, 0.0) if i < 0 else edge_normal(work, A, count_a, i)
    if not s < reach:
        return 0
    s_b, k = best_edge(work, B, count_b, A, count_a)
    # that of b must be larger by more than rounding, so that equal ones do not change places
    of_b = k >= 0 and s_b > s + tiny
    if of_b:
        s = s_b
        n_x, n_y = edge_normal(work, B, count_b, k)
        n_x, n_y = -n_x, -n_y
        if not s < reach:
            return 0
    if count_a > 1 and count_b > 1:
        n, gap = opposite_edges(work, points, frame, count_a, count_b, n_x, n_y, r_a, r_b, margin, tiny)
        if gap <= s + 3.0 * tiny:
            return n
    if of_b:
        c = lowest(work, A, count_a, -n_x, -n_y)
        if s <= 0.0 or over_edge(work, B + k, B + following(k, count_b), A + c):
            name = vertex_of_a(c) if count_a > 1 else 0
            x, y = work[A + c, 0], work[A + c, 1]
            return put(points, 0, frame, x, y, n_x, n_y, s, r_a, r_b, margin, name)
    elif i >= 0:
        c = lowest(work, B, count_b, n_x, n_y)
        if s <= 0.0 or over_edge(work, A + i, A + following(i, count_a), B + c):
            name = vertex_of_b(c) if count_b > 1 else 0
            x, y = work[B + c, 0] - s * n_x, work[B + c, 1] - s * n_y
            return put(points, 0, frame, x, y, n_x, n_y, s, r_a, r_b, margin, name)
    return between_corners(work, points, frame, count_a, r_a, count_b, r_b, n_x, n_y, margin, tiny)


@inlined
def over_edge(work, start, end, row):
    """Whether the corner in this row is over the edge between two others."""
    e_x, e_y = work[end, 0] - work[start, 0], work[end, 1] - work[start, 1]
    along = e_x * (work[row, 0] - work[start, 0]) + e_y * (work[row, 1] - work[start, 1])
    return 0.0 <= along <= e_x * e_x + e_y * e_y


@internal
def between_corners(work, points, frame, count_a, r_a, count_b, r_b, n_x, n_y, margin, tiny):
    """Points where two corners are nearest, n: the normal of corners in the same place."""
    i, k, gap = nearest_corners(work, count_a, count_b)
    if gap > 0.0:
        n_x, n_y = (work[B + k, 0] - work[A + i, 0]) / gap, (work[B + k, 1] - work[A + i, 1]) / gap
    if count_a > 1 and count_b > 1:
        n, least = opposite_edges(work, points, frame, count_a, count_b, n_x, n_y, r_a, r_b, margin, tiny)
        if least <= gap + 3.0 * tiny:
            return n
    name = 0 if count_a == 1 or count_b == 1 else witness(i, k)
    return put(points, 0, frame, work[A + i, 0], work[A + i, 1], n_x, n_y, gap, r_a, r_b, margin, name)


@internal
def over_half_plane(work, points, frame, count, r, x, y, n_x, n_y, margin):
    """Points of an outline (a) over the half-plane with a point (x, y) and the outward normal n: all corners
    that are near, of more than MAX_POINTS the lowest.
    """
    n, worst = 0, 0
    for k in range(count):
        gap = n_x * (work[A + k, 0] - x) + n_y * (work[A + k, 1] - y)
        if n < MAX_POINTS:
            place = n
        elif gap - r < points.gap[worst]:
            place = worst
        else:
            continue
        x_k, y_k = work[A + k, 0], work[A + k, 1]
        above = put(points, place, frame, x_k, y_k, -n_x, -n_y, gap, r, 0.0, margin, vertex_of_a(k))
        n = max(n, above)
        for m in range(n):
            worst = m if points.gap[m] > points.gap[worst] else worst
    return n
