"""Paths of bodies and markers, from the start up to the present frame, with a dot where the point is.

What bodies hide of them shines through, lighter.
"""

from __future__ import annotations

from typing import Any

from mbplugin.viz.meshes import mesh_actor, points_mesh, polylines
from mbplugin.viz.places import Snapshot, path_of
from mbplugin.viz.texts import scaled

TRACE = "#37474F"
#: width of the line, size of the dot, opacity of what is hidden
WIDTH, DOT, HIDDEN = 3.5, 11, 0.4


class Trace:
    """The path of a body's mass centre or of a marker."""

    def __init__(self, stage: Any, name: str) -> None:
        """Raises SceneError if there is no such body or marker."""
        self.path = path_of(stage.raw, name)
        self.mesh, self.dot = points_mesh(), points_mesh()
        actor = mesh_actor(self.mesh, TRACE, line_width=scaled(stage.plotter, WIDTH))
        # without an outline, which would cover it
        actor.ForceTranslucentOn()
        stage.plotter.add_actor(actor, render=False)
        stage.show_over_bodies(self.mesh, TRACE, line=WIDTH, opacity=HIDDEN)
        stage.show_over_bodies(self.dot, TRACE, dot=DOT)

    def show(self, snapshot: Snapshot) -> None:
        """Draw what lies before a frame."""
        past = snapshot.local(self.path[: snapshot.index + 1])
        self.mesh.copy_from(polylines([past] if len(past) > 1 else []))
        self.dot.copy_from(points_mesh(past[-1:]))
