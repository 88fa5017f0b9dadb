"""Exit at once on Ctrl-C or SIGTERM before anything is written.

Python's handler runs only after the current call returns. LLVM takes up to ten seconds for one function, and
exceptions raised in its callbacks are ignored. Therefore a thread waits for the signal and ends the process.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """End the process on the first of `SIGNALS`, unless the time loop has installed its own handler. The exit
    code is 128 and the number of the signal.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    handlers = {number: signal.signal(number, lambda number, frame: None) for number in SIGNALS}
    wakeup_fd = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    threading.Thread(target=wait_and_exit, args=(read_end,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup_fd)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(write_end)


def wait_and_exit(read_end: int) -> None:
    """Wait for the number of a signal in the pipe, then end the process; return when the pipe is closed."""
    while number := os.read(read_end, 1):
        if number[0] in SIGNALS:
            os.write(2, f"error: {SIGNALS[signal.Signals(number[0])]}; nothing was written\n".encode())
            os._exit(128 + number[0])
    os.close(read_end)
