"""Is there a GL library that VTK can draw with? Asked in a child process, because VTK without one kills the
process that asks.
"""

from __future__ import annotations

import functools
import subprocess
import sys

from mbplugin.errors import MbpluginError

PROBE = "import vtkmodules.vtkRenderingOpenGL2; from vtkmodules.vtkRenderingCore import vtkRenderWindow; w = vtkRenderWindow(); w.OffScreenRenderingOn(); w.Render()"


class NoGraphicsError(MbpluginError):
    """Nothing can be drawn on this machine as it is."""

    exit_code = 4


@functools.cache
def can_draw() -> bool:
    """Whether an off-screen window can be drawn."""
    try:
        return subprocess.run([sys.executable, "-c", PROBE], capture_output=True, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def require() -> None:
    """Raises NoGraphicsError with what to install."""
    if not can_draw():
        raise NoGraphicsError(
            "pictures need a GL library, and VTK finds none here; install one (Debian, Ubuntu: apt install libegl1; or libosmesa6). Running and plotting need none"
        )
