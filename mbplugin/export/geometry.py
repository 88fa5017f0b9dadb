"""The surfaces of all shapes, merged into one set of points that move with the bodies.

p = x + R s          s: point in the body frame, x: origin of the frame in the world
ṗ = v + ω × R s
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.export.drawn import Drawn, cross, meshes, rotation, with_ground
from mbplugin.results.layout import mesh_arrays

__all__ = ["Geometry", "outline", "rotation", "surface_bytes", "with_ground"]
#: of a point (place and velocity, single precision) and of a triangle (corners, offset, body)
POINT_BYTES, TRIANGLE_BYTES = 24, 20


class Geometry:
    """The merged shapes of `static` (see `ResultWriter`).

    A body without a shape is one vertex at its mass centre; the ground is body -1.

    vertices:  (k,) indices of points
    triangles: (m,3) indices of points
    body:      (k + m,) body of each cell: vertices, then triangles
    ends:      (n,) False for points of shapes without an end (planes)
    """

    def __init__(self, static: Mapping[str, Any]) -> None:
        drawn = Drawn(static)
        bare = drawn.bare.astype(np.int32)
        counts = np.array([len(points) for points, _ in drawn.meshes], np.int64)[drawn.mesh]
        shape = np.repeat(np.arange(len(drawn)), counts)  # of each point
        points = np.concatenate([np.zeros((0, 3)), *(drawn.meshes[m][0] for m in drawn.mesh)])
        in_body = np.einsum("nij,nj->ni", drawn.axes()[shape], points * drawn.scale[shape])
        arms = in_body + drawn.position[shape]
        starts = len(bare) + np.cumsum(counts) - counts
        faces = [drawn.meshes[m][1] + start for m, start in zip(drawn.mesh, starts)]
        triangles = [len(of_shape) for of_shape in faces]
        self._arms = np.concatenate([drawn.bare_centre, arms])
        # -1 indexes the last row, which is the ground's
        self._owner = np.concatenate([bare, drawn.body[shape].astype(np.int32)])
        self.vertices = np.arange(len(bare), dtype=np.int32)
        self.triangles = np.concatenate([np.zeros((0, 3), np.int32), *faces]).astype(np.int32)
        self.body = np.concatenate([bare, np.repeat(drawn.body, triangles).astype(np.int32)])
        self.ends = np.concatenate([np.full(len(bare), True), ~drawn.endless[shape]])

    def __len__(self) -> int:
        """Number of points."""
        return len(self._arms)

    def at(self, frame: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and velocities [m/s] of the points, (n,3) each, world axes."""
        v = with_ground(frame["bodies/velocity"], np.zeros(3))
        w = with_ground(frame["bodies/angular_velocity"], np.zeros(3))
        points, arm = self.positions(frame)
        return points, v[self._owner] + cross(w[self._owner], arm)

    def positions(self, frame: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """(n,3) positions of the points, and from the origins of the frames to them, world axes [m]."""
        R = with_ground(rotation(frame["bodies/orientation"]), np.eye(3))
        x = with_ground(frame["bodies/position"], np.zeros(3))
        arm = np.einsum("nij,nj->ni", R[self._owner], self._arms)
        return x[self._owner] + arm, arm


def outline(static: Mapping[str, Any], directions: int) -> dict[str, Any]:
    """`static` with the outermost points of each mesh in so many directions, and without triangles."""
    k = np.arange(directions) + 0.5
    z, angle = 1.0 - 2.0 * k / directions, np.pi * (1.0 + 5.0**0.5) * k  # a spiral of equal areas
    ring = np.sqrt(1.0 - z * z)
    to = np.stack([ring * np.cos(angle), ring * np.sin(angle), z])
    kept = [points[np.unique(np.argmax(points @ to, axis=0))] for points, _ in meshes(static)]
    return {**static, **mesh_arrays((points, np.zeros((0, 3), np.int64)) for points in kept)}


def surface_bytes(static: Mapping[str, Any]) -> int:
    """Bytes that one frame of the merged surface takes in a file."""
    drawn = Drawn(static)
    sizes = [POINT_BYTES * len(points) + TRIANGLE_BYTES * len(faces) for points, faces in drawn.meshes]
    return int(np.array(sizes, np.int64)[drawn.mesh].sum()) + POINT_BYTES * len(drawn.bare)
