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
from mbplugin.interface.compiled import CALLBACK
from mbplugin.interface.enforcement import EnforcedRow
from mbplugin.interface.problem import EnforcedWords, Problem
from mbplugin.kernels import entries
from mbplugin.kernels.core import ACCELERATIONS
from mbplugin.tables.groups import (
    ACCELERATION_LEVEL,
    B_FORM,
    B_MASS,
    B_NV,
    B_V,
    DENSE,
    E_MEMORY,
    E_PARAMETER,
    FACTOR,
    K_ROW,
    K_ROWS,
    N_ITERATED,
    N_ROW,
    PROXIMAL,
    Blocks,
    Bodies,
    Core,
    Elements,
    Enforced,
    Rates,
    Rows,
    State,
)
from mbplugin.tables.spec import Array

Said = list[tuple[str, str]]


@dataclass
class Law:
    """A joint that a law holds: its rows at the start and their numbers."""

    words: EnforcedWords
    rows: list[EnforcedRow]
    values: Array

    def before(self) -> Said:
        return list(self.words.kind.before(self.words.own, self.rows, self.values))

    def after(self, problem: Problem) -> Said:
        elements, memory = problem[Elements].row, problem[State].memory
        places = [int(elements[problem.words.laws[r], E_MEMORY]) for r in rows_of(problem, self.words)]
        mine = np.array([memory[m : m + self.words.kind.memory] for m in places]).reshape(len(places), -1)
        return list(self.words.kind.after(self.words.own, self.rows, self.values, mine))


def rows_of(problem: Problem, words: EnforcedWords) -> range:
    return problem.words.joints[words.joint].rows


@contextmanager
def held(problem: Problem) -> Iterator[None]:
    """Inside, rows that a law holds are held exactly, but for those that the scene wants as they are."""
    rows = problem[Rows]
    mine = [
        r
        for words in problem.words.enforced
        if words.kind.assembled(words.own)
        for r in rows_of(problem, words)
    ]
    rows.active[mine] = 1
    try:
        yield
    finally:
        rows.active[mine] = 0


def hold(problem: Problem) -> None:
    """Hold the rows of all laws exactly, for good."""
    problem[Rows].active[problem[Enforced].row[:, N_ROW]] = 1


def settle(problem: Problem, step: float | None, iterated: bool = True) -> list[Law]:
    """Give every law its numbers, from the masses and loads of the rows in the assembled state, and take its
    rows out of the factor.

    iterated: whether loads that are iterated until a row is closed are; else such rows are held exactly.
    """
    words = problem.words
    if not words.enforced:
        return []
    mass, load = at_start(problem)
    rows, elements, enforced = problem[Rows], problem[Elements], problem[Enforced]
    number = {int(r): i for i, r in enumerate(enforced.row[:, N_ROW])}
    laws, exact = [], []
    for each in words.enforced:
        mine = [
            EnforcedRow(
                words.rows[r].owner,
                words.rows[r].label,
                words.rows[r].unit,
                int(rows.level[r]),
                float(mass[r]),
                float(load[r]),
                words.size,
                step,
            )
            for r in rows_of(problem, each)
        ]
        given = each.kind.rows(each.own, mine)
        values = np.array([[float(one[name]) for name in each.kind.values] for one in given]).reshape(
            len(mine), -1
        )
        if not np.isfinite(values).all():
            raise PluginError(
                f'enforcement "{each.kind.name}" gives joint "{mine[0].joint}" the numbers {values.tolist()}'
            )
        for r, row, line, one in zip(rows_of(problem, each), mine, values, given):
            tolerance = each.kind.tolerance(each.own, row, one)
            if tolerance is not None and not iterated:
                exact.append(r)
                continue
            place = int(elements.row[words.laws[r], E_PARAMETER])
            elements.p[place : place + len(line)] = line
            enforced.mass[number[r]] = row.mass
            if tolerance is not None:
                enforced.row[number[r], N_ITERATED], enforced.tolerance[number[r]] = 1, tolerance
        laws.append(Law(each, mine, values))
    enforced.count[0] = int(enforced.row[:, N_ITERATED].sum())
    rows.active[exact] = 1
    leave_factor(problem, exact)
    return laws


def at_start(problem: Problem) -> tuple[Array, Array]:
    """1/diag(G M⁻¹ Gᵀ) of all rows, and the constraint forces if all of them were held exactly; rows of no
    norm have mass 1 and no load.
    """
    rows, bodies, rates = problem[Rows], problem[Bodies], problem[Rates]
    mine = problem[Enforced].row[:, N_ROW]
    active = rows.active.copy()
    rows.active[mine] = 1
    problem.check(entries.evaluate_terms(problem.addresses))
    core, address = problem[Core].address, problem.addresses.ctypes.data
    CALLBACK(int(core[FACTOR]))(ACCELERATION_LEVEL, 0, address)
    rates.v_dot[:] = bodies.h * bodies.inverse
    for row in bodies.row:
        if row[B_FORM] == DENSE:
            v0, n = row[B_V], row[B_NV]
            rates.v_dot[v0 : v0 + n] = np.linalg.solve(
                bodies.M[row[B_MASS] : row[B_MASS] + n * n].reshape(n, n), bodies.h[v0 : v0 + n]
            )
    rows.target[:] = rows.scale * rows.gamma
    CALLBACK(int(core[PROXIMAL]))(ACCELERATIONS, 0, address)
    load = rows.lam * rows.scale
    mass = np.where(rows.scale > 0.0, rows.scale**2, 1.0)
    rows.active[:], rows.lam[:] = active, 0.0
    return mass, load


def leave_factor(problem: Problem, exact: list[int]) -> None:
    """The factor of the blocks that keep a row; the others keep their place in all tables but that. exact:
    rows with a law that are held all the same.
    """
    blocks, mine = problem[Blocks], set(problem[Enforced].row[:, N_ROW].tolist()) - set(exact)
    kept = [row for row in blocks.row if not mine.issuperset(range(row[K_ROW], row[K_ROW] + row[K_ROWS]))]
    problem.put(factor_tables(blocks, kept, len(problem[Bodies].row)))
