"""A run with files: the time loop between the solver, the result store and the ParaView series.

The compiled loop comes back at each frame and about every tenth of a second, for progress, Ctrl-C and checkpoints; where it comes back does not change a
bit of the result.
"""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError, PhysicsError, PluginError, SceneError, StoreError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.times import frame_times

#: seconds of wall time that one call of the solver aims at, and between checkpoints
CALL, CHECKPOINT = 0.1, 5.0
Progress = Callable[[float, float], None]


@dataclass
class RunSummary:
    """What a run did; `cpu_seconds` are those of the time loop."""

    dof: int
    rows: int
    rank: int
    steps: int
    evaluations: int
    cpu_seconds: float
    drift_position: float
    drift_velocity: float
    energy_error: float
    frames: int
    out: str
    complete: bool
    resume_from: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Interrupted(MbpluginError):
    """Ctrl-C; what was computed is kept."""

    exit_code = 130


@contextmanager
def interrupts() -> Iterator[list[bool]]:
    """SIGINT and SIGTERM set a flag instead of stopping anything half-way."""
    flag = [False]

    def note(number: int, frame: Any) -> None:
        flag[0] = True

    try:
        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread: the caller's business
        yield flag
        return
    try:
        yield flag
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Run:
    """One run into one folder."""

    def __init__(self, system: System, registry: Registry, out: Path, plugins: list[dict[str, str]], end: float | None, resume: bool) -> None:
        self.system, self.out = system, out
        self.end = float(end if end is not None else system.solver.end)
        self.prepared: Prepared = prepare(system, registry)
        self.problem = self.prepared.problem
        self.times = frame_times(system, self.end)
        self.integrator = self.prepared.start(self.end)
        self.text = system.to_toml()
        self.identity = hashlib.sha256(without_end(system).encode()).hexdigest()
        self.plugins = plugins
        self.next = 0
        self.worst = [0.0, 0.0, 0.0]
        self.energy_scale = 1e-300
        self.cpu = 0.0
        self.lines: list[str] = []
        self.writer: Any = None
        self.series: Any = None
        self.resumed = 0.0
        if resume:
            self.reopen()
        else:
            self.create()

    def create(self) -> None:
        from mbplugin.export import SeriesWriter
        from mbplugin.results import ResultWriter

        static = self.prepared.recorder.static()
        attributes = {"scene": self.text, "plugins": self.plugins, "identity": self.identity}
        try:
            self.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.out}: cannot be made: {error.strerror or error}") from None
        self.writer = ResultWriter(self.out / "result.zarr", static, attributes, capacity=len(self.times))
        if self.system.output.series:
            self.series = SeriesWriter(self.out, static)
        self.say_start()

    def reopen(self) -> None:
        """Go on from the newest checkpoint; from the beginning where there is none."""
        from mbplugin.export import SeriesWriter
        from mbplugin.results import RawResult, ResultWriter

        path = self.out / "result.zarr"
        if not path.exists():
            raise SceneError("--resume", str(self.out), "there is no result to go on from; leave out --resume")
        raw = RawResult(path)
        if raw.attributes.get("identity") != self.identity:
            raise SceneError("--resume", str(self.out), "that result is of another scene; run into another folder, or leave out --resume to replace it")
        saved = raw.checkpoint()
        if saved is None:
            self.create()
            return
        frames = int(saved.frames)
        if len(self.times) < frames or not np.array_equal(self.times[:frames], raw.time[:frames]):
            raise SceneError("--resume", str(self.out), "the frames of that result are at other times; keep [output] and --end as they were")
        self.integrator.load({name.removeprefix("solver_"): array for name, array in saved.arrays.items() if name.startswith("solver_")})
        self.worst = list(saved.attributes["worst"])
        self.energy_scale = float(saved.attributes["energy_scale"])
        self.next = frames
        self.resumed = self.integrator.time
        self.writer = ResultWriter.reopen(path, frames, capacity=len(self.times))
        if self.system.output.series:
            self.series = SeriesWriter.reopen(self.out, RawResult(path), frames)
        self.say(self.integrator.time, "info", f"resumed at t = {self.integrator.time:.9g} s after frame {frames - 1}")

    # what is said

    def say(self, t: float | None, level: str, text: str) -> None:
        self.lines.append(f"[{level}] {text}")
        self.writer.message(t, level, text)

    def say_start(self) -> None:
        report = self.prepared.rank
        redundant = report.rows - report.rank
        self.say(0.0, "info", f"acceleration analysis: {report.rows} constraint rows, rank {report.rank}, {report.dof} degrees of freedom, {redundant} redundant rows")
        for text in self.prepared.assembly.messages:
            self.say(0.0, "info", text)
        if redundant:
            shared = [j.name for j, d in zip(self.problem.words.joints, report.determined) if (np.asarray(d) < 2).any()]
            self.say(0.0, "warning", f"{redundant} of {report.rows} rows repeat others: reactions of {', '.join(shared)} are shared in the minimum-norm way")

    def write_messages(self) -> None:
        """messages.txt, whole; said again after a resume, with what the store kept."""
        try:
            earlier = (self.out / "messages.txt").read_text() if self.resumed else ""
            (self.out / "messages.txt").write_text(earlier + "\n".join(self.lines) + "\n")
        except OSError:
            pass  # the store has them too

    # the loop

    def go(self, progress: Progress | None) -> RunSummary:
        with interrupts() as stop:
            try:
                complete = self.loop(stop, progress)
            except StoreError as error:
                self.rescue(error)
                raise
            except (PhysicsError, PluginError) as error:
                self.say(self.integrator.time, "error", str(error))
                self.close(False)
                raise
            if not complete:
                self.checkpoint()
                self.close(False)
                raise Interrupted(f"interrupted at t = {self.integrator.time:.6g} s; {self.next} frames are kept; go on with --resume")
            self.checkpoint()
            self.close(True)
        return self.summary()

    def rescue(self, error: StoreError) -> None:
        """The series has filled the disk: what its index does not name goes, so that the store can take its last frames and a checkpoint."""
        with suppress(StoreError):
            if self.series is not None:
                self.series.forget_unnamed()
            self.say(self.integrator.time, "error", str(error))
            self.checkpoint()
            self.writer.close(False)

    def loop(self, stop: list[bool], progress: Progress | None) -> bool:
        """True when the end is reached, False when interrupted."""
        work, last = 200, time.monotonic()
        while True:
            if stop[0]:
                return False
            frame = float(self.times[self.next]) if self.next < len(self.times) else np.inf
            wall, cpu = time.monotonic(), time.process_time()
            before = self.integrator.statistics["evaluations"]
            code = self.integrator.advance(self.end, frame, work)
            self.cpu += time.process_time() - cpu
            took, done = time.monotonic() - wall, self.integrator.statistics["evaluations"] - before
            if done > 20:
                work = int(min(max(done * CALL / max(took, 1e-6), 20), 4 * work, 10**9))
            self.record(stop)
            for t, level, text in self.integrator.messages():
                self.say(t, level, text)
            if progress is not None:
                progress(self.integrator.time, self.end)
            if code == "end" and self.next >= len(self.times):
                return not stop[0]
            if code == "end" and self.times[self.next] > self.integrator.time:
                return True
            if time.monotonic() - last > CHECKPOINT:
                self.checkpoint()
                last = time.monotonic()

    def record(self, stop: list[bool]) -> None:
        """Every frame that the last step has passed."""
        while self.next < len(self.times) and self.times[self.next] <= self.integrator.time and not stop[0]:
            self.integrator.show(float(self.times[self.next]))
            frame = self.prepared.recorder.frame()
            frame["time"] = float(self.times[self.next])
            self.writer.append(frame)
            if self.series is not None:
                self.series.append(frame)
            self.worst[0] = max(self.worst[0], frame["constraints/drift_position"])
            self.worst[1] = max(self.worst[1], frame["constraints/drift_velocity"])
            self.worst[2] = max(self.worst[2], abs(frame["energy/balance"]))
            self.energy_scale = max(self.energy_scale, abs(frame["energy/kinetic"]), abs(frame["energy/potential"]), abs(frame["energy/work"]))
            self.next += 1

    def checkpoint(self) -> None:
        arrays = {f"solver_{name}": array for name, array in self.integrator.save().items()}
        self.writer.checkpoint(arrays, {"worst": list(map(float, self.worst)), "energy_scale": float(self.energy_scale), "time": self.integrator.time})

    def close(self, complete: bool) -> None:
        self.writer.close(complete)
        if self.series is not None:
            self.series.close()
        self.write_messages()

    def summary(self) -> RunSummary:
        report, counts = self.prepared.rank, self.integrator.statistics
        return RunSummary(
            report.dof, report.rows, report.rank, int(counts["steps"]), int(counts["evaluations"]), self.cpu, self.worst[0], self.worst[1],
            self.worst[2] / self.energy_scale, self.next, str(self.out), True, self.resumed,
        )  # fmt: skip


def without_end(system: System) -> str:
    """The scene's text without what a resumed run may change."""
    from mbplugin.model import toml

    tables = system.tables()
    tables["solver"] = {k: v for k, v in tables["solver"].items() if k != "end"}
    return toml.document(tables)


def run_system(
    system: System,
    out: str | Path,
    registry: Registry,
    *,
    plugins: list[dict[str, str]] | None = None,
    end: float | None = None,
    resume: bool = False,
    progress: Progress | None = None,
) -> RunSummary:
    """Run a system into the folder `out`. Raises SceneError before anything is written, PhysicsError, PluginError, StoreError and Interrupted after."""
    return Run(system, registry, Path(out), plugins or [], end, resume).go(progress)
