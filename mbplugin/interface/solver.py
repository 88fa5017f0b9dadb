"""Solver kinds: time integration of a Problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol


class Integrator(Protocol):
    """The integrator of one run, as `SolverKind.start` returns it; the time loop drives it."""

    @property
    def time(self) -> float:
        """End of the last accepted step [s]."""

    @property
    def statistics(self) -> dict[str, float]:
        """Counts for the summary: steps, evaluations, rejected, ..."""

    def advance(self, until: float, frame: float, work: int) -> str:
        """Integrate until a step passes the time `frame` [s], the time `until` [s] is reached, or `work`
        evaluations are used up. Returns "frame", "end" or "busy". Raises PhysicsError, PluginError.
        """

    def show(self, time: float) -> None:
        """Write the projected state at `time` [s], within the last step, into the tables of the problem, with
        accelerations and reactions. The integration does not depend on it.
        """

    def save(self) -> dict[str, Any]:
        """Arrays from which `load` continues bit for bit."""

    def load(self, saved: dict[str, Any]) -> None:
        """Return to a state of `save`."""

    def messages(self) -> list[tuple[float, str, str]]:
        """New messages since the last call: (time [s], level, text)."""


class SolverKind:
    """Base of solver kinds.

    Most derive from a base class of `mbplugin.stepping`: `FixedStepSolver` (plain numpy) or `CompiledSolver`.
    Others define `start`, and are responsible for everything that belongs to a step.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # pydantic class of the keys of `[solver]`
    #: key whose value is a name registered by some plugin -> its category: {"method": "method"}
    choices: ClassVar[dict[str, str]] = {}
    #: laws of rows that it serves: "equality", "nonnegative", "box", "cone"; scenes with others are refused
    laws: ClassVar[Sequence[str]] = ("equality",)
    #: whether it finds the contacts of shapes that collide; other solvers refuse a scene with them
    contacts: ClassVar[bool] = False
    #: whether laws of enforcements are taken implicitly: their stiffness is not adapted to fixed steps
    implicit_laws: ClassVar[bool] = False
    #: order of accuracy; the conformance kit measures it
    order: ClassVar[int | None] = None
    #: keys with which the conformance kit tries it
    examples: ClassVar[Sequence[dict[str, Any]]] = ()

    @classmethod
    def completed(cls, params: Any, system: Any) -> tuple[Any, Sequence[str]]:
        """The parameters with what the scene leaves to the solver, and remarks that tell what was chosen.
        Raises SceneError, with keys relative to `solver`.
        """
        return params, ()

    @classmethod
    def order_of_accuracy(cls, params: Any, chosen: Mapping[str, Any]) -> int | None:
        """`order`, unless it depends on the parameters."""
        return cls.order

    @classmethod
    def fixed_step(cls, params: Any, chosen: Mapping[str, Any]) -> float | None:
        """Length of fixed steps [s], to which enforcement laws are adapted; None: steps vary."""
        return None

    @classmethod
    def start(
        cls, problem: Any, params: Any, start: float, end: float, chosen: Mapping[str, Any]
    ) -> Integrator:
        """The integrator of one run.

        start, end: times [s]
        chosen:     key of `choices` -> the kind registered under its value
        """
        raise NotImplementedError(
            "a solver kind needs `start`; define it, or derive from a base class of mbplugin.stepping"
        )
