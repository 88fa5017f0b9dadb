"""What arrows mean: a reference arrow of a round force, as long as one at the focus of the camera, the
largest force shown, and the colours of what the run has. It follows the camera.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.viz.arrows import ForceArrows
from mbplugin.viz.camera import view_height
from mbplugin.viz.flat import broken_arrow, disc, flat_arc, flat_arrow, mesh_of
from mbplugin.viz.forces import OPEN, Contacts, Drives, Source
from mbplugin.viz.numbers import round_number, with_unit
from mbplugin.viz.places import Array, Snapshot
from mbplugin.viz.texts import HEIGHT, scaled
from mbplugin.viz.torques import TorqueArcs

INK, WHITE = "#1A1A1A", "#FFFFFF"
#: longest reference arrow in heights of the picture; largest reference arc [rad]
REFERENCE, ARC = 0.2, np.radians(240.0)
#: left and lower end, height of a row, gap between entries, length of a small arrow, tip, letters, for a
#: picture of the usual height [pixels]
LEFT, BOTTOM, ROW, GAP, SMALL, TIP, LETTERS = 20, 14, 28, 18, 34, 11, 18
#: most kinds in one row; more have one for contacts and one for the others
MOST = 4
#: opacity of the white behind it
VEIL = 0.75


class ForceLegend:
    """The legend of a stage.

    text: what it says beside the reference arrow
    """

    def __init__(self, stage: Any, arrows: list[ForceArrows], torques: TorqueArcs | None) -> None:
        self.stage, self.plotter, self.front, self.scale = stage, stage.plotter, stage.front, stage.scale
        self.arrows, self.torques, self.text = arrows, torques, ""
        self.panel, self.ink = self.front.flat(WHITE, VEIL), self.front.flat(INK)
        sources = [part.source for part in arrows]
        #: name and colour of each kind
        self.kinds = kinds_of(sources)
        #: numbers of the kinds in each row
        self.rows = rows_of(sources)
        self.swatches = [self.front.flat(colour) for _, colour in self.kinds]
        largest = max((float(sizes.max(initial=0.0)) for sizes in stage.largest), default=0.0)
        self.shortens = bool(self.scale.broken([[largest, 0.0, 0.0]])[0])
        self.box = (0.0, 0.0, 0.0, 0.0)
        self.plotter.renderer.AddObserver("StartEvent", lambda *_: self.draw())

    def show(self, snapshot: Snapshot) -> None:
        """What a frame has is drawn when the picture is."""

    def px(self, size: float) -> float:
        """Pixels of a size for a picture of the usual height."""
        return scaled(self.plotter, size)

    def draw(self) -> None:
        """Draw everything for the present camera."""
        row, left = self.px(ROW), self.px(LEFT)
        y, ends, ink = self.px(BOTTOM) - 0.5 * row, [left], []
        for numbers in reversed(self.rows):
            x, y = left, y + row
            for k in numbers:
                name, small = self.kinds[k][0], self.px(SMALL)
                shape = disc(x + 0.5 * small, y, self.px(4)) if name == OPEN else self.arrow(x, y, small)
                self.swatches[k].copy_from(mesh_of([shape]))
                ends.append(self.write(f"kind {k}", name, x + small, y))
                x = ends[-1] + self.px(GAP)
        if self.torques is not None and self.torques.scale.factor:
            y += row
            ink += self.torque_arc(left, y, ends)
        if self.scale.factor:
            y += row
            ink += self.force_arrow(left, y, ends)
        self.ink.copy_from(mesh_of(ink))
        edge = self.px(8)
        self.box = (left - edge, max(ends) + edge, self.px(BOTTOM) - edge, y + 0.5 * row + 0.5 * edge)
        a, b, c, d = self.box
        self.panel.copy_from(mesh_of([np.array([(a, c), (b, c), (b, d), (a, d)])]))

    def force_arrow(self, x: float, y: float, ends: list[float]) -> list[Array]:
        """The reference arrow; adds the right end of its text to `ends`."""
        height = self.plotter.window_size[1]
        # of one newton at the focus
        pixels = self.scale.factor * height / view_height(self.plotter.camera)
        given = self.stage.options.force_scale
        fits = given is not None and given * pixels <= 2.0 * REFERENCE * height
        self.reference = given if fits else round_number(REFERENCE * height / pixels)  # [N]
        largest = max((part.largest for part in self.arrows), default=0.0)
        self.text = f"{with_unit(self.reference, 'N')}    largest force {with_unit(largest, 'N')}"
        length = self.reference * pixels
        shapes, right = [self.arrow(x, y, length)], self.write("forces", self.text, x + length, y)
        if self.shortens:
            right, small = right + self.px(GAP), 1.6 * self.px(SMALL)
            shapes += broken_arrow(right, y, small, self.px(TIP))
            right = self.write("broken", "longer than drawn", right + small, y)
        ends.append(right)
        return shapes

    def torque_arc(self, x: float, y: float, ends: list[float]) -> list[Array]:
        """The reference arc; adds the right end of its text to `ends`."""
        assert self.torques is not None
        torque = round_number(ARC / self.torques.scale.factor)
        radius = self.px(11)
        text = f"{with_unit(torque, 'N m')}    largest torque {with_unit(self.torques.largest, 'N m')}"
        ends.append(self.write("torques", text, x + 2.0 * radius, y))
        return flat_arc(x + radius, y, radius, torque * self.torques.scale.factor, self.px(TIP))

    def arrow(self, x: float, y: float, length: float) -> Array:
        """Corners of an arrow to the right."""
        return flat_arrow(x, y, length, self.px(TIP))

    def write(self, name: str, text: str, x: float, y: float) -> float:
        """Write a text beside x; returns its right end [pixels]."""
        width, height = self.plotter.window_size
        place = (x + self.px(9)) / width, y / height
        actor = self.front.write(f"legend {name}", text, place, LETTERS, INK, ("left", "center"))
        return float(self.front.box(actor)[1])


def kinds_of(sources: list[Source]) -> list[tuple[str, str]]:
    """Name and colour of each kind of arrow."""
    return [kind for source in sources for kind in source.kinds]


def rows_of(sources: list[Source]) -> list[list[int]]:
    """Numbers of the kinds in each row."""
    contacts = sum(len(source.kinds) for source in sources if isinstance(source, Contacts))
    numbers = list(range(len(kinds_of(sources))))
    if len(numbers) <= MOST or contacts in (0, len(numbers)):
        return [numbers]
    return [numbers[:-contacts], numbers[-contacts:]]


def height(sources: list[Source]) -> float:
    """About how much of the height of a picture the legend takes."""
    torques = any(isinstance(source, Drives) for source in sources)
    return (BOTTOM + (1 + torques + len(rows_of(sources))) * ROW) / HEIGHT
