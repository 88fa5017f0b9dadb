"""`pyvista.read("out/result.mbr")`: found by PyVista through an entry point, no import of ours needed.

reader = pyvista.get_reader("out/result.mbr")
reader.set_active_time_value(0.5)
mesh = reader.read()           # all bodies in one mesh, the joints as points, rods and springs as lines
rod = mesh["bodies"].mbplugin.body("rod")
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvista as pv

from mbplugin.export.geometry import Geometry
from mbplugin.results import RawResult, store_of

BODY = ("position", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
JOINT = ("force", "torque", "determined")


class _Frames(pv.BaseVTKReader):
    """What PyVista asks of a reader of VTK."""

    def __init__(self) -> None:
        super().__init__()
        self.active = 0

    def UpdateInformation(self) -> None:
        self.raw = RawResult(store_of(self._filename))
        self.static = self.raw.static()
        self.geometry = Geometry(self.static)
        self.times = [float(t) for t in self.raw.time]

    def Update(self) -> None:
        self._data_object = pv.MultiBlock(
            {"bodies": self.bodies(), "joints": self.joints(), "lines": self.lines()}
        )

    def bodies(self) -> pv.PolyData:
        """All bodies as one mesh; cells know their body, and what the result holds of bodies stands in the
        field data by name.
        """
        frame = self.raw.frame(self.active)
        geometry = self.geometry
        points, velocity = geometry.at(frame)
        mesh = (
            pv.PolyData(points, faces=faces(geometry.triangles), verts=faces(geometry.vertices[:, None]))
            if len(points)
            else pv.PolyData()
        )
        if len(points):
            mesh.point_data["velocity"] = velocity
            mesh.cell_data["body"] = geometry.body
        mesh.field_data["name"] = np.array(self.raw.names("bodies"))
        for key in BODY:
            mesh.field_data[key] = np.asarray(frame[f"bodies/{key}"], float)
        mesh.field_data["time"] = np.array([self.times[self.active]])
        return mesh

    def joints(self) -> pv.PolyData:
        """A point for each joint, with the reaction on its second body."""
        frame = self.raw.frame(self.active)
        mesh = pv.PolyData(np.asarray(frame["joints/position"], float).reshape(-1, 3))
        for key in JOINT:
            if mesh.n_points:
                mesh.point_data[key] = np.asarray(frame[f"joints/{key}"])
        mesh.field_data["name"] = np.array(self.raw.names("joints"))
        return mesh

    def lines(self) -> pv.PolyData:
        """A line for each rod, spring, ..., whose number the cells know."""
        names = self.raw.names("lines")
        if not names:
            return pv.PolyData()
        ends = self.raw.frame(self.active)["lines/ends"]
        mesh = pv.PolyData(
            np.asarray(ends, float).reshape(-1, 3), lines=faces(np.arange(2 * len(names)).reshape(-1, 2))
        )
        mesh.cell_data["line"] = np.arange(len(names))
        mesh.field_data["name"] = np.array(names)
        return mesh


def faces(cells: Any) -> Any:
    """(n, k) cells as VTK wants them: k before each."""
    return np.insert(cells, 0, cells.shape[1], axis=1).ravel()


class ResultReader(pv.BaseReader, pv.TimeReader):  # type: ignore[misc]
    """Reads the index file of a result; time as PyVista's other readers have it."""

    _class_reader = _Frames

    @property
    def number_time_points(self) -> int:
        return len(self.reader.times)

    def time_point_value(self, time_point: int) -> float:
        return float(self.reader.times[time_point])

    @property
    def active_time_value(self) -> float:
        return float(self.reader.times[self.reader.active])

    def set_active_time_value(self, time_value: float) -> None:
        """Raises ValueError for a time that no frame has."""
        if time_value not in self.reader.times:
            raise ValueError(f"{self.path}: no frame at {time_value} s; the times are in time_values")
        self.set_active_time_point(self.reader.times.index(time_value))

    def set_active_time_point(self, time_point: int) -> None:
        self.reader.active = range(len(self.reader.times))[time_point]
