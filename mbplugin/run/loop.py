"""A run with files: the time loop that connects the solver, the result store and the ParaView series.

The compiled loop returns at each frame and about every 0.1 s, for progress, Ctrl-C and checkpoints. The
result is the same bit for bit wherever it returns.
"""

from __future__ import annotations

import errno
import hashlib
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.analysis.singular.singular import ADVICE
from mbplugin.errors import SceneError, StoreError, listed
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.results import folder
from mbplugin.results.files import replace_file
from mbplugin.run.faults import blamed
from mbplugin.run.interrupts import Interrupted, interrupts
from mbplugin.run.opening import opening, shares, watch
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.run.sources import changed, sources
from mbplugin.run.times import FrameTimes, frame_times

#: target wall time of one call of the solver, and wall time between checkpoints [s]
CALL, CHECKPOINT = 0.1, 5.0
Progress = Callable[[float, float], None]


@dataclass
class RunSummary:
    """Counts and errors of a run; `cpu_seconds`: of the time loop. dropped: given initial velocities that
    were not used, one sentence each; notes: on how the run began.
    """

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
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


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
    ) -> None:
        self.system, self.registry, self.out = system, registry, out
        self.end = float(end if end is not None else system.solver.end)
        if not 0.0 < self.end < np.inf:
            raise SceneError("--end", self.end, "must be greater than 0, and finite")
        self.times = frame_times(system, self.end)
        self.prepared: Prepared = prepare(system, registry)
        self.problem = self.prepared.problem
        with blamed(system, registry):
            self.integrator = self.prepared.start(self.end)
            self.static = self.prepared.recorder.static()
            self.watch = watch(self.prepared, registry)
        self.advised = self.prepared.singular is not None
        self.text = system.to_toml()
        self.identity = hashlib.sha256(without_end(system).encode()).hexdigest()
        self.plugins = plugins
        self.next = 0
        self.worst = [0.0, 0.0, 0.0]
        self.energy_scale = 1e-300
        self.cpu = 0.0
        self.writer: Any = None
        self.series: Any = None
        self.resumed = 0.0
        self.resume = resume
        self.notes: list[str] = []  # on how the run began
        self.sources = sources(self.prepared, registry, plugins)

    def create(self) -> None:
        from mbplugin.export import SeriesWriter
        from mbplugin.results import ResultWriter, write_index

        attributes = {
            "scene": self.text,
            "plugins": self.plugins,
            "identity": self.identity,
            "sources": self.sources,
            "frame_times": asdict(self.times),
        }
        self.writer = ResultWriter(
            self.out / "result.zarr",
            self.static,
            attributes,
            capacity=len(self.times),
            lists=self.prepared.recorder.lists(),
        )
        write_index(self.out)
        if self.system.output.series:
            self.series = SeriesWriter(self.out, self.static, "contacts" in self.prepared.recorder.lists())
        self.say_start()

    def reopen(self) -> None:
        """Continue from the newest checkpoint, or begin at t = 0 if there is none, and say so."""
        from mbplugin.export import SeriesWriter
        from mbplugin.results import RawResult, ResultWriter

        path = self.out / "result.zarr"
        if not path.exists():
            self.begin_instead("holds no result yet")
            return
        raw = RawResult(path)
        self.refuse_other_sources(raw)
        saved = raw.checkpoint()
        if saved is None:
            self.begin_instead("holds no checkpoint yet" if not raw.frames else "holds no intact checkpoint")
            return
        frames = int(saved.frames)
        self.take_times(raw, frames)
        try:
            self.take(saved)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, MemoryError):
            raise StoreError(
                f"{path}: damaged: its checkpoint does not fit the scene; omit --resume to begin again"
            ) from None
        self.next = frames
        self.resumed = self.integrator.time
        if self.end < self.resumed:
            raise SceneError("--end", self.end, f"that run has reached t = {self.resumed:.9g} s already")
        self.writer = ResultWriter.reopen(path, frames, capacity=len(self.times))
        if self.system.output.series:
            self.series = SeriesWriter.reopen(self.out, RawResult(path), frames)
        self.say(
            self.integrator.time,
            "info",
            f"resumed at t = {self.integrator.time:.9g} s after frame {frames - 1}",
        )

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

    def refuse_other_sources(self, raw: Any) -> None:
        """Raises SceneError if the result stands on anything else than this run would."""
        mend = "run into another folder, or omit --resume to replace it"
        if raw.attributes.get("identity") != self.identity:
            raise SceneError("--resume", str(self.out), f"that result belongs to another scene; {mend}")
        stored = raw.attributes.get("sources")
        if not isinstance(stored, dict) or not all(isinstance(text, str) for text in stored.values()):
            raise SceneError("--resume", str(self.out), f"that result does not say what it stands on; {mend}")
        if differences := changed(stored, self.sources):
            raise SceneError(
                "--resume",
                str(self.out),
                f"since that run began, {listed(differences, 3)}; restore what it stood on, {mend}",
            )
        static = {key: value for key, value in self.static.items() if key.endswith("/name")}
        if any(raw.attribute(key) != list(names) for key, names in static.items()):
            raise StoreError(f"{raw.path}: damaged: its names are not those of its scene; {mend}")

    def take_times(self, raw: Any, frames: int) -> None:
        """Continue the frame times of the result. Raises SceneError, StoreError."""
        try:
            plan = {key: raw.attributes["frame_times"][key] for key in ("start", "stop", "count", "every")}
            self.times = FrameTimes(**plan).to(self.times)
            fits = np.array_equal(
                self.times.up_to(min(frames, len(self.times))), raw.time[: len(self.times)][:frames]
            )
        except (KeyError, TypeError, ValueError, ArithmeticError):
            raise StoreError(f"{raw.path}: damaged: zarr.json has no valid `frame_times`") from None
        if not fits:
            raise StoreError(f"{raw.path}: damaged: its frames are at other times than its scene says")
        if len(self.times) < frames:
            reached = f"that run has reached t = {raw.time[frames - 1]:.9g} s already; give a later end"
            raise SceneError("--end", self.end, reached)

    # messages

    def say(self, t: float | None, level: str, text: str) -> None:
        self.writer.message(t, level, text)

    def say_start(self) -> None:
        for text in self.prepared.assembly.messages:
            self.say(0.0, "info", text)
        for text in self.prepared.assembly.dropped:
            self.say(0.0, "warning", text)
        for level, text in opening(self.prepared):
            self.say(0.0, level, text)
        for law in self.prepared.laws:
            for level, text in law.before():
                self.say(0.0, level, text)

    def say_end(self) -> None:
        """Write the messages of enforcement laws at the end."""
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
        scene = str(Path(self.system.file).resolve()) if self.system.file else ""
        folder.refuse_foreign(self.out, *self.series_names())
        names = (*folder.STORE, *folder.MESSAGES)
        with interrupts() as stop, folder.locked(self.out, *names, scene=scene):
            if self.resume:
                self.reopen()
            else:
                self.create()
            try:
                with blamed(self.system, self.registry):
                    complete = self.loop(stop, progress)
                    self.checkpoint()
                    if complete and self.prepared.laws:
                        self.say_end()
                self.close(complete)
            except Exception as error:
                self.rescue(error)
                raise
            if not complete:
                what = "terminated" if stop[0] == signal.SIGTERM else "interrupted"
                raise Interrupted(
                    f"{what} at t = {self.integrator.time:.6g} s; {self.next} frames are kept; "
                    "continue with --resume",
                    stop[0],
                )
        return self.summary()

    def series_names(self) -> list[str]:
        """Files and folders of the ParaView series."""
        if not self.system.output.series:
            return []
        used = ["result", *(name for name in ("joints", "lines") if self.static.get(f"{name}/name"))]
        used += ["contacts"] if "contacts" in self.prepared.recorder.lists() else []
        return [part for name in used for part in (name, f"{name}.pvd", f".{name}.pvd.part")]

    def rescue(self, error: Exception) -> None:
        """Keep the frames so far. On a full disk, delete series files that the index does not list, so that
        the store can write its last frames.
        """
        with suppress(StoreError):
            if self.series is not None and getattr(error.__cause__, "errno", None) in (
                errno.ENOSPC,
                errno.EDQUOT,
            ):
                self.series.forget_unnamed()
            self.say(self.integrator.time, "error", str(error))
            if isinstance(error, StoreError):
                self.checkpoint()
            self.writer.close(False)
        with suppress(StoreError):
            if self.series is not None:
                self.series.close()
        self.write_messages()

    def loop(self, stop: list[int], progress: Progress | None) -> bool:
        """True when the end is reached, False when interrupted."""
        # the first call takes one step, because its duration is not known yet
        work, last = 1, time.monotonic()
        while True:
            if stop[0]:
                return False
            frame = self.times[self.next] if self.next < len(self.times) else np.inf
            wall, cpu = time.monotonic(), time.process_time()
            before = self.integrator.statistics["evaluations"]
            code = self.integrator.advance(self.end, frame, work)
            self.cpu += time.process_time() - cpu
            took, done = time.monotonic() - wall, self.integrator.statistics["evaluations"] - before
            if done > 0:
                work = int(min(max(done * CALL / max(took, 1e-6), 1), 4 * work, 10**9))
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

    def record(self, stop: list[int]) -> None:
        """Write every frame that the last step has passed."""
        while self.next < len(self.times) and self.times[self.next] <= self.integrator.time and not stop[0]:
            self.integrator.show(self.times[self.next])
            frame = self.prepared.recorder.frame()
            frame["time"] = self.times[self.next]
            singular = self.watch.frame(float(self.times[self.next])) if self.watch is not None else None
            if singular is not None:
                self.say(singular.time, "warning", str(singular))
                if not self.advised:
                    self.say(singular.time, "info", ADVICE)
                self.advised = True
            self.writer.append(frame)
            if self.series is not None:
                self.series.append(frame)
            if self.next == 0 and self.prepared.rank.rank < self.prepared.rank.rows:
                self.say(0.0, "info", shares(self.prepared))
            self.worst[0] = max(self.worst[0], frame["constraints/drift_position"])
            self.worst[1] = max(self.worst[1], frame["constraints/drift_velocity"])
            self.worst[2] = max(self.worst[2], abs(frame["energy/balance"]))
            self.energy_scale = max(
                self.energy_scale,
                abs(frame["energy/kinetic"]),
                abs(frame["energy/potential"]),
                abs(frame["energy/work"]),
            )
            self.next += 1

    def checkpoint(self) -> None:
        arrays = {f"solver_{name}": array for name, array in self.integrator.save().items()}
        self.writer.checkpoint(
            arrays,
            {
                "worst": list(map(float, self.worst)),
                "energy_scale": float(self.energy_scale),
                "time": self.integrator.time,
            },
        )
        self.write_messages()

    def close(self, complete: bool) -> None:
        self.writer.close(complete)
        if self.series is not None:
            self.series.close()
        self.write_messages()

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
            self.worst[2] / self.energy_scale,
            self.next,
            str(self.out),
            True,
            self.resumed,
            tuple(self.prepared.assembly.dropped),
            tuple(self.notes),
        )


def without_end(system: System) -> str:
    """Text of the scene without the keys that a resumed run may change."""
    from mbplugin.model import toml

    tables = system.tables()
    tables["solver"] = {k: v for k, v in tables["solver"].items() if k != "end"}
    return toml.document(tables)


def folder_of(system: System, otherwise: str) -> Path:
    """Default folder of a run: out/<name of the scene>, with unsafe characters replaced. Raises StoreError
    if it holds the result of a scene in another file.
    """
    name = re.sub(r"[^\w +.-]", "_", system.scene.name or otherwise)[:100].strip(". ")
    chosen = Path("out") / (name or "scene")
    folder.refuse_scene_of_another_file(chosen, system.file)
    return chosen


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
    """Run a system into the folder `out`. Raises SceneError before anything is written, PhysicsError,
    PluginError, StoreError and Interrupted after.
    """
    return Run(system, registry, Path(out), plugins or [], end, resume).go(progress)
