"""The Python interface: System; `simulation.py` has Simulation, `result.py` Result and load."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from mbplugin import model
from mbplugin.analysis.redundancy.redundancy import Redundancy, redundancy
from mbplugin.errors import MbpluginError, SceneError, name_keywords
from mbplugin.hooks.load import Plugin, load_plugins, loaded_plugins
from mbplugin.hooks.registry import Registry
from mbplugin.model.quantities import number as number_of
from mbplugin.model.system import E
from mbplugin.problem import Problem
from mbplugin.result import Result, load
from mbplugin.run.default_folder import folder_of
from mbplugin.run.inputs import with_inputs
from mbplugin.run.joint_space import JointSpace
from mbplugin.run.kane import KaneEquations, kane
from mbplugin.run.loop import OnFrame, Run, run_system
from mbplugin.run.memory_sink import MemorySink
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.recorded_steps import RecordedSteps, interval_of, with_frames
from mbplugin.run.store_sink import StoreSink
from mbplugin.simulation import Simulation

if TYPE_CHECKING:
    from mbplugin.run.linearize import Linearization

P = ParamSpec("P")
T = TypeVar("T")


def with_python_messages(function: Callable[P, T]) -> Callable[P, T]:
    """Errors of this method name its keywords, not the options of the command line."""

    @functools.wraps(function)
    def called(*words: P.args, **keywords: P.kwargs) -> T:
        try:
            return function(*words, **keywords)
        except MbpluginError as error:
            name_keywords(error)
            raise

    return called


@functools.cache
def plugins() -> tuple[Registry, list[Plugin]]:
    """The registry and all installed plugins, loaded once per process."""
    return load_plugins()


@functools.cache
def plugins_used() -> list[dict[str, str]]:
    """Name, distribution and version of each loaded plugin, as results store them."""
    return loaded_plugins(plugins()[1])


def without_files(
    prepared: Prepared,
    end: float | None,
    progress: Any = None,
    plugins: list[dict[str, str]] | None = None,
    on_frame: OnFrame | None = None,
) -> Result:
    """Run a prepared system, whose problem is used up, into memory. An error has the result up to it.

    plugins: what the result says of them; default: those of this process
    """
    sink = MemorySink(plugins_used() if plugins is None else plugins)
    run = Run(prepared, sink, end, on_frame)
    try:
        summary = run.go(progress)
    except MbpluginError as error:
        if sink.result is not None:
            error.result = Result.in_memory(sink.take(), run.summary())
        raise
    return Result.in_memory(sink.take(), summary)


class System(model.System):
    """`model.System` with methods that simulate and analyse it."""

    def add(self, element: E) -> E:
        """As `model.System.add`; the type of a body, joint or force must be that of a plugin."""
        registry, _ = plugins()
        for kind, category, table, there in (
            (model.Body, "body kind", "body", self.bodies),
            (model.Joint, "constraint type", "joint", self.joints),
            (model.Force, "force element", "force", self.forces),
        ):
            # names that two plugins offer are left to the run, which may be without one of them
            if isinstance(element, kind) and not registry.offers[category].get(element.type):
                registry.find(category, element.type, f"{table}[{len(there)}].type")
        return super().add(element)

    @with_python_messages
    def run(
        self,
        out: str | Path | None = None,
        *,
        files: bool = True,
        end: float | None = None,
        resume: bool = False,
        inputs: Mapping[str, Any] | None = None,
        every: float | None = None,
        progress: Any = None,
        on_frame: OnFrame | None = None,
    ) -> Result:
        """Simulate, write the result into the folder `out` and return it.

        out:      default: out/<name>
        files:    False: keep the result in memory, and write nothing
        end:      end time [s]; default: that of the scene
        resume:   continue an earlier run in this folder
        inputs:   input -> rows of time and value, a tuple (times, values), a CSV file, a number, or a
                  function of time that is sampled `every` [s]; each value is held until the next
        progress: a function of the time reached and the end time [s], called after each tenth of a second
        on_frame: a function that is called with each frame (`frame.time`, `frame.body("rod").position`,
                  `frame["pin.angle"]`) once it is written; a sentence that it returns ends the run

        Raises SceneError, PhysicsError, PluginError, StoreError. Without files, an error of the run has the
        result up to it: `error.result`.
        """
        registry = plugins()[0]
        system = self if inputs is None and every is None else with_inputs(self, inputs or {}, every, end)
        if not files:
            if out is not None or resume:
                key = "out" if out is not None else "resume"
                raise SceneError(
                    f"System.run: {key}", str(out or resume), f"needs files; leave out {key} or files=False"
                )
            return without_files(prepare(system.copied(), registry), end, progress, on_frame=on_frame)
        folder = Path(out) if out is not None else folder_of(self, "system")
        used = plugins_used()
        run_system(
            system,
            folder,
            registry,
            plugins=used,
            end=end,
            resume=resume,
            progress=progress,
            on_frame=on_frame,
        )
        return load(folder)

    @with_python_messages
    def compile(self) -> Problem:
        """The compiled problem with its initial state assembled: a value that can be copied, changed
        (`set_parameter`) and run, in several threads at once; and its arrays, for work in numpy.

        Raises SceneError, PhysicsError, PluginError.
        """
        prepared = prepare(self.copied(), plugins()[0])
        prepared.problem.source = Source(prepared)
        return prepared.problem

    @with_python_messages
    def check(self) -> Redundancy:
        """Degrees of freedom at t = 0, and which rows are redundant and why; `print` shows it as text.

        Raises SceneError, PhysicsError.
        """
        prepared = prepare(self, plugins()[0])
        return redundancy(prepared.problem, self, report=prepared.rank)

    @with_python_messages
    def analyze(self, what: str, **options: Any) -> Any:
        """The report of an analysis without time integration.

        what:    "position", "velocity", "acceleration", "kinematic", "inverse", "static", "eigen" or
                 "redundancy", or the name of one that a plugin offers
        options: those of `mbplugin analyze`, such as positions=1000, or the keys of the plugin's analysis

        Raises SceneError, PhysicsError, PluginError.
        """
        from mbplugin.run.analyze import analyze

        return analyze(self, what, plugins()[0], **options).report

    @with_python_messages
    def linearize(
        self,
        outputs: Sequence[str] | None = None,
        inputs: Sequence[str] | None = None,
        about: str = "start",
        side: str | None = None,
        time: float = 0.0,
    ) -> Linearization:
        """The linear model ż = A z + B u, y = C z + D u about an equilibrium or a motion.

        outputs: quantities by name, as `Result.plot` takes them; None: the joint coordinates among the states
        inputs:  names of inputs of the scene; None: all
        about:   "start", the position at t = 0; "static", an equilibrium that is searched from there; or
                 "motion", that of a run at `time`
        side:    "closed" or "open": the model of rows that are closed without load; None: closed
        time:    [s], of the motion

        Raises SceneError, PhysicsError, PluginError.
        """
        from mbplugin.run.linearize import linearize

        return linearize(self, plugins()[0], outputs, inputs, about, side, time)

    @with_python_messages
    def bode(
        self,
        file: str | Path | None = None,
        outputs: Sequence[str] | None = None,
        inputs: Sequence[str] | None = None,
        about: str = "start",
        frequency: Any = None,
        side: str | None = None,
        time: float = 0.0,
    ) -> Any:
        """A matplotlib figure of the frequency responses of the linear model; saved if `file` is given, a
        .png, .svg or .pdf file.

        outputs, inputs, about, side, time: as in `linearize`
        frequency: (n,) [Hz]; default from a tenth of the lowest natural frequency to ten times the highest

        Raises SceneError, PhysicsError, PluginError, StoreError.
        """
        from mbplugin.viz.bode_plot import plot_bode

        linear = self.linearize(outputs, inputs, about, side, time)
        f = np.asarray(linear.frequencies() if frequency is None else frequency, float)
        return plot_bode(f, linear.responses(f), file)

    @with_python_messages
    def simulate(
        self, record: bool | str | Path = False, *, every: float | None = None, resume: bool = False
    ) -> Simulation:
        """A simulation that the caller steps; for control loops and machine learning.

        record: True: keep frames in memory; a folder: write them there, with the series, as a run does;
                `Simulation.result` has them
        every:  time between two frames [s]; default: that between two of the scene's own runs
        resume: continue the recorded simulation in the folder, with its inputs

        Raises SceneError, PhysicsError, PluginError, StoreError.
        """
        system = recorded_system(self, record, every, resume, "System.simulate")
        return simulation(prepare(system, plugins()[0]), record, resume)


def recorded_system(
    system: model.System, record: bool | str | Path, every: float | None, resume: bool, who: str
) -> model.System:
    """A copy of a system with the frames of a recorded simulation; the system itself of another one. Raises
    SceneError.
    """
    if record is False:
        for key, value in (("every", every), ("resume", resume or None)):
            if value is not None:
                raise SceneError(f"{who}: {key}", value, "needs record=True, or a folder")
        return system
    if resume and record is True:
        raise SceneError(f"{who}: resume", resume, "needs the folder that it continues: record=")
    interval = interval_of(system) if every is None else number_of(every)
    if not interval > 0.0:
        raise SceneError(f"{who}: every", every, "must be greater than 0 [s]")
    return with_frames(system, interval)


def simulation(prepared: Prepared, record: bool | str | Path, resume: bool) -> Simulation:
    """A simulation that is recorded, or not. Raises SceneError, PhysicsError, PluginError, StoreError."""
    if record is False:
        return Simulation(prepared)
    used = plugins_used()
    sink = MemorySink(used) if record is True else StoreSink(Path(record), used, resume)
    return Simulation(prepared, RecordedSteps(prepared, sink))


class Source:
    """What `Problem.set_parameter`, `run` and `simulate` need: the system of a problem as it was prepared."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared.detached()

    def set_parameters(self, problem: Problem, values: Mapping[str, Any]) -> None:
        system = self.prepared.system.with_values(values)
        changed = self.prepared.changed(problem, system, values)
        problem.become(changed.problem)
        problem.source = Source(changed)

    def run(
        self,
        problem: Problem,
        end: float | None,
        inputs: Mapping[str, Any] | None = None,
        every: float | None = None,
    ) -> Result:
        if inputs is None and every is None:
            return without_files(self.prepared.with_problem(problem.copy()), end)
        played = with_inputs(self.prepared.system, inputs or {}, every, end, "Problem.run")
        return without_files(self.prepared.changed(problem, played, {"inputs": inputs}), end)

    def joint_space(self, problem: Problem) -> JointSpace:
        return JointSpace(self.prepared.system, self.prepared.registry, problem)

    def kane(self, problem: Problem, speeds: Mapping[str, str]) -> KaneEquations:
        return kane(self.prepared.system, self.prepared.registry, problem, speeds)

    def simulate(
        self, problem: Problem, record: bool | str | Path, every: float | None, resume: bool
    ) -> Simulation:
        system = recorded_system(self.prepared.system, record, every, resume, "Problem.simulate")
        return simulation(self.prepared.with_problem(problem.copy()).with_system(system), record, resume)
