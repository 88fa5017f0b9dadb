"""Exporter `vtkhdf`: the surfaces of all bodies over time in one file for ParaView 5.12 and later.

Triangles and `color` are stored once, points, velocities and normals of each frame. `body` is an array of the
cells (-1: ground), and the names of the bodies are field data. The file format is that of VTKHDF 2.0,
PolyData, temporal:
https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.interface import Exporter, optional_library

#: the four kinds of cells, in the order of the columns of the offsets
CELLS = ("Vertices", "Lines", "Polygons", "Strips")
#: arrays of the points that change with each frame
VARYING = ("velocity", "Normals")


class VtkHdf(Exporter):
    """One file instead of a series, with the triangles stored once: a fifth of its size. Needs h5py."""

    name = "vtkhdf"
    suffix = ".vtkhdf"

    @classmethod
    def write(cls, result: Any, file: Path, what: Sequence[str], params: Any) -> None:
        h5py = optional_library("h5py", "a .vtkhdf file")
        surface, times = result.surface, result.time
        frames, points = len(times), len(surface)
        corners = {"Vertices": surface.vertices[:, None], "Polygons": surface.triangles}
        with h5py.File(file, "w") as store:
            root = store.create_group("VTKHDF")
            root.attrs["Version"] = (2, 0)
            root.attrs.create("Type", b"PolyData", dtype="S8")
            root["NumberOfPoints"] = np.array([points])
            for kind in CELLS:
                cells = corners.get(kind, np.zeros((0, 3), np.int64))
                group = root.create_group(kind)
                group["NumberOfConnectivityIds"] = np.array([cells.size])
                group["NumberOfCells"] = np.array([len(cells)])
                group["Offsets"] = np.arange(len(cells) + 1) * cells.shape[1]
                group["Connectivity"] = cells.ravel().astype(np.int64)
            where = root.create_dataset("Points", (frames * points, 3), "f8")
            velocity, normals = (
                root.create_dataset(f"PointData/{name}", (frames * points, 3), "f4") for name in VARYING
            )
            root["PointData"].attrs["Normals"] = np.bytes_("Normals")
            root["PointData/color"], root["CellData/body"] = surface.colours, surface.body
            # VTK reads strings marked as ASCII, and shows UTF-8 in them
            names = [name.encode() for name in result.bodies]
            root.create_dataset("FieldData/names", data=names, dtype=h5py.string_dtype("ascii"))
            write_steps(root.create_group("Steps"), times, points, len(names))
            for k, frame in enumerate(result.raw.each_frame()):
                rows = slice(k * points, (k + 1) * points)
                where[rows], velocity[rows] = surface.at(frame)
                normals[rows] = surface.normals_at(frame)


def write_steps(steps: Any, times: Any, points: int, names: int) -> None:
    """Where the arrays of each frame begin; all but those of the points stay the same."""
    frames = len(times)
    steps.attrs["NSteps"] = frames
    steps["Values"] = times
    steps["PointOffsets"] = points * np.arange(frames)
    for name in VARYING:
        steps[f"PointDataOffsets/{name}"] = points * np.arange(frames)
    steps["FieldDataSizes/names"] = np.tile([1, names], (frames, 1))
    steps["NumberOfParts"] = np.ones(frames, np.int64)
    constant = ("PointDataOffsets/color", "CellDataOffsets/body", "FieldDataOffsets/names")
    for name in ("PartOffsets", *constant):
        steps[name] = np.zeros(frames, np.int64)
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        steps[name] = np.zeros((frames, len(CELLS)), np.int64)
