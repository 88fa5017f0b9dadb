"""Paths of bodies and markers, from the start up to the present frame, with a dot where the point is.

What bodies hide of them shines through, lighter.
"""

from __future__ import annotations

from typing import Any

from mbplugin.viz.layers import mesh_actor
from mbplugin.viz.lines import polylines
from mbplugin.viz.places import Snapshot, path_of
from mbplugin.viz.texts import scaled

TRACE = "#37474F"
#: width of the line, size of the dot, opacity of what is hidden
WIDTH, DOT, HIDDEN = 3.5, 11, 0.4


class Trace:
    """The path of a body's mass centre or of a marker."""

    def __init__(self, stage: Any, pv: Any, name: str) -> None:
        """Raises SceneError if there is no such body or marker."""
        self.pv, self.path = pv, path_of(stage.raw, name)
        self.mesh, self.dot = pv.PolyData(), pv.PolyData()
        wide = scaled(stage.plotter, WIDTH)
        actor = mesh_actor(self.mesh, TRACE, line_width=wide)
        # without an outline, which would cover it
        actor.ForceTranslucentOn()
        stage.plotter.add_actor(actor, render=False)
        stage.overlay.AddActor(mesh_actor(self.mesh, TRACE, line_width=wide, opacity=HIDDEN))
        size = scaled(stage.plotter, DOT)
        stage.overlay.AddActor(mesh_actor(self.dot, TRACE, point_size=size, render_points_as_spheres=True))

    def show(self, snapshot: Snapshot) -> None:
        """Draw what lies before a frame."""
        past = snapshot.local(self.path[: snapshot.index + 1])
        self.mesh.copy_from(polylines(self.pv, [past] if len(past) > 1 else []))
        self.dot.copy_from(self.pv.PolyData(past[-1:]))
