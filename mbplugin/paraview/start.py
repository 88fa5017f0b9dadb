"""Starts ParaView with a script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mbplugin.errors import MissingLibraryError
from mbplugin.viz.gl import NoGraphicsError

PROGRAM = "paraview"
#: variables of which one names a display
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def start(script: str) -> int:
    """Start ParaView with the text of a script and wait for its end; returns its exit code.

    Raises MissingLibraryError without ParaView, NoGraphicsError without a display.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        raise MissingLibraryError(
            "ParaView is not on the PATH; install it (Debian, Ubuntu: apt install paraview; conda install "
            "-c conda-forge paraview; www.paraview.org/download), or write the script with --script FILE"
        )
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in DISPLAYS):
        raise NoGraphicsError(
            "ParaView needs a display (DISPLAY is not set); for a picture without one: mbplugin paraview "
            "RESULT --script FILE, then xvfb-run pvpython FILE picture.png"
        )
    print("starting ParaView; when it starts for the first time, close its welcome window to see the result")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "first_picture.py"
        file.write_text(script, encoding="utf-8")
        return subprocess.run([program, f"--script={file}"]).returncode
