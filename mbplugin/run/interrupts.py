"""Ctrl-C and SIGTERM during a run: the loop stops at the end of a step, and the frames so far are kept."""

from __future__ import annotations

import functools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mbplugin.errors import Interrupted as Interrupted
from mbplugin.errors import printable

#: an evaluation that takes longer than this after Ctrl-C is taken for one that never ends [s]
PATIENCE = 5.0
#: lists that signals put their number into, of what is under way in the main thread, outermost first
outer_flags: list[list[int]] = []
#: what is under way: a count that grows with the work done, and a description
UnderWay = Callable[[], tuple[int, str]]


@contextmanager
def interrupts(under_way: UnderWay | None = None) -> Iterator[list[int]]:
    """SIGINT and SIGTERM put their number into a list, so that the run stops at the end of a step; a second
    one stops at once. Other handlers are suspended meanwhile.

    A compiled function that never ends would never see it. Therefore a thread hears the signal as well, and
    ends the process if `under_way` counts no work for `PATIENCE`.

    A run within a sweep gets the list of the sweep, so that a signal at its end is not lost.
    """
    if outer_flags and threading.current_thread() is threading.main_thread():
        with listening(under_way):
            yield outer_flags[-1]
        return
    flag = [0]

    def note(number: int, frame: Any) -> None:
        if flag[0]:
            text = "interrupted again; continue with --resume from the last checkpoint"
            raise Interrupted(text, number)
        flag[0] = number

    try:
        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread: left to the caller
        yield flag
        return
    wakes = signal.set_wakeup_fd(listener_of(os.getpid()).write_end, warn_on_full_buffer=False)
    outer_flags.append(flag)
    try:
        with listening(under_way):
            yield flag
    finally:
        outer_flags.pop()
        signal.set_wakeup_fd(wakes)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def listening(under_way: UnderWay | None) -> Iterator[None]:
    """Meanwhile the thread looks after this work."""
    listener, over = listener_of(os.getpid()), threading.Event()
    outer, listener.run = listener.run, ((under_way, over) if under_way is not None else None)
    try:
        yield
    finally:
        over.set()
        listener.run = outer


def left_to_parent() -> None:
    """In a worker process: Ctrl-C is left to the parent, which ends its workers. SIGTERM ends this one."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    outer_flags[:] = [[0]]


class Listener:
    """A pipe into which signals write their number, and a thread that reads it. run: what is under way now,
    and the event that ends it.
    """

    def __init__(self) -> None:
        self.run: tuple[UnderWay, threading.Event] | None = None
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.write_end, False)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Wait for signals for ever. Look after the run that is under way then, if there is one."""
        while heard := os.read(self.read_end, 1):
            if (run := self.run) is not None:
                end_if_stuck(heard[0], *run)


@functools.cache
def listener_of(process: int) -> Listener:
    """That of this process: one for all its runs, since a thread costs as much as a hundred steps."""
    return Listener()


def end_if_stuck(number: int, under_way: UnderWay, over: threading.Event) -> None:
    """After the signal with this number, end the process if the run does no work for `PATIENCE`."""
    while not over.is_set():
        count, _ = under_way()
        if over.wait(PATIENCE):
            break
        after, what = under_way()
        if after == count:
            text = (
                f"error: interrupted in {what}, which does not end; frames up to the last checkpoint are kept"
            )
            os.write(2, printable(text).encode(errors="replace") + b"\n")
            os._exit(128 + number)
