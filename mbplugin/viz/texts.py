"""What lies in front of everything: texts and flat shapes in pixels; and sizes that go with the height of a
picture.
"""

from __future__ import annotations

from typing import Any

Box = tuple[float, float, float, float]  # left, right, bottom, top [pixels from the lower left]
#: height of a picture for which sizes are given [pixels], and the least share of them
HEIGHT, LEAST = 720.0, 0.6


def scaled(plotter: Any, size: float) -> float:
    """A size of letters or lines, given for a picture of `HEIGHT`, for the picture of a plotter [pixels]."""
    return size * max(LEAST, plotter.window_size[1] / HEIGHT)


class Front:
    """The layer in front of everything."""

    def __init__(self, plotter: Any, renderer: Any) -> None:
        self.plotter, self.renderer = plotter, renderer
        self.texts: dict[str, Any] = {}

    def text(self, name: str, size: float, colour: str, bold: bool = False, veil: float = 0.0) -> Any:
        """The text actor of that name, made at the first call.

        size: of letters, for a picture of `HEIGHT`; veil: opacity of the white behind them
        """
        from vtkmodules.vtkRenderingCore import vtkTextActor

        if name not in self.texts:
            actor = self.texts[name] = vtkTextActor()
            actor.SetTextScaleModeToNone()
            look = actor.GetTextProperty()
            look.SetFontSize(round(scaled(self.plotter, size)))
            look.SetColor(*(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)))
            look.SetBold(bold)
            look.SetBackgroundColor(1.0, 1.0, 1.0)
            look.SetBackgroundOpacity(veil)
            self.renderer.AddViewProp(actor)
        return self.texts[name]

    def write(
        self,
        name: str,
        text: str,
        place: tuple[float, float],
        size: float,
        colour: str,
        align: tuple[str, str] = ("left", "bottom"),
        veil: float = 0.0,
    ) -> Any:
        """Write a text in the place of the one of that name; returns its actor.

        place: from the lower left, in widths and heights of the picture
        align: which end of the text is there: "left" or "right", "bottom", "center" or "top"
        veil:  opacity of the white behind it
        """
        actor = self.text(name, size, colour, veil=veil)
        actor.SetInput(text)
        actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
        actor.SetPosition(*place)
        look = actor.GetTextProperty()
        look.SetJustification({"left": 0, "center": 1, "right": 2}[align[0]])
        look.SetVerticalJustification({"bottom": 0, "center": 1, "top": 2}[align[1]])
        return actor

    def shown_texts(self) -> list[Any]:
        """The text actors that are seen."""
        return [actor for actor in self.texts.values() if actor.GetInput() and actor.GetVisibility()]

    def box(self, actor: Any) -> Box:
        """Where a text is."""
        box = [0.0] * 4
        actor.GetBoundingBox(self.renderer, box)
        x, y = actor.GetPositionCoordinate().GetComputedDisplayValue(self.renderer)
        return box[0] + x, box[1] + x, box[2] + y, box[3] + y

    def flat(self, colour: str, opacity: float = 1.0, line_width: float = 1.0) -> Any:
        """An empty mesh, which is shown flat in pixels."""
        import pyvista as pv
        from vtkmodules.vtkRenderingCore import vtkActor2D, vtkCoordinate, vtkPolyDataMapper2D

        mesh, mapper, actor, place = pv.PolyData(), vtkPolyDataMapper2D(), vtkActor2D(), vtkCoordinate()
        place.SetCoordinateSystemToDisplay()
        mapper.SetTransformCoordinate(place)
        mapper.SetInputData(mesh)
        actor.SetMapper(mapper)
        look = actor.GetProperty()
        look.SetColor(*pv.Color(colour).float_rgb)
        look.SetOpacity(opacity)
        look.SetLineWidth(scaled(self.plotter, line_width))
        self.renderer.AddViewProp(actor)
        return mesh
