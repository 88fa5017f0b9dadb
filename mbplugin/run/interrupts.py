"""Ctrl-C and SIGTERM during a run: the loop stops at the end of a step, and the frames so far are kept."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mbplugin.errors import MbpluginError


class Interrupted(MbpluginError):
    """Interrupted by Ctrl-C or SIGTERM; the frames so far are kept."""

    exit_code = 130

    def __init__(self, message: str, number: int = signal.SIGINT) -> None:
        super().__init__(message)
        self.exit_code = 128 + number


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """SIGINT and SIGTERM put their number into a list, so that the run stops at the end of a step; a second
    one stops at once. Other handlers are suspended meanwhile.
    """
    flag = [0]

    def note(number: int, frame: Any) -> None:
        if flag[0]:
            raise KeyboardInterrupt
        flag[0] = number

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
