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
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import vstack

from mbplugin.analysis.equilibrium.complementarity import (
    AT_LOWER,
    AT_UPPER,
    HOLDS,
    SLIPS,
    Bounds,
    solve_forces,
)
from mbplugin.analysis.equilibrium.touching_rows import CLOSED, Contacts, TouchingRows
from mbplugin.analysis.tangent.stiffness import sparse_stiffness
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bearings, Bounded, Rows, State
from mbplugin.tables.records import LOWER, ON, UPPER
from mbplugin.tables.spec import Array

#: of the way to forces of the least norm
HALVINGS = 20
#: forces beyond their bounds, relative to the largest, that count as within them
WITHIN = 1e-9
#: part of a step that counts as nearing
NEARS = 1e-6
#: rounds at most in which pressures follow from forces, and relative change at which they have
PRESSINGS, SAME_PRESSURE = 60, 1e-13
#: modes of the engine of what a row is doing
MODES = {AT_LOWER: LOWER, HOLDS: ON, AT_UPPER: UPPER, SLIPS: LOWER}


class Before(NamedTuple):
    """Rows before a move."""

    way: Array  # (own,)
    force: Array  # (m,)
    doing: Array  # (m,)
    contacts: Contacts | None


class Saved(NamedTuple):
    """All that rows know of their past."""

    start: Array
    way: Array
    force: Array
    doing: Array
    pressure: Array
    contacts: Contacts | None


class BoundedRows:
    """Those of a problem that act, off during the search; behind them three of each contact."""

    def __init__(self, problem: Problem, acting: Array, touching: TouchingRows | None = None) -> None:
        """acting: (bounded,) whether each row acts"""
        self.problem, self.touching = problem, touching
        index = problem[Bounded].index
        #: (own,) numbers in `Bounded`
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
        bearings, of_row = problem[Bearings].index, np.full(problem.nc, -1)
        of_row[self.row] = np.arange(len(self.row))
        #: (own,) the bearing of each; and the row that presses there, if it is one of these
        self.bearing: Array = np.array(index.bearing[self.number], np.int64)
        pressing = np.array([bearings.pressing[k] if k >= 0 else -1 for k in self.bearing], np.int64)
        self.presser: Array = np.where(pressing >= 0, of_row[pressing], -1)
        self.by_reaction: Array = (self.bearing >= 0) & (self.presser < 0)
        self.begin()

    def begin(self) -> None:
        """Count ways from the present position, evaluated."""
        self.kept: Any = None
        self.start = self.problem[Rows].phi[self.row].copy()
        self.way = np.zeros(len(self.row))
        if self.touching is not None:
            self.touching.here()
        self.force: Array = np.zeros(self.count)
        self.doing: Array = np.zeros(self.count, np.int64)
        #: of the rows that a reaction presses on, not known yet
        self.pressure: Array = np.full(int(self.by_reaction.sum()), np.inf)
        #: whether forces that many shares could have stay near those before
        self.keeps = False

    def hold_here(self) -> None:
        """Let what sticks hold from the present equilibrium on, evaluated, with the forces that it has."""
        touching, self.kept, self.keeps = self.touching, None, True
        self.start = self.problem[Rows].phi[self.row].copy()
        self.way = np.zeros(len(self.row))
        self.pressure = np.full(len(self.pressure), np.inf)
        rests = ~self.absolute
        if touching is not None:
            touching.now = touching.now._replace(slip=np.zeros_like(touching.now.slip))
            rubs = touching.now.static[:, None] > 0.0
            rests = np.concatenate([rests, (rubs & np.array([False, True, True])).ravel()])
        self.doing = np.where(rests, HOLDS, self.doing)

    def saved(self) -> Saved:
        """What `put` asks for."""
        contacts = None if self.touching is None else self.touching.now
        return Saved(self.start, self.way, self.force.copy(), self.doing.copy(), self.pressure, contacts)

    def put(self, saved: Saved) -> None:
        """Let the rows be as they were, at the position that they had."""
        self.kept = None
        self.start, self.way, self.pressure = saved.start, saved.way, saved.pressure
        self.force, self.doing = saved.force.copy(), saved.doing.copy()
        if self.touching is not None and saved.contacts is not None:
            self.touching.now = saved.contacts

    @property
    def own(self) -> int:
        """Rows of the problem."""
        return len(self.row)

    @property
    def contacts(self) -> int:
        return 0 if self.touching is None else len(self.touching.now.names)

    @property
    def count(self) -> int:
        return self.own + 3 * self.contacts

    @property
    def before(self) -> Before:
        """What `follow` asks for, of the present position."""
        return Before(self.way, self.force, self.doing, None if self.touching is None else self.touching.now)

    def follow(self, before: Before, dq: Array) -> None:
        """Count the way of a move δ (nv,) from the position before it to the present one, evaluated."""
        self.kept = None
        self.way = before.way + self.own_jacobian @ dq
        if self.touching is None or before.contacts is None:
            return
        places = np.array(
            self.touching.follow(before.contacts, dq, CLOSED * self.problem.names.size), np.int64
        )
        stays = places >= 0

        def moved(values: Array, new: float) -> Array:
            of_contacts = np.full((len(places), 3), new, values.dtype)
            of_contacts[stays] = values[self.own :].reshape(-1, 3)[places[stays]]
            return np.concatenate([values[: self.own], of_contacts.ravel()])

        self.force, self.doing = moved(before.force, 0.0), moved(before.doing, HOLDS)

    @property
    def own_jacobian(self) -> Any:
        return self.problem.sparse_jacobian()[self.row]

    @property
    def jacobian(self) -> Any:
        """J (m, nv), sparse, of the position at which ways were counted last."""
        if self.kept is None:
            own = self.own_jacobian
            found = own if self.touching is None else vstack([own, self.touching.now.jacobian], format="csr")
            self.kept = found
        return self.kept

    @property
    def displacement(self) -> Array:
        """s (m,) at the present position, evaluated [m, rad]."""
        phi = self.problem[Rows].phi[self.row]
        # rows of velocities have no Φ
        way = np.where((phi == 0.0) & (self.start == 0.0), self.way, phi - self.start)
        own = np.where(self.absolute, phi, way)
        if self.touching is None:
            return own
        return np.concatenate([own, np.column_stack([self.touching.now.gap, self.touching.now.slip]).ravel()])

    @property
    def bounds(self) -> Bounds:
        """Of the forces: those at rest of what holds, and those of what slips; at the present pressures."""
        bounded, rests = self.problem[Bounded].index[self.number], self.doing[: self.own] == HOLDS
        lower = np.where(rests, bounded.holds_from, bounded.lower)
        upper = np.where(rests, bounded.holds_to, bounded.upper)
        for bound in (lower, upper):
            rubs = self.by_reaction & (bound != 0.0)
            bound[rubs] *= self.pressure[rubs[self.by_reaction]]
        own = Bounds(lower, upper, self.partner, self.presser)
        if self.touching is None:
            return own
        n, first = self.contacts, self.own + 3 * np.arange(self.contacts)[:, None]
        rests = (self.doing[self.own :].reshape(n, 3)[:, 1] == HOLDS)[:, None]
        mu = np.where(rests, self.touching.now.static[:, None], self.touching.now.kinetic[:, None])
        none, whole = np.full((n, 1), -1), np.full((n, 1), np.inf)
        of_contacts = (
            np.hstack([np.zeros((n, 1)), -mu, -mu]),
            np.hstack([whole, mu, mu]),
            np.hstack([none, first + 2, first + 1]),
            np.hstack([none, first, first]),
        )
        return Bounds(*(np.concatenate([one, more.ravel()]) for one, more in zip(own, of_contacts)))

    def press(self, lam: Array) -> None:
        """Let bounds follow the pressures of the reactions by λ (nc,)."""
        if (self.bearing >= 0).any():
            lam[self.row] = self.force[: self.own]
            self.problem[Rows].lam[:] = lam
            self.problem.check(entries.evaluate_pressures(self.problem.addresses))
            self.pressure = self.problem[Bearings].pressure[self.bearing[self.by_reaction]].copy()

    def find(
        self, dq: Array, columns: Callable[[Array], Array], reactions: Callable[[Array, Array], Array]
    ) -> None:
        """Find the forces of a step, and which rows hold. What is pressed by a reaction holds at first, and
        then within what the reaction of that step allows.

        dq: δ₀ (nv,); columns: F (nv, k) → A⁻¹ F; reactions: forces (nv,) and δ (nv,) → λ (nc,)
        """
        J = self.jacobian
        moved = columns(J.T.toarray())
        W, c = J @ moved, self.displacement + J @ dq
        for _ in range(PRESSINGS):
            found = solve_forces(W, c, self.bounds, self.doing, self.force if self.keeps else None)
            self.force, self.doing = found.force, found.doing
            if not self.by_reaction.any():
                break
            before = self.pressure
            self.press(reactions(J.T @ self.force, dq + moved @ self.force))
            change = np.abs(self.pressure - before).max(initial=0.0)
            if change <= SAME_PRESSURE * np.abs(self.pressure).max(initial=0.0):
                break
        self.slipped = W @ self.force + c

    def rub(self, lam: Array) -> bool:
        """Let what slips follow the pressures of the reactions by λ (nc,). Returns whether its forces stay as
        they were.
        """
        before = self.force.copy()
        self.press(lam)
        bounds = self.bounds
        for doing, bound in ((AT_LOWER, bounds.lower), (AT_UPPER, bounds.upper)):
            at = np.flatnonzero(self.by_reaction & (self.doing[: self.own] == doing))
            self.force[at] = bound[at]
        for i in bounds.leads.tolist():
            if i < self.own and self.by_reaction[i] and self.doing[i] == SLIPS:
                pair = [i, int(bounds.partner[i])]
                length = float(np.linalg.norm(self.force[pair]))
                self.force[pair] *= bounds.upper[i] / length if length > 0.0 else 0.0
        change = np.abs(self.force - before).max()
        return bool(change <= SAME_PRESSURE * np.abs(self.force).max())

    @property
    def holding(self) -> Array:
        """J (k, nv) of the rows that hold."""
        return np.asarray(self.jacobian[self.doing == HOLDS].toarray())

    @property
    def touched(self) -> Array:
        """J (k, nv) of contacts' rows that hold, and of what has slipped across its slip: at rest it may go
        on along it alone.
        """
        return self.holds_touching(with_friction=False)

    @property
    def pushed(self) -> Array:
        """J (k, nv) along which forces of contacts that hold act: a contact that slips pushes along the
        normal and, by its friction, against the slip.
        """
        return self.holds_touching(with_friction=True)

    def holds_touching(self, with_friction: bool) -> Array:
        """`touched`, or `pushed`."""
        assert self.touching is not None
        J, doing = self.touching.now.jacobian, self.doing[self.own :].reshape(-1, 3)
        force = self.force[self.own :].reshape(-1, 3)
        rubs = (doing[:, 1] == SLIPS) & (np.abs(force[:, 1:]).max(axis=1, initial=0.0) > 0.0)
        holds = doing == HOLDS
        if with_friction:
            holds[rubs, 0] = False
        rows = [J[holds.ravel()].toarray()]
        for k in np.flatnonzero(rubs):
            normal, *tangents = J[3 * k + np.arange(3)].toarray()
            along = force[k, 1:] / np.linalg.norm(force[k, 1:])
            rows.append(along[:1, None] * tangents[1] - along[1:, None] * tangents[0])
            if with_friction:
                rows.append((normal + force[k, 1:] @ tangents / force[k, 0])[None])
        return np.concatenate(rows)

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

    def share(self, more: Array) -> None:
        """Add as much of `more` (k,) to the forces of the rows that hold as the bounds allow, all of which
        then hold.
        """
        held, start, part = self.doing == HOLDS, self.force.copy(), 1.0
        for _ in range(HALVINGS):
            self.force = start.copy()
            self.force[held] += part * more
            if self.bounds.hold(self.force):
                return
            part *= 0.5
        self.force = start

    @property
    def total(self) -> Array:
        """(nv,) forces of all."""
        return np.asarray(self.jacobian.T @ self.force)

    @property
    def of_contacts(self) -> Array:
        """(nv,) forces of contacts, which no row of the problem has."""
        if self.touching is None:
            return np.zeros(self.problem.nv)
        return np.asarray(self.touching.now.jacobian.T @ self.force[self.own :])

    @property
    def at_bounds(self) -> Array:
        """(nv,) forces of the rows that do not hold."""
        return np.asarray(self.jacobian.T @ np.where(self.doing == HOLDS, 0.0, self.force))

    def turning(self, N: Array) -> tuple[Array, Array]:
        """How friction that slips turns with its slip u, across which −f u/|u| has the stiffness f/|u|: that
        over N (nv, n), and its force (n,) at the present slip.
        """
        K, pull = np.zeros((N.shape[1], N.shape[1])), np.zeros(N.shape[1])
        bounds, displacement = self.bounds, self.displacement
        for i in bounds.leads.tolist():
            pair = [i, int(bounds.partner[i])]
            u = self.slipped[pair]
            if self.doing[i] == SLIPS and (length := float(np.linalg.norm(u))) > 0.0:
                u = u / length
                across = np.linalg.norm(self.force[pair]) / length * (np.eye(2) - np.outer(u, u))
                J = self.jacobian[pair] @ N
                K += J.T @ across @ J
                pull -= J.T @ across @ displacement[pair]
        return K, pull

    def nears(self, dq: Array) -> bool:
        """Whether a step δ (nv,) takes the system nearer to where a row begins to act."""
        moved, s = self.own_jacobian @ dq, self.displacement[: self.own]
        if self.touching is not None:
            gap, approach = self.touching.ahead(dq)
            moved, s = np.concatenate([moved, approach]), np.concatenate([s, gap])
        return bool(((s > 0.0) & (moved < -NEARS * np.abs(dq).max(initial=0.0))).any())

    def shares(self, forces: Array) -> Array:
        """(own,) |f| over its bound at rest, 0 where that is infinite; forces (own,)."""
        bounds = self.bounds_at_rest
        bound = np.where(forces < 0.0, -bounds[0], bounds[1])
        return np.divide(
            np.abs(forces), bound, out=np.zeros(len(bound)), where=np.isfinite(bound) & (bound > 0.0)
        )

    @property
    def bounds_at_rest(self) -> tuple[Array, Array]:
        """(own,) each, at the present pressures."""
        bounded, pressure = self.problem[Bounded].index[self.number], np.ones(self.own)
        pressed = self.bearing >= 0
        pressure[pressed] = self.problem[Bearings].pressure[self.bearing[pressed]]
        return bounded.holds_from * pressure, bounded.holds_to * pressure

    @property
    def open(self) -> float:
        """The largest distance of a row from where it holds, or beyond it [mechanism sizes, rad]."""
        size = np.full(self.count, self.problem.names.size)
        size[: self.own] = self.problem.row_units[self.row]
        s, gap = self.displacement / size, np.zeros(self.count, bool)
        gap[: self.own] = self.problem[Bounded].index.gap[self.number] == 1
        gap[self.own :: 3] = True
        beyond = np.where(gap, np.maximum(-s, 0.0), 0.0)
        return float(np.where(self.doing == HOLDS, np.abs(s), beyond).max(initial=0.0))

    @property
    def lawful(self) -> bool:
        """Whether the forces are within their bounds."""
        return self.bounds.hold(self.force, WITHIN)

    def put_modes(self) -> None:
        """Let the rows of the problem have the modes found, for forces and modes at this position, cones that
        slip their direction, and bearings their pressures.
        """
        state, index = self.problem[State], self.problem[Bounded].index[self.number]
        doing, force = self.doing[: self.own], self.force[: self.own]
        state.mode[self.row] = [MODES[int(one)] for one in doing]
        bearings, pressed = self.problem[Bearings], self.bearing >= 0
        state.memory[index.memory[pressed]] = bearings.pressure[self.bearing[pressed]]
        slips = (doing == SLIPS) & (index.upper > 0.0)
        most = self.bounds.at(self.force).upper[: self.own][slips]
        state.memory[index.memory[slips] + 1] = -force[slips] / np.where(most > 0.0, most, 1.0)


def rubs(problem: Problem) -> Array:
    """(bounded,) whether each row of a problem is friction: it acts at any position, both ways."""
    index = problem[Bounded].index
    both = np.isfinite(index.holds_from) & np.isfinite(index.holds_to)
    return np.asarray(both & (index.gap == 0) & (index.works == 0))


def stiffness_with(problem: Problem, lam: Array, bounded: BoundedRows | None) -> Array:
    """K (nv, nv), with the forces of bounded rows, in λ, and of contacts as constants."""
    with acting(problem, bounded):
        K = np.asarray(sparse_stiffness(problem, lam).toarray())
    if bounded is not None and bounded.touching is not None:
        K += bounded.touching.stiffness(bounded.force[bounded.own :])
    return K


@contextmanager
def acting(problem: Problem, bounded: BoundedRows | None) -> Iterator[None]:
    """Inside, bounded rows exert their λ."""
    with on(problem, bounded.row if bounded is not None else np.zeros(0, np.int64)):
        yield


@contextmanager
def holding(problem: Problem, bounded: BoundedRows) -> Iterator[None]:
    """Inside, the rows that hold are on."""
    with on(problem, bounded.row[bounded.doing[: bounded.own] == HOLDS]):
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
