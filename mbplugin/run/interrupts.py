"""Ctrl-C and SIGTERM during a run: the loop stops at the end of a step, and the frames so far are kept."""

from __future__ import annotations

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
#: what is under way: a count that grows with the work done, and a description
UnderWay = Callable[[], tuple[int, str]]


@contextmanager
def interrupts(under_way: UnderWay | None = None) -> Iterator[list[int]]:
    """SIGINT and SIGTERM put their number into a list, so that the run stops at the end of a step; a second
    one stops at once. Other handlers are suspended meanwhile.

    A compiled function that never ends would never see it. Therefore a thread waits for the signal as well,
    and ends the process if `under_way` counts no work for `PATIENCE`.
    """
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
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    wakes = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    over = threading.Event()
    if under_way is not None:
        threading.Thread(target=end_if_stuck, args=(read_end, over, under_way), daemon=True).start()
    try:
        yield flag
    finally:
        over.set()
        signal.set_wakeup_fd(wakes)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(write_end)
        if under_way is None:
            os.close(read_end)


def end_if_stuck(read_end: int, over: threading.Event, under_way: UnderWay) -> None:
    """Wait for a signal, then end the process if the run does no work for `PATIENCE`."""
    heard = os.read(read_end, 1)
    # a byte is the number of its signal
    code = 128 + heard[0] if heard else 0
    while heard and not over.is_set():
        count, _ = under_way()
        if over.wait(PATIENCE):
            break
        after, what = under_way()
        if after == count:
            text = (
                f"error: interrupted in {what}, which does not end; frames up to the last checkpoint are kept"
            )
            os.write(2, printable(text).encode(errors="replace") + b"\n")
            os._exit(code)
    os.close(read_end)
