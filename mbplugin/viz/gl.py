"""Checks for a GL library that VTK can draw with, in a child process, because VTK crashes without one."""

from __future__ import annotations

import functools
import subprocess
import sys

from mbplugin.errors import MbpluginError

PROBE = (
    "import vtkmodules.vtkRenderingOpenGL2; from vtkmodules.vtkRenderingCore import vtkRenderWindow; "
    "w = vtkRenderWindow(); w.OffScreenRenderingOn(); w.Render()"
)


class NoGraphicsError(MbpluginError):
    """VTK finds no GL library on this machine."""

    exit_code = 4


@functools.cache
def can_draw() -> bool:
    """Whether an off-screen window can be drawn."""
    try:
        return subprocess.run([sys.executable, "-c", PROBE], capture_output=True, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def require() -> None:
    """Raise NoGraphicsError, with the package to install, if VTK cannot draw."""
    if not can_draw():
        raise NoGraphicsError(
            "VTK finds no GL library, which pictures need; install one (Debian, Ubuntu: apt install libegl1, "
            "or libosmesa6). Runs and plots do not need it"
        )
