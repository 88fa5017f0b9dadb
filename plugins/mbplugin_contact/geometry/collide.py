"""The points between two shapes of any types."""

from __future__ import annotations

from mbplugin.math.jit import internal
from mbplugin.stepping import BOX_SHAPE, CAPSULE_SHAPE, CONVEX_SHAPE, PLANE_SHAPE, SPHERE_SHAPE
from mbplugin_contact.geometry.box_box import box_box
from mbplugin_contact.geometry.capsule_pairs import capsule_capsule, capsule_polyhedron
from mbplugin_contact.geometry.convex import convex_convex
from mbplugin_contact.geometry.plane_pairs import box_plane, capsule_plane, convex_plane, sphere_plane
from mbplugin_contact.geometry.sphere_pairs import sphere_box, sphere_capsule, sphere_sphere
from mbplugin_contact.geometry.tables import exchange


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
def collide(
    hulls, points, type_a, size_a, hull_a, x_a, R_a, type_b, size_b, hull_b, x_b, R_b, margin
):
    """Write the points whose gap is less than `margin` [m] to `points`. Returns their number, at most MAX_POINTS.

    size: edges of a box; radius of a sphere; radius and length of a capsule; hull: number of a convex polyhedron
    x, R: position [m] and axes (nine numbers) in the world
    """
    a, b = rank(type_a), rank(type_b)
    if a < 0 or b < 0:
        return 0
    if a <= b:
        return ordered(
            hulls, points, a, size_a, hull_a, x_a, R_a, b, size_b, hull_b, x_b, R_b, margin
        )
    count = ordered(hulls, points, b, size_b, hull_b, x_b, R_b, a, size_a, hull_a, x_a, R_a, margin)
    exchange(points, count)
    return count


@internal
def ordered(hulls, points, a, size_a, hull_a, x_a, R_a, b, size_b, hull_b, x_b, R_b, margin):
    """`collide` for ranks a ≤ b."""
    one = (1.0, 1.0, 1.0)
    if a == 0:
        if b == 0:
            return sphere_sphere(points, size_a[0], x_a, size_b[0], x_b, margin)
        if b == 1:
            return sphere_capsule(points, size_a[0], x_a, size_b[0], size_b[1], x_b, R_b, margin)
        if b == 2:
            return sphere_box(points, size_a[0], x_a, size_b, x_b, R_b, margin)
        if b == 3:
            return capsule_polyhedron(
                hulls, points, size_a[0], 0.0, x_a, R_a, hull_b, one, x_b, R_b, margin
            )
        return sphere_plane(points, size_a[0], x_a, x_b, R_b, margin)
    if a == 1:
        if b == 1:
            return capsule_capsule(
                points, size_a[0], size_a[1], x_a, R_a, size_b[0], size_b[1], x_b, R_b, margin
            )
        if b == 4:
            return capsule_plane(points, size_a[0], size_a[1], x_a, R_a, x_b, R_b, margin)
        if b == 2:
            hull_b, one = 0, size_b
        return capsule_polyhedron(
            hulls, points, size_a[0], size_a[1], x_a, R_a, hull_b, one, x_b, R_b, margin
        )
    if a == 2:
        if b == 2:
            return box_box(hulls, points, size_a, x_a, R_a, size_b, x_b, R_b, margin)
        if b == 4:
            return box_plane(points, size_a, x_a, R_a, x_b, R_b, margin)
        return convex_convex(hulls, points, 0, size_a, x_a, R_a, hull_b, one, x_b, R_b, margin)
    if a == 3:
        if b == 4:
            return convex_plane(hulls, points, hull_a, x_a, R_a, x_b, R_b, margin)
        return convex_convex(hulls, points, hull_a, one, x_a, R_a, hull_b, one, x_b, R_b, margin)
    return 0
