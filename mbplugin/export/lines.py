"""The lines of joints and force elements as curves: a slack rope hangs, a rope on a drum goes round it.

A part of a rope of the length S between ends that are x apart across gravity and y along it is a catenary,
sinh(u)/u = √(S² − y²)/x; for pictures only, since ropes have no mass. Slack of several parts is shared in
proportion to their lengths.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array, rotation
from mbplugin.math.rope_path import path
from mbplugin.results.layout import STATUSES

ACTS = STATUSES.index("acts")


class Acting:
    """Which of the elements with these names act: released ones are not drawn. static: as in `ResultWriter`.

    kinds: "joint" or "force", the word before the name of an activity where two elements have that name
    """

    def __init__(self, static: Mapping[str, Any], names: Sequence[str], *kinds: str) -> None:
        known = {}
        for k, label in enumerate(static.get("activities/name", ())):
            what, _, name = label.rpartition(" ")
            if what in ("", *kinds):
                known[name] = k
        self.number = len(names)
        self.places = [(k, known[name]) for k, name in enumerate(names) if name in known]

    def at(self, frame: Mapping[str, Any]) -> Array:
        """(names,) whether each acts in a frame."""
        acts = np.ones(self.number, bool)
        for k, activity in self.places:
            acts[k] = frame["activities/status"][activity] == ACTS
        return acts


#: points of a curve; slack below this part of the length of a rope counts as none; u above which a rope is
#: drawn straight down and up
POINTS, NONE, STEEP = 33, 1e-9, 300.0
#: of these points, those of half of what lies on a sheave
ON_SHEAVE = 10
#: look of lines that are rings about the axes of both ends; sides of one, its radius in marks of drawings,
#: and that of the ring at b in that at a
RINGS, AROUND, RING, INNER = "rings", 20, 1.0, 0.6


class Curves:
    """The lines of a result. static: as in `ResultWriter`."""

    def __init__(self, static: Mapping[str, Any]) -> None:
        self.names = list(static.get("lines/name", ()))
        outputs = {name: k for k, name in enumerate(static.get("outputs/name", ()))}
        joints = {name: k for k, name in enumerate(static.get("joints/name", ()))}
        self.joint = [joints.get(name, -1) for name in self.names]
        self.slack = [outputs.get(f"{name}.slack", -1) for name in self.names]
        self.wrap = [outputs.get(f"{name}.wrap", -1) for name in self.names]
        self.radius = [float(r) for r in static.get("lines/radius", [0.0] * len(self.names))]
        #: of lines with sheaves, of both ends: signed radius, body and axis there
        of_lines = static.get("lines/sheaves", ())
        self.sheaves = {k: np.array(both, float) for k, both in enumerate(of_lines) if both is not None}
        gravity = np.asarray(static.get("forces/gravity", (0.0, 0.0, 0.0)), float)
        size = float(np.linalg.norm(gravity))
        self.down = gravity / size if size > 0.0 else np.array([0.0, 0.0, -1.0])
        #: whether a line is a curve of `POINTS` points; the others are straight, of two
        self.curved = np.array([k >= 0 for k in self.slack], bool)
        #: lines that are rings, and the axes of these
        self.ringed = [k for k, look in enumerate(static.get("lines/look", ())) if look == RINGS]
        self.axes = np.concatenate([np.zeros((0, 5)), *(self.sheaves[k] for k in self.ringed)])
        self.ring = RING * float(static.get("coordinates/mark", 1.0))
        self.counts = np.where(self.curved, POINTS, 2)
        self.counts[self.ringed] = 2 * (AROUND + 2)
        self.acting = Acting(static, self.names, "joint", "force")

    def at(self, frame: Mapping[str, Any]) -> list[Array]:
        """The points (n, 3) of each line in a frame, world [m]; n is the same in all frames. They coincide
        where an element does not act.
        """
        ends = np.asarray(frame["lines/ends"], float)
        made: list[Array] = list(ends)
        for name in dict.fromkeys(name for name, curved in zip(self.names, self.curved) if curved):
            lines = [k for k, other in enumerate(self.names) if other == name]
            curves = self.of_rope(lines, ends[lines], frame)
            for k, curve in zip(lines, curves):
                made[k] = curve
        if self.ringed:
            axes = axes_at(self.axes, frame).reshape(-1, 2, 3)
            for k, curve in zip(self.ringed, rings(ends[self.ringed], axes, self.ring)):
                made[k] = curve
        for k in np.flatnonzero(~self.acting.at(frame)).tolist():
            made[k] = np.repeat(ends[k, :1], self.counts[k], axis=0)
        return made

    def of_rope(self, lines: list[int], ends: Array, frame: Mapping[str, Any]) -> list[Array]:
        """The curves of the parts of one rope, whose ends are (parts, 2, 3)."""
        first = lines[0]
        values = frame.get("outputs/value")
        slack = float(values[self.slack[first]]) if values is not None else 0.0
        if self.radius[first] and values is not None:
            axis = rotation(frame["joints/orientation"][self.joint[first]])[:, 2]
            wrap = float(values[self.wrap[first]])
            if len(lines) == 1:
                return onto_drum(ends[0], axis, self.radius[first], wrap, slack, self.down)
            return over_drum(ends, axis, self.radius[first], wrap, slack, self.down)
        if first in self.sheaves:
            sheaves = np.array([self.sheaves[lines[0]][0], *(self.sheaves[k][1] for k in lines)])
            return over_sheaves(ends, axes_at(sheaves, frame), sheaves[:, 0], slack, self.down)
        chords = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        stretch = 1.0 + max(slack, 0.0) / max(float(chords.sum()), 1e-300)
        return [hanging(a, b, stretch * chord, self.down, POINTS) for (a, b), chord in zip(ends, chords)]


def axes_at(sheaves: Array, frame: Mapping[str, Any]) -> Array:
    """(n, 3) axes of sheaves (n, 5) in a frame, world."""
    # the last one is the ground
    turned = np.concatenate([rotation(frame["bodies/orientation"]), np.eye(3)[None]])
    return np.asarray(np.einsum("kij,kj->ki", turned[sheaves[:, 1].astype(int)], sheaves[:, 2:]))


def rings(ends: Array, axes: Array, radius: float) -> Array:
    """(n, points, 3): a ring about the axis of a, its centre, that of b, and a smaller ring about b's axis.

    ends, axes: (n, 2, 3)
    """
    least = np.eye(3)[np.argmin(np.abs(axes), axis=2)]
    x = np.cross(least, axes)
    x /= np.linalg.norm(x, axis=2)[:, :, None]
    y = np.cross(axes, x)
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND + 1)[:, None]
    around = np.cos(angle) * x[:, :, None] + np.sin(angle) * y[:, :, None]
    around *= np.array([radius, INNER * radius])[None, :, None, None]
    around += ends[:, :, None]
    return np.concatenate([around[:, 0], ends[:, :1], ends[:, 1:], around[:, 1]], axis=1)


def over_sheaves(ends: Array, axes: Array, rho: Array, slack: float, down: Array) -> list[Array]:
    """The parts of a rope over sheaves, each with half of what lies on those at its ends.

    ends: (parts, 2, 3) of the lines of centres; axes: (parts + 1, 3) and rho: (parts + 1,) of the markers
    """
    x = np.concatenate([ends[:, 0], ends[-1:, 1]])
    touching, normals, wraps = path(x, axes, rho)
    if np.isnan(touching).any():
        touching, wraps, rho = ends, np.zeros(len(x)), np.zeros(len(x))
    lengths = np.linalg.norm(touching[:, 1] - touching[:, 0], axis=1)
    stretch = 1.0 + max(slack, 0.0) / max(float(lengths.sum()), 1e-300)
    made = []
    for k, (a, b) in enumerate(touching):
        curve = hanging(a, b, stretch * lengths[k], down, POINTS - 2 * ON_SHEAVE)
        half = np.linspace(0.5, 0.0, ON_SHEAVE + 1)[:-1]
        before = arc(x[k], axes[k], rho[k], normals[k, 0], -half * wraps[k]) if rho[k] else a
        after = arc(x[k + 1], axes[k + 1], rho[k + 1], normals[k, 1], half[::-1] * wraps[k + 1])
        made.append(
            np.concatenate(
                [
                    np.broadcast_to(before, (ON_SHEAVE, 3)),
                    curve,
                    np.broadcast_to(after if rho[k + 1] else b, (ON_SHEAVE, 3)),
                ]
            )
        )
    return made


def arc(centre: Array, axis: Array, radius: float, n: Array, angles: Array) -> Array:
    """(n, 3) points of a circle at these angles from its normal n, in the sense of its signed radius."""
    turned = np.sign(radius) * angles
    other = np.cross(axis, n)
    return np.asarray(centre + abs(radius) * (np.outer(np.cos(turned), n) + np.outer(np.sin(turned), other)))


def over_drum(ends: Array, axis: Array, radius: float, wrap: float, slack: float, down: Array) -> list[Array]:
    """Both halves of a rope from ends[0, 0] over a drum at ends[0, 1] to ends[1, 1]. radius: negative where
    it runs about −axis.
    """
    a, centre, b = ends[0, 0], ends[0, 1], ends[1, 1]
    arms = np.array([a - centre, b - centre])
    h = arms @ axis
    flat = arms - h[:, None] * axis
    rho, r, sense = np.linalg.norm(flat, axis=1), abs(radius), np.sign(radius)
    if wrap <= 0.0 or (rho <= r).any():
        middle = hanging(a, b, float(np.linalg.norm(b - a)) + max(slack, 0.0), down, 2 * POINTS - 1)
        return [middle[:POINTS], middle[POINTS - 1 :]]
    tangents = np.sqrt(rho**2 - r**2)
    e = flat[0] / rho[0]
    # the angle from the first end to where its tangent touches the drum
    start = sense * np.arccos(r / rho[0])
    free, half = POINTS // 2, POINTS - POINTS // 2
    angle = start + sense * np.linspace(0.0, wrap, 2 * half - 1)
    rise = h[0] + (h[1] - h[0]) * (tangents[0] + r * np.abs(angle - start)) / (tangents.sum() + r * wrap)
    around = centre + r * (np.outer(np.cos(angle), e) + np.outer(np.sin(angle), np.cross(axis, e)))
    around += np.outer(rise, axis)
    touch = np.array([around[0], around[-1]])
    lengths = np.linalg.norm(touch - np.array([a, b]), axis=1)
    stretch = 1.0 + max(slack, 0.0) / float(lengths.sum())
    first = hanging(a, touch[0], stretch * lengths[0], down, free + 1)[:-1]
    last = hanging(touch[1], b, stretch * lengths[1], down, free + 1)[1:]
    # the middle of the arc belongs to both
    return [np.concatenate([first, around[:half]]), np.concatenate([around[half - 1 :], last])]


def onto_drum(ends: Array, axis: Array, radius: float, wrap: float, slack: float, down: Array) -> list[Array]:
    """A rope from ends[0] onto a drum at ends[1], with no more than a turn of what is wound up."""
    a, centre = ends
    h = float((a - centre) @ axis)
    flat = a - centre - h * axis
    rho, r, sense = float(np.linalg.norm(flat)), abs(radius), np.sign(radius)
    if rho <= r:
        return [hanging(a, centre, float(np.linalg.norm(a - centre)) + max(slack, 0.0), down, POINTS)]
    e, free = flat / rho, POINTS // 2
    turn = sense * (np.arccos(r / rho) + np.linspace(0.0, min(wrap, 2.0 * np.pi), POINTS - free))
    around = centre + r * (np.outer(np.cos(turn), e) + np.outer(np.sin(turn), np.cross(axis, e)))
    length = float(np.linalg.norm(around[0] - a)) + max(slack, 0.0)
    return [np.concatenate([hanging(a, around[0], length, down, free + 1)[:-1], around])]


def hanging(a: Array, b: Array, length: float, down: Array, count: int) -> Array:
    """(count, 3) points of a rope of this length from a to b that hangs along `down`; straight if it has no
    slack.
    """
    share = np.linspace(0.0, 1.0, count)[:, None]
    chord = b - a
    distance = float(np.linalg.norm(chord))
    if length <= distance * (1.0 + NONE):
        return np.asarray(a + share * chord)
    y = float(chord @ down)
    across = chord - y * down
    x = float(np.linalg.norm(across))
    taut = np.sqrt(length**2 - y**2)
    if x * np.sinh(STEEP) / STEEP <= taut or x <= NONE * length:
        # down from a, and up to b
        lowest = 0.5 * (length + y)
        run = share[:, 0] * length
        drop = np.where(run < lowest, run, 2.0 * lowest - run)
        return np.asarray(a + share * across + np.outer(drop, down))
    u = half_span(taut / x)
    # the catenary c cosh((t − middle) / c) through both ends, with its lowest point at t = middle
    c = 0.5 * x / u
    middle = np.arcsinh(y / (2.0 * c * np.sinh(u))) * c + 0.5 * x
    # equal lengths between points: s = c sinh((t − middle) / c)
    s = np.linspace(np.sinh(-middle / c), np.sinh((x - middle) / c), count)
    t = middle + c * np.arcsinh(s)
    drop = -c * (np.cosh((t - middle) / c) - np.cosh(middle / c))
    return np.asarray(a + np.outer(t / x, across) + np.outer(drop, down))


def half_span(ratio: float) -> float:
    """u > 0 with sinh(u)/u = ratio > 1, by Newton's method from above."""
    u = np.sqrt(6.0 * (ratio - 1.0)) if ratio < 3.0 else np.log(2.0 * ratio) + np.log(np.log(2.0 * ratio))
    for _ in range(50):
        change = (np.sinh(u) - ratio * u) / (np.cosh(u) - ratio)
        u -= change
        if abs(change) <= 1e-14 * u:
            break
    return float(u)
