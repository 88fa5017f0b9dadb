"""Planes as slabs, which are seen from their edge too, and the shapes that have an end."""

from __future__ import annotations

import copy

import numpy as np

from mbplugin.decoder.drawn import Drawn
from mbplugin.decoder.rotation import Array

#: thickness of a slab, in sizes of the scene
THICKNESS = 0.01


def part_of(drawn: Drawn, mask: Array) -> Drawn:
    """The shapes of `drawn` for which the mask (n,) is True."""
    part = copy.copy(drawn)
    for name in ("body", "mesh", "position", "orientation", "scale", "endless", "given_color"):
        setattr(part, name, getattr(drawn, name)[mask])
    return part


def as_slabs(planes: Drawn, thickness: float) -> Drawn:
    """The planes with the part below them, which is solid: slabs [m]."""
    slabs = copy.copy(planes)
    slabs.meshes = [slab(points, triangles) for points, triangles in planes.meshes]
    slabs.scale = np.column_stack([planes.scale[:, :2], np.full(len(planes), thickness)])
    return slabs


def slab(top: Array, triangles: Array) -> tuple[Array, Array]:
    """Points and triangles of a convex polygon in z = 0, counter-clockwise and triangulated, and of the sides
    of what lies down to z = −1 below it; open below, where a plane does not hide what it is seen through.
    """
    n = len(top)
    k, after = np.arange(n), np.roll(np.arange(n), -1)
    sides = np.concatenate([np.column_stack([k, k + n, after + n]), np.column_stack([k, after + n, after])])
    return np.concatenate([top, top - [0.0, 0.0, 1.0]]), np.concatenate([triangles, sides])


def upward(planes: Drawn, up: Array) -> Array:
    """(n,) whether a plane belongs to the ground and its normal points up (3,): it is a floor."""
    normals = planes.axes()[:, :, 2]
    return np.asarray((planes.body < 0) & (normals @ up > 0.999))
