"""Sums over the contacts between two bodies, the ground or single shapes.

A stored force is the impulse of the step that leads to the frame over the length of this step. Of a contact
that lasts this is its force; of an impact it is larger the shorter the step is, while the impulse is not.
`impulse` is that of all steps since t = 0, with those between frames; `step_impulse` that of this one step.

The ground is always body a, and the normal points to b, on which the force acts. A solver may have the ground
on either side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.results.curve import by_component, data_frame
from mbplugin.results.layout import Array, Described
from mbplugin.results.read import RawResult

GROUND = "ground"
#: name of the list of impulses of each two shapes, summed since t = 0; a frame has those that have changed
PAIRS = "contact_impulses"
OF_PAIRS = {
    "body_a": Described((), "1", "index of body a, -1 the ground", "<i8"),
    "body_b": Described((), "1", "index of body b, never the ground", "<i8"),
    "shape_a": Described((), "1", "index of the shape of a, in the order of `shapes`", "<i8"),
    "shape_b": Described((), "1", "index of the shape of b", "<i8"),
    "impulse": Described(("xyz",), "N s", "on body b of all steps since t = 0, world"),
}
#: quantities of a pair -> unit
PAIR = {
    "force": "N",
    "torque": "N m",
    "normal_force": "N",
    "impulse": "N s",
    "step_impulse": "N s",
    "gap": "m",
    "count": "1",
}
#: those with components x, y, z
VECTORS = ("force", "torque", "impulse", "step_impulse")


@dataclass(frozen=True)
class PairOfContacts:
    """What one side does to the other in the step that leads to each frame, and has done up to it."""

    time: Array  # (frames,) [s]
    force: Array  # (frames, 3) mean of the step [N], world axes
    torque: Array  # (frames, 3) about the mass centre, the origin for the ground [N·m]
    normal_force: Array  # (frames,) sum of the normal forces [N]
    impulse: Array  # (frames, 3) of all steps since t = 0 [N s], world axes; NaN without sums
    step_impulse: Array  # (frames, 3) of the step that leads to the frame [N s]
    gap: Array  # (frames,) the smallest [m]; NaN where none is near
    count: Array  # (frames,) loaded contacts

    def table(self) -> Any:
        """A `pandas.DataFrame` over time, a column for each component; `attrs["units"]` has their units.
        Raises MissingLibraryError.
        """
        units = {"time": "s"} | PAIR
        columns = [one for name in units for one in by_component(name, getattr(self, name), units[name])]
        return data_frame(columns, index=True)


def contacts_of_pair(raw: RawResult, a: str, b: str) -> PairOfContacts:
    """The contacts between a and b, summed; forces are those on b. Raises SceneError.

    Each is a body, "ground" or a shape; a body goes before a shape of the same name.
    """
    if "contacts" not in raw.lists:
        raise SceneError("contact", a, "this result has no contacts; its solver finds none")
    at = entries_between(raw, a, b)
    chosen, sign, frame, force, frames = at.chosen, at.sign, at.frame, at.force, raw.frames
    impulse, normals, gaps = (raw.entries("contacts", name)[chosen] for name in ("impulse", "normal", "gap"))

    def total(values: Array) -> Array:
        summed = np.zeros((frames, *values.shape[1:]))
        np.add.at(summed, frame, values)
        return summed

    centre = np.zeros((len(chosen), 3))
    centre[at.owner >= 0] = raw["bodies/center_of_mass"][frame[at.owner >= 0], at.owner[at.owner >= 0]]
    torque = at.moment + np.cross(at.point - centre, force)
    normal = np.einsum("ij,ij->i", force, normals)
    gap = np.full(frames, np.nan)
    np.fmin.at(gap, frame, gaps)
    return PairOfContacts(
        raw.time,
        total(sign[:, None] * force),
        total(sign[:, None] * torque),
        total(normal),
        impulse_of_pair(raw, a, b),
        total(sign[:, None] * impulse),
        gap,
        total((normal > 0.0).astype(float)).astype(int),
    )


class ContactEntries(NamedTuple):
    """Contacts between two, one after another; the second is b, whichever body b of the entry is."""

    chosen: Array  # (n,) places in the list
    sign: Array  # (n,) -1 where b is body a of the entry
    frame: Array  # (n,)
    owner: Array  # (n,) body that b belongs to, -1 the ground
    point: Array  # (n, 3) of b [m], world
    force: Array  # (n, 3) on body b of the entry, times sign: on b [N]
    moment: Array  # (n, 3) about the point, times sign: on b [N·m]


def entries_between(raw: RawResult, a: str, b: str) -> ContactEntries:
    """The contacts between a and b. Raises SceneError."""
    entries = lambda name: raw.entries("contacts", name)
    chosen, sign = between(raw, "contacts", a, b)
    frame = np.repeat(np.arange(raw.frames), np.diff(raw.offsets("contacts")))[chosen]
    impulse, force = entries("impulse")[chosen], entries("force")[chosen]
    # angular impulses are about the point on body b of the entry, where the contact was found
    ratio = np.divide(norm(force), norm(impulse), out=np.zeros(len(chosen)), where=norm(impulse) > 0.0)
    moment = entries("angular_impulse")[chosen] * ratio[:, None]
    on_b = sign > 0.0
    arm = entries("gap")[chosen][:, None] * entries("normal")[chosen]
    moment += np.where(on_b[:, None], 0.0, np.cross(arm, force))
    point = np.where(on_b[:, None], entries("point")[chosen], entries("point_a")[chosen])
    owner = np.where(on_b, entries("body_b")[chosen], entries("body_a")[chosen]).astype(int)
    return ContactEntries(chosen, sign, frame, owner, point, force, moment)


def between(raw: RawResult, name: str, a: str, b: str) -> tuple[Array, Array]:
    """Places of the entries of a list that are of a and b, and 1 of those in this order, −1 in the other.
    Raises SceneError.
    """
    one, other = side(raw, a, name), side(raw, b, name)
    forward = one("a") & other("b")
    chosen = np.flatnonzero(forward | (one("b") & other("a")))
    return chosen, np.where(forward, 1.0, -1.0)[chosen]


def impulse_of_pair(raw: RawResult, a: str, b: str) -> Array:
    """(frames, 3) impulse on b of all steps since t = 0 [N·s], world axes; NaN in a result without sums."""
    if PAIRS not in raw.lists:
        return np.full((raw.frames, 3), np.nan)
    chosen, sign = between(raw, PAIRS, a, b)
    frame = np.repeat(np.arange(raw.frames), np.diff(raw.offsets(PAIRS)))[chosen]
    shapes = np.column_stack([raw.entries(PAIRS, f"shape_{end}")[chosen] for end in "ab"])
    values = sign[:, None] * raw.entries(PAIRS, "impulse")[chosen]
    found = np.zeros((raw.frames, 3))
    pairs, pair = np.unique(shapes, axis=0, return_inverse=True)
    for k in range(len(pairs)):
        # a frame has what has changed since the frame before
        own = np.flatnonzero(pair.ravel() == k)
        last = np.searchsorted(frame[own], np.arange(raw.frames), side="right")
        found += np.concatenate([np.zeros((1, 3)), values[own]])[last]
    return found


def pairs_in_contact(raw: RawResult) -> list[tuple[str, str]]:
    """Names of each two bodies, "ground" first, that have pressed on each other, also between frames."""
    if "contacts" not in raw.lists:
        return []
    ends_of = lambda name: np.column_stack([raw.entries(name, f"body_{end}") for end in "ab"]).astype(int)
    if PAIRS in raw.lists:
        ends = ends_of(PAIRS)
    else:
        force, normal = (raw.entries("contacts", name) for name in ("force", "normal"))
        ends = ends_of("contacts")[np.einsum("ij,ij->i", force, normal) > 0.0]
    bodies = [*raw.names("bodies"), GROUND]  # the ground is -1
    return [(bodies[a], bodies[b]) for a, b in np.unique(np.sort(ends, axis=1), axis=0)]


def norm(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=1))


def side(raw: RawResult, name: str, of_list: str = "contacts") -> Any:
    """Function of "a" or "b": which entries of a list have the body or shape `name` there. Raises
    SceneError.
    """
    bodies = raw.names("bodies")
    if name == GROUND or name in bodies:
        number = -1 if name == GROUND else bodies.index(name)
        return lambda end: raw.entries(of_list, f"body_{end}") == number
    shapes = list(raw.attribute("shapes/name", [])) if "shape_a" in raw.lists["contacts"] else []
    if name in shapes:
        return lambda end: raw.entries(of_list, f"shape_{end}") == shapes.index(name)
    known = [GROUND, *bodies, *shapes]
    mend = did_you_mean(name, known) or f"; there are {listed(known)}"
    raise SceneError("contact", name, f"there is no such body or shape{mend}")


Read = Callable[[str], np.ndarray[Any, Any]]

#: arrays of a contact that change places with those of the other body
ENDS = {"body_a": "body_b", "point_a": "point", "shape_a": "shape_b", "material_a": "material_b"}
ENDS |= {other: one for one, other in ENDS.items()}
#: those of rolling and spinning friction
MOMENTS = ("rolling_moment", "spinning_moment")
#: those that change their sign
OPPOSITE = ("normal", "impulse", "force", "velocity_before", "velocity_after", *MOMENTS)


def ground_first(read: Read, array: str) -> np.ndarray[Any, Any]:
    """An array of the list of contacts with the ground as body a. read: a stored array by its name, always of
    the same entries.
    """
    found, turned = read(array), read("body_b") < 0
    if not turned.any():
        return found
    column = turned.reshape(-1, *[1] * (found.ndim - 1))
    if array in ENDS:
        return np.where(column, read(ENDS[array]), found)
    if array == "angular_impulse":
        # from the point of one body to that of the other where the contact was found
        gap = read("gap")[:, None] * read("normal")
        return np.where(column, -found - np.cross(gap, read("impulse")), found)
    return np.where(column, -found, found) if array in OPPOSITE else found
