"""Ctrl-C during a run: the loop stops at the end of a step, and the frames so far are kept."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mbplugin.errors import MbpluginError


class Interrupted(MbpluginError):
    """Interrupted by Ctrl-C; the frames so far are kept."""

    exit_code = 130


@contextmanager
def interrupts() -> Iterator[list[bool]]:
    """SIGINT and SIGTERM set a flag, so that the run stops at the end of a step; a second one stops at
    once. Other handlers are suspended meanwhile.
    """
    flag = [False]

    def note(number: int, frame: Any) -> None:
        if flag[0]:
            raise KeyboardInterrupt
        flag[0] = True

    try:
        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread: left to the caller
        yield flag
        return
    wakes = signal.set_wakeup_fd(-1)
    try:
        yield flag
    finally:
        signal.set_wakeup_fd(wakes)
        for number, handler in before.items():
            signal.signal(number, handler)
