"""Poses and rotations in numpy; sums and differences of mass properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.interface import MassProperties

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


def to_parent(mass: MassProperties, pose: Pose) -> MassProperties:
    """Mass properties in the frame outside of `pose`."""
    return MassProperties(mass.mass, pose.x + pose.R @ mass.center_of_mass, pose.R @ mass.inertia @ pose.R.T)


def combined(parts: Sequence[MassProperties], signs: Sequence[float] | None = None) -> MassProperties:
    """Sum of `parts` times `signs`, all in one frame. I = Σ Iᵢ + mᵢ (dᵢ·dᵢ 1 − dᵢ dᵢᵀ)."""
    if len(parts) == 1 and signs is None:
        return parts[0]
    signs = signs or [1.0] * len(parts)
    total = sum(s * part.mass for s, part in zip(signs, parts))
    centre = sum((s * part.mass * part.center_of_mass for s, part in zip(signs, parts)), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for s, part in zip(signs, parts):
        inertia += s * (part.inertia + part.mass * steiner(part.center_of_mass - centre))
    return MassProperties(float(total), centre, inertia)


def steiner(d: Array) -> Array:
    """(3, 3) d·d 1 − d dᵀ."""
    return float(d @ d) * np.eye(3) - np.outer(d, d)


def is_physical(mass: MassProperties) -> bool:
    """Whether a body can have them: mass and moments positive, no moment above the sum of the others."""
    a, b, c = np.linalg.eigvalsh(mass.inertia)
    return bool(mass.mass > 0.0 and a > 1e-12 * c and c <= (a + b) * (1.0 + 1e-9))
