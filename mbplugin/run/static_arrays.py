"""Arrays and attributes of a result that do not change: of shapes, with each mesh once, and of nodes."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np

from mbplugin.model import System
from mbplugin.problem.names import NodalBody
from mbplugin.results.layout import mesh_arrays
from mbplugin.run.curve_tubes import curve_tubes
from mbplugin.tables.spec import Array

NO_COLOR = (np.nan, np.nan, np.nan)


def shape_arrays(system: System, deforming: Collection[int] = ()) -> dict[str, Any]:
    """Arrays and attributes of the groups `meshes` and `shapes`; the ground is body -1. deforming: numbers of
    bodies whose curves are left out.

    Shapes of equal `template` share a mesh. Curves come last, as tubes. Raises SceneError for a mesh file
    that cannot be read.
    """
    owners = [(k, body.name, body.shapes) for k, body in enumerate(system.bodies)]
    owners.append((-1, "ground", system.scene.shapes))
    placed: list[tuple[int, str, Any]] = [
        (k, shape.name or f"{owner}_{n}", shape)
        for k, owner, of_owner in owners
        for n, shape in enumerate(of_owner)
    ]
    placed += [(k, tube.name, tube) for k, tube in curve_tubes(system, deforming)]
    shapes = [shape for _, _, shape in placed]
    templates = [shape.template() for shape in shapes]
    meshes: dict[Hashable, Any] = {}
    for shape, (key, _) in zip(shapes, templates):
        if key not in meshes:
            meshes[key] = shape.template_surface()
    number = {key: k for k, key in enumerate(meshes)}
    rows = lambda values, columns: np.array(values, float).reshape(len(shapes), columns)
    return {
        **mesh_arrays(meshes.values()),
        "shapes/name": [name for _, name, _ in placed],
        "shapes/type": [shape.type for shape in shapes],
        "shapes/body": np.array([k for k, _, _ in placed], np.int64),
        "shapes/mesh": np.array([number[key] for key, _ in templates], np.int64),
        "shapes/position": rows([shape.position for shape in shapes], 3),
        "shapes/orientation": rows([shape.rotation() for shape in shapes], 4),
        "shapes/scale": rows([factors for _, factors in templates], 3),
        "shapes/color": rows([shape.color or NO_COLOR for shape in shapes], 3),
        "shapes/visible": np.array([shape.visible for shape in shapes], np.int64),
    }


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
