"""Files of bodies with nodes for each frame of a series."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mbplugin.decoder.nodal import NodalMesh, nodal_meshes
from mbplugin.export.vtu import GridFile
from mbplugin.results.layout import NODAL

Frame = Mapping[str, np.ndarray]
#: arrays at the nodes: components
NODE_ARRAYS = {"displacement": 3, "velocity": 3, "stress": 6, "von_mises": 1}
UNITS = {
    name: NODAL["nodes/stress" if name == "von_mises" else f"nodes/{name}"].units for name in NODE_ARRAYS
}


def name_of(body: str) -> str:
    """Name of the collection of a body with nodes, apart from those of the engine."""
    return f"mesh_{body}"


def deformed(static: Mapping[str, Any]) -> dict[str, Callable[[float, Frame], bytes]]:
    """Name of a collection -> what makes its file of a frame, of each body with nodes."""
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
    return grid.file(tuple(arrays)).frame(t, grid.mesh.rest + arrays["displacement"], arrays)
