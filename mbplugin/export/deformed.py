"""Files of bodies with nodes for each frame of a series."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.decoder.nodal import NodalMesh, nodal_meshes
from mbplugin.decoder.pressure import LOADS, STEM, loads_in_frame
from mbplugin.export.vtp import AppendedFile
from mbplugin.results.layout import NODAL

Frame = Mapping[str, np.ndarray]
#: arrays at the nodes: components
NODE_ARRAYS = {"displacement": 3, "velocity": 3, "stress": 6, "von_mises": 1} | LOADS
UNITS = {
    "displacement": NODAL["nodes/displacement"].units,
    "velocity": NODAL["nodes/velocity"].units,
    "stress": NODAL["nodes/stress"].units,
    "von_mises": NODAL["nodes/stress"].units,
    "contact_force": "N",
    "contact_pressure": "Pa",
}


def name_of(body: str) -> str:
    """Name of the collection of a body with nodes, different from those of the engine."""
    return f"mesh_{body}"


def deformed(static: Mapping[str, Any]) -> dict[str, Callable[[float, Frame], bytes]]:
    """For each body with nodes: name of its collection -> function (time, frame) that makes a file."""
    bodies = list(static.get("bodies/name", ()))
    return {
        name_of(mesh.name): functools.partial(file_of, Grid(mesh, bodies.index(mesh.name)))
        for mesh in nodal_meshes(static)
    }


class Grid:
    """The cells of a body, and the arrays of its nodes in a frame; body: its index."""

    def __init__(self, mesh: NodalMesh, body: int) -> None:
        self.mesh, self.body = mesh, body

    @functools.cache  # noqa: B019 - as many as bodies
    def file(self, arrays: tuple[str, ...]) -> GridFile:
        mesh, cells = self.mesh, sum(len(of.nodes) for of in self.mesh.cells)
        return GridFile(
            len(mesh.rest),
            [(of.vtk, of.nodes) for of in mesh.cells],
            varying={name: (NODE_ARRAYS[name], np.float32) for name in arrays},
            point_data={"node": np.arange(len(mesh.rest), dtype=np.int32)},
            cell_data={"body": np.full(cells, self.body, np.int32)},
            units=UNITS,
        )


def file_of(grid: Grid, t: float, frame: Frame) -> bytes:
    """The file of a body with nodes: moved points, with `NODE_ARRAYS` and `node`."""
    arrays = grid.mesh.arrays(frame, frame.__getitem__)
    if f"{STEM}point" in frame:
        arrays |= loads_in_frame(grid.mesh, grid.body, arrays["displacement"], frame)
    return grid.file(tuple(arrays)).frame(t, grid.mesh.rest + arrays["displacement"], arrays)


class GridFile(AppendedFile):
    """VTK XML UnstructuredGrid files of constant topology, without text arrays, which meshio refuses.

    points:     number of points
    cells:      for each kind of cells: its number in vtkCellType.h, and the points (m, k) of its cells
    varying:    point arrays passed with each frame: name -> (components, numpy type)
    point_data: constant arrays, one row per point
    cell_data:  constant arrays, one row per cell
    units:      units of arrays; those without one may be left out
    """

    def __init__(
        self,
        points: int,
        cells: Sequence[tuple[int, np.ndarray]],
        *,
        varying: Mapping[str, tuple[int, type]] = {},
        point_data: Mapping[str, np.ndarray] = {},
        cell_data: Mapping[str, np.ndarray] = {},
        units: Mapping[str, str] = {},
    ) -> None:
        super().__init__(points, varying, units, packed=False)
        at_points = [self._array(name, array) for name, array in point_data.items()]
        at_cells = [self._array(name, array) for name, array in cell_data.items()]
        widths = np.concatenate([np.full(len(of), of.shape[1]) for _, of in cells] or [np.zeros(0)])
        types = np.concatenate([np.full(len(of), kind) for kind, of in cells] or [np.zeros(0)])
        corners = np.concatenate([np.ravel(of) for _, of in cells] or [np.zeros(0)])
        topology = [
            self._array("connectivity", corners.astype(np.int32)),
            self._array("offsets", np.cumsum(widths).astype(np.int32)),
            self._array("types", types.astype(np.uint8)),
        ]
        self._header = "\n".join(
            [
                *self._head("UnstructuredGrid"),
                "<FieldData>",
                self._time,
                "</FieldData>",
                f'<Piece NumberOfPoints="{points}" NumberOfCells="{len(types)}">',
                "<PointData>",
                *[self._moving[name] for name in varying],
                *at_points,
                "</PointData>",
                "<CellData>",
                *at_cells,
                "</CellData>",
                "<Points>",
                self._moving["Points"],
                "</Points>",
                "<Cells>",
                *topology,
                "</Cells>",
                "</Piece>",
                "</UnstructuredGrid>",
                '<AppendedData encoding="raw">',
                "_",
            ]
        ).encode()
