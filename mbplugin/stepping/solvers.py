"""Base classes of solver kinds: the author writes the integration formula, the base class does the rest of
a step.

The rest: projection, turns of angles, memory, events, switches of expressions, frames, checkpoints, messages.
See `loop.py`, which calls the solver's step through its address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from pydantic import Field

from mbplugin.interface import Parameters, Time
from mbplugin.interface.outputs import ContactArray, OutputList
from mbplugin.interface.solver import FoundContacts, SolverKind


@dataclass(frozen=True)
class Control:
    """How the step size is chosen."""

    order: int  # of the solver
    error_power: int = 0  # the error of a step is of this order in its length; 0: fixed steps
    tolerance: float = 0.0
    first: float | None = None  # first step [s]; None: chosen
    fixed: float | None = None  # length of fixed steps [s]
    longest: float = inf  # largest length of steps that vary [s]
    growth: float = 5.0  # a step is at most this many times as long as the one before
    hold: float = 1.0  # smaller changes of the step than by this factor are left out


@dataclass(frozen=True)
class Middle:
    """Where the last step takes its forces, and what its rows gave beside h times their multipliers there.

    M (v₁ − v₀) = h f + Gᵀ (h λ + impulse), and the impulses of the transient rows, all at q₀ ⊕ dq.
    """

    dq: Any  # (nv,) increment of the coordinates from the start [m, rad]
    v: Any  # (nv,) velocities of the forces
    aux: Any  # (na,) auxiliary states of the forces
    impulse: Any  # (nc,) beside h λ, or h times the load of an enforced row [N·s, N·m·s]
    implicit: Any  # (nc,) true: `impulse` is in the place of h times the load of the row
    v1: Any  # (nv,) at the end, before the projection


@dataclass(frozen=True)
class Part:
    """A function of `CompiledSolver.parts` that calls functions of other plugins. make(*functions) gets them
    compiled and returns f(tables, number): both are made anew where machine code is, in a module of its own.
    """

    make: Any
    functions: Sequence[Any]
    owner: str = ""  # of the functions, for messages; "": the solver


class Doubt(str):
    """A warning about a step that may have no solution; the run goes on."""


class CompiledSolver(SolverKind):
    """A one-step method in compiled code, such as `rk`.

    begin_step(tables): evaluates what a step starts with, such as the rates. The tables hold the state at the
    start, with the equations of motion factored. Optional.
    try_step(tables, h): a step of length h from the state in the tables (also in `Step.q0`, ...); leaves
    its end there. With step-size control it writes its error estimate, relative to the tolerance, to
    `Step.record.error` (see `error_norm`), unless `Step.record.estimate` is 0. The base class projects the
    end onto the constraints, unless the solver has done so and set `Step.record.projected` to 1.

    Both return a status: 0, or that of the evaluation that failed. They may be called at any time, for any
    start and length; what they store in `arrays` is set again by `begin_step`.

    With fixed steps `try_step` may ask for a shorter one, unless `Step.record.estimate` is 0: it puts the
    length into `Step.record.h` and returns `TOO_LONG`. The rest of the step follows in equal parts, each up
    to twice as long as the one before.
    """

    begin_step: ClassVar[Any] = None
    try_step: ClassVar[Any] = None
    bounded_rows = True
    #: False: `try_step` decides on the modes of bounded rows; True: a step ends where one changes
    locates_bounded: ClassVar[bool] = True
    #: arrays of its group that belong to the state, as `State.history` does, but are never set to zero: a
    #: repeated step and a frame begin with their content at the start of the step, checkpoints hold it
    stateful_arrays: ClassVar[Sequence[str]] = ()
    #: sets of arrays of its group that grow together: a function that finds one of set i too short returns
    #: `request_capacity(tables, i, required)`, and the step is repeated with longer ones
    growing: ClassVar[Sequence[Sequence[str]]] = ()
    #: store (v₁ − v₀) / h of the step as the accelerations of a frame, instead of those without impulses
    mean_accelerations: ClassVar[bool] = False

    #: velocities of the largest tree in joint coordinates, whose mass matrix is then formed; the bodies of a
    #: larger one keep their own
    largest_tree: ClassVar[float] = inf
    #: velocities of a tree above which its steps are faster in maximal coordinates, as reports advise
    advised_tree: ClassVar[float] = inf

    #: array of its group -> unit, stored in each frame; as long as at the start
    outputs: ClassVar[Mapping[str, str]] = {}
    #: name -> list of changing length, stored in each frame
    lists: ClassVar[Mapping[str, OutputList]] = {}
    #: what it adds to each entry of the list `contacts`, which `describe_contacts` computes
    contact_arrays: ClassVar[Mapping[str, ContactArray]] = {}
    #: it notes impacts of bodies by `note_impact`, with the shapes of the scene
    notes_impacts: ClassVar[bool] = False
    #: arrays of its group, in `stateful_arrays`: how many pairs of shapes have touched (1,), their numbers
    #: a n + b of n shapes, the impulses on b since t = 0 (pairs, 3) [N·s], world axes; (): it has none
    pair_sums: ClassVar[Sequence[str]] = ()
    #: "friction" or "impacts" -> array (1,) of its group, in `stateful_arrays`: energy taken since t = 0 [J],
    #: terms of their own in the energy balance
    losses: ClassVar[Mapping[str, str]] = {}
    #: array (nc,) of its group with the mean multipliers of the step [N, N·m], shown as reactions; "": frames
    #: show those of the accelerations
    multipliers: ClassVar[str] = ""
    #: middle(problem): the `Middle` of the last step, whose arrays are as it left them, for
    #: `Simulation.impulses`; None: its steps balance no impulses
    middle: ClassVar[Any] = None
    #: observer(problem): an object that examines each stored frame of a run, `frame()`, and has messages at
    #: the end, `closing()` -> (level, text); with transient rows or lists: frames come one by one
    observer: ClassVar[Any] = None

    @classmethod
    def parts(cls, system: Any) -> Sequence[Any]:
        """Functions `f(tables, number)`, or `Part`s, that return a status and are compiled apart, side by
        side, for this scene; `run_part(tables, k, number)` calls the one at place k. For a step that takes
        long to compile, or whose choice of functions depends on the scene.
        """
        return ()

    @classmethod
    def describe_contacts(cls, problem: Any) -> Mapping[str, Any]:
        """`contact_arrays` of the transient blocks in use after the step to a frame: name -> array."""
        return {}

    @classmethod
    def closing(cls, problem: Any, steps: int) -> Sequence[tuple[str, str]]:
        """(level, text) of messages at the end of a run of so many steps; its summary shows them too."""
        return ()

    @classmethod
    def no_solution(cls, problem: Any) -> str:
        """Why the step that has returned `NO_SOLUTION` has none, for the message that ends the run. If it may
        have one, "", or a `Doubt` that is told once: the step is repeated, and must not return that again.
        """
        return ""

    @classmethod
    def transient(cls, problem: Any, params: Any) -> int:
        """Places for blocks of rows that come and go, such as contacts, at the start; 0: it has none.

        It finds them in the groups `TransientRows` and `TransientMarkers`, whose arrays become longer when
        `add_transient_block` needs more.
        """
        return 0

    @classmethod
    def history(cls, problem: Any, params: Any) -> int:
        """Length of `State.history`: numbers that follow from step to step, such as the accelerations of the
        last one.

        `try_step` finds in it what the step before has left, and overwrites it; `begin_step` only reads it.
        It belongs to the state: a repeated step and a frame begin with it, and checkpoints hold it. The
        engine sets it to zero at the start and after each discontinuity (an event, a switch of an
        expression): a multistep method starts anew there.
        """
        return 0

    @classmethod
    def begun(cls, stepping: Any, params: Any) -> Sequence[str]:
        """Called once before the first step. Returns remarks; raises SceneError, with keys relative to
        `solver`, for a start that the solver cannot serve.

        stepping: `problem`, `show(t)` (evaluate the state at time t), `call_part(k, number)`, and
        `begin_here()` if the positions in the tables have changed
        """
        return ()

    @classmethod
    def find_contacts(cls, stepping: Any, reach: float) -> None:
        """Find the contacts at the present position, evaluated, up to a gap [m], into the transient rows: for
        analyses of equilibria, if `contacts`.
        """
        raise NotImplementedError("a solver with contacts has to define `find_contacts`")

    @classmethod
    def found_contacts(cls, problem: Any) -> FoundContacts:
        """What is in the transient rows."""
        raise NotImplementedError("a solver with contacts has to define `found_contacts`")

    @classmethod
    def reports(cls) -> bool:
        """Whether frames show what a step did: they need the tables as it left them."""
        return bool(
            cls.mean_accelerations or cls.multipliers or cls.outputs or cls.lists or cls.has_transient()
        )

    @classmethod
    def has_transient(cls) -> bool:
        """Whether it may have blocks of rows that come and go."""
        return cls.transient.__func__ is not CompiledSolver.transient.__func__  # type: ignore[attr-defined]

    @classmethod
    def control(cls, params: Any, chosen: Mapping[str, Any]) -> Control:
        raise NotImplementedError("a compiled solver has to define `control`")

    @classmethod
    def arrays(cls, problem: Any, params: Any, chosen: Mapping[str, Any]) -> Any:
        """The solver's group of tables (`solver_tables`) for this problem; None if it needs none."""
        return None

    @classmethod
    def order_of_accuracy(cls, params: Any, chosen: Mapping[str, Any]) -> int | None:
        return cls.control(params, chosen).order

    @classmethod
    def fixed_step(cls, params: Any, chosen: Mapping[str, Any]) -> float | None:
        return cls.control(params, chosen).fixed


class FixedStepSolver(SolverKind):
    """A method with fixed steps, in plain numpy.

        class SymplecticEuler(FixedStepSolver):
            name, order = "symplectic_euler", 1
            parameters = FixedStep

            @staticmethod
            def step(state, dt):
                state.v += dt * state.accelerations()
                state.advance(dt)

    step(state, dt): advances `state` (a `NumpyState`) by dt [s]; the base class then projects it onto the
    constraints. It may be called at any time, from any start and with any length up to the step size.
    """

    parameters: ClassVar[Any] = None  # derived from `FixedStep`
    order: ClassVar[int | None] = 1
    step: ClassVar[Any] = None

    @classmethod
    def fixed_step(cls, params: Any, chosen: Mapping[str, Any]) -> float | None:
        return float(params.step)


class FixedStep(Parameters):
    """Keys of a solver with fixed steps."""

    step: Time = Field(description="length of the steps [s]")
    method: str = Field("constraint_force", description="how accelerations and constraint forces are found")
