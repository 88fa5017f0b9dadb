"""Poses of shapes in the world, and velocities of their surfaces."""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, load, load_matrix, product, rotate, scale
from mbplugin.tables.groups import Functions, Markers, Shapes


@internal
def shape_pose(tables, k):
    """Position [m] and axes (nine numbers) of shape k in the world; the bodies must have been located."""
    shapes = view(tables, Shapes)
    m = shapes.index[k].marker
    if m < 0:
        return load(shapes.x, k), load_matrix(shapes.R, k)
    markers = view(tables, Markers)
    R = load_matrix(markers.R, m)
    x = add(load(markers.x, m), rotate(R, load(shapes.arm, k)))
    return x, product(R, load_matrix(shapes.R, k))


@internal
def surface_velocity(tables, k, ahead):
    """Velocity of the surface of shape k relative to its body, world axes [m/s], `ahead` [s] after the
    present time, by its value and derivatives there; the bodies must have been located.
    """
    shape, u = view(tables, Shapes).index[k], view(tables, Functions).u
    if shape.belt == 0:
        return (0.0, 0.0, 0.0)
    a, b, c = shape.belt, shape.belt + 1, shape.belt + 2
    s = (u[a, 0], u[b, 0], u[c, 0])
    s = add(s, scale(ahead, (u[a, 1], u[b, 1], u[c, 1])))
    s = add(s, scale(0.5 * ahead * ahead, (u[a, 2], u[b, 2], u[c, 2])))
    return rotate(load_matrix(view(tables, Markers).R, shape.marker), s) if shape.marker >= 0 else s
