"""The time loop of a run: connects the solver with the sink of frames and messages.

The compiled loop returns at each frame and about every 0.1 s, for progress, Ctrl-C and checkpoints. The
result is the same bit for bit wherever it returns.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from mbplugin.errors import MbpluginError, SceneError, StoreError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.model.quantities import TIMES
from mbplugin.problem.failures import function_under_way
from mbplugin.results.summary import RunSummary
from mbplugin.run.faults import attribute_errors
from mbplugin.run.frame_blocks import grown
from mbplugin.run.inputs import InputValues
from mbplugin.run.interrupts import Interrupted, interrupts
from mbplugin.run.last_steps import SavedStates
from mbplugin.run.observers import warn
from mbplugin.run.pace import Pace
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.recording import CHECKPOINT, Recording
from mbplugin.run.sink import Sink
from mbplugin.run.stop import not_stopped, stopped_by
from mbplugin.run.store_sink import StoreSink
from mbplugin.run.times import frame_times
from mbplugin.run.watching import Callback, reason_to_end, started

#: target wall time of one call of the solver [s]
CALL = 0.1
#: an observer that is asked at several places
LAST_STEPS = "the record of the last steps"
#: fixed steps of a run: 1e10 of the shortest ones take hours
MOST_STEPS = 1e12
Progress = Callable[[float, float], None]
#: gets a `FrameView`; a sentence that it returns ends the run
OnFrame = Callable[[Any], str | None]


class Run(Recording):
    """One run of a prepared system, whose problem is at its initial state, into a sink. `go` is the first to
    write.
    """

    def __init__(
        self, prepared: Prepared, sink: Sink, end: float | None = None, on_frame: OnFrame | None = None
    ) -> None:
        self.on_frame = on_frame
        until = end_of(prepared.system, end)
        refuse_too_many_steps(prepared, until)
        super().__init__(prepared, sink, until, frame_times(prepared.system, until))
        self.states = SavedStates(self.integrator, prepared.recorder)
        self.callbacks: list[Callback] = []
        self.ended_by = ""  # which callback has ended the run, when and why
        self.stop = [0]  # number of a signal: stop at the end of the next block
        free = on_frame is not None and any(one.samples is None for one in self.system.inputs)
        # what `on_frame` may set
        self.inputs = InputValues(prepared, self.integrator, lambda: None) if free else None

    # the loop

    def go(self, progress: Progress | None = None) -> RunSummary:
        with interrupts(self.under_way) as self.stop, self.sink.held():
            self.sink.begin()
            try:
                with attribute_errors(self.system, self.registry, with_user_code=True):
                    self.start_callbacks()
                    complete = self.loop(self.stop, progress)
                    if self.ended_by:
                        self.stopped = self.ended_by
                        self.report(self.integrator.time, "info", self.stopped)
                    elif complete and self.system.solver.stop is not None:
                        self.end_at_stop()
                    self.sink.checkpoint()
                    if complete:
                        self.report_final_messages()
                    self.summary()  # its failures are told as well
                    self.report_failures()
                self.sink.close(complete)
                self.complete = complete
            except Interrupted:
                raise  # by the second signal: at once
            except Exception as error:
                self.sink.rescue(error)
                raise
            if not complete:
                raise self.interrupted()
        if self.observers.faults:
            raise self.observers.faults[0]
        return self.summary()

    def start_callbacks(self) -> None:
        """Ask who wants to see the frames, which then come one by one. Raises PluginError."""
        self.callbacks = started(self.system, self.registry, self.sink.folder, self.on_frame)
        if self.callbacks:
            self.blocks.most = 1

    @property
    def until(self) -> float:
        """Where the next steps end at the latest [s]: at the next frame, if inputs may be set there."""
        at_frame = self.inputs is not None and self.planned < len(self.times)
        return min(self.end, self.times[self.planned]) if at_frame else self.end

    def interrupted(self) -> Interrupted:
        """The exception that ends an interrupted run."""
        what = "terminated" if self.stop[0] == signal.SIGTERM else "interrupted"
        return Interrupted(f"{what} at t = {self.integrator.time:.6g} s; {self.sink.kept()}", self.stop[0])

    def under_way(self) -> tuple[int, str]:
        """Evaluations so far, and the function that is called now."""
        return int(self.integrator.statistics["evaluations"]), function_under_way(self.problem)

    def loop(self, stop: list[int], progress: Progress | None) -> bool:
        """True when the end is reached, False when interrupted."""
        # the first call of the first run takes one step, because its duration is not known yet
        sizes, last = self.prepared.sizes, time.monotonic()
        followers, pace = self.followers(), Pace(self.integrator, len(self.times))
        while True:
            if stop[0]:
                return False
            self.ask(LAST_STEPS, self.states.save, None)
            if text := self.ask("the look at the pace", lambda: pace.look(self.integrator, self.end), ""):
                self.report(None, "warning", text)
                warn(text)
            wall, cpu = time.monotonic(), time.thread_time()
            before = self.integrator.statistics["evaluations"]
            code, frames, error = self.blocks.advance(
                self.planned, min(sizes.work, pace.room(before)), self.until
            )
            self.cpu += time.thread_time() - cpu
            changes = self.integrator.changes()
            impacts = self.integrator.impacts()
            self.note_events(changes, impacts)
            took, done = time.monotonic() - wall, self.integrator.statistics["evaluations"] - before
            if done > 0:
                sizes.work = min(grown(done, took, CALL), 10**9)
            self.record(frames)
            if error is not None:
                raise self.explained(error)
            if frames is not None:
                self.ended_by = reason_to_end(self.callbacks, frames, self.inputs)
            for name, follow in followers.items():
                self.tell(self.ask(name, partial(follow, changes), []))
            self.report_failures()
            if progress is not None:
                progress(self.integrator.time, self.end)
            if self.ended_by:
                return True
            ended = code == "end" and (self.integrator.at_stop or self.integrator.time >= self.end)
            if ended and self.planned >= len(self.times):
                return not stop[0]
            if ended and self.times[self.planned] > self.integrator.time:
                return True
            if time.monotonic() - last > CHECKPOINT:
                self.sink.checkpoint()
                last = time.monotonic()

    def explained(self, error: Exception) -> Exception:
        """The error of a step, with the place of the last steps before it."""
        if isinstance(error, MbpluginError) and self.sink.keeps_last_steps:
            with suppress(StoreError):
                if last := self.ask(LAST_STEPS, lambda: self.states.last_steps(error, self.end), None):
                    where = error.last_steps = self.sink.keep_last_steps(last)
                    self.report(self.integrator.time, "info", f"the last steps are a result too, in {where}")
        self.report_failures()
        return error

    def end_at_stop(self) -> None:
        """Write the frame at which the condition of the scene ended the run, and say so."""
        t = self.integrator.time
        if not self.integrator.at_stop:
            stepped = self.problem
            if text := self.ask("the message on `stop`", lambda: not_stopped(self.system, stepped), ""):
                self.report(t, "info", text)
            return
        self.stopped = stopped_by(self.system, t)
        if self.stopped_before:
            return
        # frames end where [output] says
        if self.planned < len(self.times) and self.reached < t:
            self.record_unplanned(t)
        self.report(t, "info", self.stopped)


def end_of(system: System, end: float | None = None) -> float:
    """The end of a run [s]; default that of the scene. Raises SceneError."""
    end = float(end if end is not None else system.solver.end)
    if not TIMES[0] <= end <= TIMES[1]:
        raise SceneError("--end", end, f"must be greater than 0, at most {TIMES[1]:g} s")
    return end


def refuse_too_many_steps(prepared: Prepared, end: float) -> None:
    """Raises SceneError if the end is unreachably many fixed steps away."""
    step = prepared.solver.fixed_step
    if step is not None and end / step > MOST_STEPS:
        mend = f"would take {end / step:.3g} steps to the end, {end:g} s; choose a longer one"
        raise prepared.system.locate(SceneError("solver.step", step, mend))


def run_system(
    system: System,
    out: str | Path,
    registry: Registry,
    *,
    plugins: list[dict[str, str]] | None = None,
    end: float | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    on_frame: OnFrame | None = None,
) -> RunSummary:
    """Run a system into the folder `out`. Raises SceneError before anything is written, PhysicsError,
    PluginError, StoreError and Interrupted after.
    """
    frame_times(system, end_of(system, end))  # refused before anything is compiled
    sink = StoreSink(Path(out), plugins or [], resume)
    return Run(prepare(system, registry), sink, end, on_frame).go(progress)
