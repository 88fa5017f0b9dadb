"""Points and forces of contacts, in the colour of their status."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
#: name and colour of each status; contacts of solvers that give none have the last colour
STATUSES = (("open", "#B0BEC5"), ("sticks", "#00E676"), ("slips", "#FF1744"), ("new", "#E040FB"))
PLAIN, BEHIND = "#C2185B", "#263238"


class ContactArrows:
    """A point and an arrow at each contact of a stage: the force on b, and on a where b is the ground."""

    def __init__(self, stage: Any, pv: Any) -> None:
        self.stage, self.pv, self.raw = stage, pv, stage.raw
        self.offsets = self.raw.offsets("contacts")
        self.has_status = "status" in self.raw.lists["contacts"]
        self.arrow = pv.Arrow(tip_length=0.25, tip_radius=0.08, shaft_radius=0.028)
        self.meshes = []
        colours = [colour for _, colour in STATUSES] if self.has_status else [PLAIN]
        for colour in colours:
            points, arrows = pv.PolyData(), pv.PolyData()
            stage.overlay.AddActor(
                stage.flat(pv, points, colour, point_size=7, render_points_as_spheres=True)
            )
            stage.overlay.AddActor(stage.flat(pv, arrows, colour))
            self.meshes.append((points, arrows))
        if self.has_status:
            self.add_legend()

    def add_legend(self) -> None:
        """The names of the statuses in their colours, in the lower left corner."""
        for k, (name, colour) in enumerate(STATUSES):
            text = self.stage.plotter.add_text(
                f" {name} ",
                position=(0.02 + 0.085 * k, 0.02),
                viewport=True,
                font_size=13,
                color=colour,
                name=f"contact {name}",
                render=False,
            )
            text.prop.background_color, text.prop.background_opacity = BEHIND, 1.0

    def entries(self, index: int) -> dict[str, Array]:
        """What is drawn of the contacts of a frame."""
        first, last = int(self.offsets[index]), int(self.offsets[index + 1])
        names = ["point", "force", "body_b", *(["status"] if self.has_status else [])]
        return {name: self.raw.entries("contacts", name, first, last) for name in names}

    def show(self, frame: Any) -> None:
        """Move points and arrows to a frame."""
        contacts = self.entries(frame["index"])
        sign = np.where(contacts["body_b"] < 0, -1.0, 1.0)
        force = self.stage.drawn_force(sign[:, None] * contacts["force"])
        status = contacts.get("status", np.zeros(len(force), int))
        for k, (points, arrows) in enumerate(self.meshes):
            at = np.asarray(contacts["point"][status == k], float)
            points.copy_from(self.pv.PolyData(at) if len(at) else self.pv.PolyData())
            cloud = self.pv.PolyData(at)
            if len(at) and force[status == k].any():
                cloud["force"] = force[status == k]
                glyphs = cloud.glyph(orient="force", scale="force", factor=1.0, geom=self.arrow)
            else:
                glyphs = self.pv.PolyData()
            arrows.copy_from(glyphs)
