"""A run with files: the result store, the ParaView series and messages.txt in one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbplugin.errors import SceneError, StoreError, listed
from mbplugin.results import folder
from mbplugin.results.files import replace_file
from mbplugin.run import last_steps_folder
from mbplugin.run.faults import attribute_errors
from mbplugin.run.last_steps import LastSteps
from mbplugin.run.opening import opening_messages
from mbplugin.run.recorder import Frames, OneFrame
from mbplugin.run.resume import continued_times, refuse_other_sources
from mbplugin.run.sink import Message, Sink
from mbplugin.run.sources import sources

if TYPE_CHECKING:
    from mbplugin.export import SeriesWriter
    from mbplugin.results import ResultWriter

#: the observer that writes the series
SERIES = "the ParaView series"


class StoreSink(Sink):
    """The files of a run in the folder `out`; resume: continue what is there."""

    keeps_last_steps = True
    folder: Path
    writer: ResultWriter

    def __init__(self, out: Path, plugins: list[dict[str, str]], resume: bool) -> None:
        self.folder, self.plugins, self.resume = out, plugins, resume
        self.series: Any = None

    @cached_property
    def sources(self) -> dict[str, str]:
        """Digests of what the run stands on."""
        return sources(self.run.prepared, self.run.registry, self.plugins)

    @cached_property
    def static(self) -> dict[str, Any]:
        """Names, meshes and all other constant data."""
        with attribute_errors(self.run.system, self.run.registry):
            return self.run.prepared.recorder.static()

    @property
    def drawings(self) -> Any:
        """The drawings of the scene; None if it has none."""
        from mbplugin.export.drawings import Drawings

        return Drawings(self.run.system, self.static) if self.run.system.drawings else None

    @cached_property
    def chosen_series(self) -> tuple[Any, str]:
        """The kind of the ParaView series, and what "auto" decided; (None, "") where it is left out."""
        static = self.static  # part of the result
        return self.run.ask(SERIES, lambda: self.choose_series(static), (None, ""))

    def choose_series(self, static: Mapping[str, Any]) -> tuple[Any, str]:
        """Choose a series by `chosen_series`. A continued series stays of its kind."""
        from mbplugin.export import chosen_series, stored_series

        kind, decided = chosen_series(self.run.system.output.series, static)
        stored = stored_series(self.folder) if self.resume and kind is not None else None
        return (kind, decided) if stored in (None, kind) else (stored, "")

    def held(self) -> AbstractContextManager[None]:
        kind, _ = self.chosen_series
        of_series = self.run.ask(SERIES, lambda: self.series_names(kind), [])
        folder.refuse_foreign(self.folder, *of_series)
        names = (*folder.STORE, *folder.MESSAGES, last_steps_folder.NAME)
        return folder.locked(self.folder, *names, scene=self.run.system.file)

    def series_names(self, kind: str | None) -> list[str]:
        """Files and folders of the ParaView series."""
        from mbplugin.export.deformed import name_of
        from mbplugin.export.elements import tracks
        from mbplugin.export.series import POINTS_FILES, collection_of

        if kind is None:
            return []
        contacts = self.run.prepared.recorder.lists().get("contacts")
        used = ["result", *tracks(self.static, contacts)]
        used += [name_of(body) for body in self.static.get("nodes/name", ())]
        used += [collection_of(drawing.name) for drawing in self.run.system.drawings]
        names = [part for name in used for part in (name, f"{name}.pvd", f".{name}.pvd.part")]
        return [*names, *(POINTS_FILES if kind == "points" else ())]

    # begin

    def begin(self) -> None:
        from mbplugin.results import RawResult

        last_steps_folder.clear(self.folder)
        if not self.resume:
            self.create()
            return
        path = self.folder / "result.zarr"
        if not path.exists():
            self.begin_instead("holds no result yet")
            return
        raw = RawResult(path)
        refuse_other_sources(raw, self.folder, self.run.identity, self.sources, self.static)
        saved = raw.checkpoint()
        if saved is None:
            self.begin_instead("holds no checkpoint yet" if not raw.frames else "holds no intact checkpoint")
        else:
            self.reopen(raw, saved)

    def create(self) -> None:
        from mbplugin.export import SeriesWriter
        from mbplugin.results import ResultWriter, write_index

        run, recorder = self.run, self.run.prepared.recorder
        attributes = {
            "scene": run.text,
            "plugins": self.plugins,
            "identity": run.identity,
            "sources": self.sources,
            "frame_times": asdict(run.times),
        }
        self.writer = ResultWriter(
            self.folder / "result.zarr",
            self.static,
            attributes,
            capacity=run.expected_frames,
            arrays=recorder.frame_arrays,
            lists=recorder.lists(),
        )
        write_index(self.folder)
        kind, decided = self.chosen_series
        if kind is not None:
            self.put_series(
                lambda: SeriesWriter(
                    self.folder, self.static, recorder.lists().get("contacts"), kind, self.drawings, run.ask
                )
            )
        for level, text in opening_messages(run.prepared, run.observers):
            self.message(0.0, level, text)
        if decided:
            self.message(0.0, "info", decided)

    def begin_instead(self, why: str) -> None:
        """Begin at t = 0 where nothing can be continued, and say so."""
        self.create()
        self.run.note(f"--resume: {self.folder} {why}; the run begins at t = 0")

    def reopen(self, raw: Any, saved: Any) -> None:
        """Continue from a checkpoint."""
        from mbplugin.export import SeriesWriter
        from mbplugin.results import RawResult, ResultWriter

        frames, planned = int(saved.frames), int(saved.frames) - int(saved.attributes.get("unplanned", 0))
        if lost := raw.check(frames=frames, checkpoints=False):
            raise StoreError(f"{raw.path}: damaged: {listed(lost, 2)}; omit --resume to begin again")
        times = continued_times(raw, self.run.times, planned)
        reached = float(raw.time[frames - 1]) if frames else -1.0
        try:
            self.run.resume_from(saved, times, frames, reached)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, MemoryError):
            raise StoreError(
                f"{raw.path}: damaged: its checkpoint does not fit the scene; omit --resume to begin again"
            ) from None
        self.refuse_other_inputs(saved.attributes.get("inputs", ""))
        self.run.refuse_end_before_start()
        self.writer = ResultWriter.reopen(raw.path, frames, capacity=self.run.expected_frames)
        kind, _ = self.chosen_series
        if kind is not None:
            self.put_series(
                lambda: SeriesWriter.reopen(
                    self.folder, RawResult(raw.path), frames, kind, self.drawings, self.run.ask
                )
            )
        self.run.note(f"resumed at t = {self.run.resumed:.9g} s after frame {frames - 1}")

    def refuse_other_inputs(self, stored: str) -> None:
        """Raises SceneError if the run so far had other inputs."""
        if stored != self.run.played_inputs():
            t = self.run.integrator.time
            mend = f"that run had other inputs up to t = {t:.9g} s; give the same, or run into another folder"
            raise SceneError("--resume", str(self.folder), mend)

    def put_series(self, make: Callable[[], SeriesWriter]) -> None:
        """Write a series too. On a full disk it makes room for the store, from which it can be written again:
        first with the frames that the store does not hold yet, then with half of the others, and so on.
        """
        nothing: SeriesWriter | None = None
        series = self.run.ask(SERIES, make, nothing)
        if series is None:
            return
        self.series, self.series_kind, writer = series, series.kind, self.writer

        def make_room() -> bool:
            frames = series.frames
            series.make_room(writer.committed if writer.committed < frames else frames // 2)
            return bool(series.frames < frames)

        writer.make_room = make_room

    # write

    def message(self, time: float | None, level: str, text: str) -> None:
        self.writer.message(time, level, text)

    def write(self, frames: Frames, messages: Iterator[tuple[int, Message]]) -> None:
        done, lists = 0, frames.lists()
        for number, message in messages:
            self.write_frames(frames, done, number, lists)
            self.message(*message)
            done = number
        self.write_frames(frames, done, frames.count, lists)

    def write_frames(self, frames: Frames, start: int, stop: int, lists: Mapping[str, Any]) -> None:
        """Write the frames start <= i < stop; lists: as `Frames.lists` has them."""
        if stop <= start:
            return
        self.writer.append_frames(frames, start, stop, lists)
        for i in range(start, stop) if self.series is not None else ():
            self.run.ask(SERIES, partial(self.series.append, OneFrame(frames, i, lists)), None)

    def checkpoint(self) -> None:
        self.writer.checkpoint(*self.run.saved())
        self.write_messages()

    def close(self, complete: bool) -> None:
        for fault in self.series.faults if self.series is not None else ():
            self.message(self.run.integrator.time, "error", fault)
        self.writer.close(complete, self.last_attributes())
        if self.series is not None:
            self.series.close()
        self.write_messages()

    def rescue(self, error: Exception) -> None:
        with suppress(StoreError):
            self.message(self.run.integrator.time, "error", str(error))
            if isinstance(error, StoreError):
                self.checkpoint()
            self.writer.close(False, self.last_attributes())
        with suppress(StoreError):
            if self.series is not None:
                self.series.close()
        self.write_messages()

    def keep_last_steps(self, last: LastSteps) -> Path:
        attributes = {"scene": self.run.text, "plugins": self.plugins, "stopped": last.messages[-1][-1]}
        recorder = self.run.prepared.recorder
        return last_steps_folder.write(self.folder, last, recorder, self.static, attributes)

    def last_attributes(self) -> Mapping[str, Any]:
        """Attributes of the store at the end of the run."""
        return {"summary": self.run.summary().stored()}

    def write_messages(self) -> None:
        """Write messages.txt from the messages in the store."""
        text = "".join(f"[{level}] {message}\n" for level, message in self.writer.reported)
        with suppress(OSError):  # the store holds the messages as well
            replace_file(self.folder / "messages.txt", text.encode(), self.folder / ".messages.txt.part")

    def kept(self) -> str:
        return f"{self.run.next} frames are kept; continue with --resume"
