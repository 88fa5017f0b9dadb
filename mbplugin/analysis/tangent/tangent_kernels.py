"""Tangents that kinds give in closed form: their compiled functions, and where what they write lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, batch_kernel
from mbplugin.compile.batches import body_kernel
from mbplugin.errors import PluginError
from mbplugin.interface.tangent import tangent_of
from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches, Bodies, Elements, Markers, Tangents
from mbplugin.tables.spec import Array


def called(problem: Problem, kernel: Compiled, first: int, count: int) -> None:
    """Call a tangent function. Raises PluginError with the element's name where it raises."""
    if kernel.call(first, count, problem.addresses) == 0:
        return
    record = next(
        (i for i in range(first, first + count) if kernel.call(i, 1, problem.addresses) != 0), first
    )
    why = f" ({type(kernel.error[0]).__name__}: {kernel.error[0]})" if kernel.error else ""
    name = (
        f' for "{problem.names.elements[record]}"'
        if kernel.role.endswith("_tangent") and kernel.role != "own_tangent"
        else ""
    )
    raise PluginError(f"{kernel.owner}: its tangent function raised an exception{why}{name}")


class ElementTangents:
    """Of the elements whose kind gives a tangent: K and D over their markers.

    given: (elements,) whether its tangent is used; rows: (nc,) whether the row is one of such an element.
    row, column: places of all numbers of K (and, the same, of D) among the displacements (6 points,) of the
    markers.
    """

    def __init__(self, problem: Problem, start: int, left_out: Array) -> None:
        self.problem, elements = problem, problem[Elements]
        self.given = np.zeros(len(elements.index), bool)
        self.rows = np.zeros(problem.nc, bool)
        self.starts = np.zeros(len(elements.index), np.int64)
        self.batches: list[tuple[Compiled, int, int]] = []
        at: list[Array] = []
        of_K: list[Array] = []
        whose: list[Array] = []
        for number, function in problem.names.tangents.items():
            kernel, batch = problem.kernels[number], problem[Batches].index[number]
            first, count = batch.first, batch.length
            self.batches.append(
                (
                    batch_kernel(f"{kernel.role}_tangent", function, kernel.shape, kernel.owner),
                    int(first),
                    int(count),
                )
            )
            n = 6 * kernel.shape.markers
            for e in range(first, first + count):
                self.starts[e] = start
                self.given[e] = not left_out[e]
                if kernel.role != "force":
                    r = elements.index[e].first_row
                    self.rows[r : r + kernel.shape.rows] = True
                if self.given[e]:
                    slots = elements.marker[
                        elements.index[e].first_slot : elements.index[e].first_slot + kernel.shape.markers
                    ]
                    at.append((6 * slots[:, None] + np.arange(6)).ravel())
                    of_K.append(np.arange(start, start + n * n))
                    whose.append(np.full(n * n, e))
                start += 2 * n * n
        join = lambda parts: np.concatenate([np.zeros(0, np.int64), *parts])
        self.K, self.D = join(of_K), join([k + len(k) for k in of_K])
        self.element = join(whose)
        self.row, self.column = (
            join([np.repeat(a, len(a)) for a in at]),
            join([np.tile(a, len(a)) for a in at]),
        )
        self.stop = start

    def call(self) -> None:
        """Let them write, at the markers and with `Tangents.lam` as they are. Raises PluginError where
        something is not a number.
        """
        for kernel, first, count in self.batches:
            called(self.problem, kernel, first, count)
        value = self.problem[Tangents].value
        for places, name in ((self.K, "K"), (self.D, "D")):
            wrong = np.flatnonzero(~np.isfinite(value[places]))
            if len(wrong):
                record = int(self.element[wrong[0]])
                owner = next(
                    kernel.owner for kernel, first, count in self.batches if first <= record < first + count
                )
                raise PluginError(
                    f"{owner}: its tangent function returned {name} with {value[places[wrong[0]]]} in it for "
                    f'"{self.problem.names.elements[record]}"'
                )


def body_functions(kind: Any) -> tuple[Any, Any] | None:
    """A body kind's `geometric`, and its `tangent` (None where it has no forces of its own); None where one
    is missing.
    """
    geometric, tangent = (
        tangent_of(kind, "geometric", "prepare", "locate", "to_generalized_force", "retract"),
        tangent_of(kind, "tangent", "prepare", "internal", "retract"),
    )
    return (
        None if geometric is None or (kind.internal is not None and tangent is None) else (geometric, tangent)
    )


class BodyTangents:
    """Of the bodies whose kind gives its tangents: the geometric K of every marker on them and E, and K and D
    of the body's own forces.

    given: (bodies,) whether its kind does. The arrays `..._row` and `..._column` place numbers among
    velocities, or E among twists of markers and velocities.
    """

    def __init__(self, problem: Problem, start: int) -> None:
        self.problem = problem
        kinds, bodies, markers = problem.names.kinds, problem[Bodies].index, problem[Markers].index
        known = {kind: body_functions(kind) for kind in kinds}
        self.given = np.array([known[kind] is not None for kind in kinds], bool)
        self.batches: list[tuple[Compiled, int, int]] = []
        self.point_start, self.body_start = np.zeros(len(markers), np.int64), np.zeros(len(bodies), np.int64)
        K: list[Array] = []
        D: list[Array] = []
        E: list[Array] = []
        K_row: list[Array] = []
        K_column: list[Array] = []
        D_row: list[Array] = []
        D_column: list[Array] = []
        E_row: list[Array] = []
        E_column: list[Array] = []
        for kind, functions in known.items():
            if functions is None:
                continue
            geometric, tangent = functions
            mine = np.array([k for k in range(len(kinds)) if kinds[k] is kind])
            on = np.flatnonzero(np.isin(markers.body, mine))
            n = kind.nv
            self.batches.append((body_kernel("geometric", geometric, kind), int(on[0]), len(on)))
            v = bodies[markers.body[on]].first_v
            self.point_start[on] = start + (n + 6) * n * np.arange(len(on))
            square, i, j = np.arange(n * n), np.repeat(np.arange(n), n), np.tile(np.arange(n), n)
            K.append(self.point_start[on][:, None] + square)
            K_row.append(v[:, None] + i)
            K_column.append(v[:, None] + j)
            E.append(self.point_start[on][:, None] + n * n + np.arange(6 * n))
            E_row.append(6 * on[:, None] + np.repeat(np.arange(6), n))
            E_column.append(v[:, None] + np.tile(np.arange(n), 6))
            start += (n + 6) * n * len(on)
            if tangent is not None:
                self.batches.append((body_kernel("own_tangent", tangent, kind), int(mine[0]), len(mine)))
                v = bodies[mine].first_v
                self.body_start[mine] = start + 2 * n * n * np.arange(len(mine))
                K.append(self.body_start[mine][:, None] + square)
                D.append(self.body_start[mine][:, None] + n * n + square)
                for rows, columns in ((K_row, K_column), (D_row, D_column)):
                    rows.append(v[:, None] + i)
                    columns.append(v[:, None] + j)
                start += 2 * n * n * len(mine)
        join = lambda parts: np.concatenate([np.zeros(0, np.int64), *(part.ravel() for part in parts)])
        self.K, self.D, self.E = join(K), join(D), join(E)
        self.K_row, self.K_column, self.D_row, self.D_column = (
            join(K_row),
            join(K_column),
            join(D_row),
            join(D_column),
        )
        self.E_row, self.E_column = join(E_row), join(E_column)
        self.stop = start

    def call(self) -> None:
        """Let them write, under `Tangents.wrench` at each marker."""
        for kernel, first, count in self.batches:
            called(self.problem, kernel, first, count)
