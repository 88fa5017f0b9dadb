"""Rows of numbers, one for each frame, made of arrays of the tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.kernels.view import place_of
from mbplugin.problem import Problem
from mbplugin.tables import groups
from mbplugin.tables.spec import Array, specs

#: group -> arrays of which frames are made
READ: dict[Any, tuple[str, ...]] = {
    groups.State: ("q", "v", "aux"),
    groups.Bodies: ("kinetic",),
    groups.Rates: ("v_dot",),
    groups.Markers: ("x", "R", "v", "w"),
    groups.FrameValues: ("v_dot", "w_dot", "numbers"),
    groups.Rows: ("lam", "load"),
    groups.RowWrenches: ("wrench",),
    groups.Measures: ("value", "rate"),
    groups.Wrenches: ("wrench", "energy", "power"),
    groups.Outputs: ("value",),
}


class FrameRows:
    """The layout of the rows of one problem. further: arrays besides those of `READ`, and of the solver.

    places (n, 2): as in `store_frame`
    width:         numbers in a row
    """

    def __init__(self, problem: Problem, further: list[tuple[Any, str]]) -> None:
        self.further = further
        self.keys = [(group, name) for group, names in READ.items() for name in names] + further
        self.number = {key: k for k, key in enumerate(self.keys)}
        arrays = [getattr(problem[group], name) for group, name in self.keys]
        columns = [max(1, specs(group)[name].columns) for group, name in self.keys]
        self.shapes = [array.shape for array in arrays]
        self.dtypes = [array.dtype for array in arrays]
        self.places = np.array([(place_of(*key), n) for key, n in zip(self.keys, columns)], np.int64)
        ends = np.cumsum([array.size for array in arrays])
        self.slices = [slice(int(end) - array.size, int(end)) for end, array in zip(ends, arrays)]
        self.width = int(ends[-1])

    def empty(self, n: int) -> Array:
        """(n, width) words of 8 bytes."""
        return np.empty((n, self.width), np.int64)

    def split(self, rows: Array) -> Values:
        """The arrays in n rows (n, width), as views."""
        return Values(self, rows)


class Values(dict[tuple[Any, str], Array]):
    """Array of a group -> its values at n frames, (n, ...): views, made when they are first asked for."""

    def __init__(self, layout: FrameRows, rows: Array) -> None:
        super().__init__()
        self.layout, self.rows = layout, rows

    def __missing__(self, key: tuple[Any, str]) -> Array:
        layout = self.layout
        k = layout.number[key]
        values = (
            self.rows[:, layout.slices[k]].view(layout.dtypes[k]).reshape(len(self.rows), *layout.shapes[k])
        )
        self[key] = values
        return values
