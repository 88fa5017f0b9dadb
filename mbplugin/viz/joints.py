"""Joints: a point, and the axes of its marker b, drawn over the bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.rotation import rotation
from mbplugin.export.acting import Acting
from mbplugin.results import RawResult
from mbplugin.viz.culprits import CULPRIT, culprits
from mbplugin.viz.meshes import points_mesh, polylines
from mbplugin.viz.places import Snapshot

INK = "#1A1A1A"
#: colours of the axes x, y, z
AXES = ("#C62828", "#2E7D32", "#1565C0")


class Joints:
    """The joints of a stage."""

    def __init__(self, stage: Any) -> None:
        n = len(stage.raw.names("joints"))
        self.length = 0.05 * stage.size * min(1.0, 8.0 / n) ** 0.5  # of an axis [m]
        self.acting = Acting(stage.static, stage.raw.names("joints"), "joint")
        self.axes, self.actors = [], []
        for colour in AXES if "joints/orientation" in stage.raw else ():
            self.axes.append(polylines(np.zeros((n, 2, 3))))
            self.actors.append(stage.show_over_bodies(self.axes[-1], colour, line=3))
        self.points = points_mesh(np.zeros((n, 3)))
        self.actors.append(stage.show_over_bodies(self.points, INK, dot=9))
        #: numbers of those that had a part in an error, drawn in red
        self.marked = [stage.raw.names("joints").index(name) for name in culprits(stage.raw, "joints")]
        self.marks = points_mesh(np.zeros((len(self.marked), 3)))
        stage.show_over_bodies(self.marks, CULPRIT, dot=16)

    def show(self, snapshot: Snapshot) -> None:
        """Move points and axes to a frame."""
        places, acts = snapshot.local(snapshot.frame["joints/position"]), self.acting.at(snapshot.frame)
        # those that do not act are drawn where one does
        acting = np.where(acts, np.arange(len(acts)), int(np.argmax(acts)) if len(acts) else 0)
        for actor in self.actors:
            actor.SetVisibility(bool(acts.any()))
        self.points.points = places = places[acting]
        if self.marked:
            self.marks.points = places[self.marked]
        if self.axes:
            R = rotation(snapshot.frame["joints/orientation"])[acting]
            for k, lines in enumerate(self.axes):
                ends = np.stack([places, places + self.length * R[:, :, k]], axis=1)
                lines.points = ends.reshape(-1, 3)


def bodies_of_joints(raw: RawResult) -> list[tuple[int, int]]:
    """Numbers of the bodies a and b of each joint; −1 is the ground."""
    index = {name: k for k, name in enumerate(raw.names("bodies"))}
    of = [
        [index.get(name.partition(".")[0], -1) for name in raw.attribute(f"joints/{end}", [])] for end in "ab"
    ]
    return list(zip(*of))
