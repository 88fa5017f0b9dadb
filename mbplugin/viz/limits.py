"""Limits of joints over the bodies: arcs and lines between end stops; a stop that is touched is red."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.export.limits import Limits
from mbplugin.viz.meshes import points_mesh, polylines
from mbplugin.viz.places import Snapshot

LIMIT, TOUCHED = "#6A1B9A", "#D50000"
#: size of the drawings, of the scene's
SIZE = 0.09


class LimitMarks:
    """The limits of a stage."""

    def __init__(self, stage: Any, limits: Limits) -> None:
        self.limits, self.mark = limits, SIZE * stage.size
        self.free, self.touched = points_mesh(), points_mesh()
        for mesh, colour, width in ((self.free, LIMIT, 3), (self.touched, TOUCHED, 6)):
            stage.show_over_bodies(mesh, colour, line=width)

    def show(self, snapshot: Snapshot) -> None:
        """Draw them in a frame."""
        lines = [snapshot.local(line) for line in self.limits.at(snapshot.frame, self.mark)]
        reached = self.limits.reached(snapshot.frame)
        for mesh, chosen in ((self.free, ~reached), (self.touched, reached)):
            mesh.copy_from(polylines([lines[k] for k in np.flatnonzero(chosen)]))
