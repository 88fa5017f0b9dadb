"""Rotation matrices of quaternions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


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
