"""Poses of shapes in the world."""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, load, load_matrix, product, rotate
from mbplugin.tables.groups import Markers, Shapes


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
