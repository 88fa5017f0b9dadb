"""The shapes of all bodies, merged into one set of points that move with the bodies.

p = x + R (s − c)          s: point in the body frame, c: mass centre in it, x: mass centre in the world
ṗ = v + ω × R (s − c)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


class Geometry:
    """The merged shapes of `static` (see `ResultWriter`).

    A body without a shape is one vertex at its mass centre; the ground is body -1.

    vertices:  (k,) indices of points
    triangles: (m,3) indices of points
    body:      (k + m,) body of each cell: vertices, then triangles
    ends:      (n,) False for points of shapes without an end (planes)
    """

    def __init__(self, static: Mapping[str, Any]) -> None:
        nb = len(static["bodies/name"])
        centers = np.vstack(
            [np.asarray(static["bodies/center_of_mass"], float).reshape(nb, 3), np.zeros((1, 3))]
        )
        shapes = list(static.get("meshes/shapes", []))
        shapeless = sorted(set(range(nb)) - {shape["body"] for shape in shapes})

        # R (s − c) = 0 at the mass centre
        arms = [np.zeros((len(shapeless), 3))]
        owner = [np.array(shapeless, dtype=np.int32)]
        triangles = [np.zeros((0, 3), np.int32)]
        body = [np.array(shapeless, dtype=np.int32)]
        ends = [np.full(len(shapeless), True)]
        start = len(shapeless)
        for shape in shapes:
            points = np.asarray(static[f"meshes/{shape['mesh']}/points"], float)
            faces = np.asarray(static[f"meshes/{shape['mesh']}/triangles"], np.int32)
            arms.append(points - centers[shape["body"]])
            owner.append(np.full(len(points), shape["body"], np.int32))
            triangles.append(faces + np.int32(start))
            body.append(np.full(len(faces), shape["body"], np.int32))
            ends.append(np.full(len(points), not shape.get("endless", False)))
            start += len(points)
        self._arms = np.vstack(arms)
        self._owner = np.concatenate(owner)  # -1 indexes the last row, which is the ground's
        self.vertices = np.arange(len(shapeless), dtype=np.int32)
        self.triangles = np.vstack(triangles)
        self.body = np.concatenate(body)
        self.ends = np.concatenate(ends)

    def __len__(self) -> int:
        """Number of points."""
        return len(self._arms)

    def at(self, frame: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Positions [m] and velocities [m/s] of the points, (n,3) each, world axes."""
        R = with_ground(rotation(frame["bodies/orientation"]), np.eye(3))
        x = with_ground(frame["bodies/position"], np.zeros(3))
        v = with_ground(frame["bodies/velocity"], np.zeros(3))
        w = with_ground(frame["bodies/angular_velocity"], np.zeros(3))
        arm = np.einsum("nij,nj->ni", R[self._owner], self._arms)
        return x[self._owner] + arm, v[self._owner] + cross(w[self._owner], arm)


def with_ground(rows: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """(nb + 1, ...) `rows` of the bodies, then the row `ground`."""
    return np.concatenate([rows, ground[None]])


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b of rows (n,3); numpy's costs three times as much."""
    (a1, a2, a3), (b1, b2, b3) = a.T, b.T
    return np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis=1)


def rotation(q: np.ndarray) -> np.ndarray:
    """(n,3,3) rotation matrices of (n,4) unit quaternions (w, x, y, z)."""
    w, x, y, z = np.asarray(q, float).T
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
