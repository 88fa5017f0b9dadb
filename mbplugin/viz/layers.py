"""Layers of a drawn shape: its surface, its sharp edges, its shadow on the floor.

A layer makes a mesh from points (n, 3) and triangles (m, 3), dresses the actor that shows it, and has a
matrix (4, 4) that is applied in local coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.colours import LOOK
from mbplugin.viz.meshes import regular_mesh
from mbplugin.viz.places import Array, Snapshot

#: angle of two triangles from which their edge is sharp [degrees]
SHARP = 30.0
EDGE, EDGE_WIDTH = "#2B2B2B", 1.3


class Surface:
    """The surface with normals."""

    def mesh(self, points: Array, triangles: Array) -> Any:
        return shaded(points, triangles)

    def dress(self, actor: Any) -> None:
        look = actor.GetProperty()
        look.SetAmbient(LOOK["ambient"])
        look.SetDiffuse(LOOK["diffuse"])
        look.SetInterpolationToPhong()

    def matrix(self, snapshot: Snapshot) -> Array:
        return np.eye(4)


class OneSided(Surface):
    """A surface that is seen from its outside only."""

    def dress(self, actor: Any) -> None:
        super().dress(actor)
        actor.GetProperty().BackfaceCullingOn()


class Edges:
    """Lines where two triangles meet at a sharp angle."""

    def __init__(self, colour: str = EDGE) -> None:
        self.colour = colour

    def mesh(self, points: Array, triangles: Array) -> Any:
        return sharp_edges(regular_mesh(points, triangles))

    def dress(self, actor: Any) -> None:
        flat_colour(actor, self.colour)
        actor.GetProperty().SetLineWidth(EDGE_WIDTH)
        in_front(actor)

    def matrix(self, snapshot: Snapshot) -> Array:
        return np.eye(4)


class Shadow:
    """The parallel projection along the light onto a plane.

    x' = x − l (n·x − h)/(n·l)        l: direction of the light, n: normal of the plane, n·x = h in it
    """

    def __init__(self, light: Array, normal: Array, level: float, colour: Any) -> None:
        """light, normal: (3,); level: height h in the world [m]."""
        self.light, self.normal, self.level, self.colour = light, normal, level, colour

    def mesh(self, points: Array, triangles: Array) -> Any:
        return regular_mesh(points, triangles)

    def dress(self, actor: Any) -> None:
        flat_colour(actor, self.colour)

    def matrix(self, snapshot: Snapshot) -> Array:
        along = self.light / (self.normal @ self.light)
        matrix = np.eye(4)
        matrix[:3, :3] -= np.outer(along, self.normal)
        matrix[:3, 3] = (self.level - self.normal @ snapshot.origin) * along
        return matrix


def flat_colour(actor: Any, colour: Any) -> None:
    """Show an actor in one colour, without light."""
    import pyvista as pv

    actor.GetMapper().ScalarVisibilityOff()
    look = actor.GetProperty()
    look.SetColor(*pv.Color(colour).float_rgb)
    look.LightingOff()


def in_front(actor: Any) -> None:
    """Draw lines in front of the surfaces in which they lie, without a trace in the depths of the picture."""
    mapper = actor.GetMapper()
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0.0, 1.0)
    actor.ForceTranslucentOn()


def shaded(points: Array, triangles: Array) -> Any:
    """The mesh of triangles with normals, as `smooth` makes it."""
    return smooth(regular_mesh(points, triangles))


def smooth(mesh: Any) -> Any:
    """A mesh of triangles with normals, split where two meet at a sharp angle."""
    return mesh.compute_normals(cell_normals=False, split_vertices=True, feature_angle=SHARP)


def sharp_edges(mesh: Any) -> Any:
    """The lines where two triangles of a mesh meet at a sharp angle."""
    return mesh.extract_feature_edges(
        SHARP, boundary_edges=False, manifold_edges=False, non_manifold_edges=False
    )
