"""The vector loops of joints, and their names.

r: from the world origin to each mass centre
s: from the mass centre to the joint
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
R_COLOUR, S_COLOUR, INK = "#6A1B9A", "#EF6C00", "#1A1A1A"


def loops(frame: Any, pairs: list[tuple[int, int]]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """(starts, vectors) of r and of s, world axes [m].

    pairs: bodies a and b of each joint; −1 is the ground, whose s starts at the origin
    """
    point, centre = np.asarray(frame["joints/position"], float), np.asarray(frame["bodies/position"], float)
    moved = sorted({body for pair in pairs for body in pair if body >= 0})
    ends = np.array([point[k] for k, pair in enumerate(pairs) for _ in pair]).reshape(-1, 3)
    starts = np.array(
        [centre[body] if body >= 0 else np.zeros(3) for pair in pairs for body in pair]
    ).reshape(-1, 3)
    return (np.zeros((len(moved), 3)), centre[moved]), (starts, ends - starts)


class Vectors:
    """The arrows r and s of a stage, of constant width and tip size."""

    def __init__(self, stage: Any, pv: Any, pairs: list[tuple[int, int]]) -> None:
        self.pairs, self.pv = pairs, pv
        length = 0.035 * stage.size
        self.tip = pv.Cone(
            center=(-0.5 * length, 0, 0), direction=(1, 0, 0), height=length, radius=0.25 * length
        )
        self.arrows = []
        for colour in (R_COLOUR, S_COLOUR):
            lines, tips = pv.PolyData(np.zeros((1, 3))), pv.PolyData(np.zeros((1, 3)))
            for mesh in (lines, tips):
                stage.overlay.AddActor(stage.flat(pv, mesh, colour, line_width=3))
            self.arrows.append((lines, tips))

    def show(self, frame: Any) -> None:
        """Move the arrows to a frame."""
        for (lines, tips), (starts, vectors) in zip(self.arrows, loops(frame, self.pairs)):
            # a zero vector has no direction
            nonzero = np.linalg.norm(vectors, axis=1) > 0.0
            starts, vectors = starts[nonzero], vectors[nonzero]
            if not len(starts):
                continue
            pairs = np.stack([starts, starts + vectors], axis=1).reshape(-1, 3)
            numbers = np.arange(len(pairs)).reshape(-1, 2)
            lines.copy_from(
                self.pv.PolyData(pairs, lines=np.column_stack([np.full(len(starts), 2), numbers]).ravel())
            )
            ends = self.pv.PolyData(starts + vectors)
            ends["vector"] = vectors
            tips.copy_from(ends.glyph(orient="vector", scale=False, factor=1.0, geom=self.tip))


class Names:
    """The name of each joint, next to its point; joints at one point have one label."""

    def __init__(self, stage: Any, names: list[str]) -> None:
        from vtkmodules.vtkRenderingCore import vtkBillboardTextActor3D

        self.actors, self.names, self.near = [], names, 1e-3 * stage.size
        for _ in names:
            actor = vtkBillboardTextActor3D()
            actor.SetDisplayOffset(10, 8)
            text = actor.GetTextProperty()
            text.SetFontSize(20)
            text.SetBold(True)
            text.SetColor(*(int(INK[k : k + 2], 16) / 255 for k in (1, 3, 5)))
            stage.overlay.AddActor(actor)
            self.actors.append(actor)

    def show(self, frame: Any) -> None:
        """Move the names to a frame."""
        points = np.asarray(frame["joints/position"], float)
        together: dict[int, list[str]] = {}
        for name, point in zip(self.names, points):
            first = int(np.argmax(np.linalg.norm(points - point, axis=1) <= self.near))
            together.setdefault(first, []).append(name)
        for k, (actor, point) in enumerate(zip(self.actors, points)):
            actor.SetInput(", ".join(together.get(k, [])))
            actor.SetVisibility(k in together)
            actor.SetPosition(*point)
