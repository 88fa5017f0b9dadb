"""Sources of arrows of forces: reactions of joints, and motions that drive joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from mbplugin.results import RawResult
from mbplugin.results.layout import CONSTRAINT, Array
from mbplugin.viz.lines import STRANDS, looks_of_lines


class Forces(NamedTuple):
    """Forces of a frame that are drawn as arrows."""

    point: Array  # (n, 3) where each acts, world [m]
    force: Array  # (n, 3) on body b [N]
    kind: Array  # (n,) index into the kinds of its source


class Source(Protocol):
    """Gives the forces of one sort.

    kinds: name and colour of each kind of arrow that the run has
    dots:  whether the points are drawn
    """

    kinds: list[tuple[str, str]]
    dots: bool

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """Those of a frame, of which `frame` has the arrays `places.SHOWN`."""

    def largest(self) -> Array:
        """(frames,) size of the largest force [N]. Raises StoreError."""


REACTION = "#C2185B"


class Reactions:
    """Reactions of joints on bodies b as arrows; a rope of two strands acts on both its loads."""

    dots = False

    def __init__(self, raw: RawResult) -> None:
        self.raw = raw
        joints = raw.names("joints")
        self.kinds = [("reaction", REACTION)] if joints and "joints/force" in raw else []
        #: of each rope of two strands: its joint, the first of its two lines, strands at its last marker
        self.ropes = []
        lines, strands = raw.names("lines"), raw.attribute("lines/strands", [])
        for line in [k for k, look in enumerate(looks_of_lines(raw)) if look == STRANDS][::2]:
            self.ropes.append((joints.index(lines[line]), line, strands[line]))

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """Those of all joints, then those of the first loads of ropes."""
        points, forces = [frame["joints/position"]], [frame["joints/force"]]
        for joint, line, ratio in self.ropes:
            (start, end), (second, last) = frame["lines/ends"][line : line + 2]
            legs = np.array([end - start, last - second])
            along = legs / np.maximum(np.linalg.norm(legs, axis=1), 1e-300)[:, None]
            # F₁ = λ e₁, F₃ = c λ e₂
            lam = frame["joints/force"][joint] @ along[1] / ratio
            points.append(end[None])
            forces.append(lam * along[:1])
        point = np.concatenate(points)
        return Forces(point, np.concatenate(forces), np.zeros(len(point), int))

    def largest(self) -> Array:
        """(frames,) [N]. Raises StoreError."""
        return np.asarray(np.linalg.norm(self.raw["joints/force"], axis=2).max(axis=1, initial=0.0))


DRIVE = "#E65100"
#: torque that is rounding, in those that it is the sum of
ROUNDING = 1e-9


class Drives:
    """Forces of motions, which drive joints, as arrows on body b at the joint; `torques` are drawn as arcs.

    A motion acts on its bodies with the wrenches of `loads/wrench`, about their mass centres c: the torque
    about the joint's point p is τ − (p − c) × F. If b is the ground, they are those on a, reversed. A motion
    of an element without a body b, such as a relation or a pulley, is drawn at the mass centre of each of its
    bodies.
    """

    dots = False

    def __init__(self, raw: RawResult) -> None:
        self.raw = raw
        #: row of `loads/wrench`, its body, joint (-1: none), sign of what is drawn
        self.rows = rows_of_motions(raw) if "loads/wrench" in raw else []
        self.kinds = [("drive", DRIVE)] if self.rows else []

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """The forces of a frame."""
        point, force, _ = self.wrenches(frame)
        return Forces(point, force, np.zeros(len(point), int))

    def wrenches(self, frame: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        """(..., n, 3) points [m], forces [N] and torques about the points [N m]; frame: arrays of one frame,
        or of several.
        """
        rows, bodies, joints, signs = (np.array(column) for column in zip(*self.rows))
        centre = np.asarray(frame["bodies/center_of_mass"], float)[..., bodies, :]
        point, at_joint = centre.copy(), joints >= 0
        if at_joint.any():
            point[..., at_joint, :] = frame["joints/position"][..., joints[at_joint], :]
        wrench = np.asarray(frame["loads/wrench"], float)[..., rows, :] * signs[:, None]
        force, about_centre = wrench[..., :3], wrench[..., 3:]
        torque = about_centre - np.cross(point - centre, force)
        size, before, arm, pull = (
            np.linalg.norm(each, axis=-1) for each in (torque, about_centre, point - centre, force)
        )
        torque[size <= ROUNDING * (before + arm * pull)] = 0.0
        return point, force, torque

    def largest(self) -> Array:
        """(frames,) forces [N]. Raises StoreError."""
        return np.asarray(np.linalg.norm(self.over_time()[1], axis=2).max(axis=1))

    def largest_torque(self) -> Array:
        """(frames,) torques about the points [N m]. Raises StoreError."""
        return np.asarray(np.linalg.norm(self.over_time()[2], axis=2).max(axis=1))

    def over_time(self) -> tuple[Array, Array, Array]:
        """The wrenches of all frames."""
        keys = ("loads/wrench", "bodies/center_of_mass", "joints/position")
        return self.wrenches({key: self.raw[key] for key in keys if key in self.raw})


def rows_of_motions(raw: RawResult) -> list[tuple[int, int, int, float]]:
    """Row of `loads/wrench`, its body, joint (-1: none) and sign of what is drawn, of each motion."""
    bodies, joints = raw.names("bodies"), raw.names("joints")
    ends = list(zip(raw.attribute("joints/a", []), raw.attribute("joints/b", [])))
    loads = zip(
        raw.attribute("loads/element", []), raw.attribute("loads/body", []), raw.attribute("loads/part", [])
    )
    rows: dict[str, list[tuple[int, int]]] = {}
    for row, (element, body, part) in enumerate(loads):
        joint = element.removesuffix(" motion")
        if part == CONSTRAINT and joint != element and element not in joints:
            rows.setdefault(joint, []).append((row, bodies.index(body)))
    found = []
    for joint, of_joint in rows.items():
        number = joints.index(joint) if joint in joints else -1
        a, b = (end.partition(".")[0] for end in ends[number]) if number >= 0 else ("", "")
        body, sign = (b, 1.0) if b in bodies else (a, -1.0)
        if body in bodies:
            index = bodies.index(body)
            found += [(row, index, number, sign) for row, owner in of_joint if owner == index]
        else:
            found += [(row, owner, -1, 1.0) for row, owner in of_joint]
    return found
