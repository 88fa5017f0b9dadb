"""A few shapes: one actor for each and each layer, placed by a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.drawn import Drawn
from mbplugin.viz.places import Array, Snapshot


class Each:
    """The shapes of `drawn`; `show` moves them."""

    def __init__(self, plotter: Any, drawn: Drawn) -> None:
        self.plotter, self.drawn = plotter, drawn
        #: of each actor: layer, body, point of its frame (3,), matrix that places the actor there
        self.placed: list[tuple[Any, int, Array, Any]] = []

    def add(self, layer: Any) -> None:
        """Add the actors of a layer."""
        axes, colours = self.drawn.axes(), self.drawn.colours()
        for k, body in enumerate(self.drawn.body):
            points, triangles = self.drawn.meshes[self.drawn.mesh[k]]
            mesh = layer.mesh((points * self.drawn.scale[k]) @ axes[k].T, triangles)
            self.add_mesh(mesh, layer, int(body), self.drawn.position[k], colours[k])

    def add_mesh(self, mesh: Any, layer: Any, body: int, at: Array, colour: Any) -> None:
        """Add the actor of one mesh at the point `at` (3,) of a body's frame; colour: from 0 to 255."""
        from vtkmodules.vtkCommonMath import vtkMatrix4x4
        from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

        mapper, actor, matrix = vtkPolyDataMapper(), vtkActor(), vtkMatrix4x4()
        mapper.SetInputData(mesh)
        mapper.ScalarVisibilityOff()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*(np.asarray(colour, float) / 255.0))
        layer.dress(actor)
        actor.SetUserMatrix(matrix)
        self.plotter.add_actor(actor, render=False)
        self.placed.append((layer, body, at, matrix))

    def show(self, snapshot: Snapshot) -> None:
        """Move the shapes to a frame."""
        for layer, body, at, matrix in self.placed:
            matrix.DeepCopy((layer.matrix(snapshot) @ snapshot.pose(body, at)).ravel())
