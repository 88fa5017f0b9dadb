"""A pair of surfaces, and the list of its points.

Points of rigid surfaces are merged by planes (`merged.py`). Where one deforms nothing of it stays in one
plane: all are kept, each feature once, by chains of points with the same number on b.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from mbplugin.interface import put_point
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, dot, load, norm, rotate, rotate_back, scale, sub
from mbplugin_contact.geometry.tables import TINY
from mbplugin_contact.triangles.cores import nearest_of_triangle
from mbplugin_contact.triangles.merged import add_point
from mbplugin_contact.triangles.names import part_of_name
from mbplugin_contact.triangles.near import corners_at, next_near, start_search
from mbplugin_contact.triangles.tables import COUNT

#: overlap relative to the size, above which it is examined whether another way out is shorter
EXAMINED = 1e-7
#: part of the overlap along a normal that a shorter way out has less than
SHORTER = 0.9


class Two(NamedTuple):
    """Two surfaces; all is in the frame of a, which is x_0 and R_0 in the world."""

    a: Any  # number of the surface
    b: Any
    x_0: Any
    R_0: Any
    x: Any  # of the frame of b
    R: Any
    size: Any  # relative to which lengths are rounded [m]
    margin: Any  # gap up to which points are found [m]
    deepest: Any  # overlap above which a point is none of their surfaces [m]
    deforms: Any  # whether one of them deforms
    points: Any
    next: Any  # of each point: the next one in its chain


@inlined
def in_b(two, p):
    """A point in the frame of b."""
    return rotate_back(two.R, sub(p, two.x))


@inlined
def from_b(two, p):
    return add(two.x, rotate(two.R, p))


@internal
def distance_of(T, surface, p, reach):
    """Distance of the point p from a surface in its frame, `reach` at most [m]."""
    best = reach * reach
    start_search(T, surface, p, p, reach)
    t = next_near(T, surface, p, p, reach)
    while t >= 0:
        a, b, c = corners_at(T, t)
        d2, _ = nearest_of_triangle(p, a, b, c)
        best = min(best, d2)
        t = next_near(T, surface, p, p, reach)
    return best**0.5


@internal
def is_way_out(T, two, p, q, n, gap, cosine_a, cosine_b):
    """Whether the overlap from p of a to q of b, along the normal n, is that by which both leave each other:
    none of both is nearer to a face of the other surface than to the faces at the point. cosine: of the angle
    between n and the nearest of these; 0: it is not asked for
    """
    if gap >= -EXAMINED * two.size:
        return True
    if cosine_a > 0.0 and distance_of(T, two.a, q, -gap) < -SHORTER * cosine_a * gap:
        return False
    return not (cosine_b > 0.0 and distance_of(T, two.b, in_b(two, p), -gap) < -SHORTER * cosine_b * gap)


@internal
def note(T, hulls, two, p, n, gap, cosine_a, cosine_b, feature):
    """Note the point p of a, with the normal n towards b, if its gap is below the margin."""
    if not (gap < two.margin and gap > -two.deepest):
        return
    if not two.deforms:
        if is_way_out(T, two, p, add(p, scale(gap, n)), n, gap, cosine_a, cosine_b):
            add_point(T, hulls, two.size, p, n, gap, feature)
        return
    points, ints = two.points, T.work_ints
    _, number = part_of_name(feature, 1)
    k = T.chain[number]
    while k >= 0:
        if points.feature[k] == feature:
            return
        k = two.next[k]
    if not is_way_out(T, two, p, add(p, scale(gap, n)), n, gap, cosine_a, cosine_b):
        return
    k = ints[COUNT]
    ints[COUNT] = k + 1
    if k >= points.gap.shape[0]:
        return  # to be found again with more room
    on_a, normal = add(two.x_0, rotate(two.R_0, p)), rotate(two.R_0, n)
    put_point(points, k, on_a, add(on_a, scale(gap, normal)), normal, gap, feature)
    two.next[k], T.chain[number] = T.chain[number], k


@internal
def clear_chains(T, two):
    """Leave the chains empty."""
    for k in range(min(T.work_ints[COUNT], two.points.gap.shape[0])):
        _, number = part_of_name(two.points.feature[k], 1)
        T.chain[number] = -1


@inlined
def unit(v):
    """A vector of length 1 along v; of none itself."""
    s = norm(v)
    return scale(1.0 / s, v) if s > 0.0 else v


@inlined
def is_tiny(two, v):
    return dot(v, v) <= (TINY * two.size) ** 2


@inlined
def place(T, two, t):
    """The corners of triangle t of b."""
    a, b, c = corners_at(T, t)
    return from_b(two, a), from_b(two, b), from_b(two, c)


@inlined
def middle_of(T, surface):
    """The middle of the box about a surface, in its frame."""
    node = T.index[surface].first_node
    return scale(0.5, add(load(T.low, node), load(T.high, node)))
