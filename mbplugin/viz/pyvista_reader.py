"""`pyvista.read("out/result.mbr")` or `pyvista.read("out/result.zarr")`, without importing mbplugin: PyVista
finds it through an entry point.

reader = pyvista.get_reader("out/result.mbr")
reader.set_active_time_value(0.5)
mesh = reader.read()           # blocks "bodies", "centers", "joints", "lines", "contacts" and "history", and
                               # "mesh_NAME" of each body NAME with nodes
rod = mesh["bodies"].mbplugin.body("rod")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyvista as pv
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader

from mbplugin.export.deformed import deformed
from mbplugin.export.elements import tracks
from mbplugin.export.series import contacts_described, with_contacts
from mbplugin.export.surface import Surface
from mbplugin.results import RawResult, store_of

#: blocks that every result has, with or without points
BLOCKS = ("bodies", "centers", "joints", "lines", "contacts", "history")


class _Frames(pv.BaseVTKReader):
    """The interface that PyVista expects of a VTK reader. Its meshes are those of the files of the series."""

    def __init__(self) -> None:
        super().__init__()
        self.active = 0

    def SetDirectoryName(self, folder: str) -> None:
        """PyVista calls it where the path is a folder, as that of a store is."""
        self.SetFileName(folder)

    def UpdateInformation(self) -> None:
        self.raw = RawResult(store_of(self._filename))
        static = self.raw.static()
        self.files: dict[str, Callable[[float, Mapping[str, Any]], bytes]] = {
            "bodies": Surface(static).frame,
            **tracks(static, contacts_described(self.raw)),
        }
        self.grids = deformed(static)
        self.times = [float(t) for t in self.raw.time]

    def Update(self) -> None:
        frame = with_contacts(self.raw, self.active, self.raw.frame(self.active))
        time = self.times[self.active]
        meshes = {name: parsed(file(time, frame)) for name, file in self.files.items()}
        blocks = {name: meshes.get(name, pv.PolyData()) for name in BLOCKS}
        blocks |= {
            name: parsed(file(time, frame), vtkXMLUnstructuredGridReader) for name, file in self.grids.items()
        }
        self._data_object = pv.MultiBlock(blocks)


def parsed(data: bytes, reader_of: Any = vtkXMLPolyDataReader) -> Any:
    """The mesh of the bytes of a `.vtp` file, or of another one."""
    reader = reader_of()
    reader.ReadFromInputStringOn()
    reader.SetInputString(data)  # type: ignore[call-overload]
    reader.Update()
    return pv.wrap(reader.GetOutput())


class ResultReader(pv.BaseReader, pv.TimeReader):  # type: ignore[misc]
    """Reads a result; its times work as in PyVista's other readers."""

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
