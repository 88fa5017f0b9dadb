"""Torques of drives as arcs about their axis, with an arrow head; the angle of the arc is the torque."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array, normal_to
from mbplugin.errors import StoreError
from mbplugin.viz.forces import DRIVE, Drives, usual_size
from mbplugin.viz.meshes import points_mesh, polylines, tips
from mbplugin.viz.places import Snapshot

#: angle of the usual torque, and the largest one in proportion [rad]; growth beyond as that of arrows
USUAL, LARGEST, GROWTH, MOST = np.radians(120.0), np.radians(240.0), 0.1, np.radians(330.0)
#: least angle that is drawn [rad]
LEAST = 0.01
#: radius of an arc and length of its head, in sizes of the scene; points of a full turn
RADIUS, HEAD, AROUND = 0.06, 0.035, 72


class TorqueScale:
    """Angle of an arc over its torque, the same in all frames."""

    def __init__(self, drives: Drives) -> None:
        largest: Array = np.zeros(1)
        with suppress(StoreError):
            largest = drives.largest_torque()
        usual_torque = usual_size([largest])
        self.factor = USUAL / usual_torque if usual_torque > 0.0 else 0.0  # [rad/(N m)]

    def angles(self, torque: Any) -> Array:
        """(n,) of sizes (n,) of torques [rad]."""
        angle = np.asarray(torque, float) * self.factor
        longer = np.maximum(angle / LARGEST, 1.0)
        return np.minimum(angle / longer * (1.0 + GROWTH * np.log(longer)), MOST)


class TorqueArcs:
    """The torques of drives, over the bodies.

    largest: size of the largest that is shown [N m]
    heads:   (n, 3) ends of the arcs of the present frame, local [m]
    """

    def __init__(self, stage: Any, drives: Drives, scale: TorqueScale) -> None:
        self.drives, self.scale, self.size = drives, scale, stage.size
        self.largest, self.heads = 0.0, np.zeros((0, 3))
        self.lines, self.tips = points_mesh(), points_mesh()
        for mesh in (self.lines, self.tips):
            stage.show_over_bodies(mesh, DRIVE, line=4)
        self.tip = stage.pv.Cone(direction=(1, 0, 0), height=1.0, radius=0.4, resolution=16)

    def show(self, snapshot: Snapshot) -> None:
        """Move the arcs to a frame."""
        point, _, torque = self.drives.wrenches(snapshot.frame)
        sizes = np.linalg.norm(torque, axis=1)
        self.largest = float(sizes.max(initial=0.0))
        parts, vectors = [], []
        for centre, along, angle in zip(snapshot.local(point), torque, self.scale.angles(sizes)):
            if angle > LEAST:
                parts.append(centre + RADIUS * self.size * arc(along, angle))
                tip = parts[-1][-1] - parts[-1][-2]
                vectors.append(tip / np.linalg.norm(tip) * min(HEAD, 0.5 * RADIUS * angle) * self.size)
        self.lines.copy_from(polylines(parts))
        self.heads = np.array([part[-1] for part in parts]).reshape(-1, 3)
        self.tips.copy_from(tips(self.heads, np.array(vectors), self.tip, by_length=True))


def arc(axis: Array, angle: float) -> Array:
    """(n, 3) points of an arc of radius 1 about an axis (3,), anticlockwise."""
    axis = axis / np.linalg.norm(axis)
    first = normal_to(axis)
    at = np.linspace(0.0, angle, max(3, round(AROUND * angle / (2.0 * np.pi))))
    return np.outer(np.cos(at), first) + np.outer(np.sin(at), np.cross(axis, first))
