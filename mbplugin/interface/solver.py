"""A solver kind: from a Problem to motion."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from mbplugin.interface.problem import Problem


class Integrator(Protocol):
    """What a solver kind's `start` returns; the time loop drives it.

    time: of the last accepted step. statistics: steps, evaluations, rejected, ... for the summary. messages:
    (time, level, text) since last asked.
    """

    time: float
    statistics: dict[str, float]

    def advance(self, until: float, frame: float, work: int) -> str:
        """Take steps until one passes `frame` or reaches `until`, or `work` evaluations are spent: "frame",
        "end" or "busy".
        """

    def show(self, time: float) -> None:
        """Leave the projected state at `time` (within the last step) in the problem, with accelerations and
        reactions; nothing is fed back.
        """

    def save(self) -> dict[str, Any]:
        """Arrays from which `load` goes on bit for bit."""

    def load(self, saved: dict[str, Any]) -> None: ...

    def messages(self) -> list[tuple[float, str, str]]:
        """What has happened since last asked: (time, level, text)."""


class SolverKind:
    """Base of solver kinds: `start(problem, parameters, start, end)` returns an Integrator.

    Where its parameters have a key `method`, that names one of the methods that plugins offer, and the
    problem that `start` gets finds accelerations by it.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None

    @classmethod
    def fixed_step(cls, params: Any) -> float | None:
        """Length of the steps where it is fixed [s]; laws that enforce constraints are made to suit it."""
        return None

    @staticmethod
    def start(problem: Problem, params: Any, start: float, end: float) -> Integrator:
        raise NotImplementedError("a solver kind gives `start`")
