"""Rows that a law holds, around the start and the end of a run, and in the analyses.

While the initial state is assembled they are held as all others are; then each law gets its numbers from what
the rows carry there, and the rows leave the factor of the constraint forces. Analyses of geometry alone hold
them exactly (`hold`); a balance holds exactly what a run iterates until it is closed.
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
from mbplugin.kernels.core import ACCELERATIONS
from mbplugin.problem import EnforcedInfo, Problem
from mbplugin.tables.groups import Blocks, Bodies, Elements, Enforced, Rates, Rows, State
from mbplugin.tables.records import ACCELERATION_LEVEL, DENSE
from mbplugin.tables.spec import Array

Said = list[tuple[str, str]]


@dataclass
class Law:
    """A joint that a law holds: its rows at the start and their numbers."""

    info: EnforcedInfo
    rows: list[EnforcedRow]
    values: Array

    def before(self) -> Said:
        return list(self.info.kind.before(self.info.params, self.rows, self.values))

    def after(self, problem: Problem) -> Said:
        elements, memory = problem[Elements].index, problem[State].memory
        places = [int(elements[problem.names.laws[r]].first_memory) for r in rows_of(problem, self.info)]
        mine = np.array([memory[m : m + self.info.kind.memory] for m in places]).reshape(len(places), -1)
        return list(self.info.kind.after(self.info.params, self.rows, self.values, mine))


def rows_of(problem: Problem, info: EnforcedInfo) -> range:
    return problem.names.joints[info.joint].rows


@contextmanager
def held(problem: Problem) -> Iterator[None]:
    """Inside, rows that a law holds are held exactly, but for those that the scene wants as they are."""
    rows = problem[Rows]
    mine = [
        r
        for info in problem.names.enforced
        if info.kind.assembled(info.params)
        for r in rows_of(problem, info)
    ]
    rows.active[mine] = 1
    try:
        yield
    finally:
        rows.active[mine] = 0


def hold(problem: Problem) -> None:
    """Hold the rows of all laws exactly, for good."""
    problem[Rows].active[problem[Enforced].index.row] = 1


def settle(problem: Problem, step: float | None, iterated: bool = True) -> list[Law]:
    """Give every law its numbers, from the masses and loads of the rows in the assembled state, and take its
    rows out of the factor.

    iterated: whether loads that are iterated until a row is closed are; else such rows are held exactly.
    """
    names = problem.names
    if not names.enforced:
        return []
    mass, load = at_start(problem)
    rows, elements, enforced = problem[Rows], problem[Elements], problem[Enforced]
    number = {int(r): i for i, r in enumerate(enforced.index.row)}
    laws, exact = [], []
    for each in names.enforced:
        mine = [
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
            for r in rows_of(problem, each)
        ]
        given = each.kind.rows(each.params, mine)
        values = np.array([[float(one[name]) for name in each.kind.values] for one in given]).reshape(
            len(mine), -1
        )
        if not np.isfinite(values).all():
            raise PluginError(
                f'enforcement "{each.kind.name}" gives joint "{mine[0].joint}" the numbers {values.tolist()}'
            )
        for r, row, line, one in zip(rows_of(problem, each), mine, values, given):
            tolerance = each.kind.tolerance(each.params, row, one)
            if tolerance is not None and not iterated:
                exact.append(r)
                continue
            place = int(elements.index[names.laws[r]].first_parameter)
            elements.p[place : place + len(line)] = line
            enforced.mass[number[r]] = row.mass
            if tolerance is not None:
                enforced.index[number[r]].iterated, enforced.tolerance[number[r]] = 1, tolerance
        laws.append(Law(each, mine, values))
    enforced.iterated[0] = int(enforced.index.iterated.sum())
    rows.active[exact] = 1
    leave_factor(problem, exact)
    return laws


def at_start(problem: Problem) -> tuple[Array, Array]:
    """1/diag(G M⁻¹ Gᵀ) of all rows, and the constraint forces if all of them were held exactly; rows of no
    norm have mass 1 and no load.
    """
    rows, bodies, rates = problem[Rows], problem[Bodies], problem[Rates]
    mine = problem[Enforced].index.row
    active = rows.active.copy()
    rows.active[mine] = 1
    problem.check(entries.evaluate(problem.addresses))
    problem.call_core("factor", ACCELERATION_LEVEL)
    rates.v_dot[:] = bodies.h * bodies.inverse
    for row in bodies.index:
        if row.mass_form == DENSE:
            v0, n = row.first_v, row.nv
            rates.v_dot[v0 : v0 + n] = np.linalg.solve(
                bodies.M[row.first_mass : row.first_mass + n * n].reshape(n, n), bodies.h[v0 : v0 + n]
            )
    rows.target[:] = rows.scale * rows.gamma
    problem.call_core("solve_rows", ACCELERATIONS)
    load = rows.lam * rows.scale
    mass = np.where(rows.scale > 0.0, rows.scale**2, 1.0)
    rows.active[:], rows.lam[:] = active, 0.0
    return mass, load


def leave_factor(problem: Problem, exact: list[int]) -> None:
    """The factor of the blocks that keep a row; the others keep their place in all tables but that. exact:
    rows with a law that are held all the same.
    """
    blocks, mine = problem[Blocks], set(problem[Enforced].index.row.tolist()) - set(exact)
    kept = [
        row for row in blocks.index if not mine.issuperset(range(row.first_row, row.first_row + row.rows))
    ]
    problem.put(factor_tables(blocks, kept, len(problem[Bodies].index)))
