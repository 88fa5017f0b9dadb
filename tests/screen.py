"""A virtual screen for tests that draw into a window, or start programs that do."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: the X server that is started; None: it is not installed
SERVER = shutil.which("Xvfb")


@contextmanager
def virtual_screen() -> Iterator[dict[str, Any]]:
    """The environment of a process that uses a screen of its own.

    The server itself looks for a free number and tells it once it accepts connections. With numbers chosen
    here, a server could begin with the number of one that was just ending, and that one's end took away its
    socket: "bad X server connection".
    """
    assert SERVER is not None
    read, write = os.pipe()
    line = [SERVER, "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(line, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError(f"{SERVER} does not start: it ends with {server.wait()}")
        yield {**os.environ, "DISPLAY": f":{number}"}
    finally:
        server.terminate()
        server.wait()


@contextmanager
def no_settings(environment: dict[str, Any], home: Path) -> Iterator[dict[str, Any]]:
    """The environment with an empty folder as the home of the user, in which nothing is written: settings of
    programs would change what the user sees.
    """
    home.mkdir()
    yield {**environment, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    assert [file for file in home.rglob("*") if file.is_file()] == []
