"""Shapes at their places, and what their kinds answer.

A kind answers by a part of its own, called by its address: what asks is compiled once for all kinds, and
another kind costs its own few lines.
"""

from __future__ import annotations

from typing import Any

from mbplugin.interface import PlacedShape, inlined, internal
from mbplugin.math.quat import exponential, matrix
from mbplugin.math.vec3 import add, load, product, rotate, scale, sub
from mbplugin.stepping import Markers, run_part, view
from mbplugin.stepping.shapes import Shapes, shape_pose
from mbplugin_contact.arrays import Contacts, hulls_of
from mbplugin_contact.geometry.face_room import face_of_a, face_of_b

#: what a kind is asked: its farthest point; its face, in the room of the first shape or of the second
POINT, FACE_OF_A, FACE_OF_B = range(3)
ORIGIN = (0.0, 0.0, 0.0)
UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


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


@inlined
def rounding_of(a):
    """Radius of the ball about every point of the support function of a placed shape."""
    return view(a.tables, Contacts).rounding[a.number]


def answers(support: Any, face: Any) -> Any:
    """Makes the part by which a kind with these functions answers for shape `number`. Reads what is asked,
    and the direction, from the record; writes the point, or the number of corners and the normal, there.
    """

    def part(tables, number):
        shapes, contacts = view(tables, Shapes), view(tables, Contacts)
        record, shape = contacts.record[0], shapes.index[number]
        a = PlacedShape(tables, number, shapes.p[shape.first : shape.first + shape.numbers], ORIGIN, UNIT)
        d = (record.along_x, record.along_y, record.along_z)
        if record.asked == POINT:
            q, record.name = support(a, d)
        elif record.asked == FACE_OF_A:
            record.name, q = face(face_of_a(hulls_of(contacts)), a, d)
        else:
            record.name, q = face(face_of_b(hulls_of(contacts)), a, d)
        record.point_x, record.point_y, record.point_z = q
        return 0

    return part


@internal
def ask(tables, i, what, d):
    """What the kind of shape i answers: a vector and an integer."""
    contacts = view(tables, Contacts)
    record = contacts.record[0]
    record.asked, record.along_x, record.along_y, record.along_z = what, d[0], d[1], d[2]
    status = run_part(tables, contacts.answers[view(tables, Shapes).index[i].type], i)
    if status != 0:
        record.status, record.name = status, 0
    return (record.point_x, record.point_y, record.point_z), record.name


@inlined
def support(a, d):
    """The support function of any kind."""
    return ask(a.tables, a.number, POINT, d)


@inlined
def first_face(face, a, d):
    """The supporting face of the first shape of a pair, of any kind."""
    n, corners = ask(a.tables, a.number, FACE_OF_A, d)
    return corners, n


@inlined
def second_face(face, a, d):
    """The supporting face of the second shape of a pair, of any kind."""
    n, corners = ask(a.tables, a.number, FACE_OF_B, d)
    return corners, n
