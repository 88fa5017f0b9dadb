"""`paraview_state.py`: shows a series of points in ParaView, each with its mesh, size and orientation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import StoreError
from mbplugin.results.files import replace_file
from mbplugin.results.store import reason

NAME = "paraview_state.py"
HEAD = "# written by mbplugin for ParaView: "

STATE = (
    HEAD
    + """File > Load State, or paraview --script=paraview_state.py
import os

from paraview.simple import *

# ParaView does not tell a state file where it is
folder = FOLDER
here = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else folder
if os.path.exists(os.path.join(here, "result.pvd")):
    folder = here
if not os.path.exists(os.path.join(folder, "result.pvd")):
    raise FileNotFoundError(folder + ": no result.pvd; set `folder` in this file to where the result is")

bodies = OpenDataFile(os.path.join(folder, "result.pvd"))
meshes = OpenDataFile(os.path.join(folder, "shapes.vtm"))
RenameSource("bodies", bodies)
RenameSource("meshes", meshes)
view = GetActiveViewOrCreate("RenderView")
bodies.UpdatePipeline()
meshes.UpdatePipeline()

# one copy of mesh number `mesh` at each point
display = Show(bodies, view)
display.Representation = "3D Glyphs"
display.GlyphType = "Pipeline Connection"
display.GlyphType.Input = meshes
display.UseGlyphTable = display.UseCompositeGlyphTable = 1
display.GlyphTableIndexArray = "mesh"
display.Orient, display.OrientationMode, display.SelectOrientationVectors = 1, "Quaternion", "orientation"
display.Scaling, display.ScaleMode, display.SelectScaleArray = 1, "Vector Components", "scale"
display.ScaleFactor = 1.0
ColorBy(display, ("POINTS", "color"))
display.MapScalars = 0  # red, green, blue as they are; 1 for other arrays, such as `velocity` or `body`
display.Ambient, display.Diffuse, display.Specular = 0.4, 0.75, 0.0
HideScalarBarIfNotNeeded(GetColorTransferFunction("color"), view)
Hide(meshes, view)
SetActiveSource(bodies)

scene = GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
scene.GoToFirst()
view.UseColorPaletteForBackground, view.Background = 0, [1.0, 1.0, 1.0]
for name in ("velocity", "body"):  # whose scales would have white letters
    bar = GetScalarBar(GetColorTransferFunction(name), view)
    bar.TitleColor, bar.LabelColor, bar.Visibility = [0.1, 0.1, 0.1], [0.1, 0.1, 0.1], 0
view.CameraViewUp = UP
view.CameraFocalPoint = [0.0, 0.0, 0.0]
view.CameraPosition = LOOK
ResetCamera(view)
Render(view)
"""
)


def write_state(folder: Path, gravity: Sequence[float]) -> None:
    """Write the file into the folder of a series of points.

    gravity: (3,) [m/s²]; the picture's upward direction is against it. Raises StoreError.
    """
    up = upwards(np.array(gravity, float))
    front = np.array([0.0, -1.0, 0.0]) if abs(up[1]) < 0.7 else np.array([0.0, 0.0, 1.0])
    front -= (front @ up) * up
    look = front / np.linalg.norm(front) + 0.75 * np.cross(up, front) / np.linalg.norm(front) + 0.55 * up
    text = (
        STATE.replace("FOLDER", repr(str(folder.resolve())), 1)
        .replace("= UP", f"= {up.tolist()}")
        .replace("= LOOK", f"= {np.round(look, 3).tolist()}")
    )
    try:
        replace_file(folder / NAME, text.encode(), folder / f".{NAME}.part")
    except OSError as error:
        raise StoreError(f"{folder / NAME}: cannot be written: {reason(error)}") from None


def upwards(gravity: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """(3,) unit vector against gravity; z if there is no gravity."""
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0 else np.array([0.0, 0.0, 1.0])


def remove_state(folder: Path) -> None:
    """Remove the file of an earlier series of points; one that somebody else wrote stays."""
    path = folder / NAME
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8").startswith(HEAD):
            path.unlink()
