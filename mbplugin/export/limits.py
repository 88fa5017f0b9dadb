"""Limits of joint coordinates as lines: of an angle an arc with end stops and a pointer, of a length a line
with end stops and a pointer.

The pointer moves with the body: it points to the mass centre of body b (of a, if b is the ground).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.rotation import Array, normal_to, rotation
from mbplugin.results.layout import STATUSES

#: parts of a drawing
PARTS = RANGE, LOWER, UPPER, POINTER = ("range", "lower stop", "upper stop", "pointer")
#: points of an arc; angle [rad] and length [marks] on the free side of a coordinate with one limit
AROUND, OPEN_ANGLE, OPEN_LENGTH = 33, 1.0, 2.0
#: lengths in marks: radii of arcs, stops and pointers; halves of the squares that stop slides and show where
#: they are
RADIUS, STOP, NEEDLE, SQUARE, SMALL = 2.0, 2.4, 1.8, 0.35, 0.2


class Part(NamedTuple):
    """A part of a drawing."""

    coordinate: int
    what: str  # one of PARTS
    bound: int  # row that switches whose status it has; −1: none


class Limits:
    """The drawn limits of a result. static: as in `ResultWriter`."""

    def __init__(self, static: Mapping[str, Any]) -> None:
        names = list(static.get("coordinates/name", ()))
        none = np.full((len(names), 2), np.inf)
        self.ends = np.asarray(static.get("coordinates/limits", none), float)
        self.axis = np.asarray(static.get("coordinates/axis", np.zeros((len(names), 3))), float)
        self.axis_body = np.asarray(static.get("coordinates/axis_body", ()), int)
        self.joint = np.asarray(static.get("coordinates/joint", ()), int)
        self.radians = [unit == "rad" for unit in static.get("coordinates/unit", ())]
        self.mark = float(static.get("coordinates/mark", 1.0))
        bodies = {name: k for k, name in enumerate(static["bodies/name"])}
        body_of = lambda end: [
            bodies.get(name.partition(".")[0], -1) for name in static.get(f"joints/{end}", ())
        ]
        self.a, self.b = body_of("a"), body_of("b")
        bounds = {name: k for k, name in enumerate(static.get("bounds/name", ()))}
        self.parts: list[Part] = []
        for k, name in enumerate(names):
            finite = np.isfinite(self.ends[k])
            if finite.any() and np.linalg.norm(self.axis[k]) > 0.5:
                rows = [bounds.get(f"{name}.{word}_limit", -1) for word in ("lower", "upper")]
                stops = [Part(k, what, rows[i]) for i, what in enumerate((LOWER, UPPER)) if finite[i]]
                self.parts += [Part(k, RANGE, -1), *stops, Part(k, POINTER, -1)]

    def at(self, frame: Mapping[str, Any], mark: float | None = None) -> list[Array]:
        """The points (n, 3) of the line of each part in a frame, world [m]; n is the same in all frames.

        mark: size of the drawings [m]; default the one stored
        """
        mark = self.mark if mark is None else mark
        made = {part.coordinate: self.drawing(part.coordinate, frame, mark) for part in self.parts}
        return [made[part.coordinate][part.what] for part in self.parts]

    def reached(self, frame: Mapping[str, Any]) -> Array:
        """(parts,) whether each is a stop that is touched."""
        at_limit = STATUSES.index("at limit")
        status = frame.get("bounds/status", ())
        return np.array([p.bound >= 0 and status[p.bound] == at_limit for p in self.parts], bool)

    def drawing(self, k: int, frame: Mapping[str, Any], mark: float) -> dict[str, Array]:
        """Part -> points of coordinate k."""
        joint = self.joint[k]
        to_world = lambda body: rotation(frame["bodies/orientation"][body]) if body >= 0 else np.eye(3)
        R = to_world(self.axis_body[k])
        axis = R @ self.axis[k]
        point = np.asarray(frame["joints/position"][joint], float)
        moving, sign = (self.b[joint], 1.0) if self.b[joint] >= 0 else (self.a[joint], -1.0)
        value = float(frame["coordinates/value"][k])
        away = sign * (self.ends[k] - value)  # of the stops, from the present place
        if self.radians[k]:
            arm = np.asarray(frame["bodies/center_of_mass"][moving], float) - point
            across = arm - (arm @ axis) * axis
            if np.linalg.norm(across) < 1e-6 * max(mark, float(np.linalg.norm(arm))):
                R = to_world(moving)
                across = R @ normal_to(R.T @ axis)
            return hinge(point, axis, across / np.linalg.norm(across), away, mark)
        here = point if sign > 0 else point - value * axis
        return slide(here, axis, R @ normal_to(self.axis[k]), away, mark)


def hinge(point: Array, axis: Array, u: Array, away: Array, mark: float) -> dict[str, Array]:
    """An arc, and radii where it ends and along u. away (2,): angles of the stops from u."""
    v = np.cross(axis, u)
    radial = lambda angle, r: point + r * mark * (np.cos(angle) * u + np.sin(angle) * v)
    low, high = ends_of(away, OPEN_ANGLE)
    high = min(high, low + 2.0 * np.pi) if high > low else max(high, low - 2.0 * np.pi)
    return {
        RANGE: np.array([radial(angle, RADIUS) for angle in np.linspace(low, high, AROUND)]),
        LOWER: np.array([point, radial(away[0], STOP)]) if np.isfinite(away[0]) else np.zeros((0, 3)),
        UPPER: np.array([point, radial(away[1], STOP)]) if np.isfinite(away[1]) else np.zeros((0, 3)),
        POINTER: np.array([point, radial(0.0, NEEDLE)]),
    }


def slide(point: Array, axis: Array, first: Array, away: Array, mark: float) -> dict[str, Array]:
    """A line, and squares across it where it ends and where the slide is, with a corner along `first`.
    away (2,): of the stops.
    """
    second = np.cross(axis, first)
    corners = np.array([first, second, -first, -second, first])

    def square(at: float, half: float) -> Array:
        if not np.isfinite(at):
            return np.zeros((0, 3))
        return np.asarray(point + at * axis + half * mark * corners)

    ends = np.array(ends_of(away, OPEN_LENGTH * mark))
    return {
        RANGE: point + ends[:, None] * axis,
        LOWER: square(away[0], SQUARE),
        UPPER: square(away[1], SQUARE),
        POINTER: square(0.0, SMALL),
    }


def ends_of(away: Array, free: float) -> tuple[float, float]:
    """Where the range ends; on a side without a limit it is drawn up to `free` beyond the present place, and
    at least as far from the other end.
    """
    low, high = map(float, away)
    if np.isfinite(low) and np.isfinite(high):
        return low, high
    # the free side of a lower limit is that of larger values, which are negative for a body a that moves
    if np.isfinite(low):
        way = 1.0 if high > 0 else -1.0
        return low, way * max(way * low, 0.0) + way * free
    way = 1.0 if low > 0 else -1.0
    return way * max(way * high, 0.0) + way * free, high
