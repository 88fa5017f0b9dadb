"""Nodes of bodies as the arrays of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.problem.names import NodalBody
from mbplugin.tables.spec import Array


def rest_of(nodal: Sequence[NodalBody]) -> Array:
    """(n, 3) of the nodes of all bodies, undeformed, at t = 0 [m], world."""
    return np.concatenate([np.zeros((0, 3)), *(one.rest for one in nodal)])


def nodal_arrays(nodal: Sequence[NodalBody]) -> dict[str, Any]:
    """Arrays and attributes of the group `nodes`; none if no body has nodes."""
    if not nodal:
        return {}
    whole = lambda arrays: np.concatenate([np.zeros(0, np.int64), *arrays]).astype(np.int64)
    stops = lambda counts: np.cumsum(list(counts), dtype=np.int64)
    blocks = [(k, one, cells) for k, one in enumerate(nodal) for cells in one.mesh.cells]
    sets = [(k, name, nodes) for k, one in enumerate(nodal) for name, nodes in one.mesh.sets.items()]
    triangles = [np.asarray(one.mesh.triangles, np.int64).reshape(-1, 3) for one in nodal]
    return {
        "nodes/name": [one.name for one in nodal],
        "nodes/cells": [
            {
                "body": k,
                "vtk": int(cells.vtk),
                "count": len(cells.nodes),
                "nodes": int(np.shape(cells.nodes)[1]),
                "to_nodes": matrix_of(cells) if one.points else None,
            }
            for k, one, cells in blocks
        ],
        "nodes/sets": [{"body": k, "name": name, "count": len(nodes)} for k, name, nodes in sets],
        "nodes/rest": rest_of(nodal),
        "nodes/stop": stops(len(one.rest) for one in nodal),
        "nodes/connectivity": whole(np.ravel(cells.nodes) for _, _, cells in blocks),
        "nodes/triangles": np.concatenate(triangles),
        "nodes/triangle_stop": stops(map(len, triangles)),
        "nodes/set_nodes": whole(np.ravel(nodes) for _, _, nodes in sets),
    }


def matrix_of(cells: Any) -> list[list[float]] | None:
    """Values at the nodes of a cell from those at its points of stress."""
    return None if cells.to_nodes is None else np.asarray(cells.to_nodes, float).tolist()
