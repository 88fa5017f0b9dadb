"""Watchers: plain Python that sees the frames of a run as they come, and may end it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar


class Watcher:
    """Base of watchers. Every run asks every watcher whether it wants to watch."""

    name: ClassVar[str]

    @classmethod
    def start(cls, system: Any, folder: Path | None) -> Callable[[Any], str | None] | None:
        """A function that is called with each frame, a `FrameView`, once it is written; None: this run is not
        watched. What the function returns ends the run, a sentence that says why; None goes on.

        system: the `mbplugin.System`; folder: of the result, None in memory
        """
        raise NotImplementedError
