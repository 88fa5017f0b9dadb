"""Penetration depth of two convex bodies from their support functions: the point of the boundary of A − B
that is nearest to the origin, by a polytope inside that grows where it is nearest (G. van den Bergen, Game
Developers Conference 2001).

Vertices of the polytope are in rows EPA_W, EPA_A, EPA_B of the work array, normals and distances of its
triangles in EPA_NORMAL and EPA_DISTANCE.
"""

from __future__ import annotations

import functools
from math import sqrt

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, norm, scale, store, sub
from mbplugin_contact.geometry.gjk import is_known, put_corner
from mbplugin_contact.geometry.simplex import nearest_on_triangle
from mbplugin_contact.geometry.tables import (
    ALIVE,
    EPA_A,
    EPA_B,
    EPA_DISTANCE,
    EPA_FACES,
    EPA_NORMAL,
    EPA_VERTICES,
    EPA_W,
    FACE,
    HORIZON,
    SIMPLEX_A,
    SIMPLEX_B,
    SIMPLEX_W,
)

#: results: as accurate as rounding; the best polytope for which there is room; no polytope
EXACT, ROUGH, FAILED = range(3)


@internal
def set_face(work, ints, f, i, j, k):
    """Triangle f with corners i, j, k, counter-clockwise seen from outside."""
    ints[FACE + 3 * f], ints[FACE + 3 * f + 1], ints[FACE + 3 * f + 2] = i, j, k
    ints[ALIVE + f] = 1
    p = load(work, EPA_W + i)
    e, g = sub(load(work, EPA_W + j), p), sub(load(work, EPA_W + k), p)
    n = cross(e, g)
    n2 = dot(n, n)
    if n2 > 1e-28 * dot(e, e) * dot(g, g):
        n = scale(1.0 / sqrt(n2), n)
        store(work, EPA_NORMAL + f, n)
        work[EPA_DISTANCE + f, 0] = dot(n, p)
    else:
        # all of it is on edges of its neighbours
        store(work, EPA_NORMAL + f, (0.0, 0.0, 0.0))
        work[EPA_DISTANCE + f, 0] = 1e300


@internal
def expand(work, ints, vertices, faces, seen, w):
    """Remove the triangles that w sees, beginning with `seen`. Returns 0 and the number of edges of the hole,
    in HORIZON; -1 if there is no room for them.
    """
    edges = 0
    ints[ALIVE + seen] = 0
    edges = toggle(ints, edges, seen)
    grown = True
    while grown:
        grown = False
        for f in range(faces):
            if ints[ALIVE + f] != 1:
                continue
            n = load(work, EPA_NORMAL + f)
            if not dot(n, w) - work[EPA_DISTANCE + f, 0] > 0.0:
                continue
            if not borders(ints, edges, f):
                continue
            ints[ALIVE + f] = 0
            edges = toggle(ints, edges, f)
            grown = True
            if edges > 120:
                return -1, edges
    return 0, edges


@internal
def borders(ints, edges, f):
    """Whether a triangle has an edge of the hole."""
    for c in range(3):
        i, j = ints[FACE + 3 * f + c], ints[FACE + 3 * f + (c + 1) % 3]
        for e in range(edges):
            if ints[HORIZON + 2 * e] == j and ints[HORIZON + 2 * e + 1] == i:
                return True
    return False


@internal
def toggle(ints, edges, f):
    """Add the edges of a removed triangle to those of the hole; an edge of two removed ones is dropped."""
    for c in range(3):
        i, j = ints[FACE + 3 * f + c], ints[FACE + 3 * f + (c + 1) % 3]
        known = -1
        for e in range(edges):
            if ints[HORIZON + 2 * e] == j and ints[HORIZON + 2 * e + 1] == i:
                known = e
        if known >= 0:
            edges -= 1
            ints[HORIZON + 2 * known] = ints[HORIZON + 2 * edges]
            ints[HORIZON + 2 * known + 1] = ints[HORIZON + 2 * edges + 1]
        else:
            ints[HORIZON + 2 * edges], ints[HORIZON + 2 * edges + 1] = i, j
            edges += 1
    return edges


@internal
def close(work, ints, vertex, faces, edges):
    """Triangles from the edges of the hole to a new vertex, in places of removed ones first. Returns the
    number of triangles; -1 if there is no room.
    """
    place = 0
    for e in range(edges):
        while place < faces and ints[ALIVE + place] == 1:
            place += 1
        if place == EPA_FACES:
            return -1
        set_face(work, ints, place, ints[HORIZON + 2 * e], ints[HORIZON + 2 * e + 1], vertex)
        faces = max(faces, place + 1)
    return faces


@internal
def point_on_a(work, ints, faces, x, far):
    """The point on A for the point x of the boundary of A − B. It is in a triangle nearer than `far`, of
    which there are several if a face of the difference has more than three corners.
    """
    best, point = 1e300, (0.0, 0.0, 0.0)
    for f in range(faces):
        if ints[ALIVE + f] != 1 or work[EPA_DISTANCE + f, 0] > far:
            continue
        i, j, k = ints[FACE + 3 * f], ints[FACE + 3 * f + 1], ints[FACE + 3 * f + 2]
        p, q, r = (
            sub(load(work, EPA_W + i), x),
            sub(load(work, EPA_W + j), x),
            sub(load(work, EPA_W + k), x),
        )
        u, v, w = nearest_on_triangle(p, q, r)
        d = add(add(scale(u, p), scale(v, q)), scale(w, r))
        if dot(d, d) < best:
            best = dot(d, d)
            point = add(
                add(scale(u, load(work, EPA_A + i)), scale(v, load(work, EPA_A + j))),
                scale(w, load(work, EPA_A + k)),
            )
    return point


@inlined
def direction(k):
    """The k-th of 27 directions to faces, edges and corners of a cube; of its middle one along x."""
    return (k % 3 - 1.0 if k != 13 else 1.0, k // 3 % 3 - 1.0, k // 9 - 1.0)


@functools.cache
def epa_of(difference):
    """EPA for a function of `difference_of`."""

    @internal
    def complete_simplex(work, ints, a, b, t, R, size, m):
        """Make a simplex of m corners a tetrahedron, by points of A − B that are far from its corner, line or
        plane. Returns whether it has a volume.
        """
        while m < 4:
            w0 = load(work, SIMPLEX_W)
            edge = sub(load(work, SIMPLEX_W + 1), w0)
            normal = cross(edge, sub(load(work, SIMPLEX_W + 2), w0))
            farthest, best = 1e-9 * size, -1
            for k in range(27):
                p, q, _, _ = difference(a, b, t, R, direction(k))
                x = sub(sub(p, q), w0)
                far = norm(x)
                if m == 2:
                    far = norm(cross(edge, x)) / norm(edge)
                elif m == 3:
                    far = abs(dot(normal, x)) / norm(normal)
                if far > farthest:
                    best, farthest = k, far
            if best < 0:
                return False
            p, q, _, _ = difference(a, b, t, R, direction(best))
            put_corner(work, ints, m, p, q, 0, 0)
            m += 1
        return True

    @internal
    def epa(work, ints, a, b, t, R, size, m):
        """Depth of A and B from a simplex of m corners in or on which the origin is.

        Returns EXACT, ROUGH or FAILED; the normal from A to B in the frame of A; the depth; the point on A.
        """
        none = (0.0, 0.0, 0.0)
        if not complete_simplex(work, ints, a, b, t, R, size, m):
            return FAILED, none, 0.0, none
        for k in range(4):
            store(work, EPA_W + k, load(work, SIMPLEX_W + k))
            store(work, EPA_A + k, load(work, SIMPLEX_A + k))
            store(work, EPA_B + k, load(work, SIMPLEX_B + k))
        w0, w1, w2 = load(work, EPA_W), load(work, EPA_W + 1), load(work, EPA_W + 2)
        volume = dot(sub(load(work, EPA_W + 3), w0), cross(sub(w1, w0), sub(w2, w0)))
        i, j = (2, 1) if volume > 0.0 else (1, 2)
        set_face(work, ints, 0, 0, i, j)
        set_face(work, ints, 1, 0, j, 3)
        set_face(work, ints, 2, 0, 3, i)
        set_face(work, ints, 3, i, 3, j)
        vertices, faces, state = 4, 4, ROUGH
        tolerance = 1e-14 * size
        best = -1
        while True:
            best, depth = -1, 1e299
            for f in range(faces):
                if ints[ALIVE + f] == 1 and work[EPA_DISTANCE + f, 0] < depth:
                    best, depth = f, work[EPA_DISTANCE + f, 0]
            if best < 0:
                return FAILED, none, 0.0, none
            n = load(work, EPA_NORMAL + best)
            p, q, _, _ = difference(a, b, t, R, n)
            w = sub(p, q)
            if dot(n, w) - depth <= tolerance or is_known(work, EPA_W, vertices, w):
                state = EXACT
                break
            if vertices == EPA_VERTICES:
                break
            added, edges = expand(work, ints, vertices, faces, best, w)
            if added < 0:
                break
            store(work, EPA_W + vertices, w)
            store(work, EPA_A + vertices, p)
            store(work, EPA_B + vertices, q)
            faces = close(work, ints, vertices, faces, edges)
            vertices += 1
            if faces < 0:
                return FAILED, none, 0.0, none
        return state, n, depth, point_on_a(work, ints, faces, scale(depth, n), depth + 1e-9 * size)

    return epa
