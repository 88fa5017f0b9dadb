"""The bar of a sweep on standard error: points done, failed, and the time that remains."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: called with points done, points failed among them, and all points
Progress = Callable[[int, int, int], None]


@contextmanager
def bar(wanted: bool) -> Iterator[Progress | None]:
    """A bar, if it is wanted and standard error is a terminal or a notebook."""
    if not wanted or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield None  # without rich, which takes 0.02 s to import
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.completed} of {task.total} points{task.fields[failed]}")
    with Progress(text, BarColumn(), TimeRemainingColumn(), console=console) as display:
        task = display.add_task("sweep", total=None, failed="")

        def show(done: int, failed: int, total: int) -> None:
            ending = f", {failed} failed" if failed else ""
            display.update(task, completed=done, total=total, failed=ending)

        yield show
