"""Forces and torques of motions, which drive joints: on body b, at the joint.

A motion acts on its bodies with the wrenches of `loads/wrench`, about their mass centres c: the torque about
the joint's point p is τ − (p − c) × F. If b is the ground, they are those on a, reversed. A motion of an
element without a body b, such as a relation or a pulley, is drawn at the mass centre of each of its bodies.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbplugin.results import RawResult
from mbplugin.results.layout import CONSTRAINT, Array
from mbplugin.viz.sources import Forces

DRIVE = "#E65100"
#: torque that is rounding, in those that it is the sum of
ROUNDING = 1e-9


class Drives:
    """Forces of motions as arrows; `torques` are drawn as arcs."""

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
