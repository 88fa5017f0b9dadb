"""Ctrl-C while nothing is written yet.

Python's own handler waits until the call that is under way has returned, and raises there: LLVM takes up to
ten seconds for one function, and what is raised in its callbacks is printed and ignored. So a thread waits
for the signal, and the process leaves.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130


@contextmanager
def leaves_at_once() -> Iterator[None]:
    """The process ends on the first Ctrl-C, except where the time loop listens itself."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    handler = signal.signal(signal.SIGINT, lambda number, frame: None)
    wakes = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    threading.Thread(target=leave, args=(told,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakes)
        signal.signal(signal.SIGINT, handler)
        os.close(tell)


def leave(told: int) -> None:
    if os.read(told, 1):
        os.write(2, b"error: interrupted; nothing was written\n")
        os._exit(INTERRUPTED)
    os.close(told)
