"""`Simulation`: a system that the caller steps, for control loops and machine learning."""

from __future__ import annotations

import functools
import signal
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from mbplugin.analysis.rank.rank import rank
from mbplugin.errors import Interrupted, SceneError, listed
from mbplugin.model.input import sample_time
from mbplugin.problem.joint_quantities import JointQuantities
from mbplugin.result import Result, View, body_view, index_of, joint_view, load
from mbplugin.results.events import Events
from mbplugin.results.layout import STATUSES
from mbplugin.run.activity import ActivityMessages, activity_named, refuse_switching
from mbplugin.run.control_law import ControlLaw
from mbplugin.run.frame_blocks import grown
from mbplugin.run.impulses import Impulses, impulses_of_step
from mbplugin.run.inputs import InputValues
from mbplugin.run.integrator import NO_CHANGES, Stepping
from mbplugin.run.interrupts import interrupts
from mbplugin.run.joint_reading import JointReading, can_be_read
from mbplugin.run.joint_space import JointSpace
from mbplugin.run.loop import CALL
from mbplugin.run.memory_sink import MemorySink
from mbplugin.run.observers import Observers
from mbplugin.run.pending import PendingEvents
from mbplugin.run.prepare import Prepared
from mbplugin.run.recorded_steps import RecordedSteps
from mbplugin.run.recorder import Frames, OneFrame, Recorder, outputs_of
from mbplugin.run.stop import stopped_by
from mbplugin.tables.groups import Inputs, Measures, Step
from mbplugin.tables.records import COMPLIANT, OFF, ON

Array = np.ndarray[Any, Any]
#: distance of two times that count as one, relative to them
SAME = 1e-12
#: an observer that is asked at two places
LAWS = "the messages of enforcement laws"


class ShownFrame:
    """A frame that is in the tables: its arrays are taken from there when they are first read."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    @functools.cached_property
    def frames(self) -> Frames:
        return self.recorder.at_present()

    @functools.cached_property
    def lists(self) -> dict[str, Array]:
        return self.recorder.entries()


class Simulation(JointQuantities):
    """A system that the caller steps in time."""

    def __init__(self, prepared: Prepared, recording: RecordedSteps | None = None) -> None:
        self._prepared, self._recording = prepared, recording
        self._joints = [joint.name for joint in prepared.problem.names.joints]
        self._integrator = recording.integrator if recording is not None else prepared.start(float("inf"))
        if recording is not None:
            # at the latest when the process ends
            self._end = weakref.finalize(self, recording.abandon)
        #: (time [s], level, text) of all messages so far
        self.messages: list[tuple[float, str, str]] = [
            (0.0, "info", text)
            for text in (*self._prepared.coordinates_message(), *self._prepared.assembly.messages)
        ]
        self._observers = recording.observers if recording is not None else Observers()
        self._report(LAWS, lambda: [(0.0, *one) for law in prepared.laws for one in law.before()])
        self._events = PendingEvents(prepared.recorder)
        self._acting = ActivityMessages(prepared.stepped, prepared.recorder.dof)
        self._warned: set[int] = set()  # numbers of the laws that have warned
        self._shown: ShownFrame | None = None  # None: the present frame is to be made
        self._space: JointSpace | None = None  # made when it is first asked for
        self._reading: JointReading | None = None  # the same where compiled code reads it
        self._measured = False  # the tables hold the joint coordinates of the present state
        self._controlled = False  # a control function is under way
        self._work = 1  # evaluations of a call of compiled code
        self._signal = [0]  # number of a signal: stop at the end of the step
        self._changes: list[Array] = []  # of rows, on which no message was made yet
        self._told = False  # `messages` say that the condition `stop` has ended the motion
        self._smooth = bool(prepared.stepped[Inputs].smooth[0])  # inputs change accelerations alone
        self._inputs = InputValues(prepared, self._integrator, self._jumped)
        self._show()

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse what would be accepted and do nothing. Raises SceneError."""
        if not name.startswith("_") and name != "messages":
            if name == "inputs" or name in self._inputs:
                one = name if name in self._inputs else "NAME"
                mend = f'cannot be set as an attribute; write simulation.inputs["{one}"] = {value!r}'
            elif len(self._inputs):
                mend = f"is no input of this simulation; there are {listed(list(self._inputs), 20)}"
            else:
                mend = (
                    "cannot be set; only an [[input]] can, by `inputs`. `Problem.set_parameter` changes keys"
                )
            if name in self._prepared.system.parameters:
                mend = f'is a parameter: use problem.set_parameter("{name}", ...), then problem.simulate()'
            raise SceneError(f"Simulation.{name}", mend=mend)
        super().__setattr__(name, value)

    def _changed(self) -> None:
        """The present state is another one."""
        self._shown, self._measured = None, False
        if self._reading is not None:
            self._reading.forget()

    def _jumped(self) -> None:
        """Inputs have jumped."""
        if self._smooth:
            self.__dict__["_shown"] = None
        else:
            self._changed()

    def _show(self) -> ShownFrame:
        """The present frame, made when it is first read."""
        if self._shown is None:
            self._integrator.show(self.time)
            self._shown = ShownFrame(self._prepared.recorder)
        return self._shown

    @property
    def _frames(self) -> Frames:
        return self._show().frames

    @property
    def _lists(self) -> dict[str, Array]:
        return self._show().lists

    def _joint_space(self) -> JointSpace | JointReading:
        if self._reading is not None:
            return self._reading
        if self._space is None:
            self._begin_reading()
            return self._joint_space()
        self._show()
        prepared, space = self._prepared, self._space
        assert space is not None
        if prepared.joint is not None:
            prepared.joint.put_back(prepared.stepped, prepared.problem)
        return space.take(prepared.problem)

    def _begin_reading(self) -> None:
        """Prepare what control laws read."""
        prepared = self._prepared
        if prepared.joint is not None:
            self._integrator.show(self.time)
            prepared.joint.put_back(prepared.stepped, prepared.problem)
        self._space = JointSpace(prepared.system, prepared.registry, prepared.problem)
        if isinstance(self._integrator, Stepping) and can_be_read(self._space, prepared.stepped):
            self._reading = JointReading(self._space, prepared.stepped, self._integrator.check)

    def jacobian(self, marker: str) -> Array:
        """(6, n) J of [v; ω] = J ṡ of a marker "arm.tool", or of the mass centre of a body "arm", at the
        present state, in world axes; ṡ are the velocities of `joint_names`. Raises SceneError.
        """
        return self._joint_space().jacobian(marker)

    @property
    def inputs(self) -> InputValues:
        """The inputs by name: `simulation.inputs["u"] = 3.0` holds from the present time on."""
        return self._inputs

    def __repr__(self) -> str:
        return f"Simulation at t = {self.time:g} s of {self._prepared.system!r}"

    @property
    def time(self) -> float:
        """[s]"""
        return float(self._integrator.time)

    @property
    def stopped(self) -> str:
        """By which condition (`stop` of `[solver]`) the motion has ended, and when; "" if it goes on."""
        ended = self._integrator.at_stop
        return stopped_by(self._prepared.system, self.time) if ended else ""

    def step(self, dt: float) -> None:
        """Advance by `dt` [s], 0 or more, at most to where the condition `stop` becomes true.

        Raises SceneError for another `dt`, PhysicsError, PluginError."""
        if not 0.0 <= dt < np.inf:
            mend = "must be 0 or more, and finite [s]; `load` returns to an earlier state of `save`"
            raise SceneError("Simulation.step", dt, mend)
        self._refuse_under_control("Simulation.step")
        with self._under_way():
            self._advance(self.time + dt)
            self._conclude()

    def run(
        self, until: float, control: Callable[[Simulation], Any] | None = None, every: float | None = None
    ) -> None:
        """Advance to the time `until` [s], at most to where the condition `stop` becomes true.

        control: a function that is called with the simulation at each of the times 0, every, 2 every, ...
                 [s] from the present one to before `until`; it sets inputs, which are held in between. Or a
                 law of `mbplugin.control`, which is compiled

        Raises SceneError, PhysicsError, PluginError, and what `control` raises.
        """
        if not self.time <= until < np.inf:
            mend = f"must be the present time, {self.time:g} s, or later; `load` returns to an earlier state"
            raise SceneError("Simulation.run: until", until, mend)
        self._refuse_under_control("Simulation.run")
        with self._under_way():
            if isinstance(control, ControlLaw):
                self._run_law(control, until, every)
                return
            self._controlled = True
            try:
                for t in self._samples(until, control, every):
                    self._sample(t)
                    if self._integrator.at_stop:
                        break
                    control(self)  # type: ignore[misc]
                    if self._signal[0]:
                        self._refuse_interrupted()
            finally:
                self._controlled = False
            self._advance(until)
            self._conclude()

    def _run_law(self, law: ControlLaw, until: float, every: float | None) -> None:
        """`run` with a compiled control law. Raises as `run`."""
        first = self._first_sample(every)
        if self._reading is None and self._space is None:
            self._begin_reading()
        if not isinstance(self._integrator, Stepping) or self._reading is None:
            mend = (
                "a compiled law needs a solver with a compiled loop, rigid bodies, and in joint coordinates "
                "joints in closed form; give a function of the simulation"
            )
            raise SceneError("Simulation.run: control", law.__name__, mend)
        assert every is not None
        self._integrator.begin_law(law, self._reading, first, every, until - SAME * abs(until))
        try:
            self._advance(until)
        finally:
            self._changed()
            self._integrator.begin_law(None, self._reading, 0, 0.0, 0.0)
        self._conclude()

    def _first_sample(self, every: float | None) -> int:
        """The number of the first sample that is not before the present time. Raises SceneError."""
        if every is None or not 0.0 < every < np.inf:
            mend = "must be the interval between two calls of `control` [s], greater than 0"
            raise SceneError("Simulation.run: every", every, mend)
        k = int(np.ceil(self.time / every - 0.5))
        while sample_time(k, every) < self.time - SAME * abs(self.time):
            k += 1
        return k

    def _samples(self, until: float, control: Any, every: float | None) -> Iterator[float]:
        """The times of the samples [s], from the present one to before `until`."""
        if control is None and every is None:
            return
        if not callable(control):
            mend = "must be a function of the simulation, such as control=lambda simulation: ..."
            raise SceneError("Simulation.run: control", str(control), mend)
        k = self._first_sample(every)
        assert every is not None
        # one at `until`, but for rounding, belongs to the next call
        while (t := sample_time(k, every)) < until - SAME * abs(until):
            yield t
            k += 1

    def _refuse_under_control(self, who: str) -> None:
        if self._controlled:
            raise SceneError(who, mend="the control function is under way; let it set inputs and return")

    def _sample(self, until: float) -> None:
        """`_advance`, by the shortest way where nothing happens."""
        integrator, reading, recording = self._integrator, self._reading, self._recording
        if until - integrator.time < SAME * until:
            return
        frame_is_due = recording is not None and recording.due < until
        if frame_is_due or not isinstance(integrator, Stepping):
            self._advance(until)
            return
        # as attributes, but `__setattr__` takes its time
        self.__dict__.update(_shown=None, _measured=False)
        if reading is not None:
            reading.forget()
        if not integrator.reach(until, self._work):
            self._advance(until)

    def _advance(self, until: float) -> None:
        integrator, recording = self._integrator, self._recording
        if 0.0 < until - integrator.time < SAME * until:
            return  # no step is as short as this
        if until > integrator.time:
            self._changed()
        while True:
            start = time.monotonic()
            try:
                if recording is None:
                    code = integrator.advance(until, np.inf, self._work)
                else:
                    code = recording.advance(until, self._work)
            except Exception as error:
                if recording is not None:
                    self._take_events()
                    recording.fail(error)
                raise
            self._take_events()
            if code == "end":
                break
            self._refuse_interrupted()
            self._work = min(grown(self._work, time.monotonic() - start, CALL), 10**9)

    def _take_events(self) -> None:
        """Note what the last steps have brought."""
        if not self._integrator.has_news():
            return
        changes, impacts = self._integrator.changes(), self._integrator.impacts()
        self._events.add(changes, impacts)
        if self._recording is not None:
            self._recording.note_events(changes, impacts)
        self._changes.append(changes)

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """Meanwhile a recorded simulation answers Ctrl-C at the end of a step, so that no frame is lost."""
        if self._recording is None:
            yield
            return
        with interrupts() as self._signal:
            try:
                yield
            finally:
                heard, self._signal = self._signal, [0]
        self._refuse_interrupted(heard)

    def _refuse_interrupted(self, heard: list[int] | None = None) -> None:
        """Raises KeyboardInterrupt, or Interrupted after SIGTERM."""
        heard = self._signal if heard is None else heard
        if not heard[0]:
            return
        number, heard[0] = heard[0], 0
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Interrupted(f"terminated at t = {self.time:.6g} s", number)

    def _conclude(self) -> None:
        """Collect the messages."""
        self._take_events()
        found, self._changes = self._changes, []
        changes = np.concatenate(found).view(np.recarray) if found else NO_CHANGES
        self._report("the messages of the solver", self._integrator.messages)
        self._report("the messages on what acts", lambda: self._acting.follow(changes))
        if self.stopped and not self._told:
            self.messages.append((self.time, "info", self.stopped))
        self._told = bool(self.stopped)
        self._changed()
        self._integrator.show(self.time)
        self._report(LAWS, self._warnings_of_laws)

    def _report(self, name: str, found: Callable[[], list[tuple[float, str, str]]]) -> None:
        """Add the messages that an observer finds, or that it has failed."""
        messages = [
            *self._observers.ask(name, found, []),
            *((self.time, *one) for one in self._observers.told()),
        ]
        self.messages += messages
        if self._recording is not None and not self._recording.ended:
            self._recording.tell(messages)

    def _warnings_of_laws(self) -> list[tuple[float, str, str]]:
        """Those of joints under an enforcement law, once for each."""
        found = []
        for number, law in enumerate(self._prepared.laws):
            if number in self._warned:
                continue
            after = law.after(self._prepared.stepped)
            warnings = [(self.time, level, text) for level, text in after if level == "warning"]
            found += warnings
            self._warned |= {number} if warnings else set()
        return found

    def _recorded(self, who: str) -> RecordedSteps:
        """The recording. Raises SceneError."""
        if self._recording is None:
            raise SceneError(who, mend="nothing is recorded; use system.simulate(record=True), or a folder")
        return self._recording

    def record(self) -> None:
        """Write a frame of the present time, unless there is one. Raises SceneError, PhysicsError,
        StoreError.
        """
        recording = self._recorded("Simulation.record")
        self._changed()
        recording.frame()

    @property
    def result(self) -> Result:
        """What was recorded up to the present time, as that of a run. Raises SceneError, StoreError."""
        recording = self._recorded("Simulation.result")
        self._changed()
        recording.keep()
        if isinstance(recording.sink, MemorySink):
            return Result.in_memory(recording.sink.written.snapshot(), recording.summary())
        result = load(str(recording.sink.folder))
        result.summary = recording.summary()
        return result

    def close(self) -> None:
        """End what is recorded, at the present time; its folder is then free. Where it is not called, the
        end of the process does it.
        """
        if self._recording is not None:
            self._changed()
            self._recording.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def deviations(self) -> list[str]:
        """One line per enforced joint: its largest deviation so far and the predicted one.

        A warning is also in `messages`, once for each joint.
        """
        return [text for law in self._prepared.laws for _, text in law.after(self._prepared.stepped)]

    def impulses(self) -> Impulses:
        """What each joint, motion, force element and contact gave to each body in the last step of the solver
        `contact`, gravity and the gyroscopic terms included.

        Arrays side by side: `element` and `body` (names), `impulse` (n, 3) [N·s] and `angular_impulse` (n, 3)
        about the mass centre [N·m·s], world axes, in the middle of the step from `start` to `end` [s]. Their
        sums are m Δv and R J Δω of each rigid body, with ω and J in its axes and R in the middle; in joint
        coordinates to the cube of the step, see `Impulses`.

        The simulation goes on as if it had not been asked. Raises SceneError for another solver, and where no
        step leads to the present time.
        """
        who, kind, problem = "Simulation.impulses", self._prepared.solver.kind, self._prepared.stepped
        middle = getattr(kind, "middle", None)
        if middle is None:
            mend = f'the solver "{kind.name}" has no balance of impulses in each step; "contact" has'
            raise SceneError(who, mend=mend)
        step = problem[Step].record[0]
        if not step.t1 > step.t0:
            raise SceneError(who, mend=f"no step leads to t = {self.time:g} s; advance by `step` first")
        self._changed()
        self._integrator.show(self.time)  # which repeats the step
        found = impulses_of_step(
            problem, self._prepared.system, middle(problem), self._prepared.recorder.places.loads
        )
        self._integrator.show(self.time)
        return found

    def __getitem__(self, name: str) -> View:
        """A body, as in `Result`, without the frame axis. Raises SceneError."""
        return body_view(OneFrame(self._frames, 0, {}), self._prepared.stepped.names.bodies, name)

    def joint(self, name: str) -> View:
        """A joint, as in `Result`, without the frame axis. Raises SceneError."""
        return joint_view(OneFrame(self._frames, 0, {}), self._joints, name)

    def coordinate(self, name: str) -> SimpleNamespace:
        """A joint coordinate such as "shoulder.angle": value, speed and drive, one number each.

        Units: [m] or [rad], their rates, and [N] or [N·m]. Raises SceneError.
        """
        place = self._coordinates.get(name)
        if place is None or not isinstance(self._integrator, Stepping):
            k = index_of([c.name for c in self._prepared.stepped.names.coordinates], name, "coordinate")
            keys = ("value", "speed", "drive")
            return SimpleNamespace(**{key: float(self._frames[f"coordinates/{key}"][0, k]) for key in keys})
        if not self._measured:
            self._shown = None  # the tables no longer hold it
            self._integrator.measure_coordinates()
            self._measured = True
        measures = self._prepared.stepped[Measures]
        return SimpleNamespace(
            value=float(measures.value[place]), speed=float(measures.rate[place]), drive=0.0
        )

    @functools.cached_property
    def _coordinates(self) -> dict[str, int]:
        """Numbers of the measures of coordinates that no motion drives, by name."""
        places = self._prepared.recorder.places
        driven = set(places.motions[:, 0].tolist())
        names = [c.name for c in self._prepared.stepped.names.coordinates]
        return {name: int(places.measure[k]) for k, name in enumerate(names) if k not in driven}

    def output(self, name: str) -> float:
        """A variable, or an output of an element or the solver, such as "brake.slip". Raises SceneError."""
        names = [name for name, _ in outputs_of(self._prepared.recorder)]
        return float(self._frames["outputs/value"][0, index_of(names, name, "output")])

    def state(self, name: str) -> float:
        """An inner state of the scene ("y") or of an element ("brake.slip"). Raises SceneError."""
        names = self._prepared.stepped.names.states
        return float(self._frames["states/value"][0, index_of(names, name, "state")])

    def status(self, name: str) -> str:
        """What a row that switches does now, such as "sticks" of "pin.angle.friction"; whether a joint,
        motion, force or the contacts of a body act: "acts", "off" or "released". Raises SceneError.
        """
        switching = self._prepared.recorder.places.switching
        if name in switching.names:
            return STATUSES[int(self._frames["bounds/status"][0, switching.names.index(name)])]
        problem = self._prepared.stepped
        k = activity_named(problem.names.activities, name, "Simulation.status", switching.names)
        stepping: Any = self._integrator
        return STATUSES[int(switching.status[problem.nc + k, stepping.modes[problem.nc + k]])]

    @property
    def dof(self) -> int:
        """Degrees of freedom that the joints and the rows that hold leave now."""
        _ = self._frames  # taken before the count, which works in the same tables
        return rank(self._prepared.stepped).dof

    @property
    def events(self) -> Events:
        """When rows that switch have begun or ceased to hold, impacts at limits and of bodies, and what
        `hold` has changed, as in `Result`. After `load` those up to the time of the loaded state are left.
        """
        return self._events.events()

    def list(self, name: str) -> SimpleNamespace:
        """The present entries of a list of the solver, such as "contacts", as arrays. Raises SceneError."""
        lists = self._prepared.recorder.lists()
        names = sorted(lists)
        index_of(names, name, "list")
        return SimpleNamespace(**{key: self._lists[f"lists/{name}/{key}"] for key in lists[name]})

    def hold(self, joint: str, enforce: str) -> None:
        """Let a joint that has an enforcement law hold exactly from the present time on ("lagrange"), or by
        its law again ("penalty").

        Exact rows are closed by the smallest change of positions in the norm of the masses, whose energy
        counts as work. An impulse brings the velocities onto them; what that takes is dissipated. Raises
        SceneError for another joint or law, PhysicsError where the joint cannot be closed; nothing has
        changed then.
        """
        names = self._prepared.stepped.names
        laws = {names.joints[one.joint].name: one for one in names.enforced}
        if joint not in laws:
            mend = "there is no such joint with an enforcement law"
            raise SceneError("Simulation.hold: joint", joint, f"{mend}; there are {listed(laws)}")
        own = laws[joint].kind.name
        if enforce not in ("lagrange", own):
            raise SceneError("Simulation.hold: enforce", enforce, f'must be "lagrange" or "{own}"')
        kind = self._prepared.solver.kind
        if not isinstance(self._integrator, Stepping):
            mend = f'the solver "{kind.name}" has a loop of its own, in which joints stay as they are'
            raise SceneError("Simulation.hold", mend=mend)
        rows = np.array(names.joints[laws[joint].joint].rows)
        self._changed()
        self._integrator.set_modes(rows, ON if enforce == "lagrange" else COMPLIANT)
        self._conclude()

    def activate(self, name: str) -> None:
        """Let a joint, motion, force or the contacts of a body ("ball.contacts") act from the present time
        on, also after its release.

        Its rows have to be closed, unless it has `snap = true`: then the smallest change of positions in the
        norm of the masses closes them. An impulse along them brings the velocities onto them; what it takes
        of the kinetic energy is dissipated. Raises SceneError for another name, or one that acts under a
        condition; PhysicsError for what is open. Nothing has changed then.
        """
        self._act(name, ON, "Simulation.activate")

    def deactivate(self, name: str) -> None:
        """Let it act no more, until `activate`. What belongs to a joint goes with it: its motions, limits,
        friction, springs and stops. Raises SceneError.
        """
        self._act(name, OFF, "Simulation.deactivate")

    def _act(self, name: str, mode: int, caller: str) -> None:
        problem = self._prepared.stepped
        k = activity_named(problem.names.activities, name, caller)
        refuse_switching(problem.names, k, mode, caller)
        if not isinstance(self._integrator, Stepping):
            mend = f'the solver "{self._prepared.solver.kind.name}" has a loop of its own'
            raise SceneError(caller, mend=f"{mend}, in which all that acts goes on")
        self._changed()
        self._integrator.set_modes(np.array([problem.nc + k]), mode)
        self._conclude()

    def save(self) -> dict[str, Any]:
        """The state as arrays, from which `load` continues bit for bit."""
        return {name: array.copy() for name, array in self._integrator.save().items()}

    def load(self, saved: dict[str, Any]) -> None:
        """Return to a state of `save`. Raises SceneError for that of another system or version."""
        own = self._integrator.save()
        if names := sorted(own.keys() ^ saved.keys()):
            raise SceneError("saved", mend=f"is no state of this version: it differs in {listed(names)}")
        for name, array in own.items():
            # arrays of the solver become longer during a run
            if name not in ("stateful0", "stateful1") and np.shape(saved[name]) != np.shape(array):
                raise SceneError(f"saved.{name}", np.shape(saved[name]), f"must have the shape {array.shape}")
        recording = self._recording
        if recording is not None:
            recording.write()
        self._integrator.load(saved)
        if recording is not None and self.time < recording.reached and not recording.ended:
            t = self.time
            self._integrator.load(own)
            mend = (
                f"is a state at t = {t:g} s, before the last frame that is recorded; try paths out in a "
                "simulation that is not recorded"
            )
            raise SceneError("saved", mend=mend)
        self._events.keep(self.time)
        self._told = bool(self.stopped)
        self._changed()
        self._show()
