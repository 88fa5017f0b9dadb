"""Where the tangents of bodies with parts are in one sparse matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled
from mbplugin.tables.groups import Bodies, TangentBlocks
from mbplugin.tables.spec import Array

#: numbers of a dense block over the parts of points up to which it is formed: 2,000 velocities
LARGEST_BLOCK = 4_000_000


@dataclass(frozen=True)
class PartBody:
    """A body with parts.

    own: (entries, 2) row and column of each number of its K and D; tangent: the kernel, None: differences
    """

    number: int
    own: Array
    tangent: Compiled | None


@dataclass(frozen=True)
class PartMarker:
    """A marker on such a body.

    places: (moved,) velocities of its parts; geometric: the kernel, None: differences
    loaded: whether a wrench may act there; straight: whether only its torque adds to K
    """

    number: int
    body: int
    places: Array
    jacobian: Compiled
    geometric: Compiled | None
    loaded: bool
    straight: bool


class Pattern:
    """Where the values of the blocks, the bodies and the geometric terms are in one sparse matrix (CSC)."""

    def __init__(self, problem: Any, plan: Any) -> None:
        index, bodies = problem[TangentBlocks].index, problem[Bodies].index
        last = len(bodies)
        ordinary = index[(index.row < last) & (index.column < last)]
        size = ordinary.rows * ordinary.columns
        block = np.repeat(np.arange(len(ordinary)), size)
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        #: places in `TangentBlocks.value` of blocks that are no marker's
        self.plain = ordinary.first[block] + within
        width = np.maximum(ordinary.columns[block], 1)
        rows = [bodies.first_v[ordinary.row[block]] + within // width]
        columns = [bodies.first_v[ordinary.column[block]] + within % width]
        #: the other blocks, and their markers, None for a body
        self.pairs: list[tuple[Any, PartMarker | None, PartMarker | None]] = []
        for record in index[(index.row >= last) | (index.column >= last)]:
            sides = [
                plan.by_number[plan.marker_of[int(k)]] if k >= last else None
                for k in (record.row, record.column)
            ]
            self.pairs.append((record, *sides))
            if self.is_formed(record, *sides):
                places = [
                    bodies.first_v[k] + np.arange(bodies.nv[k]) if side is None else side.places
                    for side, k in zip(sides, (record.row, record.column))
                ]
                rows.append(np.repeat(places[0], len(places[1])))
                columns.append(np.tile(places[1], len(places[0])))
        for body in plan.bodies:
            rows.append(body.own[:, 0])
            columns.append(body.own[:, 1])
        for marker in plan.markers:
            if marker.loaded:
                rows.append(np.repeat(marker.places, len(marker.places)))
                columns.append(np.tile(marker.places, len(marker.places)))
        self.nv = problem.nv
        entry = np.concatenate(columns) * self.nv + np.concatenate(rows)
        self.entry, self.place = np.unique(entry, return_inverse=True)
        start = np.searchsorted(self.entry // self.nv, np.arange(self.nv + 1))
        self.indices, self.indptr = self.entry % self.nv, start

    def is_formed(self, record: Any, left: PartMarker | None, right: PartMarker | None) -> bool:
        """Whether a block is not too large."""
        rows = record.rows if left is None else len(left.places)
        return int(rows) * int(record.columns if right is None else len(right.places)) <= LARGEST_BLOCK

    def matrix(self, values: Array) -> Any:
        """(nv, nv) sum of the values."""
        from scipy.sparse import csc_array

        data = np.bincount(self.place, values, len(self.entry))
        return csc_array((data, self.indices, self.indptr), shape=(self.nv, self.nv))
