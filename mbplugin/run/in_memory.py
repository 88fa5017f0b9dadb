"""A run without files: its frames and messages stay in memory."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from mbplugin.results.memory import MemoryResult
from mbplugin.results.read import Message
from mbplugin.run.interrupts import Interrupted
from mbplugin.run.loop import OnFrame, Run, opening_messages
from mbplugin.run.prepare import Prepared
from mbplugin.run.recorder import NAMES, Frames


class MemoryRun(Run):
    """One run into a `MemoryResult`; reads and writes no files.

    prepared: with a problem of its own, at its initial state
    """

    writer: MemoryResult

    def __init__(
        self,
        prepared: Prepared,
        plugins: list[dict[str, str]],
        end: float | None,
        on_frame: OnFrame | None = None,
    ) -> None:
        super().__init__(prepared.system, prepared.registry, Path(), plugins, end, False, prepared, on_frame)

    @property
    def place(self) -> Path | None:
        return None

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def create(self) -> None:
        attributes = lambda: {"scene": self.text, "plugins": self.plugins, "identity": self.identity}
        recorder = self.prepared.recorder
        names = {key: functools.partial(make, recorder) for key, make in NAMES.items()}
        self.writer = MemoryResult(
            names, recorder.meshes, attributes, recorder.lists(), recorder.frame_arrays
        )
        self.writer.messages_later(self.opening)

    # what to say costs a fifth of a short run: it is found out when somebody asks

    def opening(self) -> list[Message]:
        """The messages before the first step."""
        start = self.prepared.with_problem(self.problem.copy())
        return [Message(0.0, level, text) for level, text in opening_messages(start)]

    def write_watched(self, frames: Frames) -> None:
        self.write(frames, 0, frames.count)
        self.writer.messages_later(
            lambda: [Message(*message) for _, message in self.singular_positions(frames)]
        )

    def write_messages(self) -> None:
        """They stay in the result."""

    def checkpoint(self) -> None:
        """There is nothing to resume."""

    def last_attributes(self) -> dict[str, Any]:
        """Nothing: the result gets the summary itself."""
        return {}

    def rescue(self, error: Exception) -> None:
        """The message; the frames so far are there."""
        self.say(self.integrator.time, "error", str(error))

    def interrupted(self) -> Interrupted:
        return Interrupted(f"interrupted at t = {self.integrator.time:.6g} s; its frames were not stored")
