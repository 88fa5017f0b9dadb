"""Two triangles s of a surface a and t of a surface b, and the points where they touch.

    corner over face     along the normal of the face, if the triangles face each other, or the corner
                         touches along it
    crossing edges       seen along the middle of both normals, if these are nearly opposite
    other edges, ends    the nearest points, along the line between them, if both touch along it

The corners of the polygon that two faces have in common are corners of one over the other, and crossings. A
load that is linear over it acts by forces at its corners: so a uniform pressure passes through flat faces
whose nodes do not match, which nodes alone do not carry (derived here, and tried by a patch test).
"""

from __future__ import annotations

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, norm, rotate, rotate_back, scale, sub
from mbplugin_contact.geometry.simplex import nearest_of_segments
from mbplugin_contact.geometry.tables import TINY
from mbplugin_contact.triangles.directions import allows, corner_allows, is_corner, is_seam
from mbplugin_contact.triangles.names import CORNER, EDGE, FACE, edge_at, name_of_two
from mbplugin_contact.triangles.near import corners_at
from mbplugin_contact.triangles.tables import SMOOTH
from mbplugin_contact.triangles.twos import from_b, is_tiny, middle_of, note, place, unit

#: cosines of the angle between opposite normals from which on corners touch as if the faces were flat, from
#: which on crossing edges do, and from which on nothing else is there to touch
FACING, NEARLY_FLAT, FLAT = 0.5, 0.985, 1.0 - 1e-4
#: distance from the plane of a sheet, relative to the size, up to which it is not clear which side is touched
SUNK = 1e-3
#: cosine that is asked for where a corner is behind a sheet, of which that may be the other side
OF_SHEET = 0.5
#: distance from an edge, relative to the size, up to which a point is on it
ON_EDGE = 1e-9


@internal
def touch_pair(T, hulls, two, s, t):
    """Points of triangles s of a and t of b."""
    A, B = corners_at(T, s), place(T, two, t)
    n_a, n_b = load(T.normal, s), rotate(two.R, load(T.normal, t))
    if T.both_sides[s] == 1:
        faces = 0.0 if T.both_sides[t] == 1 else -dot(n_a, n_b)
        n_a = scale(side(n_a, A[0], B, from_b(two, middle_of(T, two.b)), faces, SUNK * two.size), n_a)
    if T.both_sides[t] == 1:
        faces = 0.0 if T.both_sides[s] == 1 else -dot(n_a, n_b)
        n_b = scale(side(n_b, B[0], A, middle_of(T, two.a), faces, SUNK * two.size), n_b)
    if lowest(n_a, A[0], B) >= two.margin or lowest(n_b, B[0], A) >= two.margin:
        return
    cosine = -dot(n_a, n_b)
    corners_over(T, hulls, two, s, t, A, B, n_a, n_b, cosine)
    if cosine > NEARLY_FLAT:
        crossings(T, hulls, two, s, t, A, B, unit(sub(n_a, n_b)), n_a, n_b)
    if cosine <= FLAT:
        edges(T, hulls, two, s, t, A, B)


@inlined
def side(n, a, B, middle, faces, sunk):
    """1 or −1: the side of the plane through a of a sheet, with the normal n, on which another surface is:
    that of its triangle B, or where that is about in the plane the one that its own side faces, or else that
    of its middle.
    """
    if lowest(n, a, B) > sunk:
        return 1.0
    if lowest(scale(-1.0, n), a, B) > sunk:
        return -1.0
    if abs(faces) > FACING:
        return 1.0 if faces > 0.0 else -1.0
    return 1.0 if dot(n, sub(middle, a)) >= 0.0 else -1.0


@inlined
def lowest(n, a, B):
    """The smallest height of points over the plane through a with the normal n."""
    return min(min(dot(n, sub(B[0], a)), dot(n, sub(B[1], a))), dot(n, sub(B[2], a)))


@inlined
def edge_heights(d, a, b, p):
    """How far p is inside of the edge from a to b, seen from d."""
    inward = cross(d, sub(b, a))
    return dot(inward, sub(p, a)) / norm(inward)


@internal
def place_over(d, A, p, tolerance):
    """Where p is, seen from d, over a triangle: kind (FACE, EDGE, CORNER) and number of edge or corner among
    the three; −1: it is not over it.
    """
    on, at = 0, 0
    for k in range(3):
        h = edge_heights(d, A[k], A[(k + 1) % 3], p)
        if h < -tolerance:
            return -1, 0
        if h <= tolerance:
            on += 1
            at += k
    if on == 0:
        return FACE, 0
    # between edges 0 and 1 is corner 1, between 1 and 2 corner 2, between 2 and 0 corner 0
    return (EDGE, at) if on == 1 else (CORNER, (at + 1) // 2 if at != 2 else 0)


@inlined
def named_at(T, t, kind, k):
    """Kind and number of what of triangle t is at edge or corner k; flat seams are of the face."""
    if kind == EDGE:
        return edge_at(T, t, k, 0.5)
    if kind == CORNER and is_corner(T, T.corner[3 * t + k]):
        return CORNER, T.home[T.corner[3 * t + k]]
    return FACE, T.plane[t]


@inlined
def inside_plane(T, t, k):
    """Whether the plane of triangle t goes on around its corner k."""
    return is_seam(T, 3 * t + k) and is_seam(T, 3 * t + (k + 2) % 3)


@internal
def corners_over(T, hulls, two, s, t, A, B, n_a, n_b, cosine):
    """Corners of t over s, and of s over t."""
    tolerance = ON_EDGE * two.size
    for k in range(3):
        gap = dot(n_a, sub(B[k], A[0]))
        if not gap < two.margin or inside_plane(T, t, k):
            continue
        if cosine > FACING or corner_allows(T, t, k, rotate_back(two.R, scale(-1.0, n_a))):
            kind, at = place_over(load(T.normal, s), A, B[k], tolerance)
            if kind >= 0:
                kind_a, number_a = named_at(T, s, kind, at)
                kind_b, number_b = named_at(T, t, CORNER, k)
                name = name_of_two(kind_a, number_a, kind_b, number_b)
                note(
                    T, hulls, two, sub(B[k], scale(gap, n_a)), n_a, gap, 1.0, OF_SHEET * T.both_sides[s], name
                )
    for k in range(3):
        gap = dot(n_b, sub(A[k], B[0]))
        if not gap < two.margin or inside_plane(T, s, k):
            continue
        if cosine > FACING or corner_allows(T, s, k, scale(-1.0, n_b)):
            kind, at = place_over(rotate(two.R, load(T.normal, t)), B, A[k], tolerance)
            if kind >= 0:
                kind_a, number_a = named_at(T, s, CORNER, k)
                kind_b, number_b = named_at(T, t, kind, at)
                name = name_of_two(kind_a, number_a, kind_b, number_b)
                note(T, hulls, two, A[k], scale(-1.0, n_b), gap, OF_SHEET * T.both_sides[t], 1.0, name)


@internal
def crossings(T, hulls, two, s, t, A, B, d, n_a, n_b):
    """Edges of s and t that cross inside of both, seen along d."""
    tolerance = ON_EDGE * two.size
    for i in range(3):
        if is_seam(T, 3 * s + i):
            continue
        p, e = A[i], sub(A[(i + 1) % 3], A[i])
        for j in range(3):
            if is_seam(T, 3 * t + j):
                continue
            q, w = B[j], sub(B[(j + 1) % 3], B[j])
            g0 = edge_heights(d, p, add(p, e), q)
            g1 = edge_heights(d, p, add(p, e), add(q, w))
            h0 = edge_heights(d, q, add(q, w), p)
            h1 = edge_heights(d, q, add(q, w), add(p, e))
            if min(abs(g0), abs(g1)) <= tolerance or min(abs(h0), abs(h1)) <= tolerance:
                continue  # corners
            if g0 * g1 > 0.0 or h0 * h1 > 0.0:
                continue
            x = add(p, scale(h0 / (h0 - h1), e))
            gap = dot(d, sub(add(q, scale(g0 / (g0 - g1), w)), x))
            kind_a, number_a = edge_at(T, s, i, 0.5)
            kind_b, number_b = edge_at(T, t, j, 0.5)
            name = name_of_two(kind_a, number_a, kind_b, number_b)
            note(T, hulls, two, x, d, gap, dot(d, n_a), -dot(d, n_b), name)


@internal
def edges(T, hulls, two, s, t, A, B):
    """Nearest points of edges and corners, along lines along which both surfaces touch."""
    for i in range(3):
        if T.edge[3 * s + i] == SMOOTH:
            continue
        p, e = A[i], sub(A[(i + 1) % 3], A[i])
        for j in range(3):
            if T.edge[3 * t + j] == SMOOTH:
                continue
            q, w = B[j], sub(B[(j + 1) % 3], B[j])
            f, g = nearest_of_segments(p, e, q, w)
            x = add(p, scale(f, e))
            v = sub(add(q, scale(g, w)), x)
            length = norm(v)
            inside = 0.0 < f < 1.0 and 0.0 < g < 1.0
            gap = 1e300
            if not is_tiny(two, v):
                d = scale(1.0 / length, v)
                if length < two.margin and touch_along(T, two, s, i, f, t, j, g, d):
                    gap = length
                elif inside:
                    d = scale(-1.0, d)
                    if touch_along(T, two, s, i, f, t, j, g, d):
                        gap = -length
            elif inside:
                axis = cross(e, w)
                square = norm(axis)
                if square > TINY * norm(e) * norm(w):
                    d = scale(1.0 / square, axis)
                    if not touch_along(T, two, s, i, f, t, j, g, d):
                        d = scale(-1.0, d)
                    if touch_along(T, two, s, i, f, t, j, g, d):
                        gap = dot(d, v)
            if gap == 1e300:
                continue
            kind_a, number_a = edge_at(T, s, i, f)
            kind_b, number_b = edge_at(T, t, j, g)
            name = name_of_two(kind_a, number_a, kind_b, number_b)
            cosine_a, cosine_b = 0.0, 0.0
            if gap < 0.0:
                cosine_a = largest_cosine(T, 3 * s + i, d)
                cosine_b = largest_cosine(T, 3 * t + j, rotate_back(two.R, scale(-1.0, d)))
            note(T, hulls, two, x, d, gap, cosine_a, cosine_b, name)


@inlined
def touch_along(T, two, s, i, f, t, j, g, d):
    """Whether the part f of edge i of triangle s and g of edge j of t touch along d."""
    return allows(T, s, i, f, d) and allows(T, t, j, g, rotate_back(two.R, scale(-1.0, d)))


@internal
def largest_cosine(T, h, d):
    """The largest cosine of the angle between d and the normals of the faces at edge h."""
    best, i = 0.0, h
    while True:
        best = max(best, abs(dot(d, load(T.normal, i // 3))))
        i = T.across[i]
        if i == h:
            return best
