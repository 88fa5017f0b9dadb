"""Solver kinds: time integration of a Problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from mbplugin.tables.records import ChangeRecord
from mbplugin.tables.spec import Array, records


class Integrator(ABC):
    """The integrator of one run, as `SolverKind.start` returns it; the time loop drives it."""

    #: whether the inputs of a scene may be set; scenes with inputs are refused otherwise
    takes_inputs: bool = False
    #: whether the run begins at another state than the one that was assembled
    begins_elsewhere: bool = False
    #: whether the condition that ends the run has become true
    at_stop: bool = False

    @property
    @abstractmethod
    def time(self) -> float:
        """End of the last accepted step [s]."""

    @property
    @abstractmethod
    def statistics(self) -> Mapping[str, int]:
        """Counts for the summary: steps, evaluations, rejected, ..."""

    @abstractmethod
    def advance(self, until: float, frame: float, work: int) -> str:
        """Integrate until a step passes the time `frame` [s], the time `until` [s] is reached, or `work`
        evaluations are used up. Returns "frame", "end" or "busy". Raises PhysicsError, PluginError.
        """

    @abstractmethod
    def show(self, time: float) -> None:
        """Write the projected state at `time` [s], within the last step, into the tables of the problem, with
        accelerations and reactions. The integration does not depend on it.
        """

    @abstractmethod
    def save(self) -> dict[str, Any]:
        """Arrays from which `load` continues bit for bit."""

    @abstractmethod
    def load(self, saved: dict[str, Any]) -> None:
        """Return to a state of `save`."""

    @abstractmethod
    def messages(self) -> list[tuple[float, str, str]]:
        """New messages since the last call: (time [s], level, text)."""

    def has_news(self) -> bool:
        """Whether `changes` or `impacts` may have something."""
        return True

    def changes(self) -> Any:
        """(n,) records of the rows that have begun or ceased to hold since the last call, and of impacts."""
        return records(ChangeRecord, [])

    def impacts(self) -> Any:
        """(n,) impacts of bodies since the last call, as `run/impacts.py` has them; none here."""
        return ()

    def closing(self) -> list[tuple[str, str]]:
        """Messages at the end of the run: (level, text)."""
        return []

    def observe(self) -> None:  # noqa: B027 - most have nothing to look for
        """Look at the frame that is in the tables and has just been stored."""

    def set_inputs(self, values: Any) -> None:
        """Let the inputs have these values (n,) from the end of the last step on."""
        raise NotImplementedError


class FoundContacts(NamedTuple):
    """What a solver knows of the contacts in the transient rows, in the order of their blocks."""

    features: Array  # (n, k) integers that name what touches, the same while it stays the same
    kinetic: Array  # (n,) coefficients of friction
    static: Array  # (n,)
    law: str = ""  # of contacts that do not obey Coulomb's law; "": all do


class SolverKind:
    """Base of solver kinds.

    Most derive from a base class of `mbplugin.stepping`: `FixedStepSolver` (plain numpy) or `CompiledSolver`.
    Others define `start`, and are responsible for everything that belongs to a step.
    """

    name: ClassVar[str]
    parameters: ClassVar[Any] = None  # pydantic class of the keys of `[solver]`
    #: key whose value is a name registered by some plugin -> its category: {"method": "method"}
    choices: ClassVar[dict[str, str]] = {}
    #: types of rows that it serves itself: "equality", "nonnegative", "box", "cone"; with `bounded_rows` the
    #: second and third one act all the same, as rows with bounds. Scenes with others are refused
    row_types: ClassVar[Sequence[str]] = ("equality",)
    #: whether it finds the contacts of shapes that collide; other solvers refuse a scene with them
    contacts: ClassVar[bool] = False
    #: whether rows whose forces have bounds (limits, dry friction, efforts) act; scenes with them are refused
    #: otherwise
    bounded_rows: ClassVar[bool] = False
    #: whether compliances (penalties) are taken implicitly: their stiffness is not adapted to fixed steps
    implicit_compliance: ClassVar[bool] = False
    #: order of accuracy; the conformance kit measures it
    order: ClassVar[int | None] = None
    #: array of its own group that begins with the error of the velocities in the last step; for messages
    velocity_error: ClassVar[str] = ""
    #: keys with which the conformance kit tries it
    examples: ClassVar[Sequence[dict[str, Any]]] = ()

    @classmethod
    def completed(cls, params: Any, system: Any) -> tuple[Any, Sequence[str]]:
        """The parameters with what the scene leaves to the solver, and remarks on what was chosen.
        Raises SceneError, with keys relative to `solver`.
        """
        return params, ()

    @classmethod
    def order_of_accuracy(cls, params: Any, chosen: Mapping[str, Any]) -> int | None:
        """`order`, unless it depends on the parameters."""
        return cls.order

    @classmethod
    def fixed_step(cls, params: Any, chosen: Mapping[str, Any]) -> float | None:
        """Length of fixed steps [s], to which compliances are adapted; None: steps vary."""
        return None

    @classmethod
    def growth(cls, params: Any, chosen: Mapping[str, Any], hA: Array) -> float | None:
        """Growth by an explicit solver: the factor by which the largest solution of ẏ = A y grows in a step
        of length h: the spectral radius of a step, for hA (2, 2) of a position and a velocity. Steps with
        which the fastest vibration of a body would grow are refused; None: nothing is known, and nothing
        refused.
        """
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
