"""The vector loops of joints, and their names.

r: from the world origin to each mass centre
s: from the mass centre to the joint
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
R_COLOUR, S_COLOUR, INK = "#6A1B9A", "#EF6C00", "#1A1A1A"
#: of a label: font size, place beside its point, margin between two [pixels]
SIZE, OFFSET, MARGIN = 20, (10, 8), 4


def loops(frame: Any, pairs: list[tuple[int, int]]) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """(starts, vectors) of r and of s, world axes [m].

    pairs: bodies a and b of each joint; −1 is the ground, whose s starts at the origin
    """
    point, centre = (np.asarray(frame[key], float) for key in ("joints/position", "bodies/center_of_mass"))
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
    """The name of each joint, next to its point; joints at one point have one label. Labels that would cover
    each other are moved up or down.
    """

    def __init__(self, stage: Any, names: list[str]) -> None:
        from vtkmodules.vtkRenderingCore import vtkBillboardTextActor3D

        self.stage, self.actors, self.names, self.near = stage, [], names, 1e-3 * stage.size
        for _ in names:
            actor = vtkBillboardTextActor3D()
            actor.SetDisplayOffset(*OFFSET)
            text = actor.GetTextProperty()
            text.SetFontSize(SIZE)
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
        self.spread([self.actors[k] for k in together])

    def spread(self, actors: list[Any]) -> None:
        """Move labels up or down, by as little as separates them for the present camera."""
        placed: list[tuple[float, float, float, float]] = []  # left, right, bottom, top [pixels]
        for actor in actors:
            (x, y), (width, height) = self.on_screen(actor.GetPosition()), self.extent(actor)
            left, right = x + OFFSET[0], x + OFFSET[0] + width
            beside = [box for box in placed if box[0] < right and left < box[1]]
            steps = sorted({0.0, *(end - y for box in beside for end in (box[2] - height, box[3]))}, key=abs)
            offset = next(
                step
                for step in (OFFSET[1], *steps)
                if all(y + step + height <= box[2] or box[3] <= y + step for box in beside)
            )
            placed.append((left, right, y + offset, y + offset + height))
            actor.SetDisplayOffset(OFFSET[0], round(offset))

    def on_screen(self, point: Any) -> tuple[float, float]:
        """Pixels of a world point, from the lower left."""
        renderer = self.stage.plotter.renderer
        renderer.SetWorldPoint(*point, 1.0)
        renderer.WorldToDisplay()
        x, y, _ = renderer.GetDisplayPoint()
        return x, y

    def extent(self, actor: Any) -> tuple[float, float]:
        """Width and height of a label with its margin [pixels]."""
        from vtkmodules.vtkRenderingCore import vtkTextRenderer

        box, window = [0, 0, 0, 0], self.stage.plotter.render_window
        vtkTextRenderer.GetInstance().GetBoundingBox(
            actor.GetTextProperty(), actor.GetInput(), box, window.GetDPI()
        )
        return box[1] - box[0] + MARGIN, SIZE + MARGIN
