"""Rotations and products of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

#: of numbers; shapes stand in the docstrings
Array = np.ndarray


def rotation(q: Any) -> Array:
    """(..., 3, 3) of unit quaternions w x y z, (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return np.moveaxis(matrix, (0, 1), (-2, -1))


def cross(a: Array, b: Array) -> Array:
    """a × b of rows (n,3); numpy's costs three times as much."""
    (a1, a2, a3), (b1, b2, b3) = a.T, b.T
    return np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], axis=1)


def product(p: Array, q: Array) -> Array:
    """(n, 4) products p q of quaternions (w, x, y, z)."""
    (a, b, c, d), (w, x, y, z) = p.T, q.T
    return np.stack(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ],
        axis=1,
    )


def with_ground(rows: Array, ground: Array) -> Array:
    """(nb + 1, ...) `rows` of the bodies, then the row `ground`."""
    return np.concatenate([rows, ground[None]])


def normal_to(axis: Array) -> Array:
    """A unit vector (3,) perpendicular to the axis, the same whatever its rounding."""
    normal = np.cross(axis, np.eye(3)[np.argmin(np.round(np.abs(axis), 6))])
    return np.asarray(normal / np.linalg.norm(normal))
