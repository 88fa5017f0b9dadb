"""A camera that sees the whole motion: its direction and distance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.export.state import upwards

Array = np.ndarray[Any, Any]


class View(NamedTuple):
    """A camera pose, world axes."""

    position: Array  # (3,) of the camera [m]
    focus: Array  # (3,) point that it looks at [m]
    up: Array  # (3,) unit vector
    half: float  # half the height of the picture at the focus [m]


def direction(points: Array, up: Array) -> Array:
    """(3,) unit vector from the motion to the camera.

    A planar motion is seen across its plane, any other from the front, the side and above.
    """
    spread = np.ptp(points, axis=0)
    order = np.argsort(spread)
    normal = np.zeros(3)
    normal[order[0]] = 1.0
    flat = spread[order[0]] < 0.35 * spread[order[1]] and abs(normal @ up) < 0.7
    if flat:
        side = np.cross(up, normal)
        # as usual: x to the right
        sign = 1.0 if np.cross(up, normal)[np.argmax(np.abs(side))] > 0 else -1.0
        look = sign * normal + 0.25 * up + 0.2 * np.cross(up, sign * normal)
    else:
        first = np.array([0.0, -1.0, 0.0]) if abs(up[1]) < 0.7 else np.array([0.0, 0.0, 1.0])
        look = first - (first @ up) * up
        look = look / np.linalg.norm(look) + 0.75 * np.cross(up, look) / np.linalg.norm(look) + 0.55 * up
    return look / np.linalg.norm(look)


def fit(points: Array, gravity: Array, aspect: float) -> View:
    """The view that contains all `points` (n, 3) [m]; `aspect`: width / height of the picture."""
    up = upwards(gravity)
    look = direction(points, up)
    right = np.cross(up, look)
    right /= np.linalg.norm(right)
    top = np.cross(look, right)
    along = np.column_stack([points @ right, points @ top, points @ look])
    low, high = along.min(axis=0), along.max(axis=0)
    middle = 0.5 * (low + high)
    half = max(0.5 * (high[1] - low[1]), 0.5 * (high[0] - low[0]) / aspect, 1e-6) * 1.12
    focus = middle[0] * right + middle[1] * top + middle[2] * look
    return View(focus + look * (4.0 * half + (high[2] - low[2])), focus, up, half)
