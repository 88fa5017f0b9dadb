"""Quasi-static sweep: the equilibria through which motions, inputs and loads lead over time.

    h(q, 0, t, u) + Gᵀ λ = 0,   Φ(q, t) = 0

The search of `static.py` begins at the last equilibrium, once the rows are closed at the next time. What
sticks begins to hold there, with the force that it has: friction keeps what it held, and a way and back is a
loop of hysteresis. Where inputs u jump, they go evenly from one value to the next at that time.

A step is taken if it is small, or if Newton's steps after the first one are: the branch of equilibria goes on
where that one leads. Else it is halved. A step too short to be halved that still moves the system is a jump:
the branch has ended (a fold, or friction that gives way), and the search, which goes downhill, has found
another one. A stable branch that becomes unstable and goes on (a bifurcation) is left along the motion that
has lost its stiffness.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows
from mbplugin.analysis.equilibrium.dense_position import DensePosition, symmetric
from mbplugin.analysis.equilibrium.mass_scaling import largest_force
from mbplugin.analysis.equilibrium.resting_states import resting
from mbplugin.analysis.equilibrium.static import (
    IDLE_STEPS,
    REACH,
    STRIDE,
    Settled,
    balance,
    falls,
    no_balance,
    position_of,
    settled,
    unbalanced,
)
from mbplugin.analysis.tangent.stiffness import stiffness, stride
from mbplugin.errors import PhysicsError
from mbplugin.problem import Problem
from mbplugin.tables.groups import ImplicitVariables, Inputs, Markers, Measures, State
from mbplugin.tables.records import OFF
from mbplugin.tables.spec import Array

#: motion of a step that is always taken [sizes or rad]; part of a step's motion that Newton's steps after the
#: first one may have; largest motion of a step
SMALL, CONTRACTS, LONGEST = 1e-4, 0.5, 0.25
#: shortest step, as a part of the way to the next time; halvings of the one in which stability is lost
SHORTEST, HALVINGS = 1e-9, 24
#: motion that disturbs an equilibrium that has become unstable [sizes or rad]
DISTURBANCE = 1e-3
#: unbalanced force, relative to the largest, of bodies that rest on others where they are
AT_REST = 1e-13
#: gap of rows that counts as closed [sizes or rad]
CLOSED = 1e-9


class Poses(NamedTuple):
    x: Array  # (bodies, 3)
    R: Array  # (bodies, 3, 3)


class Jump(NamedTuple):
    """Where a branch of equilibria ends, or becomes unstable."""

    time: float  # [s]
    inputs: Array  # (inputs,) their values
    moved: Array  # (bodies,) from there to the next equilibrium [m]
    rotated: Array  # (bodies,) [rad]
    ended: bool  # else the branch goes on, and is unstable


class Place(NamedTuple):
    """An equilibrium, or where a search has begun."""

    time: float
    q: Array
    memory: Array
    aux: Array
    implicit: Array
    last: Array
    bounded: Any


class Leg(NamedTuple):
    """A way from the present equilibrium: to a time, or to other inputs."""

    time: tuple[float, float]
    inputs: tuple[Array, Array]

    def at(self, part: float) -> tuple[float, Array]:
        """Time and inputs at a part of the way."""
        if part >= 1.0:
            return self.time[1], self.inputs[1]
        (t, end), (u, wanted) = self.time, self.inputs
        return t + part * (end - t), u + part * (wanted - u)


class Sweep:
    """The present equilibrium of a problem. Searches have its rows with bounds off."""

    def __init__(self, problem: Problem, bounded: BoundedRows | None, depends_on_more: bool) -> None:
        """depends_on_more: whether forces depend on inner states or implicit variables"""
        self.problem, self.bounded, self.depends_on_more = problem, bounded, depends_on_more
        self.searches = 0
        self.jumps: list[Jump] = []
        touches = bounded is not None and bounded.touching is not None
        self.release()
        self.position = position_of(problem, False if touches else None)
        self.rest = self.settle()

    @property
    def time(self) -> float:
        return float(self.problem[State].time[0])

    @property
    def inputs(self) -> Array:
        """(inputs,) present values."""
        return self.problem[State].memory[: len(self.problem[Inputs].value)].copy()

    @property
    def poses(self) -> Poses:
        """Those of the present position, evaluated."""
        markers, at = self.problem[Markers], self.problem.names.body_marker
        return Poses(markers.x[at].copy(), markers.R[at].reshape(-1, 3, 3).copy())

    def to(self, until: float) -> Settled:
        """Go to the equilibrium at a time [s], where rows get their modes. Raises PhysicsError."""
        for leg in self.legs(until):
            self.go(leg)
        return self.rest

    def legs(self, until: float) -> Iterator[Leg]:
        """Ways to that time, one after another: samples of inputs are taken on it."""
        given = self.problem[Inputs]
        for t in [*np.unique(given.time[(given.time > self.time) & (given.time < until)]).tolist(), until]:
            now, wanted = self.inputs, self.inputs
            yield Leg((self.time, t), (now, now))
            for k in np.flatnonzero(given.time <= t):
                wanted[given.input[k]] = given.sample[k]
            if (wanted != now).any():
                yield Leg((t, t), (now, wanted))

    def go(self, leg: Leg) -> None:
        """Go along a leg, and where stability is lost on it, leave the branch."""
        begun, was_unstable = self.saved(), is_unstable(self.rest)
        self.put(begun)
        self.advance(leg, 0.0, 1.0)
        self.rest = self.settle()
        if was_unstable or not is_unstable(self.rest):
            return
        low, high, place, jumps = 0.0, 1.0, begun, list(self.jumps)
        for _ in range(HALVINGS):
            self.put(place)
            self.jumps[:] = jumps
            middle = 0.5 * (low + high)
            self.advance(leg, low, middle)
            if is_unstable(self.settle()):
                high = middle
            else:
                low, place, jumps = middle, self.saved(), list(self.jumps)
        self.put(place)
        self.jumps[:] = jumps
        self.advance(leg, low, high)
        self.leave(self.settle())
        self.advance(leg, high, 1.0)
        self.rest = self.settle()

    def advance(self, leg: Leg, part: float, end: float) -> None:
        """Go along a leg from one part of it to another. Raises PhysicsError where nothing balances."""
        step = end - part
        while part < end:
            place, before = self.saved(), self.poses
            step = min(step, end - part)
            to = end if step >= end - part else part + step
            last = step <= SHORTEST
            try:
                goes_on = self.attempt(*leg.at(to))
            except PhysicsError as error:
                if last:
                    raise ended(error, leg.at(part)[0]) from None
                goes_on = False
            if not goes_on and not last:
                self.put(place)
                step *= 0.5
                continue
            if not goes_on:
                self.note(before, ended=True)
            part, step = to, (1.0 if last and not goes_on else 2.0 * step)

    def attempt(self, t: float, inputs: Array) -> bool:
        """Search the equilibrium at a time [s] with these inputs. Returns whether the branch goes on there.
        Raises PhysicsError if there is none.
        """
        self.searches += 1
        self.hold_here()
        problem, before = self.problem, self.poses
        problem[State].memory[: len(inputs)] = inputs
        self.close(t)
        closing = self.moved(before)
        begun = None if self.bounded is None else self.bounded.saved()
        reaches: list[float] = []

        def search() -> None:
            if self.bounded is not None and begun is not None:
                self.bounded.put(begun)
            self.position.here()
            reaches[:] = self.searched(before)

        if self.depends_on_more:
            resting(problem, search)
            return self.moved(before) <= REACH
        search()
        whole = max(closing, sum(reaches))
        return whole <= SMALL or (sum(reaches[1:]) <= CONTRACTS * whole and whole <= LONGEST)

    def close(self, t: float) -> None:
        """Close the rows at a time [s] from the present equilibrium. Raises PhysicsError."""
        problem, bounded = self.problem, self.bounded
        before = None if bounded is None else bounded.before
        problem.set_state(t, problem.q, np.zeros(problem.nv))
        problem.evaluate_at()
        dq = self.position.closing()
        far = not stride(problem, dq) <= STRIDE
        if not far:
            problem.move_to(problem.q, dq)
        if far or not problem.close_positions() <= CLOSED:
            raise PhysicsError("joints and motions cannot be closed", time=t)
        problem.evaluate_at()
        self.position.here()
        if bounded is not None and before is not None:
            bounded.follow(before, dq)

    def searched(self, before: Poses) -> list[float]:
        """Motions of the steps of a search from the present position. Raises PhysicsError."""
        steps: list[tuple[float, float, float]] = []
        if self.rests():
            return []
        if not balance(self.problem, self.position, np.zeros(self.problem.nv), 1.0, steps, self.bounded):
            fell = bool(steps) and falls(steps[-IDLE_STEPS:], steps[-1][1])
            raise no_balance(self.problem, self.position, self.bounded, before.x if fell else None)
        return [reach for *_, reach in steps]

    def rests(self) -> bool:
        """Whether contacts balance the present position with the forces that they had: where something can
        move freely on them a step would be rounding.
        """
        bounded = self.bounded
        if bounded is None or bounded.touching is None or bounded.open > CLOSED or not bounded.lawful:
            return False
        force, lam = unbalanced(self.problem, self.position, bounded)
        return bool(np.abs(force).max(initial=0.0) <= AT_REST * largest_force(self.problem, lam))

    def settle(self) -> Settled:
        """What the present equilibrium is like, with the modes of rows, until `release`."""
        self.position.here()
        lam = unbalanced(self.problem, self.position, self.bounded)[1]
        return settled(self.problem, self.position, self.bounded, lam)

    def leave(self, rest: Settled) -> None:
        """Go from an equilibrium that has become unstable, just settled, to a stable one nearby."""
        motion, before, place = self.softest(rest.lam), self.poses, self.saved()
        self.put(place)
        if motion is None:
            self.note(before, ended=False)
            return
        self.hold_here()
        ways = None if self.bounded is None else self.bounded.before
        self.problem.move_to(self.problem.q, motion)
        self.problem.close_positions()
        self.problem.evaluate_at()
        self.position.here()
        if self.bounded is not None and ways is not None:
            self.bounded.follow(ways, motion)
        self.searches += 1
        try:
            self.searched(before)
        except PhysicsError:
            self.put(place)
        self.note(before, ended=False)

    def softest(self, lam: Array) -> Array | None:
        """A motion (nv,) along the least stiffness of the equilibrium just settled, of the size of a
        disturbance; None: forces have no potential, or the system is large.
        """
        if not isinstance(self.position, DensePosition):
            return None
        N, K = self.position.free.N, stiffness(self.problem, lam)
        if self.bounded is not None and self.bounded.touching is not None:
            K = K + self.bounded.touching.stiffness(self.bounded.force[self.bounded.own :])
        reduced = N.T @ K @ N
        if not symmetric(reduced):
            return None
        motion = N @ np.linalg.eigh(0.5 * (reduced + reduced.T))[1][:, 0]
        # of two sides the one on which the largest velocity is positive
        motion *= np.sign(motion[np.argmax(np.abs(motion))])
        return np.asarray(motion * DISTURBANCE / stride(self.problem, motion))

    def release(self) -> None:
        """Let rows with bounds be off, as searches have them."""
        if self.bounded is not None:
            self.problem[State].mode[self.bounded.row] = OFF
        self.problem.evaluate_at(v=0.0)

    def hold_here(self) -> None:
        """Let the present equilibrium be where friction begins."""
        self.problem.count_turns()
        if self.bounded is not None:
            self.bounded.hold_here()

    def saved(self) -> Place:
        problem, state = self.problem, self.problem[State]
        return Place(
            self.time,
            problem.q,
            state.memory.copy(),
            state.aux.copy(),
            problem[ImplicitVariables].value.copy(),
            problem[Measures].last.copy(),
            None if self.bounded is None else self.bounded.saved(),
        )

    def put(self, place: Place) -> None:
        problem, state = self.problem, self.problem[State]
        problem.set_state(place.time, place.q, np.zeros(problem.nv))
        state.memory[:], state.aux[:] = place.memory, place.aux
        problem[ImplicitVariables].value[:] = place.implicit
        problem[Measures].last[:] = place.last
        self.release()
        self.position.here()
        if self.bounded is not None:
            self.bounded.put(place.bounded)

    def moved(self, before: Poses) -> float:
        """Largest way [sizes] or rotation [rad] of a body since then."""
        now = self.poses
        ways = np.linalg.norm(now.x - before.x, axis=1) / self.problem.names.size
        return float(np.maximum(ways, angles(before.R, now.R)).max(initial=0.0))

    def note(self, before: Poses, ended: bool) -> None:
        """Note a jump from there to the present equilibrium."""
        now = self.poses
        moved = np.linalg.norm(now.x - before.x, axis=1)
        self.jumps.append(Jump(self.time, self.inputs, moved, angles(before.R, now.R), ended))


def is_unstable(rest: Settled) -> bool:
    return bool(len(rest.stiffnesses) and (rest.stiffnesses < -rest.zero).any())


def angles(a: Array, b: Array) -> Array:
    """(n,) angles between axes (n, 3, 3) [rad]: |R_b − R_a| = √8 sin(θ/2)."""
    return np.asarray(2.0 * np.arcsin(np.minimum(np.linalg.norm(b - a, axis=(1, 2)) / np.sqrt(8.0), 1.0)))


def ended(error: PhysicsError, time: float) -> PhysicsError:
    """The error of a search that has no equilibrium beyond the one at a time [s]."""
    why = str(error).partition(" s: ")[2]
    return PhysicsError(f"the branch of equilibria ends here, and leads to no other one: {why}", time=time)
