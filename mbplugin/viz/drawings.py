"""Points, lines and arrows of the drawings of a scene."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mbplugin.viz.meshes import points_mesh, polylines
from mbplugin.viz.places import Snapshot

if TYPE_CHECKING:
    from mbplugin.export.drawings import Drawings
    from mbplugin.interface import Glyphs

#: name of the array of colours in the meshes that are shown
COLOUR = "drawn colour"


class DrawnGlyphs:
    """The drawings of a stage; `show` asks them for a frame."""

    def __init__(self, stage: Any, drawings: Drawings) -> None:
        self.raw, self.drawings = stage.raw, drawings
        self.arrow = stage.pv.Arrow(tip_length=0.25, tip_radius=0.08, shaft_radius=0.028)
        self.meshes = [points_mesh() for _ in drawings.names]
        for mesh in self.meshes:
            actor = stage.show_over_bodies(mesh, "white", line=4, dot=10)
            actor.mapper.scalar_visibility = True
            actor.mapper.SetScalarModeToUsePointFieldData()
            actor.mapper.SelectColorArray(COLOUR)
            actor.mapper.SetColorModeToDirectScalars()

    def show(self, snapshot: Snapshot) -> None:
        """Draw a frame. Raises PluginError."""
        arrays = self.raw.frame(snapshot.index)
        for k, mesh in enumerate(self.meshes):
            glyphs = self.drawings.at(k, arrays)
            mesh.copy_from(self.mesh_of(replace(glyphs, points=snapshot.local(glyphs.points))))

    def mesh_of(self, glyphs: Glyphs) -> Any:
        """Arrows and lines in one mesh, or else dots."""
        colours = np.round(255.0 * np.asarray(glyphs.color)).astype(np.uint8)
        dots = points_mesh(glyphs.points)
        if not len(glyphs.points):
            return dots
        dots[COLOUR] = colours
        parts = []
        if glyphs.arrows and np.any(glyphs.arrays[glyphs.arrows]):
            dots["vector"] = glyphs.scale * glyphs.arrays[glyphs.arrows]
            parts.append(dots.glyph(orient="vector", scale="vector", factor=1.0, geom=self.arrow))
        if len(glyphs.lines):
            lines = polylines(glyphs.points[glyphs.lines])
            lines[COLOUR] = colours[glyphs.lines].reshape(-1, 3)
            parts.append(lines)
        if not parts:
            return points_mesh() if glyphs.arrows else dots
        return parts[0] if len(parts) == 1 else parts[0].append_polydata(*parts[1:])
