"""Rows under an enforcement law, at the start and the end of a run, and in the analyses.

During assembly of the initial state they are enforced exactly like all others. Then each law gets its
numbers from the masses and loads of its rows, and the rows leave the factor of the constraint forces.
Analyses without forces enforce them exactly (`hold`); static analysis enforces those exactly that a run
iterates until they are closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from mbplugin.compile.graph import factor_tables
from mbplugin.errors import PluginError
from mbplugin.interface.enforcement import EnforcedRow
from mbplugin.kernels import entries
from mbplugin.kernels.modes import fit_next_rows
from mbplugin.kernels.schur import ACCELERATIONS, factor, solve_rows
from mbplugin.problem import EnforcedInfo, Problem
from mbplugin.problem.activity import rows_that_begin
from mbplugin.tables.groups import Blocks, Bodies, Bounded, Elements, Enforced, Rates, Rows, State
from mbplugin.tables.records import ACCELERATION_LEVEL, COMPLIANT, EQUALITY, OFF, ON
from mbplugin.tables.spec import Array

Messages = list[tuple[str, str]]


@dataclass
class Law:
    """A joint under an enforcement law: its rows at the start and their numbers."""

    info: EnforcedInfo
    rows: list[EnforcedRow]
    values: Array

    def before(self) -> Messages:
        return list(self.info.kind.before(self.info.params, self.rows, self.values))

    def after(self, problem: Problem) -> Messages:
        if (problem[State].mode[list(rows_of(problem, self.info))] == OFF).all():
            return []  # it does not act any more
        elements, memory = problem[Elements].index, problem[State].memory
        places = [
            int(elements[problem.names.compliances[r]].first_memory) for r in rows_of(problem, self.info)
        ]
        row_memory = np.array([memory[m : m + self.info.kind.memory] for m in places]).reshape(
            len(places), -1
        )
        return list(self.info.kind.after(self.info.params, self.rows, self.values, row_memory))


def rows_of(problem: Problem, info: EnforcedInfo) -> range:
    return problem.names.joints[info.joint].rows


@contextmanager
def held(problem: Problem) -> Iterator[None]:
    """Inside, rows under an enforcement law hold exactly, unless they do not act, or the law leaves them out
    of the assembly.
    """
    mode = problem[State].mode
    row_numbers = [
        r
        for info in problem.names.enforced
        if info.kind.assembled(info.params)
        for r in rows_of(problem, info)
        if mode[r] == COMPLIANT
    ]
    mode[row_numbers] = ON
    try:
        yield
    finally:
        mode[row_numbers] = COMPLIANT


def hold(problem: Problem) -> None:
    """Enforce the rows of all laws that act exactly from now on."""
    mode = problem[State].mode
    mode[mode == COMPLIANT] = ON


def fit_rows_to(problem: Problem, activities: Array) -> Array:
    """The modes, as in `State.mode`, with those of the activities as given, and of rows as they follow."""
    rows = problem[Rows]
    rows.next_mode[:] = problem[State].mode
    rows.next_mode[problem.nc :] = activities
    problem.call_function(fit_next_rows)
    return rows.next_mode.copy()


def settle(problem: Problem, step: float | None, iterated: bool = True) -> list[Law]:
    """Compute the numbers of every law from the masses and loads of its rows in the assembled state, and
    remove its rows from the factor.

    iterated: whether loads that have a tolerance are iterated; otherwise these rows hold exactly.
    """
    names = problem.names
    if not names.enforced:
        return []
    mass, load = at_start(problem)
    rows, elements, enforced = problem[Rows], problem[Elements], problem[Enforced]
    number = {int(r): i for i, r in enumerate(enforced.index.row)}
    laws, exact = [], []
    for info in names.enforced:
        enforced_rows = [
            EnforcedRow(
                names.rows[r].owner,
                names.rows[r].label,
                names.rows[r].unit,
                int(rows.level[r]),
                float(mass[r]),
                float(load[r]),
                names.size,
                step,
            )
            for r in rows_of(problem, info)
        ]
        all_values = info.kind.rows(info.params, enforced_rows)
        values = np.array(
            [[float(row_values[name]) for name in info.kind.values] for row_values in all_values]
        ).reshape(len(enforced_rows), -1)
        if not np.isfinite(values).all():
            raise PluginError(
                f'enforcement "{info.kind.name}" gives joint "{enforced_rows[0].joint}" the values '
                f"{values.tolist()}"
            )
        for r, row, line, row_values in zip(rows_of(problem, info), enforced_rows, values, all_values):
            tolerance = info.kind.tolerance(info.params, row, row_values)
            if tolerance is not None and not iterated:
                exact.append(r)
                continue
            place = int(elements.index[names.compliances[r]].first_parameter)
            elements.p[place : place + len(line)] = line
            enforced.mass[number[r]] = row.mass
            if tolerance is not None:
                enforced.tolerance[number[r]] = tolerance
        laws.append(Law(info, enforced_rows, values))
    problem[State].mode[exact] = ON
    put_factor(problem, problem[State].mode)
    return laws


def at_start(problem: Problem) -> tuple[Array, Array]:
    """1/diag(G M⁻¹ Gᵀ) of all rows, and the constraint forces if all of them held exactly; zero rows have
    mass 1 and no load.
    """
    problem = problem.copy()
    rows, bodies, rates = problem[Rows], problem[Bodies], problem[Rates]
    problem[State].mode[problem[Enforced].index.row] = ON
    problem.check(entries.evaluate(problem.addresses))
    problem.call_function(factor, ACCELERATION_LEVEL)
    rates.v_dot[:] = problem.solve_mass(bodies.h)
    rows.target[:] = rows.scale * rows.gamma
    problem.call_function(solve_rows, ACCELERATIONS)
    load = rows.lam * rows.scale
    return np.where(rows.scale > 0.0, rows.scale**2, 1.0), load


def put_factor(problem: Problem, *modes: Array) -> None:
    """Let the factor have the blocks of rows, except those that are off or compliant in all of these modes,
    as in `State.mode`, and do not begin to act under a condition; they stay in all other tables.
    """
    blocks = problem[Blocks]
    inside = np.any([~np.isin(mode[: problem.nc], (OFF, COMPLIANT)) for mode in modes], axis=0)
    inside[problem[Bounded].index.row] = True
    inside[rows_that_begin(problem)] = True
    kept = [
        row.row_type == EQUALITY and bool(inside[row.first_row : row.first_row + row.rows].any())
        for row in blocks.index
    ]
    problem.put(factor_tables(blocks, np.flatnonzero(kept), len(problem[Bodies].index)))
