"""The recording of a simulation: its caller takes the steps, and frames fall due in between.

A frame is taken when a step leaves its time behind, so that it has the inputs that were set at that time. The
steps are those of a simulation that is not recorded, to the bit.
"""

from __future__ import annotations

import math
import time
from contextlib import ExitStack, suppress

import numpy as np

from mbplugin.errors import MbpluginError
from mbplugin.model import System
from mbplugin.model.output import Output
from mbplugin.model.quantities import TIMES
from mbplugin.run.faults import attribute_errors
from mbplugin.run.frame_blocks import BYTES, FRAMES
from mbplugin.run.memory_sink import MemorySink
from mbplugin.run.observers import warn
from mbplugin.run.prepare import Prepared
from mbplugin.run.recording import CHECKPOINT, Recording
from mbplugin.run.sink import Sink
from mbplugin.run.stop import stopped_by
from mbplugin.run.times import MOST, FrameTimes
from mbplugin.tables.spec import Array

#: distance of two times that count as one, relative to the later one
ROUNDING = 1e-12
#: wall time after which frames are in the result [s]
FLUSH = 1.0


def with_frames(system: System, every: float) -> System:
    """A copy of a system with a frame `every` [s]."""
    tables = {key: value for key, value in system.output.model_dump().items() if key != "frames"}
    changed = system.copied()
    changed.output = Output(**tables | {"every": every})
    return changed


def interval_of(system: System) -> float:
    """Time between two frames of the scene's own runs [s]."""
    output = system.output
    if output.every is not None:
        return output.every
    stop = min(system.solver.end, output.end if output.end is not None else math.inf)
    return (stop - output.start) / (output.frames or 1)


def times_of(system: System) -> FrameTimes:
    """A frame every `output.every` [s], to `output.end` or without end."""
    output = system.output
    assert output.every is not None
    stop = TIMES[1] if output.end is None else output.end
    count = min((stop - output.start) / output.every * (1 + ROUNDING), MOST)
    return FrameTimes(output.start, stop, int(count), output.every)


class RecordedSteps(Recording):
    """Frames of a simulation, which `advance` takes beside its steps. Begins the result. Raises SceneError,
    StoreError.
    """

    def __init__(self, prepared: Prepared, sink: Sink) -> None:
        super().__init__(prepared, sink, np.inf, times_of(prepared.system))
        #: rows and times of frames that are not written yet
        self.rows: list[Array] = []
        self.row_times: list[Array] = []
        self.waiting = 0  # number of them
        #: whether frames with contacts, or shared reactions, are read before the tables change
        self.single = prepared.recorder.one_by_one
        self.most = max(1, min(FRAMES, BYTES // (8 * self.blocks.layout.width)))
        self.ended = False
        self.written = self.kept = time.monotonic()  # of the clock, of the last frame and checkpoint [s]
        self.held = ExitStack()
        self.held.enter_context(sink.held())
        try:
            with attribute_errors(self.system, self.registry):
                sink.begin()
        except BaseException:
            self.held.close()
            raise
        self.due = self.next_due()

    @property
    def number(self) -> int:
        """Number of the planned frame that comes next."""
        return self.planned + self.waiting

    def next_due(self) -> float:
        """Time of the planned frame that comes next [s]; infinite: none."""
        return self.times[self.number] if self.number < len(self.times) else math.inf

    def advance(self, until: float, work: int) -> str:
        """As `Integrator.advance`, with the frames before `until` [s]. Raises PhysicsError, PluginError,
        StoreError.
        """
        if self.due >= until or self.ended:
            return self.integrator.advance(until, np.inf, work)
        before, now = until - ROUNDING * abs(until), self.integrator.time
        most = 1 if self.single else self.most
        times = self.times.up_to(min(self.number + most, len(self.times)), self.number)
        times = np.maximum(times[times < before], now)
        code, rows, error = self.blocks.steps(until, work, times)
        if len(rows):
            quiet = not self.single or self.prepared.recorder.is_quiet(self.pair_sums)
            if not quiet:
                self.write()
            self.rows.append(rows)
            self.row_times.append(times[: len(rows)])
            self.waiting += len(rows)
            self.due = self.next_due()
            if not quiet:
                self.write(quiet=False)
        if error is not None:
            raise error
        # the reactions of the first one are reported while it is in the tables
        if self.next == 0 or self.waiting >= self.most or time.monotonic() - self.written > FLUSH:
            self.write()
        return "busy" if code == "frame" else code

    def write(self, quiet: bool = True) -> None:
        """Write the frames that wait; quiet: of states without contacts, as all are that wait while steps go
        on; else the only one, which is in the tables.
        """
        self.written = time.monotonic()
        if not self.waiting:
            return
        rows, times = np.concatenate(self.rows), np.concatenate(self.row_times)
        self.rows, self.row_times, self.waiting = [], [], 0
        frames, error = self.blocks.made(rows, times)
        self.record(frames, quiet)
        if error is not None:
            raise error
        if self.written - self.kept > CHECKPOINT:
            self.sink.checkpoint()
            self.kept = self.written

    def frame(self) -> None:
        """Write a frame of the present time, unless there is one: the planned one if it falls due now."""
        self.write()
        t = self.integrator.time
        if self.ended or not self.reached < t:
            return
        planned = self.due <= t + ROUNDING * abs(t)
        self.record_unplanned(t)
        self.unplanned -= int(planned)
        self.due = self.next_due()

    def catch_up(self) -> None:
        """Write all frames up to the present time, and the last one of a motion that a condition ended."""
        self.write()
        t = self.integrator.time
        if self.due <= t + ROUNDING * abs(t) or (self.integrator.at_stop and not self.stopped):
            self.frame()
        if self.integrator.at_stop and not self.stopped:
            self.stopped = stopped_by(self.system, t)
            self.report(t, "info", self.stopped)

    def keep(self) -> None:
        """Let the result have all up to the present time; a later session may continue from here."""
        if not self.ended:
            self.catch_up()
            self.sink.checkpoint()

    def fail(self, error: Exception) -> None:
        """End the result with an error of a step."""
        if self.ended:
            return
        with suppress(MbpluginError, OSError):  # the first error counts
            self.write()
        self.ended = True
        self.sink.rescue(error)
        self.held.close()

    def close(self) -> None:
        """End the result at the present time; steps may go on, unrecorded."""
        if self.ended:
            return
        try:
            self.keep()
            self.report_final_messages()
            self.report_failures()
            self.complete = True
            self.sink.close(True)
        finally:
            self.ended = True
            self.held.close()

    def abandon(self) -> None:
        """`close` at the end of the process, or after the last use of its simulation: it raises nothing."""
        if isinstance(self.sink, MemorySink):
            # nobody can ask for it any more; its messages hold the recording
            self.ended = self.sink.take() is not None
            return
        try:
            self.close()
        except MbpluginError as error:
            warn(f"the end of a recorded simulation was not written: {error}")
