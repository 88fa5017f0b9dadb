"""The points of two surfaces of triangles."""

from __future__ import annotations

from typing import Any

from mbplugin.math.jit import inlined
from mbplugin.math.vec3 import product_back, rotate_back, sub
from mbplugin.stepping import request_capacity, view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import POINT, Contacts, hulls_of, points_of, triangles_of
from mbplugin_contact.triangles.descent import touch_surfaces
from mbplugin_contact.triangles.twos import Two

#: size of a surface relative to that of another one, whose rounding counts
OF_OTHER = 1e-3


@inlined
def between_surfaces(points, a, b, margin):
    """Points of two surfaces; of a height field and another one it is b. Returns their number, which is
    larger than the room in `points` where one deforms and points are missing.
    """
    shapes, contacts = view(a.tables, Shapes).index, view(a.tables, Contacts)
    i, j = a.number, b.number
    small = min(contacts.radius[i], contacts.radius[j])
    large = max(contacts.radius[i], contacts.radius[j])
    two = Two(
        contacts.triangles[i],
        contacts.triangles[j],
        a.x,
        a.R,
        rotate_back(a.R, sub(b.x, a.x)),
        product_back(a.R, b.R),
        max(small, OF_OTHER * large),
        margin,
        min(contacts.thickness[i], contacts.thickness[j]),
        shapes[i].corners > 0 or shapes[j].corners > 0,
        points,
        contacts.point_next,
    )
    return touch_surfaces(triangles_of(contacts), hulls_of(contacts), two)


def part_between_surfaces(place_a: Any, place_b: Any) -> Any:
    """The part that finds the points of two surfaces of which one deforms, placed by these functions, with
    room for all of them; of shapes i and j of n the number is i n + j.
    """

    def part(tables, number):
        n, contacts = view(tables, Shapes).index.shape[0], view(tables, Contacts)
        a, b = place_a(tables, number // n), place_b(tables, number % n)
        found = between_surfaces(points_of(contacts), a, b, contacts.record[0].margin)
        room = contacts.point_gap.shape[0]
        contacts.record[0].points = min(found, room)
        return request_capacity(tables, POINT, found) if found > room else 0

    return part
