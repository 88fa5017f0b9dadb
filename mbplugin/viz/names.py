"""Names of joints and bodies next to their points, so that no two cover each other.

Joints at one point share a label. A label is moved up or down by as little as separates it from the others.
Names of joints are always shown; the name of a body is left out where there is no room near its mass centre,
and the picture tells how many are. Pictures of the last steps before an error have the names of those that
had a part in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.viz.culprits import culprits
from mbplugin.viz.places import Snapshot, mass_centres
from mbplugin.viz.texts import scaled

Array = np.ndarray[Any, Any]
JOINT, BODY = "#1A1A1A", "#0D47A1"
#: of a label: font size, place beside its point, margin between two [pixels]
SIZE, OFFSET, MARGIN = {JOINT: 20, BODY: 17}, (10, 8), 4
#: farthest that the name of a body is moved [pixels]
NEAR = 30.0


class Names:
    """The names of a stage."""

    def __init__(self, stage: Any) -> None:
        self.plotter, self.near, overlay = stage.plotter, 1e-3 * stage.size, stage.add_overlay(2)
        self.front = stage.front
        self.joints, self.bodies = stage.raw.names("joints"), stage.raw.names("bodies")
        marked = [*culprits(stage.raw, "joints"), *culprits(stage.raw, "bodies")]
        #: those that have a label
        self.shown = {*self.joints, *self.bodies} if stage.options.names else set(marked)
        self.of_joints = [self.label(overlay, JOINT) for _ in self.joints]
        self.of_bodies = [self.label(overlay, BODY) for _ in self.bodies]
        #: how many names of bodies the last frame has no room for
        self.left_out = 0

    def label(self, overlay: Any, colour: str) -> Any:
        """An actor without text."""
        from vtkmodules.vtkRenderingCore import vtkBillboardTextActor3D

        actor = vtkBillboardTextActor3D()
        text = actor.GetTextProperty()
        text.SetFontSize(round(scaled(self.plotter, SIZE[colour])))
        text.SetBold(True)
        text.SetColor(*(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)))
        text.SetBackgroundColor(1.0, 1.0, 1.0)
        text.SetBackgroundOpacity(0.7)
        overlay.AddActor(actor)
        return actor

    @property
    def actors(self) -> list[Any]:
        """All labels, those of joints first."""
        return [*self.of_joints, *self.of_bodies]

    def show(self, snapshot: Snapshot) -> None:
        """Move the names to a frame."""
        points = snapshot.local(snapshot.frame["joints/position"]) if self.joints else np.zeros((0, 3))
        together: dict[int, list[str]] = {}
        for name, point in zip(self.joints, points):
            if name not in self.shown:
                continue
            first = int(np.argmax(np.linalg.norm(points - point, axis=1) <= self.near))
            together.setdefault(first, []).append(name)
        for k, (actor, point) in enumerate(zip(self.of_joints, points)):
            actor.SetInput(", ".join(together.get(k, [])))
            actor.SetPosition(*point)
        for actor, name, point in zip(
            self.of_bodies, self.bodies, snapshot.local(mass_centres(snapshot.frame))
        ):
            actor.SetInput(name if name in self.shown else "")
            actor.SetPosition(*point)
        self.spread()
        text = f"{self.left_out} names of bodies left out: no room" if self.left_out else ""
        self.front.write("left out", text, (0.98, 0.975), 20, BODY, ("right", "top"))

    def spread(self) -> None:
        """Place the labels for the present camera."""
        placed: list[tuple[float, float, float, float]] = []  # left, right, bottom, top [pixels]
        self.left_out = 0
        for actors, reach in ((self.of_joints, np.inf), (self.of_bodies, NEAR)):
            for actor in actors:
                box = self.free_box(actor, placed, reach) if actor.GetInput() else None
                actor.SetVisibility(box is not None)
                if box is not None:
                    placed.append(box)
                self.left_out += box is None and bool(actor.GetInput())

    def free_box(
        self, actor: Any, placed: list[Any], reach: float
    ) -> tuple[float, float, float, float] | None:
        """Place a label beside its point, where it covers none that is placed; returns its box. None if it
        would be farther than `reach` [pixels].
        """
        (x, y), (width, height) = self.on_screen(actor.GetPosition()), self.extent(actor)
        right_end = self.plotter.window_size[0]
        left = x + OFFSET[0] if x + OFFSET[0] + width <= right_end else x - OFFSET[0] - width
        beside = [box for box in placed if box[0] < left + width and left < box[1]]
        steps = sorted({0.0, *(end - y for box in beside for end in (box[2] - height, box[3]))}, key=abs)
        offset = next(
            step
            for step in (OFFSET[1], *steps)
            if all(y + step + height <= box[2] or box[3] <= y + step for box in beside)
        )
        if abs(offset) > reach:
            return None
        actor.SetDisplayOffset(round(left - x), round(offset))
        return left, left + width, y + offset, y + offset + height

    def on_screen(self, point: Any) -> tuple[float, float]:
        """Pixels of a local point, from the lower left."""
        renderer = self.plotter.renderer
        renderer.SetWorldPoint(*point, 1.0)
        renderer.WorldToDisplay()
        x, y, _ = renderer.GetDisplayPoint()
        return x, y

    def extent(self, actor: Any) -> tuple[float, float]:
        """Width and height of a label with its margin [pixels]."""
        from vtkmodules.vtkRenderingCore import vtkTextRenderer

        box, text = [0, 0, 0, 0], actor.GetTextProperty()
        vtkTextRenderer.GetInstance().GetBoundingBox(
            text, actor.GetInput(), box, self.plotter.render_window.GetDPI()
        )
        return box[1] - box[0] + MARGIN, text.GetFontSize() + MARGIN
