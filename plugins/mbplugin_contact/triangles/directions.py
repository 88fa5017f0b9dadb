"""The directions along which an edge or a corner of a surface touches: those of points outside it to which no
point of the surface near by is nearer.

    edge:    d · m ≤ 0 for every triangle at it,      m in the triangle, across the edge
    corner:  d · e ≤ 0 for every edge e from it

A flat seam is left with the normal of its plane, and a hollow edge of a solid with nothing.
"""

from __future__ import annotations

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import cross, dot, load, sub
from mbplugin_contact.triangles.tables import SMOOTH

#: part by which a direction may miss these bounds
MISS = 1e-8


@inlined
def is_outside(T, t, d):
    """Whether d points out of the solid at triangle t; of a sheet always."""
    return T.both_sides[t] == 1 or dot(d, load(T.normal, t)) >= -MISS


@inlined
def exceeds(component, e):
    """Whether a component along a vector as long as e is above what counts as none."""
    return component > 0.0 and component * component > MISS * MISS * dot(e, e)


@inlined
def is_seam(T, h):
    """Whether edge h lies inside a plane."""
    return T.across[h] != h and T.plane[T.across[h] // 3] == T.plane[h // 3]


@internal
def edge_allows(T, t, k, d):
    """Whether edge k of triangle t touches along the unit vector d, away from the surface."""
    h = 3 * t + k
    if T.edge[h] == SMOOTH or not is_outside(T, t, d):
        return False
    i = h
    while True:
        s, j = i // 3, i % 3
        start = load(T.vertex, T.corner[i])
        along = sub(load(T.vertex, T.corner[3 * s + (j + 1) % 3]), start)
        if exceeds(dot(d, cross(load(T.normal, s), along)), along):
            return False
        i = T.across[i]
        if i == h:
            return True


@internal
def corner_allows(T, t, k, d):
    """Whether corner k of triangle t touches along the unit vector d, away from the surface."""
    v = T.corner[3 * t + k]
    if not is_corner(T, v) or not is_outside(T, t, d):
        return False
    p = load(T.vertex, v)
    for i in range(T.corner_first[v], T.corner_first[v + 1]):
        e = sub(load(T.vertex, T.corner_list[i]), p)
        if exceeds(dot(d, e), e):
            return False
    return True


@inlined
def is_corner(T, v):
    """Whether more than one straight edge is at vertex v."""
    return T.corner_first[v + 1] > T.corner_first[v]


@internal
def allows(T, t, k, s, d):
    """Whether edge k of triangle t touches along d at the part s of its length: at its ends the corner there,
    where it is one.
    """
    if s <= 0.0 and is_corner(T, T.corner[3 * t + k]):
        return corner_allows(T, t, k, d)
    if s >= 1.0 and is_corner(T, T.corner[3 * t + (k + 1) % 3]):
        return corner_allows(T, t, (k + 1) % 3, d)
    return edge_allows(T, t, k, d)


@internal
def is_smooth(T, t):
    """Whether nothing but its face touches of triangle t."""
    for k in range(3 * t, 3 * t + 3):
        if T.edge[k] != SMOOTH or is_corner(T, T.corner[k]):
            return False
    return True
