"""Points and forces of contacts, in the colour of their status."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.viz.arrows import arrow_mesh
from mbplugin.viz.layers import mesh_actor
from mbplugin.viz.places import Snapshot
from mbplugin.viz.texts import scaled, write

Array = np.ndarray[Any, Any]
#: name and colour of each status; contacts of solvers that give none have the last colour
STATUSES = (("open", "#B0BEC5"), ("sticks", "#00E676"), ("slips", "#FF1744"), ("new", "#E040FB"))
PLAIN, BEHIND = "#C2185B", "#263238"


class ContactArrows:
    """A point and an arrow at each contact of a stage: the force on b, which is never the ground."""

    def __init__(self, stage: Any, pv: Any) -> None:
        self.stage, self.pv, self.raw, self.scale = stage, pv, stage.raw, stage.scale
        self.offsets = self.raw.offsets("contacts")
        self.has_status = "status" in self.raw.lists["contacts"]
        self.meshes = []
        colours = [colour for _, colour in STATUSES] if self.has_status else [PLAIN]
        for colour in colours:
            points, arrows = pv.PolyData(), pv.PolyData()
            stage.overlay.AddActor(
                mesh_actor(points, colour, point_size=scaled(stage.plotter, 7), render_points_as_spheres=True)
            )
            stage.overlay.AddActor(mesh_actor(arrows, colour))
            self.meshes.append((points, arrows))
        if self.has_status:
            self.add_legend()

    def add_legend(self) -> None:
        """The names of the statuses in their colours, in the lower left corner."""
        plotter = self.stage.plotter
        for k, (name, colour) in enumerate(STATUSES):
            place = (0.02 + k * scaled(plotter, 109) / plotter.window_size[0], 0.02)
            text = write(plotter, f"contact {name}", f" {name} ", place, 13, colour)
            text.prop.background_color, text.prop.background_opacity = BEHIND, 1.0

    def entries(self, index: int) -> dict[str, Array]:
        """What is drawn of the contacts of a frame."""
        first, last = int(self.offsets[index]), int(self.offsets[index + 1])
        names = ["point", "force", *(["status"] if self.has_status else [])]
        return {name: self.raw.entries("contacts", name, first, last) for name in names}

    def forces(self, snapshot: Snapshot) -> Array:
        """(n, 3) forces that are drawn [N]."""
        return np.asarray(self.entries(snapshot.index)["force"], float)

    def show(self, snapshot: Snapshot) -> None:
        """Move points and arrows to a frame."""
        contacts, drawn = self.entries(snapshot.index), self.scale.arrows(self.forces(snapshot))
        places = snapshot.local(contacts["point"])
        status = contacts.get("status", np.zeros(len(drawn), int))
        for k, (points, arrows) in enumerate(self.meshes):
            at = places[status == k]
            points.copy_from(self.pv.PolyData(at) if len(at) else self.pv.PolyData())
            arrows.copy_from(arrow_mesh(self.pv, at, drawn[status == k]))
