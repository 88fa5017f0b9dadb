"""A run without files: its frames and messages stay in memory."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from mbplugin.results.memory import MemoryResult
from mbplugin.results.read import Message
from mbplugin.run.interrupts import Interrupted
from mbplugin.run.loop import Run, opening_messages
from mbplugin.run.prepare import Prepared


class MemoryRun(Run):
    """One run into a `MemoryResult`; reads and writes no files.

    prepared: with a problem of its own, at its initial state
    """

    writer: MemoryResult

    def __init__(self, prepared: Prepared, plugins: list[dict[str, str]], end: float | None) -> None:
        super().__init__(prepared.system, prepared.registry, Path(), plugins, end, False, prepared)

    def alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def create(self) -> None:
        attributes = lambda: {"scene": self.text, "plugins": self.plugins, "identity": self.identity}
        self.writer = MemoryResult(lambda: self.static, attributes, self.prepared.recorder.lists())
        # what to say costs a tenth of a short run
        start = replace(self.prepared, problem=self.problem.copy())
        self.writer.begin_with(lambda: [Message(0.0, level, text) for level, text in opening_messages(start)])

    def write_messages(self) -> None:
        """They stay in the result."""

    def checkpoint(self) -> None:
        """There is nothing to resume."""

    def rescue(self, error: Exception) -> None:
        """The message; the frames so far are there."""
        self.say(self.integrator.time, "error", str(error))

    def interrupted(self) -> Interrupted:
        return Interrupted(f"interrupted at t = {self.integrator.time:.6g} s; its frames were not stored")
