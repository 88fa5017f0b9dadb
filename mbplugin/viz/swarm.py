"""Many shapes drawn by one actor: a glyph mapper places copies of meshes by position, quaternion and size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.export.colours import LOOK
from mbplugin.export.drawn import Drawn, rotation
from mbplugin.math.primitives import unit_primitive

Array = np.ndarray[Any, Any]
#: least number of shapes that are drawn by one actor
MANY = 20


def with_balls(static: Mapping[str, Any], drawn: Drawn, radius: float) -> dict[str, Any]:
    """`static` with a sphere at the mass centre of each body that has no shape; radius in [m]."""
    points, triangles = unit_primitive("sphere")
    bare, n = drawn.bare, len(drawn.bare)
    added = {
        "meshes/points": points,
        "meshes/triangles": triangles,
        "meshes/point_stop": [sum(len(of_mesh) for of_mesh, _ in drawn.meshes) + len(points)],
        "meshes/triangle_stop": [sum(len(of_mesh) for _, of_mesh in drawn.meshes) + len(triangles)],
        "shapes/type": ["sphere"] * n,
        "shapes/body": bare,
        "shapes/mesh": np.full(n, len(drawn.meshes)),
        "shapes/position": drawn.bare_centre,
        "shapes/orientation": np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        "shapes/scale": np.full((n, 3), radius),
        "shapes/color": np.full((n, 3), np.nan),
        "shapes/visible": np.ones(n, np.int64),
    }
    before = {"shapes/visible": np.ones(len(static["shapes/body"]), np.int64), **static}
    return {**static, **{key: np.concatenate([before[key], more]) for key, more in added.items()}}


class Swarm:
    """One actor for all shapes of a result."""

    def __init__(self, plotter: Any, drawn: Drawn) -> None:
        import pyvista as pv
        from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper

        self.drawn, self.bodies = drawn, drawn.body
        n = len(drawn)
        self.cloud = pv.PolyData(np.zeros((n, 3)))
        self.cloud.point_data["orientation"] = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
        self.cloud.point_data["scale"] = drawn.scale
        self.cloud.point_data["mesh"] = drawn.mesh
        self.cloud.point_data["colour"] = drawn.colours()
        self.mapper = vtkGlyph3DMapper()
        self.mapper.SetInputData(self.cloud)
        for k, (points, triangles) in enumerate(drawn.meshes):
            self.mapper.SetSourceData(k, shaded(points, triangles))
        self.mapper.SourceIndexingOn()
        self.mapper.SetSourceIndexArray("mesh")
        self.mapper.SetOrientationArray("orientation")
        self.mapper.SetOrientationModeToQuaternion()
        self.mapper.ScalingOn()
        self.mapper.SetScaleArray("scale")
        self.mapper.SetScaleModeToScaleByVectorComponents()
        self.mapper.SetScalarModeToUsePointFieldData()
        self.mapper.SelectColorArray("colour")
        self.actor = vtkActor()
        self.actor.SetMapper(self.mapper)
        look = self.actor.GetProperty()
        look.SetAmbient(LOOK["ambient"])
        look.SetDiffuse(LOOK["diffuse"])
        # with colours per point the highlight would be white
        look.SetSpecular(0.0)
        look.SetInterpolationToPhong()
        plotter.add_actor(self.actor, render=False)

    def show(self, frame: Mapping[str, Array]) -> None:
        """Move the shapes to a frame."""
        self.cloud.points, self.cloud.point_data["orientation"] = self.drawn.places(frame)
        self.cloud.Modified()

    def as_one_mesh(self, plotter: Any) -> None:
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
        plotter.remove_actor(self.actor, render=False)
        plotter.add_mesh(pv.merge(parts), scalars="colour", rgb=True, render=False, **LOOK)


def shaded(points: Array, triangles: Array) -> Any:
    """A mesh with normals, sharp where two triangles meet at more than 30 degrees."""
    import pyvista as pv

    mesh = pv.PolyData.from_regular_faces(points, triangles)
    return mesh.compute_normals(cell_normals=False, split_vertices=True, feature_angle=30.0)
