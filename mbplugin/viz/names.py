"""Names of joints, bodies and force elements beside what they name.

Joints at one point share a label. A body is named at a point of its surface that is seen, away from other
bodies: on it where there is room, else beside it with a line to that point. An element that is a line is
named at its middle. The labels are placed anew for each picture, after the bodies are drawn, and cover
neither each other nor the legend. What there is no room for, and hidden bodies, the picture counts. Pictures
of the last steps before an error have the names of those that had a part in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.export.lines import Curves
from mbplugin.results.layout import STATUSES, Array
from mbplugin.viz.anchors import Anchors, Screen
from mbplugin.viz.culprits import culprits
from mbplugin.viz.flat import disc, mesh_of
from mbplugin.viz.labels import DOT, HEAD, SHAFT, SURFACE, Crowd, Placement
from mbplugin.viz.meshes import polylines
from mbplugin.viz.places import Snapshot
from mbplugin.viz.texts import Box, scaled

JOINT, BODY, ELEMENT = "#1A1A1A", "#0D47A1", "#4E342E"
#: size of letters, margin around a label, opacity of the white behind it
SIZE, MARGIN, VEIL = {JOINT: 19, ELEMENT: 17, BODY: 17}, 3, 0.75
#: width and height of the place for the note about what is left out
NOTE = 460.0, 45.0
#: farthest that the name of a body is moved, farthest without a line, radii of its dot and of the white
#: around it, width of the line
NEAR, ADJACENT, POINT, RIM, LINE = 300.0, 14.0, 3.0, 4.5, 1.2


#: statuses that labels do not tell
QUIET = ("off", "free", "follows")


class Names:
    """The names of a stage.

    boxes: name -> box of its label in the last picture [pixels]
    """

    def __init__(self, stage: Any) -> None:
        raw, self.stage, self.plotter, self.front = stage.raw, stage, stage.plotter, stage.front
        self.near, self.bounds = 1e-3 * stage.size, raw.names("bounds")
        self.joints, self.bodies, self.elements = raw.names("joints"), raw.names("bodies"), raw.names("lines")
        self.curves = Curves(stage.static)
        groups = ("joints", "bodies", "forces")
        marked = [name for group in groups for name in culprits(raw, group)]
        #: those that have a label
        self.named = {*self.joints, *self.bodies, *self.elements} if stage.options.names else set(marked)
        self.anchors = Anchors(stage.bodies.drawn)
        self.leaders = {colour: self.front.flat(colour, line_width=LINE) for colour in (JOINT, BODY, ELEMENT)}
        self.rims, self.dots = self.front.flat("#FFFFFF"), self.front.flat(BODY)
        #: text and colour -> place relative to its point in the last picture
        self.before: dict[tuple[str, str], Array] = {}
        self.boxes: dict[str, Box] = {}
        #: how many names the last picture has no room for, and how many are of hidden bodies
        self.left_out = self.hidden = 0
        self.snapshot: Snapshot | None = None
        self.plotter.renderer.AddObserver("EndEvent", lambda *_: self.place())

    def show(self, snapshot: Snapshot) -> None:
        """Remember a frame; the labels are placed when its bodies have been drawn."""
        self.snapshot = snapshot

    def unit(self) -> float:
        """Pixels in those of a picture of the usual height."""
        return scaled(self.plotter, 1.0)

    def place(self) -> None:
        """Place the labels for the present camera."""
        if self.snapshot is None:
            return
        screen, unit = Screen(self.plotter), self.unit()
        points = self.of_points(screen)
        dots = np.array([point for _, point, _ in points]).reshape(-1, 2)
        self.anchors.find(self.snapshot, screen, self.stage.size, unit, dots)
        heads, shafts = (
            screen.pixels(
                np.concatenate([getattr(part, which, np.zeros((0, 3))) for part in self.stage.parts])
            )[0]
            for which in ("heads", "shafts")
        )
        parts = ((self.anchors.points, SURFACE), (dots, DOT), (heads, HEAD), (shafts, SHAFT))
        crowded = np.concatenate([points for points, _ in parts])
        weights = np.concatenate([np.full(len(points), weight) for points, weight in parts])
        everything = Crowd(screen.width, screen.height, crowded, weights)
        placement = Placement(screen.width, screen.height, unit, self.occupied())
        placed: dict[tuple[str, str], tuple[Box | None, Array]] = {}
        missing = []
        for text, point, colour in points:
            before = self.before.get((text, colour))
            box = placement.place(point, self.extent(text, colour), everything, before=before)
            placed[text, colour] = box, point
        for body, name in enumerate(self.bodies):
            if name in self.named:
                if body not in self.anchors.at:
                    missing.append(name)
                    continue
                weights[: len(self.anchors.owner)] = np.where(self.anchors.owner == body, 0.0, SURFACE)
                crowd = Crowd(screen.width, screen.height, crowded, weights)
                placed[name, BODY] = self.of_body(body, name, placement, crowd), self.anchors.at[body]
        self.draw(placed)
        self.hidden = len(missing)
        self.left_out = sum(box is None for box, _ in placed.values())
        self.count()

    def of_points(self, screen: Screen) -> list[tuple[str, Array, str]]:
        """Text, pixels (2,) and colour of each label of joints and elements."""
        assert self.snapshot is not None
        frame, found, lines = self.snapshot.frame, [], {}
        for name, curve in zip(self.elements, self.curves.at(frame) if self.elements else ()):
            lines[name] = self.snapshot.local(
                curve[len(curve) // 2] if len(curve) > 2 else curve.mean(axis=0)
            )
        points = self.snapshot.local(frame["joints/position"]) if self.joints else np.zeros((0, 3))
        together: dict[int, list[str]] = {}
        said = self.statuses()
        for name, point in zip(self.joints, points):
            if name in self.named and name not in lines:
                first = int(np.argmax(np.linalg.norm(points - point, axis=1) <= self.near))
                together.setdefault(first, []).append(name + said.get(name, ""))
        found = [(", ".join(names), points[k], JOINT) for k, names in together.items()]
        found += [(name, middle, ELEMENT) for name, middle in lines.items() if name in self.named]
        pixels = screen.pixels([point for _, point, _ in found])[0]
        return [(text, at, colour) for (text, _, colour), at in zip(found, pixels)]

    def statuses(self) -> dict[str, str]:
        """Joint -> what its limits, friction, clutch and motion do, such as " (sticks)"."""
        assert self.snapshot is not None
        said: dict[str, list[str]] = {}
        for name, status in zip(self.bounds, self.snapshot.frame.get("bounds/status", ())):
            if STATUSES[status] not in QUIET:
                said.setdefault(name.rsplit(".", 2)[0], []).append(STATUSES[status])
        return {joint: f" ({', '.join(words)})" for joint, words in said.items()}

    def of_body(self, body: int, name: str, placement: Placement, crowd: Crowd) -> Box | None:
        """Box of the label of a body: on it, or beside it."""
        at, extent, unit = self.anchors.at[body], self.extent(name, BODY), self.unit()
        half = 0.5 * np.array(extent)
        box = np.array([[at[0] - half[0], at[0] + half[0], at[1] - half[1], at[1] + half[1]]])
        corners = at + half * [[-1, -1], [-1, 1], [1, -1], [1, 1]]
        on_it = self.anchors.on_body(body, corners)
        if on_it and placement.free(box)[0] and crowd.covered(box)[0] < SURFACE:
            return placement.keep(at, box[0])
        return placement.place(at, extent, crowd, NEAR * unit, self.before.get((name, BODY)))

    def occupied(self) -> list[Box]:
        """Boxes of other texts, of the legend, and of the note about names that are left out."""
        others = [part.box for part in self.stage.parts if hasattr(part, "box")]
        texts = [actor for name, actor in self.front.texts.items() if not name.startswith("name ")]
        width, height = self.plotter.window_size
        note = (width - NOTE[0] * self.unit(), float(width), height - NOTE[1] * self.unit(), float(height))
        return [*others, note, *(self.front.box(actor) for actor in texts if actor.GetInput())]

    def label(self, text: str, colour: str) -> Any:
        """The actor of a label."""
        actor = self.front.text(f"name {colour} {text}", SIZE[colour], colour, True, VEIL)
        actor.SetInput(text)
        return actor

    def extent(self, text: str, colour: str) -> tuple[float, float]:
        """Width and height of a label with its margin [pixels]."""
        left, right, bottom, top = self.front.box(self.label(text, colour))
        return right - left + 2 * MARGIN, max(top - bottom, SIZE[colour] * self.unit()) + 2 * MARGIN

    def draw(self, placed: dict[tuple[str, str], tuple[Box | None, Array]]) -> None:
        """Show the labels in their boxes, and lines to what they name."""
        for name, actor in self.front.texts.items():
            if name.startswith("name "):
                actor.SetVisibility(False)
        lines: dict[str, list[Array]] = {colour: [] for colour in self.leaders}
        ends, unit = [], self.unit()
        self.boxes, self.before = {}, {}
        for (text, colour), (box, at) in placed.items():
            if box is None:
                continue
            left, right, bottom, top = box
            actor = self.label(text, colour)
            actor.SetVisibility(True)
            actor.SetDisplayPosition(round(left + MARGIN), round(bottom + MARGIN))
            self.boxes[text], self.before[text, colour] = box, np.array([left, bottom]) - at
            end = np.clip(at, [left, bottom], [right, top])
            distance = float(np.linalg.norm(end - at))
            if distance > (0.0 if colour == BODY else ADJACENT * unit):
                lines[colour].append(np.array([[*at, 0.0], [*end, 0.0]]))
                if colour == BODY:
                    ends.append(at)
        for mesh, radius in ((self.rims, RIM), (self.dots, POINT)):
            mesh.copy_from(mesh_of([disc(x, y, radius * unit) for x, y in ends]))
        for colour, mesh in self.leaders.items():
            mesh.copy_from(polylines(lines[colour]))

    def count(self) -> None:
        """Tell in the picture how many names are left out."""
        counts = ((self.left_out, "without room"), (self.hidden, "of hidden bodies"))
        told = ", ".join(f"{n} {what}" for n, what in counts if n)
        text = f"names left out: {told}" if told else ""
        self.front.write("left out", text, (0.98, 0.975), 20, BODY, ("right", "top"))
