"""The points between two shapes of the scene: makers of a part for each two types, compiled only where both
are.
"""

from __future__ import annotations

from typing import Any

from mbplugin.interface import PlacedShape, inlined, internal
from mbplugin.math.quat import exponential, matrix
from mbplugin.math.vec3 import add, dot, load, product, rotate, rotate_back, scale, sub
from mbplugin.stepping import Markers, view
from mbplugin.stepping.shapes import Shapes, shape_pose
from mbplugin_contact.arrays import Contacts, hulls_of, points_of, triangles_of
from mbplugin_contact.geometry.face_pair import face_pair, face_plane
from mbplugin_contact.geometry.support_pair import support_pair, support_plane
from mbplugin_contact.triangles.kinds import size_of_pair
from mbplugin_contact.triangles.supports import surface_support


@inlined
def placed(tables, i):
    """Shape i where the present step looks: at its pose, or `ContactRecord.ahead` of it."""
    shapes = view(tables, Shapes)
    shape = shapes.index[i]
    x, R = shape_pose(tables, i)
    ahead, m = view(tables, Contacts).record[0].ahead, shape.marker
    if ahead > 0.0 and m >= 0:
        x, R = moved(view(tables, Markers), m, x, R, ahead)
    return PlacedShape(tables, i, shapes.p[shape.first : shape.first + shape.numbers], x, R)


@internal
def moved(markers, m, x, R, t):
    """Position and axes of a shape, at first x and R, after a time t in which its marker keeps its twist."""
    w = load(markers.w, m)
    rotation = matrix(exponential(scale(t, w)))
    place, arm = load(markers.x, m), sub(x, load(markers.x, m))
    return add(add(place, scale(t, load(markers.v, m))), rotate(rotation, arm)), product(rotation, R)


def part_between(place_a: Any, place_b: Any, pair: Any) -> Any:
    """The part that finds the points of two shapes placed by these functions; of shapes i and j of n the
    number is i n + j.
    """

    def part(tables, number):
        n, contacts = view(tables, Shapes).index.shape[0], view(tables, Contacts)
        a, b = place_a(tables, number // n), place_b(tables, number % n)
        contacts.record[0].points = pair(points_of(contacts), a, b, contacts.record[0].margin)
        return 0

    return part


def in_closed_form(pair: Any) -> Any:
    """Makes the part that finds points by a function of `ShapeKind.pairs`."""
    return part_between(placed, placed, pair)


def between_supports(place: Any, ball: Any, nearest: Any) -> Any:
    """The part that finds points of two shapes by a function of `support_pair` or `face_pair`; ball: radius
    of the ball about every point of their support functions.
    """

    @inlined
    def pair(points, a, b, margin):
        contacts = view(a.tables, Contacts)
        size = contacts.radius[a.number] + contacts.radius[b.number]
        r_a, r_b = ball(a), ball(b)
        return nearest(hulls_of(contacts), points, a, r_a, a.x, a.R, b, r_b, b.x, b.R, size, margin)

    return part_between(place, place, pair)


def by_surface(support: Any) -> Any:
    """Makes the part that finds the points of a surface of triangles and a shape with this support
    function.
    """
    return part_between(placed, placed, surface_and_support(support))


def surface_and_support(support: Any) -> Any:
    """The function that finds the points of a surface of triangles and a shape with this support function."""
    touch = surface_support(support)

    @inlined
    def pair(points, a, b, margin):
        contacts = view(a.tables, Contacts)
        return touch(
            triangles_of(contacts), hulls_of(contacts), contacts.triangles[a.number], points, a, b,
            rounding_of(b), size_of_pair(contacts, a, b), margin,
        )  # fmt: skip

    return pair


def over_plane(place: Any, ball: Any, support: Any) -> Any:
    """The part that finds the lowest point of a shape over a half-space."""
    lowest = support_plane(support)

    @inlined
    def pair(points, a, b, margin):
        return lowest(points, a, ball(a), a.x, a.R, b.x, b.R, margin)

    return part_between(place, placed, pair)


def reach_by(place: Any, ball: Any, support: Any) -> Any:
    """The part that finds how far shape i reaches along `ContactRecord.along_x`, `y` and `z`."""

    def part(tables, number):
        a, record = place(tables, number), view(tables, Contacts).record[0]
        d = (record.along_x, record.along_y, record.along_z)
        p, _ = support(a, rotate_back(a.R, d))
        record.extent = dot(d, add(a.x, rotate(a.R, p))) + ball(a)
        return 0

    return part


@inlined
def rounding_of(a):
    """Radius of the ball about every point of the support function of a placed shape."""
    return view(a.tables, Contacts).rounding[a.number]


def by_supports(support_a: Any, support_b: Any) -> Any:
    """Makes the part that finds the nearest points of two rigid shapes."""
    return between_supports(placed, rounding_of, support_pair(support_a, support_b))


def by_faces(support_a: Any, face_a: Any, support_b: Any, face_b: Any) -> Any:
    """Makes the part that finds the points of two rigid shapes by their supporting faces too."""
    return between_supports(placed, rounding_of, face_pair(support_a, face_a, support_b, face_b))


def face_over_half_space(support: Any, face: Any) -> Any:
    """Makes the part that finds the points of a rigid shape with faces over a half-space."""
    lowest = face_plane(support, face)

    @inlined
    def pair(points, a, b, margin):
        contacts = view(a.tables, Contacts)
        size, hulls = contacts.radius[a.number], hulls_of(contacts)
        return lowest(hulls, points, a, rounding_of(a), a.x, a.R, b.x, b.R, size, margin)

    return part_between(placed, placed, pair)


def over_half_space(support: Any) -> Any:
    """Makes the part that finds the lowest point of a rigid shape over a half-space."""
    return over_plane(placed, rounding_of, support)


def reach_of(support: Any) -> Any:
    """Makes the part that finds how far a rigid shape reaches."""
    return reach_by(placed, rounding_of, support)
