"""A compiled problem on a short straight motion: constant velocities v, so that v̇ = 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rates, State
from mbplugin.tables.purposes import ACCEPT, RETRACT, SAMPLE
from mbplugin.testing.report import Checks

Array = np.ndarray[Any, Any]
#: half step of a central difference [s]
H = 2e-5
#: accuracy of a central difference, relative to 1 + the value
TOLERANCE = 2e-6
#: velocities and inner states at which a memory is tried
MEMORY_TRIES = 30


class Motion:
    """q₀ ⊕ s v at the time t₀ + s, with inner states x₀ + s ẋ₀ if they are followed."""

    def __init__(self, problem: Problem, random: np.random.Generator, t0: float = 0.37) -> None:
        self.problem, self.t0 = problem, t0
        self.q0 = problem[State].q.copy()
        self.v = random.normal(size=problem.nv)
        self.inner: tuple[Array, Array] | None = None  # x₀ and ẋ₀

    def follow_inner_states(self, random: np.random.Generator) -> None:
        """Begin with random inner states, and let them move with the motion."""
        state = self.problem[State]
        if len(state.aux) > 2:
            state.aux[2:] = random.normal(size=len(state.aux) - 2)
            self.problem.evaluate(*self.at(0.0))
            self.inner = state.aux[2:].copy(), self.problem[Rates].aux_dot[2:].copy()

    def at(self, s: float) -> tuple[float, Array, Array]:
        """t, q, v."""
        state = self.problem[State]
        state.q[:] = self.q0
        if s:
            self.problem[Rates].v_dot[:] = s * self.v
            self.problem.check(entries.call_purpose(self.problem.addresses, RETRACT))
        if self.inner is not None:
            state.aux[2:] = self.inner[0] + s * self.inner[1]
        return self.t0 + s, state.q.copy(), self.v

    def change(self, value: Any) -> Array:
        """Difference of value(t, q, v) over a time of 2 H along the motion."""
        ahead, behind = value(*self.at(H)), value(*self.at(-H))
        return np.asarray(ahead) - np.asarray(behind)

    def difference(self, value: Any) -> Array:
        """Rate of value(t, q, v) along the motion."""
        return self.change(value) / (2 * H)

    def reach_memory(self, random: np.random.Generator) -> bool:
        """Accept random velocities and inner states at the place of the motion until the memory that elements
        write is no longer zero. The motion goes on from there; False: it stayed zero.
        """
        state = self.problem[State]
        for _ in range(MEMORY_TRIES):
            self.v = random.normal(size=self.problem.nv)
            state.aux[2:] = random.normal(size=len(state.aux) - 2)
            self.problem.evaluate(*self.at(0.0))
            for purpose in (ACCEPT, SAMPLE):
                self.problem.check(entries.call_purpose(self.problem.addresses, purpose))
            if state.memory.any():
                return True
        return False


def check_memory(checks: Checks, reached: bool) -> None:
    """Whether a kind with memory was tried with one that is not zero."""
    note = f"{MEMORY_TRIES} random states left it zero: give the class `examples = [{{...}}]` that change it"
    checks.fact("its memory changes", reached, note)


def distance(a: Array, b: Array) -> float:
    """Largest difference, relative to 1 + the value; infinite for NaN."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("inf")
    return float(np.max(np.abs(a - b) / (1.0 + np.abs(b)), initial=0.0))
