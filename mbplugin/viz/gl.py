"""Checks for a GL library that VTK can draw with, in a child process, because VTK crashes without one."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

from mbplugin.errors import MbpluginError

PROBE = (
    "import vtkmodules.vtkRenderingOpenGL2; from vtkmodules.vtkRenderingCore import vtkRenderWindow; "
    "w = vtkRenderWindow(); w.OffScreenRenderingOn(); w.Render()"
)


#: windows of VTK that nobody can see
UNSEEN = ("vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow")


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


def require_display() -> None:
    """Raise NoGraphicsError if VTK can draw, but not into a window on a screen."""
    require()
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (registers the window of this machine)
    from vtkmodules.vtkCommonCore import vtkLogger
    from vtkmodules.vtkRenderingCore import vtkRenderWindow

    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)
    if vtkRenderWindow().GetClassName() in UNSEEN:
        display = os.environ.get("DISPLAY", "")
        place = (
            f'the display "{display}" cannot be opened'
            if display
            else "there is no display (DISPLAY is not set)"
        )
        raise NoGraphicsError(
            f"--window: {place}; log in with a display, start a virtual one (xvfb-run), or write a picture "
            "or a movie: -o picture.png, -o movie.mp4"
        )
