"""Equilibria of scenes with inner states x, and with implicit variables z (reactions, accelerations) that
expressions read. All of it rests together:

    h(q, 0, x, z) + Gᵀ λ = 0,   Φ(q) = 0,   ẋ(q, 0, x) = 0,   F(q, x, z) − z = 0

The search for q holds x and z: it goes downhill, and finds what rows with bounds do. Newton's method then
solves for (q, x, z) together, with differences of all of it along N, x and z and the rows that hold as they
are; each step is accepted where the next one would be shorter (P. Deuflhard, Newton Methods for Nonlinear
Problems, 2004, section 3.3). Both take turns until the search leaves the position as it is. An integrator
has no force of its own: it is what brings its input to zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from mbplugin.analysis.equilibrium.inner_states import states_of_scene
from mbplugin.analysis.rank.null_space import NullSpace, null_space
from mbplugin.analysis.tangent.stiffness import stride
from mbplugin.errors import PhysicsError
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, ImplicitVariables, Rates, State
from mbplugin.tables.spec import Array

R = TypeVar("R")
#: turns of search and Newton's method; steps of the latter, and halvings of one
TURNS, STEPS, HALVINGS = 12, 100, 30
#: largest motion of a step [sizes or rad], and of a state relative to 1 + |x|
STRIDE = 0.25
#: steps of differences [sizes or rad; relative to 1 + |x|]
DIFFERENCE = 1e-5
#: change of all unknowns that ends Newton's method; of the residual, in such changes, that is rest
CONVERGED, AT_REST = 1e-13, 1e-8
#: change of position of the last search that counts as none [sizes or rad]
SAME_POSITION = 1e-8
#: singular values of the scaled matrix that count as zero: what nothing determines stays as it is
DEPENDENT = 1e-10


def resting(problem: Problem, search: Callable[[], R]) -> R:
    """The report of the last `search` from the start, at inner states and implicit variables that rest.

    search: finds q at the present x and z, from the present position; leaves the modes of rows as found.
    Raises PhysicsError.
    """
    state, unknowns = problem[State], Unknowns(problem)
    start, mode, reached = problem.q, state.mode.copy(), problem.q
    failed: PhysicsError | None = None
    for turn in range(TURNS):
        # ways of friction count from the start; where nothing holds a position, the search leaves it there
        put(problem, start if turn % 2 or not turn else reached, mode)
        try:
            report = search()
            failed = None
        except PhysicsError as error:
            # forces of states may hold what nothing else does
            failed = error
            put(problem, reached, mode)
        if failed is None and unknowns.rest():
            return report
        unknowns.solve()
        reached = problem.q
    raise failed or PhysicsError(
        "static analysis found no equilibrium at which inner states rest: what rows with bounds do changes "
        "at each step; start nearer to the equilibrium"
    )


def put(problem: Problem, q: Array, mode: Array) -> None:
    """Put a problem to a position at rest, evaluated, with these modes of rows."""
    problem.set_state(float(problem[State].time[0]), q, np.zeros(problem.nv))
    problem[State].mode[:] = mode
    problem.evaluate_at()


class Unknowns:
    """Positions along N, inner states and implicit variables of a problem at rest."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.inner = states_of_scene(problem)
        self.implicit = len(problem.names.implicit)

    def residual(self, force: NullSpace | None, lam: Array) -> Array:
        """(dof + nx + nz,) Nᵀ (h + Gᵀ λ), ẋ and F(z) − z at the present state, which stays."""
        problem = self.problem
        problem.evaluate_at()
        h = problem[Bodies].h + problem.sparse_jacobian().T @ lam
        parts = [problem[Rates].aux_dot[self.inner].copy()]
        if force is not None:
            parts.insert(0, force.N.T @ h)
        if self.implicit:
            z = problem[ImplicitVariables].value
            before = z.copy()
            problem.begin_implicit()
            parts.append(z - before)
            z[:] = before
        return np.concatenate(parts)

    @property
    def values(self) -> Array:
        """(nx + nz,)"""
        problem = self.problem
        return np.concatenate([problem[State].aux[self.inner], problem[ImplicitVariables].value])

    def put(self, values: Array) -> None:
        nx = len(self.inner)
        self.problem[State].aux[self.inner] = values[:nx]
        self.problem[ImplicitVariables].value[:] = values[nx:]

    def rest(self) -> bool:
        """Whether x and z rest at the present position."""
        r = self.residual(None, np.zeros(self.problem.nc))
        return bool((np.abs(r) <= AT_REST * (1.0 + np.abs(self.values))).all())

    def multipliers(self, free: NullSpace) -> Array:
        """(nc,) λ that leaves the least force at the present position, evaluated."""
        lam = np.zeros(self.problem.nc)
        lam[self.problem.on] = -free.to_lam @ self.problem[Bodies].h
        return lam

    def solve(self) -> None:
        """Newton's method from the present position. Raises PhysicsError where something has no rest."""
        problem = self.problem
        reached = np.inf
        for _ in range(STEPS):
            problem.evaluate_at()
            free = null_space(problem)
            lam = self.multipliers(free)
            r = self.residual(free, lam)
            J, unit = self.derivatives(free, lam)
            newton = Scaled(J * unit)
            step = newton.solve(-r)
            size = float(np.abs(step).max(initial=0.0))
            if size <= CONVERGED or (size <= AT_REST and size >= 0.5 * reached):
                break
            reached = size
            q, values, turned = problem.q, self.values, False
            part = min(1.0, STRIDE / max(size, 1e-300))
            for _ in range(HALVINGS):
                self.go(q, values, free, part * unit * step)
                after = newton.solve(self.residual(free, lam))
                if np.abs(after).max(initial=0.0) <= (1.0 - 0.25 * part) * size:
                    turned = True
                    break
                part *= 0.5
            if not turned:
                self.go(q, values, free, 0.0 * step)
                break
            problem.count_turns()
        left = np.abs(r) / newton.rows
        if left.max(initial=0.0) > AT_REST:
            beside = left[free.dof :]
            # where positions do not balance either, it is since something beside them has no rest
            k = int(beside.argmax()) if beside.max(initial=0.0) > AT_REST else -1
            raise self.no_rest(k, r)

    def go(self, q: Array, values: Array, free: NullSpace, step: Array) -> None:
        """Put the problem to a step from q and values, closed and evaluated."""
        self.put(values + step[free.dof :])
        self.problem.move_to(q, free.N @ step[: free.dof])
        self.problem.close_positions()
        self.problem.evaluate_at()

    def derivatives(self, free: NullSpace, lam: Array) -> tuple[Array, Array]:
        """J (n, n) of the residual, and (n,) units of the unknowns: motions of 1 size or rad, 1 + |x|."""
        problem, q, values = self.problem, self.problem.q, self.values
        reaches = [stride(problem, column) for column in free.N.T]
        unit = np.concatenate([1.0 / np.maximum(reaches, 1e-300), 1.0 + np.abs(values)])
        columns = []
        for k in range(len(unit)):
            ends = []
            for h in (DIFFERENCE * unit[k], -DIFFERENCE * unit[k]):
                step = np.zeros(len(unit))
                step[k] = h
                self.put(values + step[free.dof :])
                problem.move_to(q, free.N @ step[: free.dof])
                ends.append(self.residual(free, lam))
            columns.append((ends[0] - ends[1]) / (2.0 * DIFFERENCE * unit[k]))
        self.go(q, values, free, np.zeros(len(unit)))
        return np.array(columns).T.reshape(len(unit), len(unit)), unit

    def no_rest(self, k: int, r: Array) -> PhysicsError:
        """The error of unknown number k of x and z; below 0: of a position."""
        if k < 0:
            return PhysicsError(
                "static analysis found no equilibrium at which inner states rest: forces do not balance; "
                "start nearer to the equilibrium"
            )
        if k >= len(self.inner):
            name = self.problem.names.implicit[k - len(self.inner)]
            return PhysicsError(f"static analysis: {name}, which expressions read, has no value that fits")
        name, rate = self.problem.names.states[int(self.inner[k]) - 2], r[len(r) - len(self.values) + k]
        return PhysicsError(
            f'static analysis: inner state "{name}" has no rest: its rate stays at {rate:.3g} per second, '
            "which no position takes away; give what it integrates an equilibrium, or leave it out"
        )


class Scaled:
    """J x = r by least squares, of least norm, with rows of the same size."""

    def __init__(self, J: Array) -> None:
        size = np.abs(J).max(axis=1, initial=0.0)
        self.rows: Array = np.where(size > 1e-12 * size.max(initial=0.0), size, 1.0)
        self.U, sigma, self.Vt = np.linalg.svd(J / self.rows[:, None])
        keep = sigma > DEPENDENT * sigma.max(initial=0.0)
        self.inverse = np.where(keep, 1.0 / np.where(keep, sigma, 1.0), 0.0)

    def solve(self, r: Array) -> Array:
        return np.asarray(self.Vt.T @ (self.inverse * (self.U.T @ (r / self.rows))))
