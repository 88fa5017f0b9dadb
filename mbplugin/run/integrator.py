"""The integrator of one run: drives the compiled loop of steps and collects its messages."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK, Compiled, made_part, solver_kernel
from mbplugin.codegen.core_functions import core_units, load, loaded_address
from mbplugin.codegen.units import Unit, entry_unit
from mbplugin.compile.transient import add_transient
from mbplugin.errors import MbpluginError, PhysicsError, PluginError, listed
from mbplugin.interface import MethodKind
from mbplugin.interface.solver import Integrator, SolverKind
from mbplugin.kernels import entries, transient_entries
from mbplugin.kernels.modes import fit_next_rows
from mbplugin.kernels.schur import BELOW_ROUNDING
from mbplugin.kernels.tree.alone import evaluate_coordinates
from mbplugin.kernels.view import place_of
from mbplugin.model.input import ratio, sample_time
from mbplugin.problem import Problem, step_matrix
from mbplugin.problem.failures import solver_raised
from mbplugin.problem.method import method_kernel
from mbplugin.run import progress_messages
from mbplugin.run.activity import refuse_carriers
from mbplugin.run.enforce import fit_rows_to, put_factor
from mbplugin.run.frame_rows import FrameRows
from mbplugin.run.growing_arrays import GrowingArrays, StatefulArrays
from mbplugin.run.impacts import IMPACT, empty_impacts, taken_impacts
from mbplugin.run.numpy_solver import NumpyStep
from mbplugin.run.solver_outputs import SolverOutputs
from mbplugin.stepping import CompiledSolver, Control, Doubt, FixedStepSolver, Part, Step, frame, frames, loop
from mbplugin.stepping.bounded import settle_bounded
from mbplugin.stepping.changes import count_redundant, note_changes
from mbplugin.stepping.samples import ROUNDING_OF_TIME
from mbplugin.stepping.switches import jump_inputs, jump_modes
from mbplugin.tables import groups
from mbplugin.tables.purposes import SHOWN
from mbplugin.tables.records import BEGUN, LOWER, NOT_READY, ChangeRecord, StepRecord
from mbplugin.tables.spec import Array, records, specs, table
from mbplugin.tables.status import (
    CONTROL_NOT_FINITE,
    CONTROL_RAISED,
    NO_PIVOT,
    NO_SOLUTION,
    NOT_CONVERGED,
    NOT_FINITE,
    OVERFLOW,
    RAISED,
    SINGULAR,
    SOLVER_RAISED,
)

#: relative residual of the constraint accelerations for fixed steps and loose tolerances
LOOSEST = 1e-12
#: largest first step, as a fraction of the run
FIRST_STEP = 0.01
#: compiled functions that every run calls
ENTRIES = (
    loop.advance,
    frame.show,
    entries.assemble_positions,
    entries.assemble_velocities,
    entries.call_purpose,
    entries.evaluate,
    entries.evaluate_energies,
    frames.advance_frames,
    frames.read_frame,
)
#: places for notes of changes, beside those of one step
NOTES = 256
#: places for impacts at the start
IMPACTS = 64
#: arrays of `Step` that a saved state does not hold as they are
NOT_SAVED = ("record", "stateful", "mean")
#: number of a field in the record of the steps
T1, STOPPED, READY = (StepRecord._fields.index(name) for name in ("t1", "stopped", "ready"))
COUNTED = {
    name: StepRecord._fields.index(name)
    for name in ("steps", "rejected", "evaluations", "unconverged", "held", "events")
}
#: what the steps since the last call have brought, mostly
NO_CHANGES, NO_IMPACTS = records(ChangeRecord, []), np.zeros(0, IMPACT)
RESULTS = {loop.BUSY: "busy", loop.FRAME: "frame", loop.END: "end"}


def start_integrator(
    kind: type[SolverKind],
    problem: Problem,
    params: Any,
    start: float,
    end: float,
    chosen: dict[str, Any],
    parts: Sequence[Callable[..., int]] = (),
) -> Integrator:
    """The integrator of a solver kind. parts: functions that its step calls by `run_part`."""
    if issubclass(kind, CompiledSolver):
        control = kind.control(params, chosen)
        arrays = kind.arrays(problem, params, chosen)
        if arrays is not None:
            problem.put(arrays)
        history = kind.history(problem, params)
        if history or len(problem[groups.State].history):
            problem.put(problem[groups.State]._replace(history=np.zeros(history)))
        if (places := kind.transient(problem, params)) > 0:
            add_transient(problem, places)
        own = type(arrays) if arrays is not None else None
        problem.solver_outputs = SolverOutputs(problem, kind, own, places > 0)
        addresses = {role: kernel.address for role, kernel in solver_kernels(kind).items()}
        of_parts = np.array([kernel.address for kernel in part_kernels(kind, parts)], np.int64)
        if not np.array_equal(of_parts, problem[groups.EntryPoints].parts):
            problem.put(problem[groups.EntryPoints]._replace(parts=of_parts))
        stepping = Stepping(problem, control, start, end, addresses, compiled=kind, own=own)
        stepping.remarks = [(stepping.time, "info", text) for text in kind.begun(stepping, params)]
        return stepping
    if issubclass(kind, FixedStepSolver):
        control = Control(kind.order or 1, fixed=kind.fixed_step(params, chosen))
        python = NumpyStep(kind, problem)
        return Stepping(problem, control, start, end, {"try_step": python.address}, python)
    return kind.start(problem, params, start, end, chosen)


def units_of_run(
    kind: type[SolverKind], method: type[MethodKind] | None, parts: Sequence[Callable[..., int]] = ()
) -> list[Unit]:
    """Units that every run with this solver, its parts and method needs besides the kernels of its system."""
    units = [*(entry_unit(entry) for entry in ENTRIES), *core_units("run")]
    if issubclass(kind, CompiledSolver):
        kernels = [*solver_kernels(kind).values(), *part_kernels(kind, parts)]
        units += [k.unit for k in kernels if k.unit is not None]
        if kind.has_transient():
            of_contacts = (transient_entries.locate_contacts, transient_entries.put_material_points)
            units += [entry_unit(one) for one in of_contacts]
    if method is not None and method.kernel is not None:
        unit = method_kernel(method).unit
        units += [unit] if unit is not None else []
    return units


def solver_kernels(kind: type[CompiledSolver]) -> dict[str, Compiled]:
    """The compiled functions of a solver, by their names in `EntryPoints`."""
    return {
        role: solver_kernel(role, getattr(kind, role), f'solver "{kind.name}"')
        for role in ("begin_step", "try_step")
        if getattr(kind, role) is not None
    }


def part_kernels(kind: type[CompiledSolver], parts: Sequence[Callable[..., int]]) -> list[Compiled]:
    """The compiled parts of a solver, in their order."""
    owner = f'solver "{kind.name}"'
    return [
        made_part(part.make, part.functions, part.owner or owner)
        if isinstance(part, Part)
        else solver_kernel("part", part, owner)
        for part in parts
    ]


def named(problem: Problem, rows: Array) -> str:
    """The owners of rows, counted as in `State.mode`, for messages."""
    names = problem.names
    owners = [
        names.rows[r].owner if r < problem.nc else names.activities[r - problem.nc].label
        for r in np.asarray(rows).tolist()
    ]
    return listed(dict.fromkeys(f'"{owner}"' for owner in owners))


class Stepping(Integrator):
    """Drives the compiled loop of a solver.

    addresses: those of the solver's compiled functions, by their names in `EntryPoints`. python: the step of
    a numpy solver. compiled, own: the kind of a compiled solver, and the type of its group of arrays.
    """

    takes_inputs = True

    def __init__(
        self,
        problem: Problem,
        control: Control,
        start: float,
        end: float,
        addresses: dict[str, int],
        python: NumpyStep | None = None,
        compiled: type[CompiledSolver] = CompiledSolver,
        own: Any = None,
    ) -> None:
        self.problem, self.control, self.end, self.python = problem, control, end, python
        self.remarks: list[progress_messages.Message] = []  # of the solver, not told yet
        self.jump_inputs: Any = None  # the compiled function, loaded when it is first called
        self.coordinates: Any = None  # another one
        self.address = 0  # of the vector of addresses, then
        self.law: Any = None  # the compiled control law that is at work
        self.doubted = False  # whether a step may have had no solution
        self.limit_hint = ""  # what a message says of motions that may lead out of reach
        self.kind, self.own = compiled, own
        self.observer = compiled.observer(problem) if compiled.observer is not None else None
        for name in ("begin_step", "try_step"):
            getattr(problem[groups.EntryPoints], name)[0] = addresses.get(name, 0)
        # compile here: during the first step it could not be interrupted
        load(core_units("run"))
        state = problem[groups.State]
        present = {
            "q": state.q,
            "v": state.v,
            "aux": state.aux,
            "memory": state.memory,
            "history": state.history,
            "mode": state.mode,
            "last": problem[groups.Measures].last,
        }
        ends = {f"{name}{end}": array.copy() for name, array in present.items() for end in (0, 1)}
        record = records(StepRecord, [tuple(0 for _ in StepRecord._fields)])
        margins = np.zeros(len(problem[groups.Bounded].index) + len(problem[groups.Elements].event))
        problem.put(
            table(
                Step,
                record=record,
                events=np.zeros(len(problem[groups.Elements].event)),
                margins=margins,
                margins0=margins.copy(),
                margins1=margins.copy(),
                mean=np.zeros(problem.nv),
                **ends,
            )
        )
        owner = f'solver "{getattr(compiled, "name", "")}"'
        self.notes: list[Array] = []  # of changes of rows, not asked for yet
        self.noted_impacts: list[Array] = []
        if compiled.notes_impacts:
            problem.put(empty_impacts(IMPACTS))
        problem[groups.Activity].located[0] = int(compiled.locates_bounded)
        conditional = any(one.conditional for one in problem.names.activities)
        if len(problem[groups.Bounded].index) or problem.names.enforced or conditional:
            self.begin_changes()
        if len(problem[groups.Bounded].index):
            self.begin_bounded(ends)
        self.growing_arrays = GrowingArrays(problem, own, compiled.growing, owner)
        self.stateful = StatefulArrays(problem, own, compiled.stateful_arrays, owner)
        values = problem[groups.FrameValues]
        values.mean[0] = int(compiled.mean_accelerations)
        values.multipliers[0] = place_of(own, compiled.multipliers) if compiled.multipliers else 0
        step = self.step = problem[Step].record[0]
        # the same record without names, which are slow to look up
        self.floats = problem[Step].record.view(np.float64).view(np.ndarray)
        self.counts = problem[Step].record.view(np.int64).view(np.ndarray)
        step.t0 = step.t1 = step.origin = start
        step.tolerance, step.error_power, step.previous_error = control.tolerance, control.error_power, 1e-4
        step.fixed, step.length_scale, step.estimate = control.fixed or 0.0, problem.names.size, 1
        step.growth, step.hold, step.longest = control.growth, control.hold, control.longest
        # no motion needs ten million steps: if the estimate requires smaller ones, it measures
        # rounding errors
        step.floor = 1e-7 * (end - start) if np.isfinite(end) else 1e-9
        step.repeated = problem.nc
        step.reports = int(compiled.reports())
        # high orders amplify noise: with 1e-3 of the tolerance, dop853 took 4 times the steps at 1e-12
        problem[groups.Rows].goal[0] = (
            LOOSEST if control.fixed else min(LOOSEST, max(BELOW_ROUNDING, 1e-6 * control.tolerance))
        )
        problem.check(problem.call_function(count_redundant))
        self.begin_samples()
        self.reported = progress_messages.Reported(start)
        span = end - start if np.isfinite(end) else 1.0
        step.h = 1e-6 * span
        step.h = control.fixed or min(control.first or self.first_step(span), control.longest)

    def begin_changes(self) -> None:
        """Let compiled code note changes of rows and activities."""
        load(core_units("changes"))
        n = len(self.problem[groups.State].mode)
        notes = records(ChangeRecord, [tuple(0 for _ in ChangeRecord._fields)] * (NOTES + 2 * n))
        self.problem.put(groups.Changes(np.zeros(1, np.int64), notes, np.zeros(n)))

    def begin_bounded(self, ends: dict[str, Array]) -> None:
        """Modes of bounded rows at the start, and impacts there."""
        self.problem[Step].record[0].length_scale = self.problem.names.size
        load(core_units("bounded", bearings=len(self.problem[groups.Bearings].index) > 0))
        self.problem[groups.Bounded].located[0] = int(self.kind.locates_bounded)
        acting = fit_rows_to(self.problem, self.problem[groups.State].mode[self.problem.nc :])
        self.problem[groups.State].mode[:] = acting
        self.problem.check(self.problem.call_function(settle_bounded))
        state = self.problem[groups.State]
        for name, array in ends.items():
            present = getattr(state, name[:-1], None)
            if present is not None:
                array[...] = present
        # the modes at the start are no changes
        self.problem.check(self.problem.call_function(note_changes))

    @property
    def time(self) -> float:
        return float(self.floats[T1])

    @property
    def at_stop(self) -> bool:  # type: ignore[override]
        return bool(self.counts[STOPPED])

    @property
    def statistics(self) -> dict[str, int]:
        return {name: int(self.counts[k]) for name, k in COUNTED.items()}

    def call_part(self, k: int, number: int = 0) -> None:
        """Call a part of the solver at the present state, which is evaluated. Raises the error of its
        status.
        """
        call = CALLBACK(int(self.problem[groups.EntryPoints].parts[k]))
        while self.is_repeated(status := call(number, 0, self.problem.addresses.ctypes.data)):
            pass
        self.check(status)

    def begin_here(self) -> None:
        """Begin the next step at the positions and velocities of the tables."""
        self.begins_elsewhere = True
        step, state = self.problem[Step], self.problem[groups.State]
        for array, ends in ((state.q, (step.q0, step.q1)), (state.v, (step.v0, step.v1))):
            for end in ends:
                end[...] = array

    def first_step(self, span: float) -> float:
        """0.01 of the time in which the state changes by its own size, at most 0.01 of the span."""
        self.show(self.time)
        self.step.evaluations += 1
        problem, state, rates = self.problem, self.problem[groups.State], self.problem[groups.Rates]
        scale = lambda y: self.control.tolerance * (0.01 * problem.names.size + np.abs(y))
        largest = lambda y, size: float(np.max(np.abs(y) / scale(size), initial=0.0))
        # coordinates of joints count from anywhere
        q = state.q if problem.folded is None else np.maximum(np.abs(state.q), problem.names.size)
        d0 = max(largest(q, q), largest(state.v, state.v))
        d1 = max(largest(rates.q_dot, q), largest(rates.v_dot, state.v))
        step = 0.01 * d0 / d1 if d0 > 1e-5 and d1 > 1e-5 else 1e-6 * span
        return float(min(FIRST_STEP * span, step, span))

    def advance(self, until: float, frame: float, work: int) -> str:
        self.read_notes()
        return self.result(loop.advance(self.problem.addresses, until, frame, work))

    def result(self, code: int) -> str:
        """The name of a code of `loop.advance`. Raises PhysicsError, PluginError."""
        if code in RESULTS:
            progress_messages.watch(self)
            return RESULTS[code]
        if code == loop.FAILED:
            if self.is_repeated(int(self.step.status)):
                return "busy"
            self.check(int(self.step.status))
        raise self.stopped("the motion diverges" if code == loop.BLEW_UP else "the step has become too small")

    def reach(self, until: float, work: int) -> bool:
        """Advance like `advance`; whether `until` is reached, and nothing has happened that has to be noted.
        If not, `advance` goes on from there.
        """
        if loop.advance(self.problem.addresses, until, np.inf, work) != loop.END or self.counts[STOPPED]:
            return False
        changes, impacts = self.problem[groups.Changes].used, self.problem[groups.Impacts].used
        return not ((len(changes) and changes[0]) or (len(impacts) and impacts[0]))

    def advance_frames(
        self, until: float, work: int, times: Any, layout: FrameRows, rows: Any
    ) -> tuple[str, int, Exception | None]:
        """Advance, storing the frames at `times` [s] that the steps pass into `rows`, one in each.

        Returns the result, the frames stored, and the error that stops the run after these, if any.
        """
        self.read_notes()
        code, count = frames.advance_frames(
            self.problem.addresses, until, work, times, self.problem.names.size, layout.places, rows
        )
        try:
            if code == frames.NOT_SHOWN:
                if not self.is_repeated(int(self.step.status)):
                    self.check(int(self.step.status))
                return "busy", count, None
            return self.result(code), count, None
        except Exception as error:
            return "failed", count, error

    def show(self, time: float) -> None:
        """As `Integrator.show`."""
        while self.is_repeated(status := frame.show(self.problem.addresses, time)):
            pass
        self.check(status)

    def measure_coordinates(self) -> None:
        """Leave joint coordinates and their rates at the end of the last step in `Measures`, without a frame.
        Raises PhysicsError, PluginError.
        """
        if self.coordinates is None:
            self.coordinates = CALLBACK(loaded_address(evaluate_coordinates))
        step, state = self.problem[Step], self.problem[groups.State]
        if self.counts[READY] == NOT_READY:
            last = self.problem[groups.Measures].last
            for array, end in (
                (state.q, step.q1),
                (state.v, step.v1),
                (state.mode, step.mode1),
                (last, step.last1),
            ):
                array[...] = end
        elif self.counts[READY] == BEGUN:
            self.counts[READY] = NOT_READY
        self.check(self.coordinates(0, 0, self.problem.addresses.ctypes.data))

    def is_repeated(self, status: int) -> bool:
        """Whether what returned this status is called again: with longer arrays, or since a step may have a
        solution. Raises PhysicsError for one that has none.
        """
        if status == OVERFLOW:
            self.grow()
        elif status == NO_SOLUTION:
            reason = self.kind.no_solution(self.problem)
            if reason and not isinstance(reason, Doubt):
                raise PhysicsError(reason, time=float(self.step.t0))
            if reason and not self.doubted:
                t = float(self.step.t0)
                self.doubted = True
                self.remarks.append((t, "warning", Doubt(f"t = {t:.9g} s: {reason}")))
        else:
            return False
        return True

    def grow(self) -> None:
        """Lengthen the arrays that compiled code has found too short; the step is repeated."""
        self.growing_arrays.grow()
        self.stateful.grown()

    def check(self, status: int) -> None:
        """Raise the error of a status, with a remedy."""
        if status == 0:
            return
        if self.python is not None and status == RAISED:
            self.python.reraise()
        if status == SOLVER_RAISED:
            raise solver_raised(self.problem, solver_kernels(self.kind).values())
        if status == NOT_FINITE:
            raise self.stopped("the motion diverges")
        if status in (CONTROL_RAISED, CONTROL_NOT_FINITE):
            raise self.control_error(status)
        if status in (NOT_CONVERGED, SINGULAR):
            raise self.stopped(f"Newton's method of the step does not converge{self.gradual_slip()}")
        if status == NO_PIVOT:
            raise PhysicsError(
                f"the constraints have no usable pivot; {self.suspect()}", time=self.problem.time
            )
        self.problem.check(status)

    def stopped(self, what: str) -> Exception:
        """The error that stops the run: what happened, or which plugin function returned NaN."""
        cause = self.problem.not_finite()
        if cause is not None:
            return cause
        return PhysicsError(f"{what}: {self.suspect()}", time=self.problem.time)

    def gradual_slip(self) -> str:
        """A remedy for slip in two directions that begins with no acceleration, and turns at once."""
        index, mode = self.problem[groups.Bounded].index, self.problem[groups.State].mode
        pairs = np.flatnonzero((index.partner >= 0) & (mode[index.row] == LOWER))
        if not len(pairs):
            return ""
        what = self.problem.names.bounded[int(pairs[0])][2]
        return f' while "{what}" changes its direction: let `friction_static` exceed `friction`, or use "rk"'

    def or_else(self, mend: str) -> str:
        """A remedy, after that for motions that may lead out of reach."""
        return f"{self.limit_hint}; else {mend}" if self.limit_hint else mend

    def suspect(self) -> str:
        """The fastest body, and remedies."""
        names = self.problem.names
        if self.control.fixed:
            mend = self.or_else("try a smaller `step`")
        else:
            mend = self.or_else("check masses, stiffnesses and joints there, or try a smaller `tolerance`")
        if not names.bodies:
            return f"there is no body; {mend}"
        entries.call_purpose(self.problem.addresses, SHOWN)
        v = np.abs(self.problem[groups.Markers].v[names.body_marker]).max(axis=1)
        v = np.where(np.isfinite(v), v, np.inf)
        return f'body "{names.bodies[int(np.argmax(v))]}" moves fastest ({v.max():.3g} m/s); {mend}'

    def read_notes(self) -> None:
        """Make place for further notes of compiled code."""
        changes = self.problem[groups.Changes]
        if len(changes.used) and changes.used[0] > 0:
            self.notes.append(changes.note[: changes.used[0]].copy())
            changes.used[0] = 0
        impacts = self.problem[groups.Impacts]
        if len(impacts.used) and impacts.used[0] > 0:
            self.noted_impacts.append(taken_impacts(impacts))

    def has_news(self) -> bool:
        self.read_notes()
        return bool(self.notes or self.noted_impacts)

    def changes(self) -> Array:
        """(n,) records of the rows that have begun or ceased to hold, or were struck, since the last call."""
        self.read_notes()
        if not self.notes:
            return NO_CHANGES
        notes, self.notes = self.notes, []
        return np.concatenate(notes).view(np.recarray)

    def impacts(self) -> Array:
        """(n,) impacts of bodies since the last call, as `run/impacts.py` has them."""
        self.read_notes()
        if not self.noted_impacts:
            return NO_IMPACTS
        noted, self.noted_impacts = self.noted_impacts, []
        return np.concatenate(noted)

    @property
    def modes(self) -> Array:
        """As `State.mode`, at the end of the last step."""
        return np.asarray(self.problem[Step].mode1)

    def messages(self) -> list[tuple[float, str, str]]:
        """Messages since the last call: (time, level, text)."""
        remarks, self.remarks = self.remarks, []
        return remarks + progress_messages.since(self)

    def closing(self) -> list[tuple[str, str]]:
        """Messages of the solver at the end of a run: (level, text)."""
        of_steps = self.kind.closing(self.problem, int(self.step.steps))
        return [*of_steps, *(self.observer.closing() if self.observer is not None else ())]

    def observe(self) -> None:
        """Let the observer of the solver examine the stored frame that is in the tables."""
        if self.observer is not None:
            self.observer.frame()

    @property
    def inputs(self) -> Array:
        """(n,) a copy of the values at the end of the last step."""
        return self.problem[Step].memory1[: len(self.problem[groups.Inputs].value)].copy()

    def set_inputs(self, values: Array) -> None:
        """Let the inputs have these values (n,) from the end of the last step on. Raises PhysicsError,
        PluginError.
        """
        self.problem[groups.Inputs].value[:] = values
        self.jump()

    @functools.cached_property
    def input_arrays(self) -> tuple[Array, Array]:
        """(n,) the inputs at the end of the last step, and those that they have after `jump`."""
        wanted = self.problem[groups.Inputs].value
        return self.problem[Step].memory1[: len(wanted)], wanted

    def jump(self) -> None:
        """Let the inputs have the values of `Inputs.value`. Raises PhysicsError, PluginError."""
        if self.jump_inputs is None:
            self.jump_inputs = CALLBACK(loaded_address(jump_inputs))
            self.address = self.problem.addresses.ctypes.data
        while status := self.jump_inputs(0, 0, self.address):
            if not self.is_repeated(status):
                self.check(status)

    def set_modes(self, rows: Array, mode: int) -> None:
        """Let these rows, counted as in `State.mode`, have this mode from the end of the last step on. Raises
        SceneError, PhysicsError, PluginError; nothing has changed then.
        """
        refuse_carriers(self.problem, rows)
        problem, before = self.problem, self.save()
        load(core_units("modes", "activity"))
        if not len(problem[groups.Changes].used):
            self.begin_changes()
        problem[groups.Rows].next_mode[:] = problem[Step].mode1
        problem[groups.Rows].next_mode[rows] = mode
        problem.call_function(fit_next_rows)
        put_factor(problem, problem[Step].mode1, problem[groups.Rows].next_mode)
        self.step.ready = NOT_READY
        try:
            while self.is_repeated(status := problem.call_function(jump_modes)):
                pass
            if status == NOT_CONVERGED:
                text = f"{named(problem, rows)} cannot be closed at this position"
                raise PhysicsError(text, time=self.time)
            self.check(status)
        except MbpluginError:
            self.load(before)
            raise
        self.fit_to_modes()

    def fit_to_modes(self) -> None:
        """Fit the factor, and the matrix of an implicit step, to the rows that are on."""
        step = self.problem[Step]
        put_factor(self.problem, step.mode0, step.mode1)
        if groups.Border in self.problem.groups:
            step_matrix.prepare(self.problem)

    def begin_law(self, law: Any, reading: Any, first: int, every: float, until: float) -> None:
        """Let a compiled control law set inputs from sample number `first` on, every `every` [s], before
        `until` [s]; None: end that.
        """
        controls = self.problem[groups.Controls]
        controls.address[0] = 0 if law is None else law.kernel.address
        controls.next_time[0] = np.inf
        self.law = law
        if law is not None:
            self.problem.put(controls._replace(memory=law.memory, parameters=law.parameters))
            controls = reading.arrays = self.problem[groups.Controls]
            controls.parts[0], controls.sample[0] = law.parts, first
            controls.every[0], controls.rate[0] = ratio(every)
            # one that rounding puts behind the present time is due
            t, controls.stop[0] = sample_time(first, every), until
            t = self.time if t - self.time < ROUNDING_OF_TIME * t else t
            controls.next_time[0] = t if t < until else np.inf
        self.begin_samples()

    def control_error(self, status: int) -> Exception:
        """The error of a compiled control law."""
        t, law = self.time, self.law
        if status == CONTROL_RAISED:
            error = law.exception(self.problem)
            what = f"{type(error).__name__}: {error}" if error is not None else "an exception"
            raised = PluginError(f"t = {t:.9g} s: {law.owner} failed: {what}")
            raised.__cause__ = error
            return raised
        names = [name for name, _ in self.problem.names.inputs]
        return PluginError(
            f"t = {t:.9g} s: {law.owner} set an input to nan or infinity; there are {listed(names, 20)}"
        )

    def begin_samples(self) -> None:
        """Let the loop look for the present place in the schedules of the inputs, and for samples."""
        inputs = self.problem[groups.Inputs]
        inputs.next[:] = 0
        by_law = np.any(self.problem[groups.Controls].address)
        by_themselves = len(inputs.time) or len(self.problem[groups.Samplers].index)
        inputs.next_time[:] = -np.inf if by_themselves or by_law else np.inf

    def save(self) -> dict[str, Any]:
        step = self.problem[Step]
        arrays = {name: np.array(getattr(step, name)) for name in specs(Step) if name not in NOT_SAVED}
        numbers = {
            "record": np.array(step.record.tolist()[0], float),
            "stateful_lengths": self.stateful.lengths.copy(),
        }
        return arrays | numbers

    def load(self, saved: dict[str, Any]) -> None:
        lengths = saved["stateful_lengths"]
        self.growing_arrays.provide(dict(zip(self.stateful.names, map(int, lengths))))
        self.stateful.grown()
        self.stateful.load(lengths, saved["stateful0"], saved["stateful1"])
        step = self.problem[Step]
        for name, array in saved.items():
            if name == "record":
                for field, value in zip(StepRecord._fields, array):
                    setattr(self.step, field, value)
            elif not name.startswith("stateful"):
                getattr(step, name)[...] = array
        self.step.ready = NOT_READY
        # notes are of the motion that is left
        self.changes()
        self.impacts()
        if not np.array_equal(step.mode1, self.problem[groups.State].mode):
            self.problem[groups.State].mode[:] = step.mode1
            self.fit_to_modes()
        self.begin_samples()
        self.reported = progress_messages.Reported.at(self)
