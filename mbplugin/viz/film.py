"""Frames of a movie, and pictures of very many shapes, at a fraction of the cost of multisampling.

What does not move (background and plate) is drawn once, with multisampling. Each frame draws the rest without
it, and edges are smoothed in the picture. Multisampling of 1280 x 720 costs 45 ms of processor time where
nothing is drawn, a gradient and a plate another 40 ms; this way a frame of a slider-crank costs 25 ms in all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
#: least difference of a channel at an edge, from 0 to 255
EDGE = 20


class Film:
    """Pictures of a stage, which is not to be drawn otherwise afterwards."""

    def __init__(self, stage: Any) -> None:
        self.plotter = plotter = stage.plotter
        self.window = plotter.render_window
        moving = [
            actor
            for renderer in (plotter.renderer, stage.overlay)
            for actor in renderer.GetViewProps()
            if actor is not stage.plate and actor.GetVisibility()
        ]
        for actor in moving:
            actor.VisibilityOff()
        self.backdrop = with_alpha(np.asarray(plotter.screenshot(return_img=True))[..., :3])
        for actor in moving:
            actor.VisibilityOn()
        if stage.plate is not None:
            stage.plate.VisibilityOff()
        plotter.disable_anti_aliasing()
        self.window.SetAlphaBitPlanes(1)
        plotter.renderer.GradientBackgroundOff()
        # half transparent edges of letters are mixed with this
        plotter.renderer.SetBackground(*(self.backdrop[:8, :, :3].mean(axis=(0, 1)) / 255.0))
        plotter.renderer.SetBackgroundAlpha(0.0)

    def picture(self) -> Array:
        """(height, width, 3) red, green and blue of what the stage shows."""
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

        self.window.Render()
        height, width, _ = self.backdrop.shape
        data = vtkUnsignedCharArray()
        self.window.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, data)
        drawn = vtk_to_numpy(data).reshape(height, width, 4)[::-1]
        # four bytes as one number: alpha is the highest byte
        pixels = np.where(whole(drawn) >= np.uint32(1 << 24), whole(drawn), whole(self.backdrop))
        return smoothed(np.ascontiguousarray(pixels).view(np.uint8).reshape(height, width, 4))[..., :3]


def with_alpha(picture: Array) -> Array:
    """(height, width, 4) of a picture (height, width, 3) without transparency."""
    return np.concatenate([picture, np.full((*picture.shape[:2], 1), 255, np.uint8)], axis=2)


def whole(picture: Array) -> Array:
    """(height, width) red, green, blue and alpha as one number, little-endian."""
    return picture.view("<u4")[..., 0]


def smoothed(picture: Array) -> Array:
    """A picture (height, width, 4) in which each pixel beside an edge is a third itself and a sixth of each
    of its four neighbours.
    """
    height, width, _ = picture.shape
    edge = np.zeros((height, width), bool)
    flat = picture.reshape(height, 4 * width)
    for a, b, first, second in (
        (flat[1:], flat[:-1], edge[1:], edge[:-1]),
        (flat[:, 4:], flat[:, :-4], edge[:, 1:], edge[:, :-1]),
    ):
        differ = np.maximum(a, b) - np.minimum(a, b) > EDGE
        of_pixel = np.ascontiguousarray(differ).view("<u4") != 0
        first |= of_pixel
        second |= of_pixel
    edge[[0, -1]] = edge[:, [0, -1]] = False
    k = np.flatnonzero(edge)
    pixels = picture.reshape(-1, 4)
    total = 2 * pixels[k].astype(np.uint16)
    for step in (-width, width, -1, 1):
        total += pixels[k + step]
    smooth = picture.copy()
    smooth.reshape(-1, 4)[k] = total // 6
    return smooth
