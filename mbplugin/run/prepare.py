"""From a system to everything that a run needs. Writes no files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mbplugin.analysis.equilibrium.inner_states import states_of_scene
from mbplugin.analysis.initial_state.assembly import Assembly, assemble_initial
from mbplugin.analysis.initial_state.conflicts import acceleration_conflict
from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.singular.singular import Singular, at_start
from mbplugin.analysis.trees.tree_report import TreeReport, advice_on, tree_report
from mbplugin.compile import (
    StructureError,
    compile_system,
    complete_bodies,
    complete_contacts,
    complete_shapes,
)
from mbplugin.errors import OtherStructureError, SceneError, listed, value_text
from mbplugin.hooks.registry import Registry
from mbplugin.interface.solver import Integrator
from mbplugin.kernels import entries
from mbplugin.model import System, remarks
from mbplugin.problem import Problem
from mbplugin.run.activity import begin_by_motion, begin_by_scene, refuse_conditions
from mbplugin.run.chosen_solver import ChosenSolver, chosen_solver
from mbplugin.run.enforce import Law, held, settle
from mbplugin.run.faults import attribute_errors
from mbplugin.run.integrator import Stepping, units_of_run
from mbplugin.run.joint_coordinates import JointCoordinates, joint_coordinates
from mbplugin.run.laws import (
    refuse_bearings,
    refuse_bounded,
    refuse_contacts,
    refuse_outside,
    refuse_undetermined,
    refuse_unserved_laws,
    served_types,
)
from mbplugin.run.motion_limits import limit_hint
from mbplugin.run.observers import Observers
from mbplugin.run.recorder import Recorder
from mbplugin.run.stop import refuse_stop
from mbplugin.tables.groups import Bounded, Measures, State
from mbplugin.tables.spec import Array

#: fields of `State` that are restored; the history belongs to the integrator
RESTORED = ("time", "q", "v", "aux", "memory", "mode")


@dataclass
class BlockSizes:
    """Amounts of work of one call of compiled code that runs of one compiled system have found, and with what
    the next one begins. It depends on the machine, and no number of a result on it.
    """

    work: int = 1  # evaluations of a call
    frames: int = 1  # of a block


@dataclass
class Prepared:
    """A compiled and assembled system; `start` makes its integrator."""

    system: System
    registry: Registry
    problem: Problem
    assembly: Assembly
    rank: RankReport
    singular: Singular | None
    recorder: Recorder
    solver: ChosenSolver
    laws: list[Law]
    initial: InitialState
    sizes: BlockSizes
    remarks: list[str] = field(default_factory=list)  # warnings about the scene
    joint: JointCoordinates | None = None

    def __post_init__(self) -> None:
        #: that of the run which was started last: in joint coordinates another one
        self.stepped = self.problem

    def start(self, end: float) -> Integrator:
        """The integrator of a run from t = 0 to `end` [s]."""
        stepped = self.stepped = self.problem if self.joint is None else self.joint.begin(self.problem)
        integrator = self.solver.start(stepped, 0.0, end)
        if self.system.inputs and not integrator.takes_inputs:
            name = self.system.inputs[0].name
            mend = f'this solver has steps of its own and takes no inputs ("{name}"); choose another one'
            raise SceneError("solver.type", self.system.solver_type, mend)
        if isinstance(integrator, Stepping):
            integrator.limit_hint = limit_hint(self.problem, self.rank.dof, self.system.file)
        if self.joint is not None:
            self.recorder.follow(stepped, self.joint)
        elif integrator.begins_elsewhere:
            self.recorder.begin()
        switching = len(stepped[Bounded].index) > 0 or any(
            one.conditional for one in stepped.names.activities
        )
        self.recorder.dof = rank(stepped).dof if switching else self.rank.dof
        return integrator

    def trees(self, with_rank: bool = False) -> TreeReport | None:
        """Which joint carries which body, in joint coordinates; None: the coordinates are maximal. Raises
        PhysicsError.
        """
        if self.joint is None:
            return None
        counts = rank(self.joint.begin(self.problem)) if with_rank else None
        report = tree_report(self.problem, self.joint.problem, self.joint.folded, counts)
        report.advice = advice_on(report.trees, self.solver.kind.name, self.solver.kind.advised_tree)
        return report

    def coordinates_message(self) -> list[str]:
        """Sentences on the coordinates, if they are those of joints."""
        report = self.trees()
        return [text for text in (report.line(), report.advice) if text] if report is not None else []

    def with_problem(self, problem: Problem) -> Prepared:
        """This system with a copy of the problem, which is set to the initial state."""
        self.initial.restore(problem)
        problem.begin_implicit()
        problem.check(entries.evaluate(problem.addresses))
        return replace(self, problem=problem, recorder=self.recorder.of(problem))

    def with_system(self, system: System) -> Prepared:
        """The same with a system that differs in its output alone."""
        self.recorder.system = system
        return replace(self, system=system)

    def detached(self) -> Prepared:
        """This system without its problem, to be held by that problem."""
        nothing: Any = None
        return replace(self, problem=nothing, recorder=self.recorder.of(nothing))

    def changed(self, problem: Problem, system: System, values: Mapping[str, Any]) -> Prepared:
        """This system with a scene that differs in the values of some keys. Nothing is compiled.

        problem: of the present system

        Raises OtherStructureError if the change needs another structure, SceneError if it is no valid scene.
        """
        change = Change(values, problem, self.system, self.solver, self.sizes, self.joint)
        return prepare(system, self.registry, change)


@dataclass
class InitialState:
    """State with which the solver of a run begins."""

    state: State
    last: Array  # Measures.last

    @classmethod
    def of(cls, problem: Problem) -> InitialState:
        state = State(*(array.copy() for array in problem[State]))
        return cls(state, problem[Measures].last.copy())

    def restore(self, problem: Problem) -> None:
        """Set the state of a problem of the same structure, without evaluation."""
        for name in RESTORED:
            getattr(problem[State], name)[:] = getattr(self.state, name)
        problem[Measures].last[:] = self.last


@dataclass
class Change:
    """Changed keys, and what was compiled before."""

    values: Mapping[str, Any]
    problem: Problem
    system: System
    solver: ChosenSolver
    sizes: BlockSizes
    joint: JointCoordinates | None

    def refuse(self, what: str) -> OtherStructureError:
        mend = f"changes the structure of the compiled problem ({what}); compile a new System for it"
        if len(self.values) == 1:
            ((key, value),) = self.values.items()
            return OtherStructureError(key, value, mend)
        keys = ", ".join(f"{key} = {value_text(value)}" for key, value in self.values.items())
        return OtherStructureError(keys, mend=mend)

    def check(self, solver: ChosenSolver) -> None:
        """Raises SceneError for another solver or method."""
        for what, before, now in (
            ("solver", self.solver.kind, solver.kind),
            ("method", self.solver.method, solver.method),
        ):
            if before is not now:
                names = tuple(getattr(kind, "name", "") for kind in (before, now))
                raise self.refuse(f'its {what} is "{names[0]}", not "{names[1]}"')


def prepare(system: System, registry: Registry, change: Change | None = None) -> Prepared:
    """Compile, assemble, count. Raises SceneError, PluginError, PhysicsError.

    change: how the system differs from one that is compiled already; then nothing is compiled, and
    OtherStructureError is raised where that does not do
    """
    with attribute_errors(system, registry):
        complete_bodies(system, registry)
        complete_shapes(system, registry)
        complete_contacts(system, registry)
        if change is not None and system.solver is change.system.solver:
            solver = change.solver
        else:
            solver = chosen_solver(system, registry)
        refuse_unserved_laws(system, registry, f'solver "{solver.kind.name}"', served_types(solver.kind))
        if not solver.kind.contacts:
            refuse_contacts(system, registry, f'solver "{solver.kind.name}"')
        refuse_stop(system, solver.kind)
        if change is not None:
            change.check(solver)
        units = units_of_run(solver.kind, solver.method, solver.parts) if change is None else []
        try:
            problem = compile_system(system, registry, units, change.problem if change is not None else None)
        except StructureError as differs:
            assert change is not None
            raise change.refuse(str(differs)) from None
        if change is not None:
            problem.take_pattern(change.problem)
        if not solver.kind.bounded_rows:
            refuse_bounded(problem, system, f'solver "{solver.kind.name}"', registry)
        if solver.method is not None:
            problem.use(solver.method)
        # before the assembly, which may fail for this reason
        remarks = warned(system, registry) + warned_of(unread_inputs(problem)) + warned_of([*solver.warnings])
        refuse_conditions(system, problem.names.activities, solver.kind)
        begin_by_scene(problem, system)
        with held(problem):
            assembly = assemble_initial(problem, system, search_of_equilibrium(system, registry))
        refuse_outside(problem, system)
        refuse_undetermined(problem, system)
        remarks += warned_of(assembly.warnings)
        laws = settle(problem, solver.step_of_laws)
        if problem.iterates_loads:
            refuse_bearings(problem, system, "a scene with `augment`")
        problem.begin_implicit()
        remarks += warned_of(begin_by_motion(problem, system))
        report, observers = rank(problem), Observers()
        error = acceleration_conflict(problem, system, report)
        if error is not None:
            raise error
        for kernel in problem.kernels:
            kernel.warn_once()
        nothing: Singular | None = None
        singular = observers.ask(
            "the search for singular positions at the start", lambda: at_start(problem, report), nothing
        )
        remarks += [text for _, text in observers.told()]
        return Prepared(
            system,
            registry,
            problem,
            assembly,
            report,
            singular,
            Recorder(problem, system, report.determined),
            solver,
            laws,
            InitialState.of(problem),
            change.sizes if change is not None else BlockSizes(),
            remarks,
            joint_coordinates(problem, solver, change.joint if change is not None else None),
        )


def search_of_equilibrium(system: System, registry: Registry) -> Callable[[], tuple[Array, Array]] | None:
    """What finds coordinates and inner states of the equilibrium in which a run begins; None: it begins as
    given.
    """
    if system.scene.start == "given":
        return None
    # the analyses prepare systems too
    from mbplugin.run.analyze import balance_of

    def found() -> tuple[Array, Array]:
        problem = balance_of(system, registry, 1).problem
        return problem.q, problem[State].aux[states_of_scene(problem)]

    return found


def warned(system: System, registry: Registry) -> list[str]:
    """Remarks on meshes that seem to be in millimetres, on materials and contacts without effect and on a
    scene in which nothing can touch, as warnings too.
    """
    return warned_of(
        remarks.large_meshes(system)
        + remarks.idle_materials(system)
        + remarks.idle_contacts(system)
        + remarks.unused_elasticity(system, elastic_keys_used(system, registry))
        + remarks.nothing_to_touch(system)
    )


def elastic_keys_used(system: System, registry: Registry) -> dict[str, Sequence[str]]:
    """Elastic keys that each body with a material takes from it, by the body's name."""
    return {
        body.name: registry.body_kind(body.type, "").material_keys
        for body in system.bodies
        if body.material is not None
    }


def unread_inputs(problem: Problem) -> list[str]:
    """A sentence on the inputs that no expression reads any more, if there are any."""
    names = problem.names.unread
    which, what = ("inputs", "are") if len(names) > 1 else ("input", "is")
    return (
        [f"{which} {listed(names)} {what} read by no expression any more and cannot be set"] if names else []
    )


def warned_of(remarks: list[str]) -> list[str]:
    """Sentences on the structure, as warnings too."""
    for line in remarks:
        warnings.warn(line, stacklevel=4)
    return remarks
