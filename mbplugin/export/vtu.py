"""Writes VTK XML UnstructuredGrid as `vtp.py` writes PolyData; without texts, which meshio refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbplugin.export.vtp import AppendedFile


class GridFile(AppendedFile):
    """UnstructuredGrid files of constant topology.

    points:     number of points
    cells:      number of the type in vtkCellType.h, and (m, k) points of each cell, of each kind of cells
    varying:    point arrays passed with each frame: name -> (components, numpy type)
    point_data: constant arrays, one row per point
    cell_data:  constant arrays, one row per cell
    units:      of arrays; names without a unit may be missing
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
