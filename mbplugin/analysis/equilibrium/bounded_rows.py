"""Rows whose forces have bounds in the search for an equilibrium: limits, ropes, dry friction, efforts, ...

Each has a displacement s from where it holds, and a force f within its bounds:

    f = lower where s > 0,   f = upper where s < 0,   lower ≤ f ≤ upper where s = 0

A gap has s = Φ, a motion of limited effort too. What sticks or turns one way begins at the start: its s is
the way from there, so that any share of forces that holds it is an equilibrium, and what slips does so
against its bound. A step δ = δ₀ + A⁻¹ Jᵀ f, δ₀ = A⁻¹ h, moves them by J δ: forces at which s + J δ obeys
these laws are those of `complementarity.py` with W = J A⁻¹ Jᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from mbplugin.analysis.equilibrium.complementarity import (
    AT_LOWER,
    AT_UPPER,
    HOLDS,
    SLIPS,
    Bounds,
    solve_forces,
)
from mbplugin.analysis.tangent.stiffness import sparse_stiffness
from mbplugin.problem import Problem
from mbplugin.tables.groups import Blocks, Bounded, Rows, State
from mbplugin.tables.records import LOWER, ON, UPPER
from mbplugin.tables.spec import Array

#: modes of the engine of what a row is doing
MODES = {AT_LOWER: LOWER, HOLDS: ON, AT_UPPER: UPPER, SLIPS: LOWER}


class BoundedRows:
    """Those of a problem that act, off during the search."""

    def __init__(self, problem: Problem, acting: Array) -> None:
        """acting: (bounded,) whether each row acts"""
        self.problem = problem
        index = problem[Bounded].index
        #: (m,) numbers in `Bounded`
        self.number: Array = np.flatnonzero(acting)
        self.row: Array = np.array(index.row[self.number], np.int64)
        place = np.full(len(index), -1)
        place[self.number] = np.arange(len(self.number))
        partner = index.partner[self.number]
        self.partner: Array = np.where(partner >= 0, place[partner], -1)
        #: whether s is Φ; else the way from the start
        self.absolute = (index.gap[self.number] == 1) | (
            (index.works[self.number] == 1) & (problem[Rows].level[self.row] == 0)
        )
        self.force: Array = np.zeros(len(self.row))
        self.doing: Array = np.zeros(len(self.row), np.int64)
        self.begin()

    def begin(self) -> None:
        """Count ways from the present position, evaluated."""
        self.start = self.problem[Rows].phi[self.row].copy()
        self.way = np.zeros(len(self.row))
        self.force[:], self.doing[:] = 0.0, HOLDS

    def follow(self, dq: Array, before: Any) -> None:
        """Count the way of a move δ (nv,) to the present position, evaluated, on that before it (m,)."""
        self.way = before + self.jacobian @ dq

    @property
    def jacobian(self) -> Any:
        """J (m, nv), sparse."""
        entry, column, first = self.entries
        G = self.problem.array(Blocks, "G")[entry]
        return csr_array((G, column.copy(), first.copy()), shape=(len(self.row), self.problem.nv))

    @cached_property
    def entries(self) -> tuple[Array, Array, Array]:
        """Places in Blocks.G and columns of the entries of J, by rows, and the first one of each row."""
        first, column = self.problem.rows_of_G
        of_row = [np.arange(first[row], first[row + 1]) for row in self.row]
        chosen = np.concatenate([np.zeros(0, np.int64), *of_row])
        lengths = np.array([0, *map(len, of_row)], np.int32)
        return self.problem.entries_of_G[0][chosen], column[chosen], np.cumsum(lengths, dtype=np.int32)

    @property
    def displacement(self) -> Array:
        """s (m,) at the present position, evaluated [m, rad]."""
        phi = self.problem[Rows].phi[self.row]
        # rows of velocities have no Φ
        way = np.where((phi == 0.0) & (self.start == 0.0), self.way, phi - self.start)
        return np.where(self.absolute, phi, way)

    @property
    def bounds(self) -> Bounds:
        """Of the forces: those at rest of what holds, and those of what slips."""
        bounded, rests = self.problem[Bounded].index[self.number], self.doing == HOLDS
        lower = np.where(rests, bounded.holds_from, bounded.lower)
        return Bounds(lower, np.where(rests, bounded.holds_to, bounded.upper), self.partner)

    def find(self, dq: Array, columns: Callable[[Array], Array]) -> None:
        """Find the forces of a step, and which rows hold.

        dq: δ₀ (nv,); columns: F (nv, k) → A⁻¹ F
        """
        J = self.jacobian
        W = J @ columns(J.T.toarray())
        found = solve_forces(W, self.displacement + J @ dq, self.bounds, self.doing)
        self.force, self.doing = found.force, found.doing

    @property
    def holding(self) -> Array:
        """J (k, nv) of the rows that hold."""
        return np.asarray(self.jacobian[self.doing == HOLDS].toarray())

    @property
    def gaps(self) -> Array:
        """(k,) what these rows have to move to be where they hold [m, rad]."""
        return -self.displacement[self.doing == HOLDS]

    @property
    def carried(self) -> Array:
        """(k,) the forces of the rows that hold."""
        return np.asarray(self.force[self.doing == HOLDS])

    def carry(self, more: Array) -> None:
        """Add to the forces (k,) of the rows that hold."""
        self.force[self.doing == HOLDS] += more

    @property
    def at_bounds(self) -> Array:
        """(nv,) forces of the others."""
        return np.asarray(self.jacobian.T @ np.where(self.doing == HOLDS, 0.0, self.force))

    def nears(self, dq: Array) -> bool:
        """Whether a step δ (nv,) takes the system nearer to where a row begins to act."""
        return bool(((self.displacement > 0.0) & (self.jacobian @ dq < 0.0)).any())

    def shares(self, forces: Array) -> Array:
        """(m,) |f| over its bound at rest, 0 where that is infinite; forces (m,)."""
        bounded = self.problem[Bounded].index[self.number]
        bound = np.where(forces < 0.0, -bounded.holds_from, bounded.holds_to)
        return np.divide(
            np.abs(forces), bound, out=np.zeros(len(bound)), where=np.isfinite(bound) & (bound > 0.0)
        )

    @property
    def open(self) -> float:
        """The largest distance of a row from where it holds, or beyond it [mechanism sizes, rad]."""
        s, index = self.displacement / self.problem.row_units[self.row], self.problem[Bounded].index
        beyond = np.where(index.gap[self.number] == 1, np.maximum(-s, 0.0), 0.0)
        return float(np.where(self.doing == HOLDS, np.abs(s), beyond).max(initial=0.0))

    def put_modes(self) -> None:
        """Let the rows of the problem have the modes found, for forces and modes at this position, and cones
        that slip their direction.
        """
        state, index = self.problem[State], self.problem[Bounded].index[self.number]
        state.mode[self.row] = [MODES[int(one)] for one in self.doing]
        slips = (self.doing == SLIPS) & (index.upper > 0.0)
        state.memory[index.memory[slips] + 1] = -self.force[slips] / index.upper[slips]


def stiffness_with(problem: Problem, lam: Array, bounded: BoundedRows | None) -> Array:
    """K (nv, nv), with the forces of bounded rows, in λ, as constants."""
    with acting(problem, bounded):
        return np.asarray(sparse_stiffness(problem, lam).toarray())


@contextmanager
def acting(problem: Problem, bounded: BoundedRows | None) -> Iterator[None]:
    """Inside, bounded rows exert their λ."""
    with on(problem, bounded.row if bounded is not None else np.zeros(0, np.int64)):
        yield


@contextmanager
def holding(problem: Problem, bounded: BoundedRows) -> Iterator[None]:
    """Inside, the rows that hold are on."""
    with on(problem, bounded.row[bounded.doing == HOLDS]):
        yield


@contextmanager
def on(problem: Problem, rows: Array) -> Iterator[None]:
    mode = problem[State].mode
    before = mode[rows].copy()
    mode[rows] = ON
    try:
        yield
    finally:
        mode[rows] = before
