"""A process that draws the picture of a sweep. It begins with the command, so that matplotlib is imported on
another core while this one imports the engine; that takes 0.3 s.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any


class Painter:
    """The drawing process, which ends with this one, however it ends."""

    def __init__(self) -> None:
        context: Any = multiprocessing.get_context("fork")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=paint, args=(end, self.pipe), daemon=True)
        self.process.start()
        end.close()

    def draw(self, drawing: Mapping[str, Any]) -> bool:
        """Draw with these arguments of `plot_points`; False if that has failed, for whatever reason."""
        try:
            self.pipe.send(drawing)
            told = self.pipe.recv()
        except (OSError, EOFError):  # it has died
            return False
        for text in told or ():
            warnings.warn(text, stacklevel=2)
        return told is not None

    def close(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join()


@contextmanager
def painter() -> Iterator[Painter | None]:
    """A drawing process, where processes fork and there is a core for it."""
    made = None
    if sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1:
        with suppress(OSError):  # no more processes
            made = Painter()
    try:
        yield made
    finally:
        if made is not None:
            made.close()


def paint(pipe: Any, other_end: Any) -> None:
    """What the process does: draw once, and answer with the warnings, or None for a failure."""
    other_end.close()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # no matrices are multiplied here, and numpy is imported in half the processor time without threads for it
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with suppress(OSError, EOFError):  # the command has ended
        pipe.send(drawn(pipe))


def drawn(pipe: Any) -> list[str] | None:
    """Warnings of the drawing that comes through a pipe; None if it fails. Raises EOFError."""
    try:
        import matplotlib.backends.backend_agg
        import matplotlib.figure  # noqa: F401 - drawing needs them

        from mbplugin.viz.points_plot import plot_points
    except Exception:
        return None
    drawing = pipe.recv()
    try:
        with warnings.catch_warnings(record=True) as said:
            plot_points(**drawing)
    except Exception:  # the command draws itself, and tells it
        return None
    return [str(one.message) for one in said]
