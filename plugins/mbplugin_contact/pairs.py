"""The points between two shapes of the scene: a part for each closed form of two types, compiled only where
both are, and one for all that have none. It asks the kinds of its shapes by their address, so that another
kind costs its own few lines to compile, and not a search for each kind beside it.
"""

from __future__ import annotations

from typing import Any

from mbplugin.interface import inlined
from mbplugin.stepping import view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import Contacts, hulls_of, points_of, triangles_of
from mbplugin_contact.asked import first_face, placed, rounding_of, second_face, support
from mbplugin_contact.geometry.face_pair import face_pair, face_plane
from mbplugin_contact.geometry.faces import no_face
from mbplugin_contact.stretched import mapped, mapped_support, placed_polyhedron
from mbplugin_contact.triangles.kinds import size_of_pair
from mbplugin_contact.triangles.supports import surface_support


def part_between(place_a: Any, place_b: Any, pair: Any) -> Any:
    """The part that finds the points of two shapes placed by these functions; of shapes i and j of n the
    number is i n + j.
    """

    def part(tables, number):
        n, contacts = view(tables, Shapes).index.shape[0], view(tables, Contacts)
        a, b = place_a(tables, number // n), place_b(tables, number % n)
        record = contacts.record[0]
        record.status = 0
        record.points = pair(points_of(contacts), a, b, record.margin)
        return record.status

    return part


def in_closed_form(pair: Any) -> Any:
    """Makes the part that finds points by a function of `ShapeKind.pairs`."""
    return part_between(placed, placed, pair)


def by_supports(place: Any, ball: Any, functions: tuple[Any, ...]) -> Any:
    """The part that finds points of two shapes by these functions for `face_pair`; ball: radius of the ball
    about every point of their support functions.
    """
    nearest = face_pair(*functions)

    @inlined
    def pair(points, a, b, margin):
        contacts = view(a.tables, Contacts)
        size = contacts.radius[a.number] + contacts.radius[b.number]
        r_a, r_b = ball(a), ball(b)
        return nearest(hulls_of(contacts), points, a, r_a, a.x, a.R, b, r_b, b.x, b.R, size, margin)

    return part_between(place, place, pair)


def over_plane(place: Any, ball: Any, functions: tuple[Any, ...]) -> Any:
    """The part that finds the points of a shape over a half-space by these functions for `face_plane`."""
    lowest = face_plane(*functions)

    @inlined
    def pair(points, a, b, margin):
        contacts = view(a.tables, Contacts)
        size, hulls = contacts.radius[a.number], hulls_of(contacts)
        return lowest(hulls, points, a, ball(a), a.x, a.R, b.x, b.R, size, margin)

    return part_between(place, placed, pair)


def of_rigid() -> Any:
    """Makes the part that finds the points of two rigid shapes of any kinds."""
    return by_supports(placed, rounding_of, (support, first_face, support, second_face))


def over_half_space() -> Any:
    """Makes the part that finds the points of a rigid shape of any kind over a half-space."""
    return over_plane(placed, rounding_of, (support, first_face))


def of_polyhedra(pair: Any) -> Any:
    """Makes the part that finds points by a function of `ShapeKind.pairs` for polyhedra that stretch."""
    return part_between(placed_polyhedron, placed_polyhedron, pair)


@inlined
def no_ball(a):
    """The support function of a mapped shape has its rounding."""
    return 0.0


def of_mapped() -> Any:
    """Makes the part that finds the nearest points of two shapes, of which one stretches or both."""
    return by_supports(mapped, no_ball, (mapped_support, no_face, mapped_support, no_face))


def mapped_over_half_space() -> Any:
    """Makes the part that finds the lowest point of a shape that stretches over a half-space."""
    return over_plane(mapped, no_ball, (mapped_support, no_face))


def of_surface_and_shape() -> Any:
    """The function that finds the points of a surface of triangles and a rigid shape of any kind."""
    touch = surface_support(support, second_face)

    @inlined
    def pair(points, a, b, margin):
        contacts = view(a.tables, Contacts)
        return touch(
            triangles_of(contacts), hulls_of(contacts), contacts.triangles[a.number], points, a, b,
            rounding_of(b), size_of_pair(contacts, a, b), margin,
        )  # fmt: skip

    return pair
