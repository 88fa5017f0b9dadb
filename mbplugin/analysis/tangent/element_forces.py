"""What elements without a tangent do at their markers, and which markers that depends on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches, Blocks, Elements, Functions, Markers, Measures, Wrenches
from mbplugin.tables.spec import Array
from mbplugin.tables.tape import MEASURE, RATE, STATE


def joined(parts: Iterable[Array]) -> Array:
    """One vector of integers."""
    return np.concatenate([np.zeros(0, np.int64), *parts])


class ElementForces:
    """Wrenches of force elements, and of the rows under their multipliers, at all markers.

    of_motion: (elements,) whether functions of the motion enter a force (an expression of coordinates): its
    wrench then depends on the markers of those too.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        blocks, elements, wrenches = problem[Blocks], problem[Elements], problem[Wrenches]
        self.size = 6 * len(problem[Markers].index)
        # entries of G_m: place, row, and where at which marker
        place, row, at = [], [], []
        for block in blocks.index:
            rows, slots = int(block.rows), int(block.slots)
            points = blocks.marker[block.first_slot : block.first_slot + slots]
            place.append(np.arange(block.first_G_marker, block.first_G_marker + 6 * rows * slots))
            row.append(np.repeat(np.arange(block.first_row, block.first_row + rows), 6 * slots))
            at.append(np.tile((6 * points[:, None] + np.arange(6)).ravel(), rows))
        self.G_place, self.G_row, self.G_at = joined(place), joined(row), joined(at)
        # numbers of wrenches: whose, and where
        self.owner = np.full(len(wrenches.wrench), -1)
        self.at = np.zeros(len(wrenches.wrench), np.int64)
        self.of_motion = np.zeros(len(elements.index), bool)
        #: of each force element, the markers that it acts on and those that it reads
        self.acts: dict[int, set[int]] = {}
        self.reads: dict[int, set[int]] = {}
        for number, kernel in enumerate(problem.kernels):
            if kernel.role != "force":
                continue
            batch = problem[Batches].index[number]
            first, count = batch.first, batch.length
            for e in range(int(first), int(first + count)):
                element = elements.index[e]
                slots = elements.marker[element.first_slot : element.first_slot + kernel.shape.markers]
                start = 6 * wrenches.index[element.force].first_slot
                self.owner[start : start + 6 * len(slots)] = e
                self.at[start : start + 6 * len(slots)] = (6 * slots[:, None] + np.arange(6)).ravel()
                self.acts[e] = {int(p) for p in slots}
                functions = range(
                    element.first_function, element.first_function + len(kernel.shape.functions)
                )
                measured = self.measured(functions)
                self.of_motion[e] = bool(measured)
                self.reads[e] = self.acts[e] | measured

    def measured(self, functions: Iterable[int]) -> set[int]:
        """Markers of the measures that bound functions depend on, directly or through the rates of the user's
        states.
        """
        table = self.problem[Functions]
        wanted = set(functions)
        rows = [row for row in table.index if row.target in wanted]
        ops = [op for row in rows for op in table.ops[row.start : row.stop]]
        if any(op[0] == STATE for op in ops):
            ops += [op for row in table.equation for op in table.ops[row.start : row.stop]]
        numbers = {int(op[1]) for op in ops if op[0] in (MEASURE, RATE)}
        measures, slot = self.problem[Measures].index, self.problem[Elements].marker
        return {
            int(p)
            for n in numbers
            for p in slot[measures[n].first_slot : measures[n].first_slot + measures[n].slots]
        }

    def wrench(self, lam: Array, chosen: Array | None = None) -> Array:
        """(6 points,) wrenches at all markers: of the chosen force elements (elements,) (None: all) and of
        the rows under lam (nc,).
        """
        wrench, G_marker = self.problem[Wrenches].wrench, self.problem[Blocks].G_marker
        on = self.owner >= 0 if chosen is None else (self.owner >= 0) & chosen[self.owner]
        return np.bincount(self.at[on], wrench[on], self.size) + np.bincount(
            self.G_at, G_marker[self.G_place] * lam[self.G_row], self.size
        )

    def row_twists(self, twist: Array) -> Array:
        """(nc,) G_m twist of every row."""
        return np.bincount(
            self.G_row, self.problem[Blocks].G_marker[self.G_place] * twist[self.G_at], self.problem.nc
        )

    def reach(self, chosen: Array, rows: Array, rates: Array) -> dict[int, set[int]]:
        """The markers where the chosen elements' and rows' (nc,) wrenches depend on each marker of a body;
        `rates`: rows whose rates do, numbered behind them.
        """
        body = self.problem[Markers].index.body
        found: dict[int, set[int]] = {}

        def add(reads: Iterable[int], reached: set[int]) -> None:
            for p in reads:
                if body[p] >= 0:
                    found.setdefault(p, set()).update(reached)

        for e in self.acts:
            if chosen[e]:
                add(self.reads[e], self.acts[e])
        blocks = self.problem[Blocks]
        for block in blocks.index:
            points = {int(p) for p in blocks.marker[block.first_slot : block.first_slot + block.slots]}
            mine = range(block.first_row, block.first_row + block.rows)
            if any(rows[r] for r in mine):
                add(points, points)
            if any(r in mine for r in rates):
                add(points, {len(body) + k for k, r in enumerate(rates) if r in mine})
        return found
