"""The step of a numpy solver, as a callback that the compiled loop calls by address."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK, address_of
from mbplugin.problem import Problem
from mbplugin.stepping import entries
from mbplugin.tables.groups import Rates, State, Step
from mbplugin.tables.spec import Array
from mbplugin.tables.status import NOT_FINITE, RAISED

#: inner states come after the two energies
FIRST_INNER = 2


class StoppedInStep(Exception):
    """An evaluation within a step failed with this status."""


class LiveState:
    """`NumpyState` on the tables of a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        state, rates = problem[State], problem[Rates]
        self.q, self.v, self.x = state.q, state.v, state.aux[FIRST_INNER:]
        self.x_dot = rates.aux_dot[FIRST_INNER:]

    @property
    def time(self) -> float:
        return self.problem.time

    @time.setter
    def time(self, t: float) -> None:
        self.problem[State].time[0] = t

    def accelerations(self) -> Array:
        done(entries.evaluate_rates(self.problem.addresses))
        return self.problem[Rates].v_dot.copy()

    def advance(self, dt: float) -> None:
        state, rates = self.problem[State], self.problem[Rates]
        state.aux[:] += dt * rates.aux_dot
        kept = rates.v_dot.copy()
        done(entries.advance_coordinates(self.problem.addresses, dt * state.v))
        rates.v_dot[:] = kept
        state.time[0] += dt

    def project(self) -> None:
        done(entries.project(self.problem.addresses))

    def mass(self) -> Array:
        return self.problem.mass(self.q.copy())

    def forces(self) -> Array:
        return self.problem.forces(self.time, self.q.copy(), self.v.copy())

    def constraints(self) -> tuple[Array, Array]:
        return self.problem.constraints(self.time, self.q.copy(), self.v.copy())

    def save(self) -> tuple[float, Array, Array, Array]:
        state = self.problem[State]
        return self.time, state.q.copy(), state.v.copy(), state.aux.copy()

    def load(self, saved: tuple[float, Array, Array, Array]) -> None:
        state = self.problem[State]
        state.time[0], state.q[:], state.v[:], state.aux[:] = saved


def done(status: int) -> None:
    if status != 0:
        raise StoppedInStep(status)


class NumpyStep:
    """`step` of a `FixedStepSolver` with the interface of a compiled function. An exception is stored and
    raised again outside the loop, because ctypes would print and ignore it.
    """

    def __init__(self, kind: Any, problem: Problem) -> None:
        self.kind, self.problem = kind, problem
        self.state = LiveState(problem)
        self.error: BaseException | None = None
        self.keep = CALLBACK(self.call)
        self.address = address_of(self.keep)

    def call(self, first: int, count: int, address: int) -> int:
        h = float(self.problem[Step].record[0].length)
        try:
            with np.errstate(all="ignore"):
                self.kind.step(self.state, h)
        except StoppedInStep as stop:
            return int(stop.args[0])
        except BaseException as error:
            self.error = error
            return RAISED
        state = self.problem[State]
        return 0 if all(np.isfinite(a).all() for a in (state.q, state.v, state.aux)) else NOT_FINITE

    def reraise(self) -> None:
        """Raise the stored exception, if any."""
        error, self.error = self.error, None
        if error is not None:
            raise error
