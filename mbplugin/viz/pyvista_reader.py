"""`pyvista.read("out/result.mbr")`, without importing mbplugin: PyVista finds it through an entry point.

reader = pyvista.get_reader("out/result.mbr")
reader.set_active_time_value(0.5)
mesh = reader.read()           # all bodies as one mesh, joints as points, rods and springs as lines
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
    """The interface that PyVista expects of a VTK reader."""

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
        """All bodies as one mesh, with the point array `velocity` [m/s] and the cell array `body`.

        The arrays of the bodies, one row per body, are in the field data by name.
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
        """One point per joint, with the reaction on body b."""
        frame = self.raw.frame(self.active)
        mesh = pv.PolyData(np.asarray(frame["joints/position"], float).reshape(-1, 3))
        for key in JOINT:
            if mesh.n_points:
                mesh.point_data[key] = np.asarray(frame[f"joints/{key}"])
        mesh.field_data["name"] = np.array(self.raw.names("joints"))
        return mesh

    def lines(self) -> pv.PolyData:
        """One line per rod, spring, ..., with its number in the cell array `line`."""
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
    """Flat array of (n, k) cells in VTK's order: k before each cell."""
    return np.insert(cells, 0, cells.shape[1], axis=1).ravel()


class ResultReader(pv.BaseReader, pv.TimeReader):  # type: ignore[misc]
    """Reads the index file of a result; its times work as in PyVista's other readers."""

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
        """Select the frame of this time [s]. Raises ValueError if there is none."""
        if time_value not in self.reader.times:
            raise ValueError(f"{self.path}: no frame at {time_value} s; choose one of `time_values`")
        self.set_active_time_point(self.reader.times.index(time_value))

    def set_active_time_point(self, time_point: int) -> None:
        self.reader.active = range(len(self.reader.times))[time_point]
