"""Exit at once on Ctrl-C before anything is written.

Python's handler runs only after the current call returns. LLVM takes up to ten seconds for one function, and
exceptions raised in its callbacks are ignored. Therefore a thread waits for the signal and ends the process.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130  # exit code


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """End the process on the first Ctrl-C, unless the time loop has installed its own handler."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    handler = signal.signal(signal.SIGINT, lambda number, frame: None)
    wakeup_fd = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    threading.Thread(target=wait_and_exit, args=(read_end,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup_fd)
        signal.signal(signal.SIGINT, handler)
        os.close(write_end)


def wait_and_exit(read_end: int) -> None:
    """Wait for a byte in the pipe, then end the process; return when the pipe is closed."""
    if os.read(read_end, 1):
        os.write(2, b"error: interrupted; nothing was written\n")
        os._exit(INTERRUPTED)
    os.close(read_end)
