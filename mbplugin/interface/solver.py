"""A solver kind: from a Problem to motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol


class Integrator(Protocol):
    """What a solver kind's `start` returns; the time loop drives it."""

    @property
    def time(self) -> float:
        """Of the last accepted step [s]."""

    @property
    def statistics(self) -> dict[str, float]:
        """Steps, evaluations, rejected, ... for the summary."""

    def advance(self, until: float, frame: float, work: int) -> str:
        """Take steps until one passes `frame` ("frame"), reaches `until` ("end"), or `work` evaluations are spent
        ("busy").
        """

    def show(self, time: float) -> None:
        """Leave the projected state at `time`, within the last step, in the problem, with accelerations and reactions;
        nothing is fed back.
        """

    def save(self) -> dict[str, Any]:
        """Arrays from which `load` goes on bit for bit."""

    def load(self, saved: dict[str, Any]) -> None: ...

    def messages(self) -> list[tuple[float, str, str]]:
        """What has happened since last asked: (time, level, text)."""


class SolverKind:
    """Base of solver kinds.

    Most derive from a base of `mbplugin.stepping`: `FixedStepSolver` (plain numpy) or `CompiledSolver`. Those that do
    not give `start`, and are responsible for everything that a step entails.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None
    #: keys whose value names an offer of some plugin, and its category: {"method": "method"}
    choices: ClassVar[dict[str, str]] = {}
    #: order of accuracy; the conformance kit measures it
    order: ClassVar[int | None] = None
    #: keys with which the conformance kit tries it
    examples: ClassVar[Sequence[dict[str, Any]]] = ()

    @classmethod
    def order_of_accuracy(cls, params: Any, chosen: Mapping[str, Any]) -> int | None:
        """`order`, unless it depends on the parameters."""
        return cls.order

    @classmethod
    def fixed_step(cls, params: Any, chosen: Mapping[str, Any]) -> float | None:
        """Length of the steps where it is fixed [s]; laws that enforce constraints are made to suit it."""
        return None

    @classmethod
    def start(
        cls, problem: Any, params: Any, start: float, end: float, chosen: Mapping[str, Any]
    ) -> Integrator:
        """The integrator of one run from `start` to `end` [s]; `chosen` has the offers that `choices` name."""
        raise NotImplementedError("a solver kind gives `start`, or derives from a base of mbplugin.stepping")
