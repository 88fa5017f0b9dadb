"""A run without files: its frames and messages stay in memory."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mbplugin.errors import refuse_beyond_memory
from mbplugin.results.memory import MemoryResult
from mbplugin.run.opening import opening_messages
from mbplugin.run.recorder import Frames
from mbplugin.run.sink import Message, Sink

if TYPE_CHECKING:
    from mbplugin.run.recording import Recording


class MemorySink(Sink):
    """Frames in a `MemoryResult`. Making the texts of messages would take a fifth of a short run, so they are
    made when somebody first reads them.

    plugins: name and version of each plugin of the run, as the result stores them
    """

    #: None before the run begins, and after `take`
    result: MemoryResult | None = None

    def __init__(self, plugins: list[dict[str, str]]) -> None:
        self.plugins = plugins

    def begin(self) -> None:
        run, recorder = self.run, self.run.prepared.recorder
        output = run.system.output
        key = "frames" if output.every is None else "every"
        needed = 8.0 * recorder.rows.width * run.expected_frames
        mend = "ask for fewer frames, or run into a folder"
        refuse_beyond_memory(f"output.{key}", getattr(output, key), needed, mend)
        attributes = lambda: {"scene": run.text, "plugins": self.plugins, "identity": run.identity}
        names = {key: functools.partial(make, recorder) for key, make in recorder.name_makers.items()}
        self.result = MemoryResult(
            names, recorder.meshes, attributes, recorder.lists(), recorder.frame_arrays
        )
        self.written.messages_later(lambda: messages_at_start(run))

    @property
    def written(self) -> MemoryResult:
        assert self.result is not None
        return self.result

    def take(self) -> MemoryResult:
        """Hand over the result. From now on it keeps the run, which it needs to make its messages; the run no
        longer keeps it.
        """
        result, self.result = self.written, None
        return result

    def message(self, time: float | None, level: str, text: str) -> None:
        self.written.messages_later(lambda: [(time, level, text)])

    def write(self, frames: Frames, messages: Iterator[tuple[int, Message]]) -> None:
        self.written.append_frames(frames, 0, frames.count, frames.lists())
        self.written.messages_later(lambda: [message for _, message in messages])

    def close(self, complete: bool) -> None:
        self.written.complete = complete

    def rescue(self, error: Exception) -> None:
        self.message(self.run.integrator.time, "error", str(error))


def messages_at_start(run: Recording) -> list[Message]:
    """Messages about the start of a run, made later: from a copy of its problem at the initial state."""
    start = run.prepared.with_problem(run.prepared.problem.copy())
    return [(0.0, level, text) for level, text in opening_messages(start, run.observers)]
