"""Two directional lights: the sun, which casts shadows, and one from the camera, for the faces in shade."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array
from mbplugin.viz.camera import View

#: direction to the sun along up, to the camera and to the right
SUN = (1.1, 0.55, -0.5)
SUN_INTENSITY, CAMERA_INTENSITY = 0.72, 0.42


def sun(view: View, up: Array) -> Array:
    """(3,) direction of the sun's rays; they go down."""
    look = view.position - view.focus
    look = look / np.linalg.norm(look)
    right = np.cross(up, look)
    if np.linalg.norm(right) < 1e-3:  # seen from above or below
        right, look = np.cross(view.up, look), -view.up
    return -np.asarray(SUN[0] * up + SUN[1] * look + SUN[2] * right / np.linalg.norm(right))


def add_lights(plotter: Any, rays: Array) -> None:
    """Add the lights; rays: (3,) direction of the sun's."""
    import pyvista as pv

    sun = pv.Light(light_type="scene light", intensity=SUN_INTENSITY)
    sun.positional = False
    sun.focal_point, sun.position = (0.0, 0.0, 0.0), tuple(-rays)
    plotter.add_light(sun)
    plotter.add_light(pv.Light(light_type="headlight", intensity=CAMERA_INTENSITY))
