"""Receivers of the frames and messages of a run."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from mbplugin.run.recorder import Frames

if TYPE_CHECKING:
    from mbplugin.run.last_steps import LastSteps
    from mbplugin.run.recording import Recording

#: (time [s], or None outside the time loop; level; text)
Message = tuple[float | None, str, str]


class Sink:
    """Base of sinks; each serves one run."""

    #: folder of the result; None without files
    folder: Path | None = None
    #: whether it keeps the last steps before an error
    keeps_last_steps: bool = False
    #: kind of the ParaView series; None without one
    series_kind: str | None = None

    def attach(self, run: Recording) -> None:
        """Serve this run, which holds the sink and has not begun."""
        self._run = weakref.ref(run)

    @property
    def run(self) -> Recording:
        run = self._run()
        assert run is not None
        return run

    def held(self) -> AbstractContextManager[None]:
        """What is held against other runs while this one goes on. Raises StoreError."""
        return nullcontext()

    def begin(self) -> None:
        """Begin the result, with the messages before the first step, or continue one. Raises SceneError,
        StoreError.
        """
        raise NotImplementedError

    def message(self, time: float | None, level: str, text: str) -> None:
        """Add a message."""
        raise NotImplementedError

    def write(self, frames: Frames, messages: Iterator[tuple[int, Message]]) -> None:
        """Add frames. messages: with the number of the frame before which each belongs, in order; they are
        found as the iterator goes on.
        """
        raise NotImplementedError

    def checkpoint(self) -> None:
        """Keep what the run can be continued from."""

    def close(self, complete: bool) -> None:
        """The run has come to its end, or was interrupted."""

    def rescue(self, error: Exception) -> None:
        """Keep the frames so far; the run ends with this error."""

    def keep_last_steps(self, last: LastSteps) -> Path:
        """Keep the last steps before an error; returns where. Raises StoreError."""
        raise NotImplementedError

    def kept(self) -> str:
        """Clause on the frames that an interrupted run leaves."""
        return "its frames were not stored"
