"""Bodies with nodes in a result: their mesh, sets and stresses at nodes."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .rotation import Array


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one type of a body.

    vtk:      number of the type in vtkCellType.h
    nodes:    (m, k) nodes of each cell, numbered in the body
    to_nodes: (k, g) values at the nodes of a cell from those at its points of stress; None: there is none
    """

    vtk: int
    nodes: Array
    to_nodes: Array | None

    @property
    def stress_points(self) -> int:
        """Number of points of stress of all cells."""
        return 0 if self.to_nodes is None else len(self.nodes) * self.to_nodes.shape[1]


@dataclass(frozen=True, eq=False)
class NodalMesh:
    """A body with nodes.

    rest:      (n, 3) its nodes, undeformed, at t = 0 [m], world
    triangles: (t, 3) nodes of its surface, counter-clockwise from outside
    sets:      name -> nodes
    nodes:     its part of the nodes of all bodies
    points:    its part of the points of stress of all bodies
    """

    name: str
    rest: Array
    cells: list[Cells]
    triangles: Array
    sets: dict[str, Array]
    nodes: slice
    points: slice

    def at_nodes(self, stress: Array) -> Array:
        """(..., n, 6) at the nodes, from stresses (..., m, 6) at the points of its cells: the mean of what
        each cell that has the node gives there by the polynomial through its points. NaN at a node without a
        cell.
        """
        flat = np.moveaxis(np.asarray(stress, float), -2, 0)
        nodes, values, first = [], [], 0
        for cells in self.cells:
            if cells.to_nodes is not None:
                of_cells = flat[first : first + cells.stress_points]
                of_cells = of_cells.reshape(len(cells.nodes), cells.to_nodes.shape[1], -1)
                nodes.append(cells.nodes.ravel())
                values.append((cells.to_nodes @ of_cells).reshape(cells.nodes.size, -1))
                first += cells.stress_points
        node = np.concatenate(nodes)
        order = np.argsort(node, kind="stable")
        present, starts, count = np.unique(node[order], return_index=True, return_counts=True)
        mean = np.full((len(self.rest), values[0].shape[1]), np.nan)
        mean[present] = np.add.reduceat(np.concatenate(values)[order], starts) / count[:, None]
        return np.moveaxis(mean.reshape(len(mean), *flat.shape[1:]), 0, -2)

    def has_stress(self, keys: Container[str]) -> bool:
        """Whether a result with arrays of these keys has stresses of it."""
        return "nodes/stress" in keys and self.points.stop > self.points.start

    def arrays(self, keys: Container[str], read: Callable[[str], Array]) -> dict[str, Array]:
        """Displacement and velocity (..., n, 3) at the nodes, and stress (..., n, 6) and von Mises stress
        (..., n), if a result has them. keys: of its arrays, which `read` gives
        """
        found = {name: read(f"nodes/{name}")[..., self.nodes, :] for name in ("displacement", "velocity")}
        if self.has_stress(keys):
            found["stress"] = self.at_nodes(read("nodes/stress")[..., self.points, :])
            found["von_mises"] = von_mises(found["stress"])
        return found


def von_mises(stress: Array) -> Array:
    """(...) von Mises stress of tensors (..., 6) xx, yy, zz, xy, yz, xz."""
    xx, yy, zz, xy, yz, xz = np.moveaxis(np.asarray(stress, float), -1, 0)
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.asarray(np.sqrt(0.5 * normal + 3.0 * (xy * xy + yz * yz + xz * xz)))


def has_nodes(static: Mapping[str, Any]) -> bool:
    """Whether a result has bodies with nodes."""
    return bool(static.get("nodes/name"))


def nodal_meshes(static: Mapping[str, Any]) -> list[NodalMesh]:
    """The bodies with nodes of a result; static: as in `ResultWriter`."""
    names = static.get("nodes/name") or []
    stops, triangle_stops = static.get("nodes/stop", ()), static.get("nodes/triangle_stop", ())
    blocks, sets = cells_of(static, len(names)), sets_of(static, len(names))
    found, node, triangle, point = [], 0, 0, 0
    for k, name in enumerate(names):
        nodes = slice(node, int(stops[k]))
        points = slice(point, point + sum(cells.stress_points for cells in blocks[k]))
        faces = np.asarray(static["nodes/triangles"])[triangle : int(triangle_stops[k])]
        rest = np.asarray(static["nodes/rest"])[nodes]
        found.append(NodalMesh(name, rest, blocks[k], faces, sets[k], nodes, points))
        node, triangle, point = nodes.stop, int(triangle_stops[k]), points.stop
    return found


def cells_of(static: Mapping[str, Any], bodies: int) -> list[list[Cells]]:
    """The cells of each body."""
    found: list[list[Cells]] = [[] for _ in range(bodies)]
    first = 0
    for block in static.get("nodes/cells") or ():
        count = block["count"] * block["nodes"]
        nodes = np.asarray(static["nodes/connectivity"])[first : first + count]
        matrix = None if block["to_nodes"] is None else np.array(block["to_nodes"], float)
        found[block["body"]].append(
            Cells(block["vtk"], nodes.reshape(block["count"], block["nodes"]), matrix)
        )
        first += count
    return found


def sets_of(static: Mapping[str, Any], bodies: int) -> list[dict[str, Array]]:
    """The sets of nodes of each body."""
    found: list[dict[str, Array]] = [{} for _ in range(bodies)]
    first = 0
    for one in static.get("nodes/sets") or ():
        found[one["body"]][one["name"]] = np.asarray(static["nodes/set_nodes"])[first : first + one["count"]]
        first += one["count"]
    return found
