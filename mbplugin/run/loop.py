"""A run with files: the time loop that connects the solver, the result store and the ParaView series.

The compiled loop returns at each frame and about every 0.1 s, for progress, Ctrl-C and checkpoints. The
result is the same bit for bit wherever it returns.
"""

from __future__ import annotations

import functools
import hashlib
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.analysis.singular.singular import ADVICE
from mbplugin.errors import SceneError, StoreError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.model.quantities import TIMES
from mbplugin.problem.failures import function_under_way
from mbplugin.results import folder
from mbplugin.results.files import replace_file
from mbplugin.results.summary import RunSummary
from mbplugin.run.blocks import Blocks, grown
from mbplugin.run.faults import blamed
from mbplugin.run.interrupts import Interrupted, interrupts
from mbplugin.run.opening import opening, shares, watch
from mbplugin.run.pace import Pace
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.recorder import Frames, OneFrame
from mbplugin.run.resume import continued_times, refuse_other_sources, without_end
from mbplugin.run.sources import sources
from mbplugin.run.stop import not_stopped, stopped_by, true_at_start
from mbplugin.run.times import frame_times
from mbplugin.run.watching import Callback, reason_to_end, started
from mbplugin.tables import groups
from mbplugin.tables.groups import Wrenches

#: target wall time of one call of the solver, and wall time between checkpoints [s]
CALL, CHECKPOINT = 0.1, 5.0
#: what is stored of each frame for the detector of singular positions
WATCHED_ARRAYS = ((groups.Blocks, "G"), (groups.State, "q"), (groups.State, "v"), (groups.Rates, "v_dot"))
#: largest energy, relative to what the forces could do, of a system at rest
AT_REST = 1e-9
#: energy balance, relative to the largest energy, that gets a warning
UNBALANCED = 0.05
#: residual of positions that gets one [size or rad]
OPEN = 1e-6
#: fixed steps of a run: 1e10 of the shortest ones take hours
MOST_STEPS = 1e12
Progress = Callable[[float, float], None]
#: gets a `FrameView`; a sentence that it returns ends the run
OnFrame = Callable[[Any], str | None]


class Run:
    """One run into one folder. `go` is the first to write files."""

    def __init__(
        self,
        system: System,
        registry: Registry,
        out: Path,
        plugins: list[dict[str, str]],
        end: float | None,
        resume: bool,
        prepared: Prepared | None = None,
        on_frame: OnFrame | None = None,
    ) -> None:
        self.system, self.registry, self.out = system, registry, out
        self.end = float(end if end is not None else system.solver.end)
        if not TIMES[0] <= self.end <= TIMES[1]:
            raise SceneError("--end", self.end, f"must be greater than 0, at most {TIMES[1]:g} s")
        self.times = frame_times(system, self.end)
        self.prepared: Prepared = prepared if prepared is not None else prepare(system, registry)
        self.problem = self.prepared.problem
        self.check_count()
        with blamed(system, registry):
            self.integrator = self.prepared.start(self.end)
            self.watch = watch(self.prepared)
        self.blocks = Blocks(self.prepared, self.integrator, self.times, self.end)
        self.on_frame = on_frame
        self.callbacks: list[Callback] = []
        self.ended_by = ""  # which callback has ended the run, when and why
        self.advised = self.prepared.singular is not None
        self.plugins = plugins
        self.next = 0
        self.worst = [0.0, 0.0, 0.0]
        self.energy_scale = 1e-300
        self.cpu = 0.0
        self.writer: Any = None
        self.series: Any = None
        self.resumed = 0.0
        self.stop = [0]  # number of a signal: stop at the end of the next block
        self.resume, self.complete = resume, False
        self.notes: list[str] = []  # on how the run began
        self.remarks: tuple[str, ...] = ()  # of the solver, at the end
        self.doubts: tuple[str, ...] = ()  # warnings about constraints and energy
        self.stopped = ""  # by which condition, and when
        self.reached = -1.0  # time of the last frame [s]
        self.stopped_before = False  # the run that is resumed has been stopped
        self.unplanned = 0  # frames at the time of the stop, which is none of the planned ones

    @functools.cached_property
    def text(self) -> str:
        """The scene as TOML."""
        return self.system.to_toml()

    @functools.cached_property
    def identity(self) -> str:
        """What a resumed run has to agree with."""
        return hashlib.sha256(without_end(self.system).encode()).hexdigest()

    @functools.cached_property
    def sources(self) -> dict[str, str]:
        """Digests of what the run stands on."""
        return sources(self.prepared, self.registry, self.plugins)

    @functools.cached_property
    def static(self) -> dict[str, Any]:
        with blamed(self.system, self.registry):
            return self.prepared.recorder.static()

    @property
    def drawings(self) -> Any:
        """The drawings of the scene; None if it has none."""
        from mbplugin.export.drawings import Drawings

        return Drawings(self.system, self.static) if self.system.drawings else None

    @functools.cached_property
    def chosen_series(self) -> tuple[Any, str]:
        """The kind of the ParaView series, and what "auto" decided. A continued series stays of its kind."""
        from mbplugin.export import chosen_series, stored_series

        kind, decided = chosen_series(self.system.output.series, self.static)
        stored = stored_series(self.out) if self.resume and kind is not None else None
        return (kind, decided) if stored in (None, kind) else (stored, "")

    def check_count(self) -> None:
        """Check that the end is not unreachably many steps away. Raises SceneError."""
        step = self.prepared.solver.fixed_step
        if step is not None and self.end / step > MOST_STEPS:
            mend = f"would take {self.end / step:.3g} steps to the end, {self.end:g} s; choose a longer one"
            raise self.system.locate(SceneError("solver.step", step, mend))

    def create(self) -> None:
        from mbplugin.export import SeriesWriter
        from mbplugin.results import ResultWriter, write_index

        static = self.static
        attributes = {
            "scene": self.text,
            "plugins": self.plugins,
            "identity": self.identity,
            "sources": self.sources,
            "frame_times": asdict(self.times),
        }
        self.writer = ResultWriter(
            self.out / "result.zarr",
            static,
            attributes,
            capacity=len(self.times),
            arrays=self.prepared.recorder.frame_arrays,
            lists=self.prepared.recorder.lists(),
        )
        write_index(self.out)
        kind, decided = self.chosen_series
        if kind is not None:
            contacts = "contacts" in self.prepared.recorder.lists()
            self.put_series(SeriesWriter(self.out, static, contacts, kind, self.drawings))
        self.say_start()
        if decided:
            self.say(0.0, "info", decided)

    def reopen(self) -> None:
        """Continue from the newest checkpoint, or begin at t = 0 if there is none, and say so."""
        from mbplugin.export import SeriesWriter
        from mbplugin.results import RawResult, ResultWriter

        path = self.out / "result.zarr"
        if not path.exists():
            self.begin_instead("holds no result yet")
            return
        raw = RawResult(path)
        refuse_other_sources(raw, self.out, self.identity, self.sources, self.static)
        saved = raw.checkpoint()
        if saved is None:
            self.begin_instead("holds no checkpoint yet" if not raw.frames else "holds no intact checkpoint")
            return
        frames = int(saved.frames)
        self.unplanned = int(saved.attributes.get("unplanned", 0))
        self.times = self.blocks.times = continued_times(raw, self.times, frames - self.unplanned)
        self.reached = float(raw.time[frames - 1]) if frames else -1.0
        try:
            self.take(saved)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, MemoryError):
            raise StoreError(
                f"{path}: damaged: its checkpoint does not fit the scene; omit --resume to begin again"
            ) from None
        self.stopped_before = bool(getattr(self.integrator, "at_stop", False))
        self.refuse_other_inputs(saved.attributes.get("inputs", ""))
        self.next = frames
        self.resumed = self.integrator.time
        if self.end < self.resumed:
            raise SceneError("--end", self.end, f"that run has reached t = {self.resumed:.9g} s already")
        self.writer = ResultWriter.reopen(path, frames, capacity=len(self.times))
        kind, _ = self.chosen_series
        if kind is not None:
            self.put_series(SeriesWriter.reopen(self.out, RawResult(path), frames, kind, self.drawings))
        self.notes.append(f"resumed at t = {self.resumed:.9g} s after frame {frames - 1}")
        self.say(self.resumed, "info", self.notes[-1])

    def put_series(self, series: Any) -> None:
        """Write a series too. On a full disk it makes room for the store, from which it can be written again:
        first with the frames that the store does not hold yet, then with half of the others, and so on.
        """
        self.series, writer = series, self.writer

        def make_room() -> bool:
            frames = series.frames
            series.make_room(writer.committed if writer.committed < frames else frames // 2)
            return bool(series.frames < frames)

        writer.make_room = make_room

    def begin_instead(self, why: str) -> None:
        self.create()
        self.notes.append(f"--resume: {self.out} {why}; the run begins at t = 0")
        self.say(0.0, "info", self.notes[-1])

    def take(self, saved: Any) -> None:
        """Take the state of a checkpoint. Raises many exceptions if it is of something else."""
        self.integrator.load(
            {
                name.removeprefix("solver_"): array
                for name, array in saved.arrays.items()
                if name.startswith("solver_")
            }
        )
        if not np.isfinite(self.integrator.time):
            raise ValueError("a time that is not finite")
        self.worst = [float(saved.attributes["worst"][k]) for k in range(3)]
        self.energy_scale = float(saved.attributes["energy_scale"])

    def played_inputs(self, t: float) -> str:
        """Digest of the schedules of the inputs up to time t; "" without any."""
        inputs = self.problem[groups.Inputs]
        n = int(np.searchsorted(inputs.time, t, side="right"))
        arrays = (inputs.time[:n], inputs.input[:n], inputs.sample[:n])
        return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest() if n else ""

    def refuse_other_inputs(self, stored: str) -> None:
        """Raises SceneError if the run so far had other inputs."""
        t = self.integrator.time
        if stored != self.played_inputs(t):
            mend = f"that run had other inputs up to t = {t:.9g} s; give the same, or run into another folder"
            raise SceneError("--resume", str(self.out), mend)

    # messages

    def say(self, t: float | None, level: str, text: str) -> None:
        self.writer.message(t, level, text)

    def say_start(self) -> None:
        for level, text in opening_messages(self.prepared):
            self.say(0.0, level, text)

    def say_end(self) -> None:
        """Write the messages of the solver and of enforcement laws at the end."""
        closing: list[tuple[str, str]] = getattr(self.integrator, "closing", list)()
        for level, text in closing:
            self.say(self.integrator.time, level, text)
        self.remarks = tuple(text for _, text in closing)
        self.doubts = tuple(doubts(self.worst[0], self.energy_error))
        for text in self.doubts:
            self.say(None, "warning", text)
        if not self.prepared.laws:
            return
        self.integrator.show(self.integrator.time)
        for law in self.prepared.laws:
            for level, text in law.after(self.problem):
                self.say(self.integrator.time, level, text)

    def write_messages(self) -> None:
        """Write messages.txt from the messages in the store."""
        text = "".join(f"[{level}] {message}\n" for level, message in self.writer.said)
        with suppress(OSError):  # the store holds the messages as well
            replace_file(self.out / "messages.txt", text.encode(), self.out / ".messages.txt.part")

    # the loop

    def go(self, progress: Progress | None) -> RunSummary:
        with interrupts(self.under_way) as self.stop, self.alone():
            if self.resume:
                self.reopen()
            else:
                self.create()
            try:
                with blamed(self.system, self.registry):
                    self.start_callbacks()
                    complete = self.loop(self.stop, progress)
                    if self.ended_by:
                        self.stopped = self.ended_by
                        self.say(self.integrator.time, "info", self.stopped)
                    elif complete and self.system.solver.stop is not None:
                        self.end_at_stop()
                    self.checkpoint()
                    if complete:
                        self.say_end()
                self.close(complete)
                self.complete = complete
            except Interrupted:
                raise  # by the second signal: at once
            except Exception as error:
                self.rescue(error)
                raise
            if not complete:
                raise self.interrupted()
        return self.summary()

    @property
    def place(self) -> Path | None:
        """The folder of the result; None in memory."""
        return self.out

    def start_callbacks(self) -> None:
        """Ask who wants to see the frames, which then come one by one. Raises PluginError."""
        self.callbacks = started(self.system, self.registry, self.place, self.on_frame)
        if self.callbacks:
            self.blocks.most = 1

    def interrupted(self) -> Interrupted:
        """The exception that ends an interrupted run."""
        what = "terminated" if self.stop[0] == signal.SIGTERM else "interrupted"
        kept = f"{self.next} frames are kept; continue with --resume"
        return Interrupted(f"{what} at t = {self.integrator.time:.6g} s; {kept}", self.stop[0])

    def under_way(self) -> tuple[int, str]:
        """Evaluations so far, and the function that is called now."""
        return int(self.integrator.statistics["evaluations"]), function_under_way(self.problem)

    def alone(self) -> AbstractContextManager[None]:
        """The folder of the result, held against other runs. Raises StoreError."""
        scene = str(Path(self.system.file).resolve()) if self.system.file else ""
        folder.refuse_foreign(self.out, *self.series_names())
        return folder.locked(self.out, *folder.STORE, *folder.MESSAGES, scene=scene)

    def series_names(self) -> list[str]:
        """Files and folders of the ParaView series."""
        from mbplugin.export.series import POINTS_FILES, collection_of

        kind, _ = self.chosen_series
        if kind is None:
            return []
        used = ["result", *(name for name in ("joints", "lines") if self.static.get(f"{name}/name"))]
        used += ["contacts"] if "contacts" in self.prepared.recorder.lists() else []
        used += [collection_of(drawing.name) for drawing in self.system.drawings]
        names = [part for name in used for part in (name, f"{name}.pvd", f".{name}.pvd.part")]
        return [*names, *(POINTS_FILES if kind == "points" else ())]

    def rescue(self, error: Exception) -> None:
        """Keep the frames so far, and the message."""
        with suppress(StoreError):
            self.say(self.integrator.time, "error", str(error))
            if isinstance(error, StoreError):
                self.checkpoint()
            self.writer.close(False, self.last_attributes())
        with suppress(StoreError):
            if self.series is not None:
                self.series.close()
        self.write_messages()

    def loop(self, stop: list[int], progress: Progress | None) -> bool:
        """True when the end is reached, False when interrupted."""
        # the first call of the first run takes one step, because its duration is not known yet
        sizes, last = self.prepared.sizes, time.monotonic()
        pace: Pace | None = None
        while True:
            if stop[0]:
                return False
            wall, cpu = time.monotonic(), time.thread_time()
            before = self.integrator.statistics["evaluations"]
            code, frames, error = self.blocks.advance(self.next, sizes.work)
            self.cpu += time.thread_time() - cpu
            took, done = time.monotonic() - wall, self.integrator.statistics["evaluations"] - before
            if done > 0:
                sizes.work = min(grown(done, took, CALL), 10**9)
            self.record(frames)
            if error is not None:
                raise error
            if frames is not None:
                self.ended_by = reason_to_end(self.callbacks, frames)
            for t, level, text in self.integrator.messages():
                self.say(t, level, text)
            # the first call may load libraries and machine code
            pace = pace or Pace(self.integrator.time, self.cpu)
            if text := pace.look(self.integrator, self.cpu, self.end):
                self.say(None, "warning", text)
                warnings.warn(text, stacklevel=2)
            if progress is not None:
                progress(self.integrator.time, self.end)
            if self.ended_by:
                return True
            if code == "end" and self.next >= len(self.times):
                return not stop[0]
            if code == "end" and self.times[self.next] > self.integrator.time:
                return True
            if time.monotonic() - last > CHECKPOINT:
                self.checkpoint()
                last = time.monotonic()

    def end_at_stop(self) -> None:
        """Write the frame at which the condition of the scene ended the run, and say so."""
        t = self.integrator.time
        if not getattr(self.integrator, "at_stop", False):
            self.say(t, "info", not_stopped(self.system, self.problem))
            return
        self.stopped = stopped_by(self.system, t)
        if self.stopped_before:
            return
        # frames end where [output] says
        if self.next < len(self.times) and self.reached < t:
            self.integrator.show(t)
            self.record(self.prepared.recorder.frames(self.prepared.recorder.row(), np.array([t])))
            self.unplanned = 1
        self.say(t, "info", self.stopped)

    def record(self, frames: Frames | None) -> None:
        """Write the frames that the last steps have passed."""
        if frames is None:
            return
        if self.system.sensors:
            frames["outputs/value"]  # now: frames in memory are read later
        self.write_watched(frames)
        getattr(self.integrator, "observe", nothing)()
        self.reached = float(frames.times[-1])
        kinetic, potential, *drifts = np.abs(frames.numbers[groups.Shown, "numbers"]).max(axis=0).tolist()
        largest = lambda key: float(np.abs(frames[key]).max())
        for k, value in enumerate((*drifts, largest("energy/balance"))):
            self.worst[k] = max(self.worst[k], value)
        moved = [largest(key) for key in ("energy/work", "energy/dissipated", *self.prepared.recorder.losses)]
        self.energy_scale = max(self.energy_scale, kinetic, potential, *moved)

    def write_watched(self, frames: Frames) -> None:
        """Write frames, with the messages on singular positions between them."""
        done = 0
        for number, message in self.singular_positions(frames):
            self.write(frames, done, number)
            done = number
            self.say(*message)
        self.write(frames, done, frames.count)

    def singular_positions(self, frames: Frames) -> Iterator[tuple[int, tuple[float, str, str]]]:
        """(frame, (time, level, text)) of the messages on singular positions before a frame, in order."""
        if self.watch is None:
            return
        watched = (frames.numbers[key] for key in WATCHED_ARRAYS)
        for number, singular in self.watch.frames(frames.times, *watched):
            yield number, (singular.time, "warning", str(singular))
            if not self.advised:
                yield number, (singular.time, "info", ADVICE)
            self.advised = True

    def write(self, frames: Frames, start: int, stop: int) -> None:
        """Write the frames start <= i < stop."""
        if stop <= start:
            return
        self.writer.append_frames(frames, start, stop, self.prepared.recorder.entries())
        if self.series is not None:
            lists = self.prepared.recorder.entries()
            for i in range(start, stop):
                self.series.append(OneFrame(frames, i, lists))
        self.next += stop - start
        # the first block has one frame where rows are redundant
        if self.next == 1 and self.prepared.rank.rank < self.prepared.rank.rows:
            self.say(0.0, "info", shares(self.prepared))

    def checkpoint(self) -> None:
        arrays = {f"solver_{name}": array for name, array in self.integrator.save().items()}
        self.writer.checkpoint(
            arrays,
            {
                "worst": list(map(float, self.worst)),
                "energy_scale": float(self.energy_scale),
                "time": self.integrator.time,
                "unplanned": self.unplanned,
                "inputs": self.played_inputs(self.integrator.time),
            },
        )
        self.write_messages()

    def close(self, complete: bool) -> None:
        for fault in self.series.faults if self.series is not None else ():
            self.say(self.integrator.time, "error", fault)
        self.writer.close(complete, self.last_attributes())
        if self.series is not None:
            self.series.close()
        self.write_messages()

    def last_attributes(self) -> dict[str, Any]:
        """What the store is told of the run at its end."""
        return {"summary": self.summary().stored()}

    def largest_energy(self) -> float:
        """Scale of the energy balance [J]. At rest, where energies are rounding, what the forces could do
        over the size of the mechanism.
        """
        forces = np.abs(self.problem[Wrenches].wrench.reshape(-1, 6)[:, :3]).max(initial=0.0)
        possible = float(forces) * self.problem.names.size
        return possible if self.energy_scale < AT_REST * possible else self.energy_scale

    @property
    def energy_error(self) -> float:
        """Largest |balance| relative to the largest energy."""
        return self.worst[2] / self.largest_energy()

    def summary(self) -> RunSummary:
        report, counts = self.prepared.rank, self.integrator.statistics
        return RunSummary(
            report.dof,
            report.rows,
            report.rank,
            int(counts["steps"]),
            int(counts["evaluations"]),
            self.cpu,
            self.worst[0],
            self.worst[1],
            self.energy_error,
            self.next,
            str(self.out),
            self.complete,
            self.resumed,
            tuple(self.prepared.assembly.dropped),
            self.series.kind if self.series is not None else None,
            (*self.notes, *moved_bodies(self.prepared)),
            self.remarks,
            self.stopped,
            self.doubts,
        )


def nothing() -> None:
    """Of integrators that observe no frames."""


def doubts(drift: float, energy: float) -> Iterator[str]:
    """Warnings about a run whose frames have this drift [size or rad] and this relative energy error."""
    if drift > OPEN:
        yield (
            f"constraints are open by up to {drift:.2g} of the size of the mechanism (or rad): frames there "
            "are wrong (`mbplugin plot RESULT constraints.drift_position` shows when); compare with a "
            "smaller `step` or `tolerance`"
        )
    if energy > UNBALANCED:
        yield (
            f"the energy balance is off by {energy:.2g} of the largest energy: the steps are too long, or "
            "a force does work that it does not report; compare with a smaller `step` or `tolerance`"
        )


def moved_bodies(prepared: Prepared) -> list[str]:
    """A sentence on the bodies that assembly has moved; nothing if there are none."""
    moved = prepared.assembly.moved
    if not moved:
        return []
    name, distance = max(moved, key=lambda one: one[1])
    bodies = "1 body" if len(moved) == 1 else f"{len(moved)} bodies"
    return [f'assembly moved {bodies}, "{name}" by {distance:.3g} m (see messages.txt)']


def opening_messages(prepared: Prepared) -> list[tuple[str, str]]:
    """(level, text) of the messages before the first step; the problem must hold its initial state."""
    return [
        *(("info", text) for text in prepared.solver.remarks),
        *(("info", text) for text in prepared.assembly.messages),
        *(("warning", text) for text in (*prepared.assembly.dropped, *prepared.remarks)),
        *(("warning", text) for text in true_at_start(prepared.system, prepared.problem)),
        *opening(prepared),
        *(message for law in prepared.laws for message in law.before()),
    ]


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
    run = Run(system, registry, Path(out), plugins or [], end, resume, on_frame=on_frame)
    return run.go(progress)
