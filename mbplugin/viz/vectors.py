"""The vector loops of joints.

r: from the world origin to each mass centre
s: from the mass centre to the joint
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.viz.joints import bodies_of_joints
from mbplugin.viz.meshes import points_mesh, polylines, tips
from mbplugin.viz.places import Array, Snapshot, mass_centres

R_COLOUR, S_COLOUR = "#6A1B9A", "#EF6C00"


def loops(frame: Any, pairs: list[tuple[int, int]]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """(starts, vectors) of r and of s, world axes [m].

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
