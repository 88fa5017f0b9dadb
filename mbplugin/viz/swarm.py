"""Many bodies of one shape drawn by one actor: a glyph mapper places copies by position and quaternion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.export.geometry import with_ground
from mbplugin.viz.colours import LOOK, colour_of

Array = np.ndarray[Any, Any]
#: least number of bodies of one shape that are drawn by one actor
MANY = 20


def alike(
    static: Mapping[str, Any], shapes: list[Mapping[str, Any]]
) -> list[tuple[Array, Array, list[tuple[int, Any]]]]:
    """(points, triangles, [(body, colour), ...]) of each distinct shape, in the order of the scene."""
    groups: dict[tuple[bytes, bytes], tuple[Array, Array, list[tuple[int, Any]]]] = {}
    for shape in shapes:
        points = np.asarray(static[f"meshes/{shape['mesh']}/points"], float)
        faces = np.asarray(static[f"meshes/{shape['mesh']}/triangles"])
        body = int(shape["body"])
        group = groups.setdefault((points.tobytes(), faces.tobytes()), (points, faces, []))
        group[2].append((body, shape["color"] or colour_of(body)))
    return list(groups.values())


class Swarm:
    """One actor for all bodies that share a shape."""

    def __init__(self, plotter: Any, mesh: Any, members: list[tuple[int, Any]]) -> None:
        import pyvista as pv
        import vtk

        self.bodies = np.array([body for body, _ in members])
        self.cloud = pv.PolyData(np.zeros((len(members), 3)))
        self.cloud.point_data["orientation"] = np.tile([1.0, 0.0, 0.0, 0.0], (len(members), 1))
        self.cloud.point_data["colour"] = np.array(
            [pv.Color(colour).int_rgb for _, colour in members], np.uint8
        )
        self.mapper = vtk.vtkGlyph3DMapper()
        self.mapper.SetInputData(self.cloud)
        self.mapper.SetSourceData(
            mesh.compute_normals(cell_normals=False, split_vertices=True, feature_angle=30.0)
        )
        self.mapper.SetOrientationArray("orientation")
        self.mapper.SetOrientationModeToQuaternion()
        self.mapper.ScalingOff()
        self.mapper.SetScalarModeToUsePointFieldData()
        self.mapper.SelectColorArray("colour")
        self.actor = vtk.vtkActor()
        self.actor.SetMapper(self.mapper)
        look = self.actor.GetProperty()
        look.SetAmbient(LOOK["ambient"])
        look.SetDiffuse(LOOK["diffuse"])
        # with colours per point the highlight would be white
        look.SetSpecular(0.0)
        look.SetInterpolationToPhong()
        plotter.add_actor(self.actor, render=False)

    def show(self, frame: Mapping[str, Array], R: Array, centre: Array) -> None:
        """Move the bodies to a frame.

        R:      (nb, 3, 3) rotations of all bodies
        centre: (nb, 3) mass centres in the body frames [m]
        """
        k = self.bodies
        # the ground is body -1, the last row
        position = with_ground(np.asarray(frame["bodies/position"], float), np.zeros(3))[k]
        arm = np.einsum("nij,nj->ni", with_ground(R, np.eye(3))[k], with_ground(centre, np.zeros(3))[k])
        self.cloud.points = position - arm
        turn = with_ground(np.asarray(frame["bodies/orientation"], float), np.array([1.0, 0.0, 0.0, 0.0]))
        self.cloud.point_data["orientation"] = turn[k]
        self.cloud.Modified()
