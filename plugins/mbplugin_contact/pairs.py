"""The points between two shapes of the scene: a part for each two types, compiled only where both are.

A pair is served by a closed form of one of the two kinds, or else by their support functions.
"""

from __future__ import annotations

from typing import Any

from mbplugin.errors import SceneError
from mbplugin.interface import PlacedShape, inlined, internal
from mbplugin.math.quat import exponential, matrix
from mbplugin.math.vec3 import add, dot, load, product, rotate, rotate_back, scale, sub
from mbplugin.stepping import Markers, Part, view
from mbplugin.stepping.shapes import Shapes, shape_pose
from mbplugin_contact.arrays import Contacts, hulls_of, points_of
from mbplugin_contact.geometry.support_pair import support_pair, support_plane


@inlined
def placed(tables, i):
    shapes = view(tables, Shapes)
    shape = shapes.index[i]
    x, R = shape_pose(tables, i)
    ahead, m = view(tables, Contacts).record[0].ahead, shape.marker
    if ahead > 0.0 and m >= 0:
        x, R = moved(view(tables, Markers), m, x, R, ahead)
    return PlacedShape(tables, i, shapes.p[shape.first : shape.first + shape.numbers], x, R)


@internal
def moved(markers, m, x, R, t):
    """Where a shape with position x and axes R is after a time t, if its marker keeps its twist."""
    w = load(markers.w, m)
    rotation = matrix(exponential(scale(t, w)))
    place, arm = load(markers.x, m), sub(x, load(markers.x, m))
    return add(add(place, scale(t, load(markers.v, m))), rotate(rotation, arm)), product(rotation, R)


@inlined
def two(tables, number):
    """The shapes i and j of `number` = i n + j, with n shapes in all."""
    n = view(tables, Shapes).index.shape[0]
    return placed(tables, number // n), placed(tables, number % n)


def in_closed_form(pair: Any) -> Any:
    """Makes the part that finds points by a function of `ShapeKind.pairs`."""

    def part(tables, number):
        a, b = two(tables, number)
        contacts = view(tables, Contacts)
        contacts.record[0].points = pair(points_of(contacts), a, b, contacts.record[0].margin)
        return 0

    return part


def by_supports(support_a: Any, support_b: Any) -> Any:
    """Makes the part that finds the nearest points of two shapes given by their support functions."""
    nearest = support_pair(support_a, support_b)

    @inlined
    def pair(points, a, b, margin):
        contacts = view(a.tables, Contacts)
        size = contacts.radius[a.number] + contacts.radius[b.number]
        r_a, r_b = contacts.rounding[a.number], contacts.rounding[b.number]
        return nearest(hulls_of(contacts), points, a, r_a, a.x, a.R, b, r_b, b.x, b.R, size, margin)

    return in_closed_form(pair)


def over_half_space(support: Any) -> Any:
    """Makes the part that finds the lowest point of a shape over a half-space."""
    lowest = support_plane(support)

    @inlined
    def pair(points, a, b, margin):
        rounding = view(a.tables, Contacts).rounding[a.number]
        return lowest(points, a, rounding, a.x, a.R, b.x, b.R, margin)

    return in_closed_form(pair)


def reach_of(support: Any) -> Any:
    """Makes the part that finds how far shape i reaches along `ContactRecord.along_x`, `y` and `z`."""

    def part(tables, number):
        a, contacts = placed(tables, number), view(tables, Contacts)
        record = contacts.record[0]
        d = (record.along_x, record.along_y, record.along_z)
        p, _ = support(a, rotate_back(a.R, d))
        record.extent = dot(d, add(a.x, rotate(a.R, p))) + contacts.rounding[number]
        return 0

    return part


def part_of(a: Any, b: Any) -> tuple[Any, Any, Part] | None:
    """The two kinds in the order of the part that finds their points, and the part; None for two half-spaces.
    Raises SceneError if neither kind knows how.
    """
    owner = f'shapes "{a.name}" and "{b.name}"'
    for one, other in ((a, b), (b, a)):
        if other.name in one.pairs:
            return one, other, Part(in_closed_form, (one.pairs[other.name],), owner)
    if a.support is not None and b.support is not None:
        return a, b, Part(by_supports, (a.support, b.support), owner)
    for one, other in ((a, b), (b, a)):
        if one.support is not None and not other.bounded:
            return one, other, Part(over_half_space, (one.support,), owner)
    if not a.bounded and not b.bounded:
        return None
    raise cannot_touch(owner)


def cannot_touch(owner: str) -> SceneError:
    """For two shapes whose points nothing finds."""
    mend = "no kind has a closed form for them, or one has no support function; give `collide = false` to one"
    return SceneError("collide", True, f"{owner} cannot touch: {mend}")
