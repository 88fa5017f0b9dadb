"""Forces as arrows of one scale, and the legend that tells it."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.results import RawResult
from mbplugin.viz.camera import view_height
from mbplugin.viz.layers import mesh_actor
from mbplugin.viz.numbers import round_number, with_unit
from mbplugin.viz.places import Snapshot
from mbplugin.viz.texts import write
from mbplugin.viz.usual_force import usual_force

Array = np.ndarray[Any, Any]
FORCE, INK = "#C2185B", "#1A1A1A"
#: lengths of an arrow of the usual force and of the longest one, in sizes of the scene
USUAL, LONGEST = 1.0 / 6.0, 0.5
#: longest reference arrow, and where the legend begins, in heights of the picture
REFERENCE, LEFT, BOTTOM = 0.2, 0.04, 0.09


class ForceScale:
    """Length of an arrow over its force, the same in all frames of a result."""

    def __init__(self, raw: RawResult, size: float) -> None:
        """size: of the scene [m]."""
        usual = usual_force(raw)
        self.longest = LONGEST * size  # [m]
        self.factor = USUAL * size / usual if usual > 0.0 else 0.0  # [m/N]

    def arrows(self, force: Any) -> Array:
        """(n, 3) arrows of forces (n, 3) [m]; longer ones than half the scene are shortened."""
        arrows = np.asarray(force, float).reshape(-1, 3) * self.factor
        length = np.maximum(np.linalg.norm(arrows, axis=1), 1e-300)
        return np.asarray(arrows * np.minimum(1.0, self.longest / length)[:, None])


class JointForces:
    """The reaction forces on bodies b."""

    def __init__(self, stage: Any, pv: Any) -> None:
        self.pv, self.scale = pv, stage.scale
        self.mesh = pv.PolyData()
        stage.overlay.AddActor(mesh_actor(self.mesh, FORCE))

    def forces(self, snapshot: Snapshot) -> Array:
        """(n, 3) forces that are drawn [N]."""
        return np.asarray(snapshot.frame["joints/force"], float)

    def show(self, snapshot: Snapshot) -> None:
        """Move the arrows to a frame."""
        starts = snapshot.local(snapshot.frame["joints/position"])
        self.mesh.copy_from(arrow_mesh(self.pv, starts, self.scale.arrows(self.forces(snapshot))))


class ForceLegend:
    """A reference arrow of a round force, as long as one at the focus of the camera, and the largest force
    shown. Both follow the camera.
    """

    def __init__(self, stage: Any, pv: Any, shown: list[Any]) -> None:
        """shown: what draws forces."""
        from vtkmodules.vtkRenderingCore import vtkActor2D, vtkCoordinate, vtkPolyDataMapper2D

        self.shown, self.scale, self.plotter, self.pv = shown, stage.scale, stage.plotter, pv
        mapper, actor, place = vtkPolyDataMapper2D(), vtkActor2D(), vtkCoordinate()
        place.SetCoordinateSystemToDisplay()
        mapper.SetTransformCoordinate(place)
        self.arrow = pv.PolyData()
        mapper.SetInputData(self.arrow)
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*pv.Color(FORCE).float_rgb)
        stage.plotter.add_actor(actor, render=False)
        self.largest = 0.0
        stage.plotter.renderer.AddObserver("StartEvent", lambda *_: self.draw())

    def show(self, snapshot: Snapshot) -> None:
        """Tell the largest force of a frame."""
        sizes = [np.linalg.norm(part.forces(snapshot), axis=1).max(initial=0.0) for part in self.shown]
        self.largest = float(max(sizes, default=0.0))
        self.draw()

    def draw(self) -> None:
        """Draw arrow and text for the present camera."""
        width, height = self.plotter.window_size
        #: of one newton at the focus
        pixels = self.scale.factor * height / view_height(self.plotter.camera)
        self.reference = round_number(REFERENCE * height / pixels)  # [N]
        length, x, y = self.reference * pixels, LEFT * height, BOTTOM * height
        self.arrow.copy_from(flat_arrow(self.pv, x, y, length, 0.014 * height))
        short = " (shortened)" if self.largest * self.scale.factor > self.scale.longest * (1 + 1e-9) else ""
        #: what the legend says
        self.text = f"{with_unit(self.reference, 'N')}    longest arrow {with_unit(self.largest, 'N')}{short}"
        right = (x + length + 0.012 * height) / width, y / height
        write(self.plotter, "forces", self.text, right, 11, INK, ("left", "center"))


def flat_arrow(pv: Any, x: float, y: float, length: float, tip: float) -> Any:
    """A mesh of an arrow to the right from x, y [pixels]."""
    tip = min(tip, 0.5 * length)
    thin = 0.18 * tip
    outline = [(0, thin), (length - tip, thin), (length - tip, 0.45 * tip), (length, 0)]
    upper = np.array([(x + a, y + b, 0.0) for a, b in outline])
    lower = (upper * [1, -1, 1] + [0, 2 * y, 0])[-2::-1]
    corners = np.concatenate([upper, lower])
    return pv.PolyData(corners, faces=[len(corners), *range(len(corners))]).triangulate()


def arrow_mesh(pv: Any, starts: Array, arrows: Array) -> Any:
    """A mesh of arrows (n, 3) from their starts (n, 3)."""
    there = arrows.any(axis=1)
    if not there.any():
        return pv.PolyData()
    cloud = pv.PolyData(starts[there])
    cloud["arrow"] = arrows[there]
    template = pv.Arrow(tip_length=0.25, tip_radius=0.08, shaft_radius=0.028)
    return cloud.glyph(orient="arrow", scale="arrow", factor=1.0, geom=template)
