"""Two directional lights: the sun, which casts shadows, and a fill light from the other side."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.viz.camera import View

Array = np.ndarray[Any, Any]
#: direction to a light along up, to the camera and to the right, and its intensity
SUN, FILL = ((1.1, 0.55, -0.5), 0.72), ((0.2, 1.0, 0.8), 0.45)


def toward(parts: tuple[float, float, float], view: View, up: Array) -> Array:
    """(3,) direction to a light."""
    look = view.position - view.focus
    look = look / np.linalg.norm(look)
    right = np.cross(up, look)
    if np.linalg.norm(right) < 1e-3:  # seen from above or below
        right = np.cross(view.up, look)
        look = -view.up
    return np.asarray(parts[0] * up + parts[1] * look + parts[2] * right / np.linalg.norm(right))


def sun(view: View, up: Array) -> Array:
    """(3,) direction of the sun's rays; they go down."""
    return -toward(SUN[0], view, up)


def add_lights(plotter: Any, view: View, up: Array) -> None:
    """Replace the lights of a plotter."""
    import pyvista as pv

    plotter.remove_all_lights()
    for parts, intensity in (SUN, FILL):
        light = pv.Light(light_type="scene light", intensity=intensity)
        light.positional = False
        light.focal_point = (0.0, 0.0, 0.0)
        light.position = tuple(toward(parts, view, up))
        plotter.add_light(light)
