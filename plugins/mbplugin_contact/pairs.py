"""The points between two shapes of the scene: a function for each two types, compiled only where both are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from mbplugin.interface import inlined
from mbplugin.math.vec3 import load
from mbplugin.stepping import (
    BOX_SHAPE,
    CAPSULE_SHAPE,
    CONVEX_SHAPE,
    PLANE_SHAPE,
    SPHERE_SHAPE,
    Shapes,
    shape_pose,
    view,
)
from mbplugin_contact.arrays import Contacts, hulls_of, points_of
from mbplugin_contact.geometry.box_box import box_box
from mbplugin_contact.geometry.capsule_pairs import capsule_capsule, capsule_polyhedron
from mbplugin_contact.geometry.convex import convex_convex
from mbplugin_contact.geometry.plane_pairs import box_plane, capsule_plane, convex_plane, sphere_plane
from mbplugin_contact.geometry.sphere_pairs import sphere_box, sphere_capsule, sphere_sphere
from mbplugin_contact.geometry.tables import CUBE

#: edges of a polyhedron's frame: it is not scaled
ONE = (1.0, 1.0, 1.0)


class Placed(NamedTuple):
    """A shape at its place."""

    size: Any  # edges of a box; radius of a sphere; radius and length of a capsule [m]
    hull: int  # number of its polyhedron
    x: Any  # position [m]
    R: Any  # axes, row by row


@inlined
def placed(tables, i):
    mine, shapes = view(tables, Contacts), view(tables, Shapes)
    x, R = shape_pose(tables, i)
    return Placed(load(shapes.size, i), mine.hull[i], x, R)


@inlined
def two(tables, number):
    """The shapes i and j of `number` = i n + j, with n shapes in all."""
    n = view(tables, Shapes).index.shape[0]
    return placed(tables, number // n), placed(tables, number % n)


@inlined
def room(tables):
    """Where points go, and the gap up to which there are any [m]."""
    mine = view(tables, Contacts)
    return points_of(mine), mine.record[0].margin


@inlined
def found(tables, count):
    view(tables, Contacts).record[0].points = count
    return 0


def spheres(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    return found(tables, sphere_sphere(points, a.size[0], a.x, b.size[0], b.x, margin))


def sphere_and_capsule(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    return found(tables, sphere_capsule(points, a.size[0], a.x, b.size[0], b.size[1], b.x, b.R, margin))


def sphere_and_box(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    return found(tables, sphere_box(points, a.size[0], a.x, b.size, b.x, b.R, margin))


def sphere_and_convex(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    hulls = hulls_of(view(tables, Contacts))
    return found(
        tables, capsule_polyhedron(hulls, points, a.size[0], 0.0, a.x, a.R, b.hull, ONE, b.x, b.R, margin)
    )


def sphere_and_plane(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    return found(tables, sphere_plane(points, a.size[0], a.x, b.x, b.R, margin))


def capsules(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    return found(
        tables,
        capsule_capsule(points, a.size[0], a.size[1], a.x, a.R, b.size[0], b.size[1], b.x, b.R, margin),
    )


def capsule_and_box(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    hulls = hulls_of(view(tables, Contacts))
    return found(
        tables,
        capsule_polyhedron(hulls, points, a.size[0], a.size[1], a.x, a.R, CUBE, b.size, b.x, b.R, margin),
    )


def capsule_and_convex(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    hulls = hulls_of(view(tables, Contacts))
    return found(
        tables,
        capsule_polyhedron(hulls, points, a.size[0], a.size[1], a.x, a.R, b.hull, ONE, b.x, b.R, margin),
    )


def capsule_and_plane(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    return found(tables, capsule_plane(points, a.size[0], a.size[1], a.x, a.R, b.x, b.R, margin))


def boxes(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    hulls = hulls_of(view(tables, Contacts))
    return found(tables, box_box(hulls, points, a.size, a.x, a.R, b.size, b.x, b.R, margin))


def box_and_convex(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    hulls = hulls_of(view(tables, Contacts))
    return found(tables, convex_convex(hulls, points, CUBE, a.size, a.x, a.R, b.hull, ONE, b.x, b.R, margin))


def box_and_plane(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    return found(tables, box_plane(points, a.size, a.x, a.R, b.x, b.R, margin))


def polyhedra(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    hulls = hulls_of(view(tables, Contacts))
    return found(tables, convex_convex(hulls, points, a.hull, ONE, a.x, a.R, b.hull, ONE, b.x, b.R, margin))


def convex_and_plane(tables, number):
    a, b = two(tables, number)
    points, margin = room(tables)
    hulls = hulls_of(view(tables, Contacts))
    return found(tables, convex_plane(hulls, points, a.hull, a.x, a.R, b.x, b.R, margin))


#: types of shapes by name, in the order in which a pair is given to its function
TYPES = {
    "sphere": SPHERE_SHAPE,
    "capsule": CAPSULE_SHAPE,
    "box": BOX_SHAPE,
    "convex": CONVEX_SHAPE,
    "plane": PLANE_SHAPE,
}
#: two planes do not touch
PAIRS: dict[tuple[str, str], Callable[[Any, Any], int]] = {
    ("sphere", "sphere"): spheres,
    ("sphere", "capsule"): sphere_and_capsule,
    ("sphere", "box"): sphere_and_box,
    ("sphere", "convex"): sphere_and_convex,
    ("sphere", "plane"): sphere_and_plane,
    ("capsule", "capsule"): capsules,
    ("capsule", "box"): capsule_and_box,
    ("capsule", "convex"): capsule_and_convex,
    ("capsule", "plane"): capsule_and_plane,
    ("box", "box"): boxes,
    ("box", "convex"): box_and_convex,
    ("box", "plane"): box_and_plane,
    ("convex", "convex"): polyhedra,
    ("convex", "plane"): convex_and_plane,
}
#: numbers of types are below this
NUMBERS = 1 + max(TYPES.values())


def pairs_of(types: Any) -> list[tuple[str, str]]:
    """The pairs that may occur between shapes of these types, (name, how many) each."""
    return [(a, b) for a, b in PAIRS if types.get(a, 0) > 0 and types.get(b, 0) > (1 if a == b else 0)]
