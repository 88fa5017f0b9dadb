"""Points, lines and arrows of the drawings of a scene."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mbplugin.viz.layers import mesh_actor
from mbplugin.viz.places import Snapshot
from mbplugin.viz.texts import scaled

if TYPE_CHECKING:
    from mbplugin.export.drawings import Drawings
    from mbplugin.interface import Glyphs

#: name of the array of colours in the meshes that are shown
COLOUR = "drawn colour"


class DrawnGlyphs:
    """The drawings of a stage; `show` asks them for a frame."""

    def __init__(self, stage: Any, pv: Any, drawings: Drawings) -> None:
        self.raw, self.pv, self.drawings = stage.raw, pv, drawings
        self.arrow = pv.Arrow(tip_length=0.25, tip_radius=0.08, shaft_radius=0.028)
        self.meshes = [pv.PolyData() for _ in drawings.names]
        for mesh in self.meshes:
            actor = mesh_actor(
                mesh,
                "white",
                line_width=scaled(stage.plotter, 4),
                point_size=scaled(stage.plotter, 10),
                render_points_as_spheres=True,
            )
            actor.mapper.scalar_visibility = True
            actor.mapper.SetScalarModeToUsePointFieldData()
            actor.mapper.SelectColorArray(COLOUR)
            actor.mapper.SetColorModeToDirectScalars()
            stage.overlay.AddActor(actor)

    def show(self, snapshot: Snapshot) -> None:
        """Draw a frame. Raises PluginError."""
        arrays = self.raw.frame(snapshot.index)
        for k, mesh in enumerate(self.meshes):
            glyphs = self.drawings.at(k, arrays)
            mesh.copy_from(self.mesh_of(replace(glyphs, points=snapshot.local(glyphs.points))))

    def mesh_of(self, glyphs: Glyphs) -> Any:
        """Arrows and lines in one mesh, or else dots."""
        if not len(glyphs.points):
            return self.pv.PolyData()
        dots = self.pv.PolyData(glyphs.points)
        dots[COLOUR] = np.round(255.0 * np.asarray(glyphs.color)).astype(np.uint8)
        parts = []
        if glyphs.arrows and np.any(glyphs.arrays[glyphs.arrows]):
            dots["vector"] = glyphs.scale * glyphs.arrays[glyphs.arrows]
            parts.append(dots.glyph(orient="vector", scale="vector", factor=1.0, geom=self.arrow))
        if len(glyphs.lines):
            lines = self.pv.PolyData(glyphs.points, lines=np.insert(glyphs.lines, 0, 2, axis=1).ravel())
            lines[COLOUR] = dots[COLOUR]
            parts.append(lines)
        if not parts:
            return self.pv.PolyData() if glyphs.arrows else dots
        return parts[0] if len(parts) == 1 else parts[0].append_polydata(*parts[1:])
