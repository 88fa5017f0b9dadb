"""Pictures of a stage: one rendering without multisampling, outlines from its depth, smoothed edges.

Measured at 1280 x 720 in software: multisampling costs 45 ms of processor time where nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array

Box = tuple[slice, slice]  # rows and columns
#: least difference of a channel at an edge, from 0 to 255
EDGE = 20
#: least jump of the depth at an outline, and reach of darkened corners, in sizes of the scene
STEP, CORNER = 0.006, 0.08


class Film:
    """Takes pictures of a stage."""

    def __init__(self, stage: Any) -> None:
        from vtkmodules.vtkCommonCore import vtkFloatArray, vtkUnsignedCharArray

        self.stage, self.plotter = stage, stage.plotter
        self.plotter.disable_anti_aliasing()
        if stage.high_quality:
            self.plotter.enable_ssao(
                radius=CORNER * stage.size, bias=0.03 * CORNER * stage.size, kernel_size=16, blur=True
            )
        self.colours, self.below, self.depths = (
            vtkUnsignedCharArray(),
            vtkUnsignedCharArray(),
            vtkFloatArray(),
        )
        # layers on top clear the depths
        self.plotter.renderer.AddObserver("EndEvent", self.keep_bodies)

    def keep_bodies(self, *_: Any) -> None:
        """Copy colours and depths of the bodies, before layers on top are drawn."""
        window = self.plotter.render_window
        width, height = window.GetSize()
        window.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, self.below)
        window.GetZbufferData(0, 0, width - 1, height - 1, self.depths)

    def picture(self) -> Array:
        """(height, width, 3) red, green and blue of what the stage shows."""
        from vtkmodules.util.numpy_support import vtk_to_numpy

        window, camera = self.plotter.render_window, self.plotter.camera
        window.Render()
        width, height = window.GetSize()
        window.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, self.colours)
        drawn, below, depth = (
            np.ascontiguousarray(vtk_to_numpy(array).reshape(height, width, -1)[::-1])
            for array in (self.colours, self.below, self.depths)
        )
        on_top = (drawn.view("<u4") != below.view("<u4"))[..., 0]
        texts = [self.box(self.stage.front.box(actor)) for actor in self.stage.front.shown_texts()]
        lined = darkened(
            drawn,
            depth[..., 0],
            camera.clipping_range,
            bool(camera.parallel_projection),
            STEP * self.stage.size,
            [*texts, *(self.box(part.box) for part in self.stage.parts if hasattr(part, "box")), on_top],
        )
        # letters have smooth edges already
        return smoothed(lined, texts)[..., :3]

    def box(self, bounds: Any) -> Box:
        """Rows and columns of left, right, bottom and top [pixels], with three pixels around."""
        left, right, bottom, top = (round(float(v)) for v in bounds[:4])
        height = self.plotter.render_window.GetSize()[1]
        return slice(max(0, height - top - 4), height - bottom + 4), slice(max(0, left - 3), right + 4)


def smoothed(picture: Array, kept: Sequence[Box] = ()) -> Array:
    """A picture (height, width, 4) in which each pixel beside an edge is a third itself and a sixth of each
    of its four neighbours.

    kept: rows and columns that stay as they are
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
    for box in kept:
        edge[box] = False
    k = np.flatnonzero(edge)
    pixels = picture.reshape(-1, 4)
    total = 2 * pixels[k].astype(np.uint16)
    for step in (-width, width, -1, 1):
        total += pixels[k + step]
    smooth = picture.copy()
    smooth.reshape(-1, 4)[k] = total // 6
    return smooth


#: second difference of z that is rounding, and darkness of an outline
ROUNDING, DARK = 2e-6, 0.75


def darkened(
    picture: Array,
    z: Array,
    planes: tuple[float, float],
    parallel: bool,
    step: float,
    kept: Sequence[Any] = (),
) -> Array:
    """A picture (height, width, 4) with dark outlines where its depth jumps.

    With near and far plane n, f a depth buffer holds z = f/(f − n) − f n/((f − n) d) of the distance d, or
    z = (d − n)/(f − n) without perspective. z is affine in the pixels of any plane, so that its second
    differences vanish on planes, however they stand. On both sides of a jump they are the jump Δz, which is

        Δd = Δz d² (f − n)/(f n),   or   Δd = Δz (f − n)   without perspective.

    z:      (height, width) depth buffer, 1 where nothing is
    planes: distances of the near and the far clipping plane [m]
    step:   of the distance, from which there is an outline [m]
    kept:   what stays as it is: rows and columns, or (height, width) True
    """
    near, far = planes
    bend = np.zeros_like(z)
    np.abs(z[:, :-2] + z[:, 2:] - 2.0 * z[:, 1:-1], out=bend[:, 1:-1])
    np.maximum(bend[1:-1], np.abs(z[:-2] + z[2:] - 2.0 * z[1:-1]), out=bend[1:-1])
    for pixels in kept:
        bend[pixels] = 0.0
    k = np.flatnonzero(bend > ROUNDING)
    jump = bend.reshape(-1)[k].astype(float) * (far - near)
    if not parallel:
        distance = near * far / (far - z.reshape(-1)[k].astype(float) * (far - near))
        jump *= distance**2 / (near * far)
    light = 1.0 - DARK * np.clip(jump / step - 0.5, 0.0, 1.0)
    result = picture.copy()
    flat = result.reshape(-1, 4)
    flat[k, :3] = flat[k, :3] * light[:, None]
    return result
