"""Shapes on the stage: a few with an actor for each and each layer, many with one actor for each layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.decoder.colours import LOOK, culprit_colours
from mbplugin.decoder.drawn import Drawn
from mbplugin.decoder.rotation import rotation
from mbplugin.math.primitives import unit_primitive
from mbplugin.viz.layers import shaded
from mbplugin.viz.meshes import points_mesh
from mbplugin.viz.places import Array, Snapshot


class Each:
    """A few shapes: those of `drawn`, an actor for each and each layer, placed by a matrix. `show` moves."""

    def __init__(self, plotter: Any, drawn: Drawn) -> None:
        self.plotter, self.drawn = plotter, drawn
        #: of each actor: layer, body, point of its frame (3,), matrix that places the actor there
        self.placed: list[tuple[Any, int, Array, Any]] = []

    def add(self, layer: Any) -> None:
        """Add the actors of a layer."""
        axes, colours = self.drawn.axes(), self.drawn.colours()
        for k, body in enumerate(self.drawn.body):
            points, triangles = self.drawn.meshes[self.drawn.mesh[k]]
            mesh = layer.mesh((points * self.drawn.scale[k]) @ axes[k].T, triangles)
            self.add_mesh(mesh, layer, int(body), self.drawn.position[k], colours[k])

    def add_mesh(self, mesh: Any, layer: Any, body: int, at: Array, colour: Any) -> None:
        """Add the actor of one mesh at the point `at` (3,) of a body's frame; colour: from 0 to 255."""
        from vtkmodules.vtkCommonMath import vtkMatrix4x4
        from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

        mapper, actor, matrix = vtkPolyDataMapper(), vtkActor(), vtkMatrix4x4()
        mapper.SetInputData(mesh)
        mapper.ScalarVisibilityOff()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*(np.asarray(colour, float) / 255.0))
        layer.dress(actor)
        actor.SetUserMatrix(matrix)
        self.plotter.add_actor(actor, render=False)
        self.placed.append((layer, body, at, matrix))

    def show(self, snapshot: Snapshot) -> None:
        """Move the shapes to a frame."""
        for layer, body, at, matrix in self.placed:
            matrix.DeepCopy((layer.matrix(snapshot) @ snapshot.pose(body, at)).ravel())


#: least number of shapes that are drawn by one actor
MANY = 20


def with_balls(static: Mapping[str, Any], drawn: Drawn, radius: float) -> dict[str, Any]:
    """`static` with a sphere at the mass centre of each body that has neither shape nor nodes; radius [m]."""
    points, triangles = unit_primitive("sphere")
    # those with nodes have a surface of their own
    deform = [list(static["bodies/name"]).index(name) for name in static.get("nodes/name", ())]
    chosen = ~np.isin(drawn.bare, deform)
    bare, centres = drawn.bare[chosen], drawn.bare_centre[chosen]
    n = len(bare)
    added = {
        "meshes/points": points,
        "meshes/triangles": triangles,
        "meshes/point_stop": [sum(len(of_mesh) for of_mesh, _ in drawn.meshes) + len(points)],
        "meshes/triangle_stop": [sum(len(of_mesh) for _, of_mesh in drawn.meshes) + len(triangles)],
        "shapes/type": ["sphere"] * n,
        "shapes/body": bare,
        "shapes/mesh": np.full(n, len(drawn.meshes)),
        "shapes/position": centres,
        "shapes/orientation": np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        "shapes/scale": np.full((n, 3), radius),
        "shapes/color": culprit_colours(static, bare),
        "shapes/visible": np.ones(n, np.int64),
    }
    before = {"shapes/visible": np.ones(len(static["shapes/body"]), np.int64), **static}
    return {**static, **{key: np.concatenate([before[key], more]) for key, more in added.items()}}


class Swarm:
    """Many shapes: those of `drawn`, with one actor for each layer, whose mapper places copies of meshes;
    `show` moves them.
    """

    def __init__(self, plotter: Any, drawn: Drawn) -> None:
        self.plotter, self.drawn = plotter, drawn
        n = len(drawn)
        self.cloud = points_mesh(np.zeros((n, 3)))
        self.cloud.point_data["orientation"] = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
        self.cloud.point_data["scale"] = drawn.scale
        self.cloud.point_data["mesh"] = drawn.mesh
        self.cloud.point_data["colour"] = drawn.colours()
        #: of each actor: the actor, layer, matrix that places it
        self.placed: list[tuple[Any, Any, Any]] = []

    def add(self, layer: Any) -> None:
        """Add the actor of a layer."""
        from vtkmodules.vtkCommonMath import vtkMatrix4x4
        from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper

        mapper, actor, matrix = vtkGlyph3DMapper(), vtkActor(), vtkMatrix4x4()
        mapper.SetInputData(self.cloud)
        for k, (points, triangles) in enumerate(self.drawn.meshes):
            mapper.SetSourceData(k, layer.mesh(points, triangles))
        mapper.SourceIndexingOn()
        mapper.SetSourceIndexArray("mesh")
        mapper.SetOrientationArray("orientation")
        mapper.SetOrientationModeToQuaternion()
        mapper.ScalingOn()
        mapper.SetScaleArray("scale")
        mapper.SetScaleModeToScaleByVectorComponents()
        mapper.SetScalarModeToUsePointFieldData()
        mapper.SelectColorArray("colour")
        actor.SetMapper(mapper)
        layer.dress(actor)
        actor.SetUserMatrix(matrix)
        self.plotter.add_actor(actor, render=False)
        self.placed.append((actor, layer, matrix))

    def show(self, snapshot: Snapshot) -> None:
        """Move the shapes to a frame."""
        points, self.cloud.point_data["orientation"] = self.drawn.places(snapshot.frame)
        self.cloud.points = snapshot.local(points)
        self.cloud.Modified()
        for _, layer, matrix in self.placed:
            matrix.DeepCopy(layer.matrix(snapshot).ravel())

    def as_one_mesh(self) -> None:
        """Draw the shapes where they are as one mesh, for what knows no glyph mapper."""
        import pyvista as pv

        turn, drawn = rotation(self.cloud.point_data["orientation"]), self.drawn
        parts = []
        for k, (points, triangles) in enumerate(drawn.meshes):
            mesh = shaded(points, triangles)
            for i in np.flatnonzero(drawn.mesh == k):
                placed = mesh.copy()
                placed.points = (mesh.points * drawn.scale[i]) @ turn[i].T + self.cloud.points[i]
                normals = (mesh.point_data["Normals"] / drawn.scale[i]) @ turn[i].T
                placed.point_data["Normals"] = normals / np.linalg.norm(normals, axis=1, keepdims=True)
                placed.point_data["colour"] = np.tile(drawn.colours()[i], (len(normals), 1))
                parts.append(placed)
        for actor, *_ in self.placed:
            self.plotter.remove_actor(actor, render=False)
        self.plotter.add_mesh(pv.merge(parts), scalars="colour", rgb=True, render=False, **LOOK)
