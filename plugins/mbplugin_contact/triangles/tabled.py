"""Tables of the surfaces of a scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.stepping.arrays import records
from mbplugin_contact.triangles.surface import Surface
from mbplugin_contact.triangles.tables import SMOOTH, WORK_INTS, WORK_ROWS, SurfaceRecord, Triangles


def triangle_tables(surfaces: Sequence[Surface]) -> Triangles:
    """Tables of these surfaces, which have the numbers 0, 1, ..."""
    rows: list[SurfaceRecord] = []
    homes: list[np.ndarray] = [np.zeros(0, np.int64)]
    vertices = triangles = nodes = planes = edges = listed = 0
    parts: dict[str, list[np.ndarray]] = {name: [] for name in Triangles._fields[1:13]}
    for one in surfaces:
        n, tree = len(one.corner), one.tree
        leaves = 0 if tree is None else tree.leaves
        rows.append(SurfaceRecord(triangles, n, nodes, leaves, *one.grid))
        for name in ("vertex", "normal", "both_sides"):
            parts[name].append(getattr(one, name))
        parts["corner"].append(one.corner.ravel() + vertices)
        parts["plane"].append(one.plane + planes)
        parts["across"].append(one.across + 3 * triangles)
        parts["edge"].append(np.where(one.edge == SMOOTH, SMOOTH, one.edge + edges))
        parts["corner_first"].append(one.corner_first[:-1] + listed)
        parts["corner_list"].append(one.corner_list + vertices)
        if tree is not None:
            parts["order"].append(tree.order + triangles)
            parts["low"].append(tree.low)
            parts["high"].append(tree.high)
            nodes += len(tree.low)
        else:
            parts["order"].append(np.zeros(n, np.int64))
            parts["low"].append(one.vertex.min(axis=0)[None])
            parts["high"].append(one.vertex.max(axis=0)[None])
            nodes += 1
        home = np.zeros(len(one.vertex), np.int64)
        used, first = np.unique(one.corner.ravel(), return_index=True)
        home[used] = first + 3 * triangles
        homes.append(home)
        vertices, triangles = vertices + len(one.vertex), triangles + n
        planes, edges = planes + int(one.plane.max()) + 1, edges + int(one.edge.max()) + 1
        listed += len(one.corner_list)
    parts["corner_first"].append(np.array([listed]))
    three = ("vertex", "normal", "low", "high")
    arrays = {
        name: np.concatenate([np.zeros((0, 3)) if name in three else np.zeros(0, np.int64), *values])
        for name, values in parts.items()
    }
    room = (WORK_ROWS, WORK_INTS) if rows else (0, 0)
    return Triangles(
        records(SurfaceRecord, rows),
        **arrays,
        work=np.zeros((room[0], 3)),
        work_ints=np.zeros(room[1], np.int64),
        home=np.concatenate(homes),
        chain=np.full(3 * triangles, -1),
    )
