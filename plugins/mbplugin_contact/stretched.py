"""Shapes of bodies that stretch: a point p of the shape is at x + A p, with any A instead of a rotation.

A polyhedron stays one, with the same faces and edges: vertices A p, normals along A⁻ᵀ n. Boxes are polyhedra
then, and touch by all their corners. Other shapes touch by their support function, which is A s(Aᵀ d) with
that of the shape s: a sphere is an ellipsoid. They touch in one point.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from mbplugin.interface import PlacedShape, inlined, internal
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
from mbplugin.stepping import Markers, view
from mbplugin.stepping.shapes import Shapes, shape_map
from mbplugin_contact.arrays import Contacts, hulls_of
from mbplugin_contact.asked import UNIT, placed, rounding_of, support


class MappedShape(NamedTuple):
    """A shape at x + A p. Its frame in the search of nearest points is (x, R) with R = 1."""

    tables: Any
    number: int
    shape: PlacedShape
    A: Any
    x: Any
    R: Any


@internal
def stretch_shapes(tables):
    """Bounds of the shapes of bodies that stretch: radius, and the speed at which stretch moves points."""
    contacts, shapes, markers = view(tables, Contacts), view(tables, Shapes), view(tables, Markers)
    for i in range(shapes.index.shape[0]):
        if shapes.index[i].stretch >= 0:
            _, A = shape_map(tables, i, 0.0)
            contacts.radius[i] = largest_stretch(A) * contacts.own_radius[i]
            shape, speed = shapes.index[i], 0.0
            for k in range(3):
                rate = sub(load(markers.v, shape.stretch + k), load(markers.v, shape.marker))
                speed += dot(rate, rate)
            # |Ḟ r| of all its points r
            contacts.stretching[i] = sqrt(speed) * (contacts.own_radius[i] + norm(load(shapes.arm, i)))


@internal
def largest_stretch(A):
    """A bound of the largest stretch of A, which is 1 of a rotation: √‖AᵀA‖∞."""
    C = product_back(A, A)
    rows = (abs(C[0]) + abs(C[1]) + abs(C[2]), abs(C[3]) + abs(C[4]) + abs(C[5]))
    return sqrt(max(max(rows[0], rows[1]), abs(C[6]) + abs(C[7]) + abs(C[8])))


# polyhedra


@internal
def placed_polyhedron(tables, i):
    """A shape; of a body that stretches its polyhedron at the present map, as number n + i of n shapes."""
    shapes, contacts = view(tables, Shapes), view(tables, Contacts)
    if shapes.index[i].stretch < 0:
        return placed(tables, i)
    x, A = shape_map(tables, i, contacts.record[0].ahead)
    number = shapes.index.shape[0] + i
    map_polyhedron(hulls_of(contacts), contacts.hull[i], contacts.hull[number], A)
    first = shapes.index[i].first
    return PlacedShape(tables, number, shapes.p[first : first + shapes.index[i].numbers], x, UNIT)


@internal
def map_polyhedron(hulls, source, target, A):
    """Vertices, normals, centre and radius of the polyhedron `target`: those of `source` mapped by A."""
    given, made = hulls.index[source], hulls.index[target]
    centre = rotate(A, (given.x, given.y, given.z))
    made.x, made.y, made.z = centre
    far = 0.0
    for k in range(given.vertices):
        v = rotate(A, load(hulls.vertex, given.first_vertex + k))
        store(hulls.vertex, made.first_vertex + k, v)
        arm = sub(v, centre)
        far = max(far, dot(arm, arm))
    made.radius = sqrt(far)
    # A⁻ᵀ times det A: the cofactors
    a, b, c = (A[0], A[1], A[2]), (A[3], A[4], A[5]), (A[6], A[7], A[8])
    p, q, r = cross(b, c), cross(c, a), cross(a, b)
    for k in range(given.faces):
        n = load(hulls.normal, given.first_face + k)
        m = (dot(p, n), dot(q, n), dot(r, n))
        store(hulls.normal, made.first_face + k, scale(1.0 / norm(m), m))


# support functions


@internal
def mapped(tables, i):
    """A shape with its map, which is its rotation if its body is rigid."""
    shape = placed(tables, i)
    x, A = shape.x, shape.R
    if view(tables, Shapes).index[i].stretch >= 0:
        x, A = shape_map(tables, i, view(tables, Contacts).record[0].ahead)
    return MappedShape(tables, i, shape, A, x, UNIT)


@inlined
def mapped_support(a, d):
    """The support function of a `MappedShape` of any kind, from that of the shape."""
    own = rotate_back(a.A, d)
    p, number = support(a.shape, own)
    return rotate(a.A, add(p, scale(rounding_of(a) / norm(own), own))), number


@internal
def extent_along(tables, i, d):
    """How far shape i reaches along the unit vector d where `ContactRecord.ahead` places it [m]."""
    if view(tables, Shapes).index[i].stretch >= 0:
        a = mapped(tables, i)
        p, _ = mapped_support(a, d)
        return dot(d, add(a.x, p))
    b = placed(tables, i)
    p, _ = support(b, rotate_back(b.R, d))
    return dot(d, add(b.x, rotate(b.R, p))) + rounding_of(b)
