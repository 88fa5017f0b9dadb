"""Forces that arrows show: reactions of joints, motions that drive joints, and contacts."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import numpy as np

from mbplugin.decoder.contact_frame import supporting_forces
from mbplugin.errors import SceneError, StoreError
from mbplugin.results import Array, RawResult
from mbplugin.results.layout import CONSTRAINT
from mbplugin.viz.lines import STRANDS, looks_of_lines
from mbplugin.viz.options import SOURCES


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
        """Forces of a frame, of which `frame` has the arrays `places.SHOWN`."""

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
        """Forces of all joints, then those of the first loads of ropes."""
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


#: name and colour of each status; contacts of solvers that give none have the last colour
OPEN = "open contact"
STATUSES = (
    (OPEN, "#90A4AE"),
    ("sticking contact", "#00C853"),
    ("slipping contact", "#FF1744"),
    ("new contact", "#D500F9"),
    ("bonded contact", "#2962FF"),
)
PLAIN = "#C2185B"


class Contacts:
    """A point and an arrow at each contact: the force on b, which is never the ground, or that on a if it is
    the one that pushes upwards.
    """

    dots = True

    def __init__(self, raw: RawResult) -> None:
        self.raw, self.kinds = raw, []
        if "contacts" not in raw.lists:
            return
        self.kinds = [("contact", PLAIN)]
        #: of each status: its place in `kinds`
        self.order = np.zeros(1, int)
        if "status" in raw.lists["contacts"]:
            found: Any = np.arange(len(STATUSES))
            with suppress(StoreError):
                found = np.unique(raw.entries("contacts", "status"))
            self.kinds = [STATUSES[k] for k in found]
            self.order = np.searchsorted(found, np.arange(len(STATUSES)))

    @functools.cached_property
    def offsets(self) -> Array:
        """(frames + 1,) where the contacts of each frame begin. Raises StoreError."""
        return self.raw.offsets("contacts")

    def at(self, index: int, frame: Mapping[str, Array]) -> Forces:
        """The forces of a frame."""
        part = int(self.offsets[index]), int(self.offsets[index + 1])
        point, force = (self.raw.entries("contacts", name, *part) for name in ("point", "force"))
        kind = np.zeros(len(force), int)
        if "status" in self.raw.lists["contacts"]:
            kind = self.order[self.raw.entries("contacts", "status", *part)]
        force = supporting_forces(np.asarray(force, float), self.raw.gravity)
        return Forces(np.asarray(point, float), force, kind)

    def largest(self) -> Array:
        """(frames,) [N]. Raises StoreError."""
        sizes = np.zeros(self.raw.frames)
        frame = np.repeat(np.arange(self.raw.frames), np.diff(self.offsets))
        np.maximum.at(sizes, frame, np.linalg.norm(self.raw.entries("contacts", "force"), axis=1))
        return sizes


#: of each of `options.SOURCES`
KINDS: dict[str, Any] = {"joints": Reactions, "drives": Drives, "contacts": Contacts}


def sources_of(raw: RawResult, chosen: Iterable[str] = SOURCES, named: bool = False) -> list[Source]:
    """The chosen sources that a result has. Raises SceneError if one is named that it has not."""
    found = {name: KINDS[name](raw) for name in SOURCES if name in chosen}
    missing = [name for name, source in found.items() if not source.kinds]
    if named and missing:
        raise SceneError("forces", missing[0], f"this result has no {missing[0]}, so that there is no arrow")
    return [source for source in found.values() if source.kinds]


def largest_forces(sources: Iterable[Source]) -> list[Array]:
    """(frames,) size of the largest force of each source [N], without those that are damaged."""
    found = []
    for source in sources:
        with suppress(StoreError):
            found.append(source.largest())
    return found


def usual_size(largest: Iterable[Array]) -> float:
    """The median over frames of the largest of some sizes (frames,); 0 without any. A few impacts do not make
    all other arrows vanish.
    """
    sizes: Array = np.zeros(1)
    for each in largest:
        sizes = np.maximum(sizes, each)
    loaded = sizes[sizes > 0.0]
    return float(np.median(loaded)) if len(loaded) else 0.0


def usual_force(raw: RawResult) -> float:
    """The size of force that arrows of one scale are made for [N]; 0 without forces."""
    return usual_size(largest_forces(sources_of(raw)))
