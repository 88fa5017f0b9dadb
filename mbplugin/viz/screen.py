"""Where points are on the screen, and whether bodies hide them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array


class Screen:
    """A renderer that has just drawn the bodies."""

    def __init__(self, plotter: Any) -> None:
        self.plotter = plotter
        self.width, self.height = plotter.render_window.GetSize()

    def pixels(self, points: Any) -> tuple[Array, Array]:
        """(n, 2) pixels from the lower left of local points (n, 3), and places (n,) in the depth buffer."""
        camera = self.plotter.camera
        matrix = camera.GetCompositeProjectionTransformMatrix(self.width / self.height, 0.0, 1.0)
        rows = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
        points = np.asarray(points, float).reshape(-1, 3)
        x, y, z, w = rows @ np.column_stack([points, np.ones(len(points))]).T
        ahead = np.where(w > 0.0, w, np.inf)
        return 0.5 * np.column_stack([(x / ahead + 1) * self.width, (y / ahead + 1) * self.height]), z / ahead

    def seen(self, points: Array, tolerance: float) -> Array:
        """(n,) whether points (n, 3) are in the picture, with no body nearer by a tolerance [m]."""
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonCore import vtkFloatArray

        depths = vtkFloatArray()
        self.plotter.render_window.GetZbufferData(0, 0, self.width - 1, self.height - 1, depths)
        buffer = vtk_to_numpy(depths).reshape(self.height, self.width)
        camera = self.plotter.camera
        towards = np.subtract(camera.position, points)
        if camera.parallel_projection:
            towards = np.tile(np.subtract(camera.position, camera.focal_point), (len(points), 1))
        towards = towards / np.maximum(np.linalg.norm(towards, axis=1), 1e-300)[:, None]
        at = np.floor(self.pixels(points)[0]).astype(int)
        _, depth = self.pixels(points + tolerance * towards)
        inside = (at >= 0).all(axis=1) & (at[:, 0] < self.width) & (at[:, 1] < self.height)
        at[~inside] = 0
        return np.asarray(inside & (depth <= buffer[at[:, 1], at[:, 0]]))
