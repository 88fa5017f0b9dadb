"""Poses and rotations in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Pose:
    """A frame in another: origin x (3,) [m] and axes R (3, 3) as columns."""

    x: Array = field(default_factory=lambda: np.zeros(3))
    R: Array = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, inner: Pose) -> Pose:
        """A pose in this frame, seen from outside."""
        return Pose(self.x + self.R @ inner.x, self.R @ inner.R)

    def inverse(self) -> Pose:
        return Pose(-self.R.T @ self.x, self.R.T)


def rotation(axis: Array, angle: float) -> Array:
    """(3, 3): by `angle` [rad] about a unit vector; Rodrigues."""
    K = crossed(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def crossed(a: Array) -> Array:
    """(3, 3) A with A x = a × x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def of_rpy(angles: Sequence[float]) -> Array:
    """(3, 3): roll, pitch, yaw about the fixed axes x, y, z, as in URDF."""
    roll, pitch, yaw = angles
    x, y, z = np.eye(3)
    return rotation(z, yaw) @ rotation(y, pitch) @ rotation(x, roll)


def of_quaternion(q: Sequence[float]) -> Array:
    """(3, 3) of w, x, y, z of any length."""
    w, *v = np.asarray(q, float) / np.linalg.norm(q)
    a = np.array(v)
    return (w * w - a @ a) * np.eye(3) + 2.0 * np.outer(a, a) + 2.0 * w * crossed(a)


def with_z(axis: Array) -> Array:
    """(3, 3) axes whose z is `axis`, of any length; x, y, z themselves give a permutation of the axes."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    least = int(np.argmin(np.abs(z)))
    x = np.eye(3)[least] - z[least] * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
