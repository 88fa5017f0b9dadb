"""A camera that sees the whole motion: its direction and distance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.rotation import Array
from mbplugin.errors import SceneError
from mbplugin.export.state import upwards


class View(NamedTuple):
    """A camera pose, world axes."""

    position: Array  # (3,) of the camera [m]
    focus: Array  # (3,) point that it looks at [m]
    up: Array  # (3,) unit vector
    half: float  # half the height of the picture at the focus [m]
    parallel: bool  # without perspective


#: half the height of a picture of one point [m]
SMALLEST = 1e-12
#: names of views -> parts of the direction to the camera: towards the front, the right, and up
VIEWS = {
    "front": (1, 0, 0),
    "back": (-1, 0, 0),
    "right": (0, 1, 0),
    "left": (0, -1, 0),
    "top": (0, 0, 1),
    "bottom": (0, 0, -1),
    "corner": (1, 0.75, 0.55),
}


def named_direction(name: str, up: Array) -> tuple[Array, Array]:
    """(3,) unit vectors from the motion to the camera, and upwards in the picture. The front is seen against
    y, or against −z where y is up; it has x to the right, and so have top and bottom.
    """
    first = np.array([0.0, -1.0, 0.0]) if abs(up[1]) < 0.7 else np.array([0.0, 0.0, 1.0])
    front = first - (first @ up) * up
    front /= np.linalg.norm(front)
    parts = np.array(VIEWS[name])
    look = parts @ np.array([front, np.cross(up, front), up])
    upright = -parts[2] * front if name in ("top", "bottom") else up
    return look / np.linalg.norm(look), upright


def direction(points: Array, up: Array) -> Array:
    """(3,) unit vector from the motion to the camera.

    A motion in an upright plane is seen across it, from a little above and beside; any other from the front,
    the side and above.
    """
    spread = np.ptp(points, axis=0)
    order = np.argsort(spread)
    normal = np.zeros(3)
    normal[order[0]] = 1.0
    flat = spread[order[0]] < 0.35 * spread[order[1]] and abs(normal @ up) < 0.7
    if flat:
        normal = towards(normal, up)
        look = normal + 0.25 * up + 0.2 * np.cross(up, normal)
    else:
        look, _ = named_direction("corner", up)
    return look / np.linalg.norm(look)


def towards(normal: Array, up: Array) -> Array:
    """(3,) the normal of an upright plane, or its negative, from where x, or y, is to the right."""
    side = np.cross(up, normal)
    return normal if side[np.argmax(np.abs(side))] > 0 else -normal


def across(normal: Array, up: Array) -> tuple[Array, Array]:
    """(3,) unit vectors from a planar motion to the camera, along the normal of its plane, and upwards in the
    picture; x is to the right.
    """
    if abs(normal @ up) > 0.999:
        return named_direction("top", up)
    look = towards(normal, up)
    upright = up - (up @ look) * look
    return look, upright / np.linalg.norm(upright)


def fit(
    points: Array,
    gravity: Array,
    aspect: float,
    name: str | None = None,
    normal: Array | None = None,
    foot: float = 0.0,
    side: float = 0.0,
) -> View:
    """The view that contains all `points` (n, 3) [m].

    aspect: width / height of the picture
    name:   one of `VIEWS`, None for the one that suits the motion
    normal: (3,) of the plane of a motion that is seen straight, without perspective, if there is no name
    foot:   what is kept free below, in heights of the picture
    side:   what is kept free on the right, in its widths

    Raises SceneError.
    """
    if name is not None and name not in VIEWS:
        raise SceneError("view", name, f"there is no such view; there are {', '.join(VIEWS)}")
    up = upwards(gravity)
    straight = name is None and normal is not None
    if straight:
        look, up = across(np.asarray(normal), up)
    else:
        look, up = (direction(points, up), up) if name is None else named_direction(name, up)
    right = np.cross(up, look)
    right /= np.linalg.norm(right)
    top = np.cross(look, right)
    along = np.column_stack([points @ right, points @ top, points @ look])
    low, high = along.min(axis=0), along.max(axis=0)
    middle = 0.5 * (low + high)
    width, height = 0.56 * (high[0] - low[0]), 0.56 * (high[1] - low[1])
    half = max(height / (1.0 - foot), width / (1.0 - side) / aspect, 1.12 * SMALLEST)
    middle[0] += max(0.0, width - (1.0 - 2.0 * side) * half * aspect)
    middle[1] -= max(0.0, height - (1.0 - 2.0 * foot) * half)
    focus = middle[0] * right + middle[1] * top + middle[2] * look
    parallel = straight or (name is not None and name != "corner")
    return View(focus + look * (4.0 * half + (high[2] - low[2])), focus, up, half, parallel)


def aim(plotter: Any, view: View) -> None:
    """Set up the camera of a plotter."""
    look = plotter.camera
    look.position, look.focal_point, look.up = tuple(view.position), tuple(view.focus), tuple(view.up)
    look.parallel_projection = view.parallel
    look.parallel_scale = view.half
    distance = float(np.linalg.norm(view.position - view.focus))
    look.view_angle = float(np.degrees(2.0 * np.arctan(view.half / distance * 1.18)))


def view_height(camera: Any) -> float:
    """Height of what a camera sees at its focus [m]."""
    if camera.parallel_projection:
        return float(2.0 * camera.parallel_scale)
    distance = float(np.linalg.norm(np.subtract(camera.focal_point, camera.position)))
    return float(2.0 * distance * np.tan(np.radians(0.5 * camera.view_angle)))
