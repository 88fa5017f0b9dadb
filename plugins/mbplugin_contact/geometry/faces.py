"""Supporting faces of two convex shapes, in the frame of the first one.

A face has corners, counter-clockwise seen from outside, and an outward normal; a line has two corners, each
with a ball about it: the side of a cylinder is its axis, with balls that touch the side. Along a normal m of
the side

    x = c + ρ m,    m·e = (ρ₀ − ρ₁) / |c₁ − c₀|,    e along c₁ − c₀

is where the side is. The normals of an edge or a side are a circle about e, for which m·e = 0 or that.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from mbplugin.interface import MAX_CORNERS
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, load, norm, rotate, scale, store, sub
from mbplugin_contact.geometry.tables import facing, hull_normal, hull_vertex, perpendicular

#: sine of the angle between a normal and the plane across an edge, above which the edge is not nearest
ACROSS = 0.02
#: squared sine of the angle below which two lines are parallel
PARALLEL = 1e-6


class Line(NamedTuple):
    """An edge of a face, or a line inside a round side."""

    c: Any  # where it begins [m]
    u: Any  # from there to its end [m]
    e: Any  # u / |u|
    s: float  # n·e of its normals n from A to B
    first: float  # radius of the ball about its begin, negative on B: its surface is at c + ρ n [m]
    last: float  # and about its end
    name_0: int
    name_1: int


@internal
def no_face(face, a, d):
    """The face of a shape that has none: no corners."""
    return 0, d


@internal
def hull_face(face, hulls, hull, size, d):
    """The face of a polyhedron whose normal is nearest to d."""
    f = facing(hulls, hull, size, d)
    start = hulls.index[hull].corners + f
    first, end = hulls.list[start], hulls.list[start + 1]
    for k in range(first, end):
        v = hulls.list[k]
        store(face.x, k - first, hull_vertex(hulls, hull, size, v))
        face.radius[k - first, 0] = 0.0
        face.name[k - first] = v
    return end - first, hull_normal(hulls, hull, f)


@internal
def move_face(face, m, t, R):
    """Bring the corners of a face into the frame in which its own is at t with axes R."""
    for k in range(m):
        store(face.x, k, add(t, rotate(R, load(face.x, k))))
    if face.radius[MAX_CORNERS, 0] > 0.0:
        store(face.x, MAX_CORNERS, add(t, rotate(R, load(face.x, MAX_CORNERS))))


@inlined
def is_round(face):
    """Whether the corners are points of a circle."""
    return face.radius[MAX_CORNERS, 0] > 0.0


@internal
def line_of(face, i, j, side):
    """The line from corner i to corner j; side: 1 of A, −1 of B. Its `s` is 2 if it has no normals."""
    c, u = load(face.x, i), sub(load(face.x, j), load(face.x, i))
    length, first, last = norm(u), face.radius[i, 0], face.radius[j, 0]
    if not length > abs(first - last):
        return Line(c, u, u, 2.0, first, last, 0, 0)
    s = side * (first - last) / length
    e = scale(1.0 / length, u)
    return Line(c, u, e, s, side * first, side * last, face.name[i], face.name[j])


@internal
def lines_of(face, m):
    """How many lines the face has: 1 of a line, of a face its edges; none of a circle."""
    if m == 2:
        return 1
    return 0 if m < 2 or is_round(face) else m


@inlined
def next_corner(i, m):
    """The corner after corner i of m."""
    return i + 1 if i + 1 < m else 0


@inlined
def cross2(a, b):
    """|a × b|²."""
    x = cross(a, b)
    return dot(x, x)


@internal
def nearest_normal(line, n):
    """The normal of a line that is nearest to n."""
    f = sub(n, scale(dot(n, line.e), line.e))
    length = norm(f)
    f = scale(1.0 / length, f) if length > 0.0 else perpendicular(line.e)
    return add(scale(line.s, line.e), scale(sqrt(1.0 - line.s * line.s), f))


@internal
def may_face(line, n):
    """Whether n is near a normal of the line."""
    return abs(line.s) < 1.0 and abs(dot(n, line.e) - line.s) < ACROSS


@internal
def common_normal(a, b, n):
    """The unit vector with both n·e_a = s_a and n·e_b = s_b that is nearer to n; the zero vector if there is
    none, or the lines are parallel.
    """
    none = (0.0, 0.0, 0.0)
    c, x = dot(a.e, b.e), cross(a.e, b.e)
    sine2 = dot(x, x)
    if sine2 < PARALLEL:
        return none
    # c² − 1 = −sine²
    p, q = (a.s - c * b.s) / sine2, (b.s - c * a.s) / sine2
    inside = add(scale(p, a.e), scale(q, b.e))
    left = 1.0 - dot(inside, inside)
    if left <= 0.0:
        return none
    side = 1.0 if dot(x, n) >= 0.0 else -1.0
    return add(inside, scale(side * sqrt(left / sine2), x))


@inlined
def surface_at(line, r, m):
    """The point of the surface at c + r u, along its normal m."""
    return add(line.c, add(scale(r, line.u), scale(line.first + r * (line.last - line.first), m)))


@internal
def over_line(line, m, x):
    """Where the line, along its normal m, is nearest to x: r from 0 to 1."""
    p, q = surface_at(line, 0.0, m), surface_at(line, 1.0, m)
    u = sub(q, p)
    u2 = dot(u, u)
    return min(max(dot(sub(x, p), u) / u2, 0.0), 1.0) if u2 > 0.0 else 0.0
