"""Joints over the bodies: a point and the axes of marker b; limits; the vectors from mass centres to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.rotation import rotation
from mbplugin.export.limits import Limits
from mbplugin.export.lines import Acting
from mbplugin.results import RawResult
from mbplugin.viz.culprits import CULPRIT, culprits
from mbplugin.viz.meshes import points_mesh, polylines, tips
from mbplugin.viz.places import Array, Snapshot, mass_centres

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


LIMIT, TOUCHED = "#6A1B9A", "#D50000"
#: size of the drawings, of the scene's
SIZE = 0.09


class LimitMarks:
    """The limits of a stage: arcs and lines between end stops; a stop that is touched is red."""

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


R_COLOUR, S_COLOUR = "#6A1B9A", "#EF6C00"


def loops(frame: Any, pairs: list[tuple[int, int]]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """(starts, vectors) of r, from the world origin to each mass centre, and of s, from there to the joint,
    world axes [m].

    pairs: bodies a and b of each joint; −1 is the ground, whose s starts at the origin
    """
    point, centre = np.asarray(frame["joints/position"], float), mass_centres(frame)
    moved = sorted({body for pair in pairs for body in pair if body >= 0})
    ends = np.array([point[k] for k, pair in enumerate(pairs) for _ in pair]).reshape(-1, 3)
    starts = np.array(
        [centre[body] if body >= 0 else np.zeros(3) for pair in pairs for body in pair]
    ).reshape(-1, 3)
    return (np.zeros((len(moved), 3)), centre[moved]), (starts, ends - starts)


class Vectors:
    """The arrows r and s of a stage, of constant width and tip size."""

    def __init__(self, stage: Any) -> None:
        self.pairs = bodies_of_joints(stage.raw)
        length = 0.035 * stage.size
        self.tip = stage.pv.Cone(
            center=(-0.5 * length, 0, 0), direction=(1, 0, 0), height=length, radius=0.25 * length
        )
        self.arrows = []
        for colour in (R_COLOUR, S_COLOUR):
            lines, heads = points_mesh(), points_mesh()
            for mesh in (lines, heads):
                stage.show_over_bodies(mesh, colour, line=3)
            self.arrows.append((lines, heads))

    def show(self, snapshot: Snapshot) -> None:
        """Move the arrows to a frame."""
        for (lines, heads), (starts, vectors) in zip(self.arrows, loops(snapshot.frame, self.pairs)):
            # a zero vector has no direction
            nonzero = np.linalg.norm(vectors, axis=1) > 0.0
            starts, vectors = snapshot.local(starts[nonzero]), vectors[nonzero]
            lines.copy_from(polylines(np.stack([starts, starts + vectors], axis=1)))
            heads.copy_from(tips(starts + vectors, vectors, self.tip, by_length=False))
