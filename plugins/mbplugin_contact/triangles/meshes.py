"""The part that finds the points of two surfaces of triangles."""

from __future__ import annotations

from typing import Any

from mbplugin.math.vec3 import product_back, rotate_back, sub
from mbplugin.stepping import request_capacity, view
from mbplugin.stepping.shapes import Shapes
from mbplugin_contact.arrays import POINT, Contacts, hulls_of, points_of, triangles_of
from mbplugin_contact.triangles.descent import touch_surfaces
from mbplugin_contact.triangles.twos import Two

#: size of a surface relative to that of another one, whose rounding counts
OF_OTHER = 1e-3


def part_between_surfaces(place_a: Any, place_b: Any) -> Any:
    """The part that finds the points of two surfaces placed by these functions; of shapes i and j of n the
    number is i n + j. Of a height field and another surface it is the second one.
    """

    def part(tables, number):
        shapes, contacts = view(tables, Shapes).index, view(tables, Contacts)
        n = shapes.shape[0]
        i, j = number // n, number % n
        a, b, points = place_a(tables, i), place_b(tables, j), points_of(contacts)
        small, large = (
            min(contacts.radius[i], contacts.radius[j]),
            max(contacts.radius[i], contacts.radius[j]),
        )
        two = Two(
            contacts.triangles[i],
            contacts.triangles[j],
            a.x,
            a.R,
            rotate_back(a.R, sub(b.x, a.x)),
            product_back(a.R, b.R),
            max(small, OF_OTHER * large),
            contacts.record[0].margin,
            min(contacts.thickness[i], contacts.thickness[j]),
            shapes[i].corners > 0 or shapes[j].corners > 0,
            points,
            contacts.point_next,
        )
        found = touch_surfaces(triangles_of(contacts), hulls_of(contacts), two)
        contacts.record[0].points = min(found, points.gap.shape[0])
        return request_capacity(tables, POINT, found) if found > points.gap.shape[0] else 0

    return part
