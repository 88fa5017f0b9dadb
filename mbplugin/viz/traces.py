"""Paths of bodies and markers, from the start up to the present frame."""

from __future__ import annotations

from typing import Any

from mbplugin.viz.layers import mesh_actor
from mbplugin.viz.lines import polylines
from mbplugin.viz.places import Snapshot, path_of
from mbplugin.viz.texts import scaled

TRACE = "#37474F"


class Trace:
    """The path of a body's mass centre or of a marker."""

    def __init__(self, stage: Any, pv: Any, name: str) -> None:
        """Raises SceneError if there is no such body or marker."""
        self.pv, self.path, self.mesh = pv, path_of(stage.raw, name), pv.PolyData()
        actor = mesh_actor(self.mesh, TRACE, line_width=scaled(stage.plotter, 2))
        # without an outline, which would cover it
        actor.ForceTranslucentOn()
        stage.plotter.add_actor(actor, render=False)

    def show(self, snapshot: Snapshot) -> None:
        """Draw what lies before a frame."""
        past = snapshot.local(self.path[: snapshot.index + 1])
        self.mesh.copy_from(polylines(self.pv, [past] if len(past) > 1 else []))
