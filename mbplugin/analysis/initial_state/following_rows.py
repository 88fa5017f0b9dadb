"""Rows of motions whose expressions read coordinates: they follow the motion.

Their expressions have to be evaluated where the motion starts, not where the scene draws the bodies, so all
other rows are satisfied first.
"""

from __future__ import annotations

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model.expression import MOVING
from mbplugin.problem import Problem
from mbplugin.tables.groups import Couplings, Functions, Rows, State
from mbplugin.tables.records import DEPENDENCE, OFF


def following_rows(problem: Problem) -> list[int]:
    """Numbers of the rows that are on and whose expressions read coordinates or their rates."""
    couplings, on = problem[Couplings].index, problem.on
    rows = {int(couplings[partial.coupling].row) for partial in problem[Functions].partial}
    return sorted(row for row in rows if on[row])


def layers(problem: Problem, following: list[int]) -> list[list[int]]:
    """Layers of these rows by what they read: those of a layer read no coordinate that a later one drives.
    Rows that read each other in a circle are the last layer.
    """
    measures = {row: measure for row, measure in driven_measures(problem).items() if row in following}
    original = dict(problem.names.same_measures)
    reads: dict[int, set[int]] = {row: set() for row in following}
    for coupling in problem[Couplings].index:
        if coupling.row in reads and coupling.function == DEPENDENCE:
            reads[int(coupling.row)].add(original.get(int(coupling.measure), int(coupling.measure)))
    found, pending = [], list(following)
    while pending:
        driven = {measures[row] for row in pending if row in measures}
        layer = [row for row in pending if not reads[row] & driven] or pending
        found.append(layer)
        pending = [row for row in pending if row not in layer]
    return found


def driven_measures(problem: Problem) -> dict[int, int]:
    """Row of a motion -> the measure that it drives."""
    original = dict(problem.names.same_measures)
    coordinates = problem.names.coordinates
    return {row: original.get(c.measure, c.measure) for c in coordinates for row in c.motion_rows}


def without(problem: Problem, following: list[int]) -> Problem:
    """A copy, evaluated, in which these rows are off and their expressions are 0."""
    problem = problem.copy()
    couplings, functions = problem[Couplings], problem[Functions]
    terms = np.isin(couplings.index.row, following)
    first = terms & (couplings.index.function >= 0)
    couplings.index.function[first] = 0
    couplings.coefficient[terms & ~first] = 0.0
    problem.put(functions._replace(partial=functions.partial[:0]))
    problem[State].mode[following] = OFF
    problem.evaluate_at()
    return problem


def following_row_without_value(problem: Problem, following: list[int]) -> SceneError | None:
    """The error for the first of these rows whose expression or a derivative of it is not finite at the
    present state, evaluated; None if there is none.
    """
    if not following:
        return None
    rows, couplings, functions = problem[Rows], problem[Couplings], problem[Functions]
    wrong = {
        int(coupling.row)
        for coupling, coefficient in zip(couplings.index, couplings.coefficient)
        if not np.isfinite(
            [coefficient, *(array[coupling.row] for array in (rows.phi, rows.phi_t, rows.gamma))]
        ).all()
    }
    targets = {int(c.function) for c in couplings.index if c.row in wrong.intersection(following)}
    for (key, text), row in zip(problem.names.functions, functions.index):
        if row.target in targets:
            value = float(functions.u[row.target, row.shift])
            what = "derivative" if np.isfinite(value) else f"value ({value:g})"
            mend = f"has no {what} at the position and the velocities of the start; give another `start`, "
            return SceneError(key, text, mend + "or an expression that has one there")
    return None


def expression_without_value(problem: Problem, moving: bool) -> SceneError | None:
    """The error for the first expression whose value at t = 0 is not finite, such as log(time).

    moving: look at expressions that read coordinates, at the present, evaluated state; else at all others
    """
    functions = problem[Functions]
    for (key, text), row in zip(problem.names.functions, functions.index):
        value = float(functions.u[row.target, row.shift])
        reads = not MOVING.isdisjoint(functions.ops[row.start : row.stop, 0].tolist())
        if reads == moving and not np.isfinite(value):
            where = ", where the mechanism starts" if moving else ""
            mend = f"has no value at time = 0{where} ({value:g}); choose one that has a value at all times "
            return SceneError(key, text, mend + "of the run")
    return None
