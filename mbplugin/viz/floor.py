"""The floor below the motion: a slab with a grid, whose step is written in the picture.

It stands for the highest upward plane of the ground, or, where there is gravity but no such plane, just below
everything. It reaches as far as the motion and its shadows. On a long way with a followed body it is a part
about the body, which moves on by whole steps of the grid.

Planes are slabs too, which are seen from their edge.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from mbplugin.decoder.drawn import Drawn
from mbplugin.decoder.rotation import Array
from mbplugin.viz.layers import flat_colour, in_front
from mbplugin.viz.meshes import polylines, regular_mesh
from mbplugin.viz.numbers import round_number, with_unit

FLOOR, INK = (236, 234, 228), "#555555"
#: opacity of the white behind the step of the grid
VEIL = 0.5
#: brightness of shadows and of the grid, in that of the floor
SHADOW, GRID = 0.82, 0.89
#: depth of the slab below the shadows on it, and margin around the motion, in sizes of the scene
GAP, MARGIN = 3e-4, 0.35
#: lines of the grid along the size of the scene, and the most along each side of the floor
LINES, MOST = 6, 400
#: largest floor, in sizes of the scene
REACH = 40.0


class Floor:
    """Its slab and grid."""

    def __init__(self, points: Array, up: Array, level: float, size: float, colour: Any) -> None:
        """points: (n, 3) that it has to reach [m]; up: (3,); level: its height, x·up [m]; size: of the scene
        [m]; colour: red, green, blue from 0 to 255.
        """
        self.up, self.level, self.size = up, level, size
        self.colour = np.asarray(colour, np.uint8)
        self.shadow_colour, self.grid_colour = (
            (share * self.colour).astype(np.uint8) for share in (SHADOW, GRID)
        )
        first = np.eye(3)[0] if abs(up[0]) < 0.7 else np.eye(3)[1]
        first = first - (first @ up) * up
        first /= np.linalg.norm(first)
        self.axes = np.column_stack([first, np.cross(up, first), up])
        across = points @ self.axes[:, :2]
        low, high = across.min(axis=0) - MARGIN * size, across.max(axis=0) + MARGIN * size
        #: middle of a floor that moves on, along its axes; None if it shows all of the motion
        self.middle = None
        if float((high - low).max()) > REACH * size:
            self.middle = points[0] @ self.axes[:, :2]
            low, high = self.middle - 0.5 * REACH * size, self.middle + 0.5 * REACH * size
        self.step = round_number(max(size / LINES, float((high - low).max()) / MOST))
        # lines of the grid, in steps from the world's origin
        self.low, self.high = np.floor(low / self.step), np.ceil(high / self.step)

    def corner(self, origin: Array) -> Array:
        """(3,) the corner of lowest coordinates in the world [m], from which slab and grid are measured.

        origin: (3,) of the local coordinates [m]
        """
        moved = np.zeros(2)
        if self.middle is not None:
            moved = np.round((origin @ self.axes[:, :2] - self.middle) / self.step)
        return np.asarray(self.axes @ [*(self.step * (self.low + moved)), self.level])

    def mesh(self) -> Any:
        """The slab, relative to the corner."""
        length, width = self.step * (self.high - self.low)
        top = np.array([[0, 0, 0], [length, 0, 0], [length, width, 0], [0, width, 0]], float)
        points, triangles = slab(top, np.array([[0, 1, 2], [0, 2, 3]]))
        points *= [1.0, 1.0, THICKNESS * self.size]
        return regular_mesh((points - [0, 0, GAP * self.size]) @ self.axes.T, triangles)

    def grid(self) -> Any:
        """The lines of the grid, relative to the corner."""
        length, width = self.step * (self.high - self.low)
        u, v = (self.step * np.arange(last - first + 1) for first, last in zip(self.low, self.high))
        ends = [[(x, 0.0, 0.0), (x, width, 0.0)] for x in u]
        ends += [[(0.0, y, 0.0), (length, y, 0.0)] for y in v]
        return polylines((np.array(ends) - [0, 0, 0.5 * GAP * self.size]) @ self.axes.T)

    def label(self, front: Any) -> None:
        """Write the step of the grid into the lower right corner."""
        text = f"grid {with_unit(self.step, 'm')}"
        front.write("grid", text, (0.98, 0.02), 20, INK, ("right", "bottom"), VEIL)


class Slab:
    """The layer of the slab: one colour, without light."""

    def __init__(self, colour: Any) -> None:
        self.colour = colour

    def dress(self, actor: Any) -> None:
        flat_colour(actor, self.colour)

    def matrix(self, snapshot: Any) -> Array:
        return np.eye(4)


class Grid(Slab):
    """The layer of the grid."""

    def dress(self, actor: Any) -> None:
        super().dress(actor)
        actor.GetProperty().SetLineWidth(1.2)
        in_front(actor)


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
