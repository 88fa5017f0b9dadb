"""The points between two shapes of any types, as the solver finds them for two of its own (`pairs.py`)."""

from __future__ import annotations

from mbplugin_contact.geometry.box_box import box_box
from mbplugin_contact.geometry.capsule_pairs import capsule_capsule, capsule_polyhedron
from mbplugin_contact.geometry.convex import convex_convex
from mbplugin_contact.geometry.plane_pairs import box_plane, capsule_plane, convex_plane, sphere_plane
from mbplugin_contact.geometry.sphere_pairs import sphere_box, sphere_sphere
from mbplugin_contact.geometry.tables import CUBE, exchange

from mbplugin.interface import PlacedShape, internal
from mbplugin.stepping.shapes import BOX_SHAPE, CAPSULE_SHAPE, CONVEX_SHAPE, PLANE_SHAPE, SPHERE_SHAPE

spheres, sphere_and_box = internal(sphere_sphere), internal(sphere_box)
capsules = internal(capsule_capsule)
sphere_over_plane, capsule_over_plane = internal(sphere_plane), internal(capsule_plane)
box_over_plane = internal(box_plane)


@internal
def rank(type):
    """The order in which the types of a pair are handled; −1: a type without contact."""
    if type == SPHERE_SHAPE:
        return 0
    if type == CAPSULE_SHAPE:
        return 1
    if type == BOX_SHAPE:
        return 2
    if type == CONVEX_SHAPE:
        return 3
    return 4 if type == PLANE_SHAPE else -1


@internal
def collide(hulls, points, type_a, size_a, hull_a, x_a, R_a, type_b, size_b, hull_b, x_b, R_b, margin):
    """Write the points whose gap is less than `margin` [m] to `points`. Returns their number, at most
    MAX_POINTS.

    size: edges of a box; radius of a sphere; radius and length of a capsule; hull: number of a convex
    polyhedron x, R: position [m] and axes (nine numbers) in the world
    """
    a, b = rank(type_a), rank(type_b)
    if a < 0 or b < 0:
        return 0
    exchanged = a > b
    if exchanged:
        a, size_a, hull_a, x_a, R_a, b, size_b, hull_b, x_b, R_b = (
            b, size_b, hull_b, x_b, R_b, a, size_a, hull_a, x_a, R_a,
        )  # fmt: skip
    if a == 0:
        size_a = (size_a[0], 0.0, 0.0)
    count = 0
    one = (1.0, 1.0, 1.0)
    shape_a, shape_b = PlacedShape(0, 0, size_a, x_a, R_a), PlacedShape(0, 0, size_b, x_b, R_b)
    if a == 0 and b == 0:
        count = spheres(points, shape_a, shape_b, margin)
    elif a == 0 and b == 2:
        count = sphere_and_box(points, shape_a, shape_b, margin)
    elif a == 0 and b == 4:
        count = sphere_over_plane(points, shape_a, shape_b, margin)
    elif a <= 1 and b == 1:
        count = capsules(points, shape_a, shape_b, margin)
    elif a == 1 and b == 4:
        count = capsule_over_plane(points, shape_a, shape_b, margin)
    elif a == 2 and b == 4:
        count = box_over_plane(points, shape_a, shape_b, margin)
    elif a <= 1:
        hull, size = (CUBE, size_b) if b == 2 else (hull_b, one)
        r, length = size_a[0], size_a[1]
        count = capsule_polyhedron(hulls, points, r, length, x_a, R_a, hull, size, x_b, R_b, margin)
    elif a == 2 and b == 2:
        count = box_box(hulls, points, size_a, x_a, R_a, size_b, x_b, R_b, margin)
    elif a == 3 and b == 4:
        count = convex_plane(hulls, points, hull_a, x_a, R_a, x_b, R_b, margin)
    elif a <= 3:
        hull, size = (CUBE, size_a) if a == 2 else (hull_a, one)
        count = convex_convex(hulls, points, hull, size, x_a, R_a, hull_b, one, x_b, R_b, margin)
    if exchanged:
        exchange(points, count)
    return count
