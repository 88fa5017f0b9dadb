"""Bases of solver kinds: the method's equations are the author's, all that a step entails is the base's.

Projection, turns of angles, memory, events, switches of expressions, frames, checkpoints, messages: see `loop.py`,
which calls the solver's step through its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from mbplugin.interface import Parameters, Positive
from mbplugin.interface.solver import SolverKind


@dataclass(frozen=True)
class Control:
    """How the length of the steps is chosen."""

    order: int  # of the solver
    error_power: int = 0  # the error of a step grows with this power of its length; 0: steps are fixed
    tolerance: float = 0.0
    first: float | None = None  # first step [s]; None: chosen
    fixed: float | None = None  # length of fixed steps [s]


class CompiledSolver(SolverKind):
    """A one-step method in compiled code; `rk` is one.

    begin_step(tables): evaluates what a step begins with, such as the rates there; the state at its start is in the
    tables, its equations of motion are factored. May be left out.
    try_step(tables, h): a step of length h from the state in the tables (and in `Step.q0`, ...); leaves its end there.
    Where the steps are controlled it writes the estimate of its error, over the tolerance, into
    `Step.record.error` (`error_norm` finds it), unless `Step.record.estimate` is 0. The base projects the end onto the
    constraints, unless the solver has done so and set `Step.record.projected` to 1.

    Both return a status: 0, or that of an evaluation that failed. They may be called at any time, in any order of
    starts and lengths; what they keep for themselves in `arrays` is made anew by `begin_step`.
    """

    begin_step: ClassVar[Any] = None
    try_step: ClassVar[Any] = None

    @classmethod
    def control(cls, params: Any, chosen: Mapping[str, Any]) -> Control:
        raise NotImplementedError("a compiled solver says how its steps are controlled")

    @classmethod
    def arrays(cls, problem: Any, params: Any, chosen: Mapping[str, Any]) -> Any:
        """The solver's group of tables (`solver_tables`) for this problem; None where it needs none."""
        return None

    @classmethod
    def order_of_accuracy(cls, params: Any, chosen: Mapping[str, Any]) -> int | None:
        return cls.control(params, chosen).order

    @classmethod
    def fixed_step(cls, params: Any, chosen: Mapping[str, Any]) -> float | None:
        return cls.control(params, chosen).fixed


class FixedStepSolver(SolverKind):
    """A method of fixed steps in plain numpy.

        class SymplecticEuler(FixedStepSolver):
            name, order = "symplectic_euler", 1
            parameters = FixedStep

            @staticmethod
            def step(state, dt):
                state.v += dt * state.accelerations()
                state.advance(dt)

    step(state, dt): moves `state` (a `NumpyState`) on by dt [s]; afterwards the base projects it onto the constraints.
    It may be called at any time, from any start and with any length up to that of the steps.
    """

    parameters: ClassVar[Any] = None  # derived from `FixedStep`
    order: ClassVar[int | None] = 1
    step: ClassVar[Any] = None

    @classmethod
    def fixed_step(cls, params: Any, chosen: Mapping[str, Any]) -> float | None:
        return float(params.step)


class FixedStep(Parameters):
    """Keys of a solver of fixed steps."""

    step: Positive = Field(description="length of the steps [s]")
    method: str = Field("constraint_force", description="how accelerations and constraint forces are found")
