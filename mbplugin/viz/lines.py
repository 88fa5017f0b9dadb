"""Rods, springs, ropes and belts: the lines between the markers of joints and force elements.

A spring is a coil, a damper a dashpot, by the `look` of their kinds. A force element that exerts no force,
and a rope of two strands that would have to push, are dashed; such a rope lies on its wheel between both.
Ropes that hang, or lie on drums, are curves. Everything else is straight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.decoder.rotation import Array, normal_to
from mbplugin.export.lines import Curves
from mbplugin.results import RawResult
from mbplugin.viz.culprits import CULPRIT, culprits
from mbplugin.viz.meshes import mesh_actor, points_mesh, polylines
from mbplugin.viz.places import Snapshot
from mbplugin.viz.texts import scaled

LINE, WIDTH, THIN = "#546E7A", 4.0, 2.5
#: of a coil: windings, points of each, ends that are straight (shares of its length), radius (sizes of the
#: scene; at most this share of the length at the start), most springs that are coils
WINDINGS, AROUND, END, RADIUS, SLENDER, COILS = 9, 12, 0.12, 0.018, 0.12, 300
#: of a slack line: dashes; force that is none, in the largest of the run
DASHES, NONE = 9, 1e-9
#: where names should not be: along a line, in its lengths, and at points of a curve, of so many one
SHARES, SKIP = np.linspace(0.0, 1.0, 15), 6
#: points of the part on a wheel
ON_WHEEL = 65

#: of a dashpot, in its length at the start: where its cylinder begins and ends, and the length of its rod;
#: its radius in that of a coil; corners of a circle
CYLINDER, ROD, PISTON, CIRCLE = (0.25, 0.7), 0.5, 0.7, 24

STRAIGHT, COIL, DASHPOT, SLACK, STRANDS = "straight", "coil", "dashpot", "slack", "strands"
#: drawn by thin lines
THIN_LOOKS = (COIL, DASHPOT)


class Lines:
    """The lines of a stage.

    shafts: (n, 3) points along them in the present frame, local [m]
    """

    def __init__(self, stage: Any) -> None:
        raw: RawResult = stage.raw
        self.forces, self.joints = raw.names("forces"), raw.names("joints")
        self.elements, self.looks = raw.names("lines"), looks_of_lines(raw)
        ropes = {name for name, look in zip(self.elements, self.looks) if look in (SLACK, STRANDS)}
        self.exerted = largest_forces(raw, ropes)
        self.curves = Curves(stage.static)
        ends = raw.frame(0, ("lines/ends",))["lines/ends"]
        self.length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)  # at the start [m]
        self.radius = np.minimum(RADIUS * stage.size, SLENDER * self.length)
        marked = {*culprits(raw, "forces"), *culprits(raw, "joints")}
        self.marked = [name in marked for name in self.elements]
        #: by whether they are thin, and whether they had a part in an error
        self.meshes: dict[tuple[bool, bool], Any] = {}
        for thin, mark in sorted({(look in THIN_LOOKS, mark) for look, mark in zip(self.looks, self.marked)}):
            mesh = self.meshes[thin, mark] = points_mesh()
            wide = scaled(stage.plotter, THIN if thin else WIDTH)
            actor = mesh_actor(
                mesh,
                CULPRIT if mark else LINE,
                lighting=True,
                ambient=0.2,
                line_width=wide,
                render_lines_as_tubes=True,
            )
            # without an outline, which would cover it
            actor.ForceTranslucentOn()
            stage.plotter.add_actor(actor, render=False)

    def show(self, snapshot: Snapshot) -> None:
        """Move the lines to a frame."""
        ends, curves = snapshot.local(snapshot.frame["lines/ends"]), self.curves.at(snapshot.frame)
        paths: dict[tuple[bool, bool], list[Array]] = {key: [] for key in self.meshes}
        acts = self.curves.acting.at(snapshot.frame)
        for k, (look, (a, b)) in enumerate(zip(self.looks, ends)):
            drawn = paths[look in THIN_LOOKS, self.marked[k]]
            if not acts[k]:
                drawn.append(np.stack([a, a]))
            elif self.curves.counts[k] > 2:
                drawn.append(snapshot.local(curves[k]))
            elif look == COIL:
                drawn.append(coil(a, b, self.radius[k]))
            elif look == DASHPOT:
                drawn += dashpot(a, b, self.length[k], PISTON * self.radius[k])
            elif self.slack(k, snapshot.frame, b - a):
                drawn += dashes(a, b)
            else:
                drawn.append(np.stack([a, b]))
        for first, points in rope_arcs(self.looks, ends):
            paths[False, self.marked[first]].append(points)
        straight = [ends[:, 0] + share * (ends[:, 1] - ends[:, 0]) for share in SHARES]
        curved = [part[::SKIP] for drawn in paths.values() for part in drawn if len(part) > SKIP]
        self.shafts = np.concatenate([*straight, *curved])
        for key, mesh in self.meshes.items():
            mesh.copy_from(polylines(paths[key]))

    def slack(self, k: int, frame: Any, along: Array) -> bool:
        """Whether line k, which points along (3,), carries no tension."""
        name = self.elements[k]
        if self.looks[k] == SLACK:
            force = frame["forces/wrench"][self.forces.index(name), :3]
            return bool(np.linalg.norm(force) <= NONE * self.exerted[name])
        if self.looks[k] == STRANDS and name in self.exerted:
            # the force on its last marker, away from the wheel
            last = frame["lines/ends"][len(self.elements) - 1 - self.elements[::-1].index(name)]
            push = frame["joints/force"][self.joints.index(name)] @ (last[1] - last[0])
            return bool(push >= -NONE * self.exerted[name] * np.linalg.norm(last[1] - last[0]))
        return False


def looks_of_lines(raw: RawResult) -> list[str]:
    """How each line is drawn; coils and dashpots are straight where there are too many of them."""
    looks = list(raw.attribute("lines/look", []))
    few = sum(look in THIN_LOOKS for look in looks) <= COILS
    return [look if few or look not in THIN_LOOKS else STRAIGHT for look in looks]


def largest_forces(raw: RawResult, names: set[str]) -> dict[str, float]:
    """The largest force in the run of each of these elements [N]."""
    found: dict[str, float] = {}
    for group, key in (("forces", "forces/wrench"), ("joints", "joints/force")):
        if names & set(raw.names(group)) and key in raw:
            sizes = np.linalg.norm(raw[key][:, :, :3], axis=2).max(axis=0)
            found |= {name: float(size) for name, size in zip(raw.names(group), sizes) if name in names}
    return found


def coil(a: Array, b: Array, radius: float) -> Array:
    """(n, 3) points of a spring from a to b."""
    along = b - a
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return np.stack([a, b])
    axis = along / length
    other = normal_to(axis)
    share = np.linspace(0.0, 1.0, WINDINGS * AROUND + 1)
    angle = 2.0 * np.pi * WINDINGS * share
    ring = radius * (np.outer(np.cos(angle), other) + np.outer(np.sin(angle), np.cross(axis, other)))
    middle = a + np.outer(END + (1.0 - 2.0 * END) * share, along)
    return np.concatenate([[a, a + END * along], middle + ring, [b - END * along, b]])


def dashpot(a: Array, b: Array, start: float, radius: float) -> list[Array]:
    """(n, 3) points of each line of a damper from a, its cylinder's end, to b, its rod's.

    start: its length at the start [m]
    """
    along, length = unit(b - a), float(np.linalg.norm(b - a))
    if length == 0.0:
        return [np.stack([a, b])]
    first, last = (min(share * start, share * length / CYLINDER[1]) for share in CYLINDER)
    piston = min(max(length - ROD * start, first), last)
    side = normal_to(along)
    angle = np.linspace(0.0, 2.0 * np.pi, CIRCLE + 1)
    circle = radius * (np.outer(np.cos(angle), side) + np.outer(np.sin(angle), np.cross(along, side)))
    rings = [a + first * along + circle, a + last * along + circle, a + piston * along + 0.8 * circle]
    walls = [np.stack([rings[0][k], rings[1][k]]) for k in range(0, CIRCLE, CIRCLE // 4)]
    spokes = [rings[2][[k, k + CIRCLE // 2]] for k in (0, CIRCLE // 4)]
    ends = [np.stack([a, a + first * along]), np.stack([a + piston * along, b])]
    return [*ends, *rings, *walls, *spokes]


def dashes(a: Array, b: Array) -> list[Array]:
    """(2, 3) ends of each dash from a to b."""
    marks = np.linspace(0.0, 1.0, 2 * DASHES)
    return [a + np.outer(marks[k : k + 2], b - a) for k in range(0, 2 * DASHES, 2)]


def rope_arcs(looks: list[str], ends: Array) -> list[tuple[int, Array]]:
    """The first line of each rope on a wheel, and the points (n, 3) of its part between both lines.

    ends: (lines, 2, 3) of all lines
    """
    strands = [k for k, look in enumerate(looks) if look == STRANDS]
    return [(k, on_wheel(*ends[k], *ends[second])) for k, second in zip(strands[::2], strands[1::2])]


def on_wheel(a: Array, a_end: Array, b: Array, b_end: Array) -> Array:
    """(n, 3) points of a rope from a to b that goes on smoothly into the strands from a to a_end and from b
    to b_end; on a wheel that both touch, nearly its circle.

    A cubic Bézier curve. For an arc of the angle θ and the chord c its inner points are at the distance
    (4/3) tan(θ/4) R from the ends, R = c / (2 sin(θ/2)).
    """
    first, last = unit(a - a_end), unit(b_end - b)
    angle = float(np.arccos(np.clip(first @ last, -1.0, 1.0)))
    chord = float(np.linalg.norm(b - a))
    reach = chord / 3.0
    if angle > 1e-6:
        reach = 4.0 / 3.0 * np.tan(angle / 4.0) * chord / (2.0 * np.sin(angle / 2.0))
    t = np.linspace(0.0, 1.0, ON_WHEEL)[:, None]
    inner = (a + reach * first, b - reach * last)
    return (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * inner[0] + 3 * (1 - t) * t**2 * inner[1] + t**3 * b


def unit(vector: Array) -> Array:
    """The vector of length 1 in its direction; zero stays."""
    size = float(np.linalg.norm(vector))
    return vector / size if size > 0.0 else vector
