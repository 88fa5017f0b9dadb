"""Impacts of bodies, limits and ropes: one table of all of them.

An impact of two bodies is one of a contact: a point that was approached, and gave an impulse in a step. It
has a frame, the normal towards b and two tangents, along which its impulse and velocities are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.decoder.contact_frame import tangents
from mbplugin.errors import SceneError, listed
from mbplugin.results.contacts import ground_first
from mbplugin.results.curve import Curve, by_component, data_frame
from mbplugin.results.layout import COMPONENTS, Array, Described
from mbplugin.results.read import RawResult

#: name of the list in the store
IMPACTS = "impacts"
GROUND = "ground"
#: what a contact does before and after an impact
STATES = ("open", "closed")
#: letters of vectors in the frame of a contact
LOCAL = ("normal", "tangent_1", "tangent_2")
ARRAYS = {
    "time": Described((), "s", "end of the step"),
    "body_a": Described((), "1", "index of body a, -1 the ground", "<i8"),
    "body_b": Described((), "1", "index of body b, never the ground", "<i8"),
    "shape_a": Described((), "1", "index of the shape of a, in the order of `shapes`", "<i8"),
    "shape_b": Described((), "1", "index of the shape of b", "<i8"),
    "phase": Described((), "1", "of the step, in which impacts are taken in turn, from 1", "<i8"),
    "before": Described((), "1", "the contact until then", "<i8", STATES),
    "after": Described((), "1", "and from then on", "<i8", STATES),
    "point": Described(("xyz",), "m", "where both bodies are struck, world"),
    "material_a": Described(("xyz",), "m", "the point of body a, in the frame of the body"),
    "material_b": Described(("xyz",), "m", "the point of body b, in the frame of the body"),
    "normal": Described(("xyz",), "1", "direction of a push on b, world"),
    "tangent_1": Described(("xyz",), "1", "second axis of the contact frame, world"),
    "tangent_2": Described(("xyz",), "1", "third axis of the contact frame, world"),
    "impulse": Described(("xyz",), "N s", "on body b, world"),
    "local_impulse": Described(("local",), "N s", "the same along normal, tangent_1 and tangent_2"),
    "local_velocity_before": Described(("local",), "m/s", "of the surface of b relative to a, along them"),
    "local_velocity_after": Described(("local",), "m/s", "the same after the impact"),
    "energy": Described((), "J", "that the impact took, of friction too"),
}
#: along the axes of the contact
LOCAL_VECTORS = ("local_impulse", "local_velocity_before", "local_velocity_after")


def entries_of(noted: Mapping[str, Array]) -> dict[str, Array]:
    """The entries (n,) of the list from what a solver has noted: the arrays of `ARRAYS` that do not follow
    from others. The ground becomes body a.
    """
    found = {name: ground_first(noted.__getitem__, name) for name in noted if name != "point"}
    before, axes = (np.stack([n, *tangents(n)], axis=1) for n in (noted["normal"], found["normal"]))
    changed = np.asarray(noted["body_b"])[:, None] < 0
    for name in LOCAL_VECTORS:
        opposite = -np.einsum("nij,nj->ni", axes, np.einsum("nij,ni->nj", before, noted[name]))
        found[name] = np.where(changed, opposite, noted[name])
    found["point"] = noted["point"]
    found |= dict(zip(LOCAL, axes.swapaxes(0, 1)))
    found["impulse"] = np.einsum("nij,ni->nj", axes, found["local_impulse"])
    return {name: found[name] for name in ARRAYS}


def element_names(body_a: Array, body_b: Array, bodies: Sequence[str]) -> Array:
    """(n,) such as "contact.ground.ball", from numbers of bodies."""
    names = np.array([*bodies, GROUND], str)
    pairs, place = np.unique(np.column_stack([body_a, body_b]), axis=0, return_inverse=True)
    texts = np.array([f"contact.{names[a]}.{names[b]}" for a, b in pairs], str)
    return texts[place.ravel()] if len(texts) else np.array([], str)


#: columns of the table -> unit
UNITS = {
    "time": "s",
    "element": "1",
    "body_a": "1",
    "body_b": "1",
    "shape_a": "1",
    "shape_b": "1",
    "phase": "1",
    "impulse": "N s",
    "velocity_before": "m/s",
    "velocity_after": "m/s",
    "energy": "J",
    "point": "m",
    "normal": "1",
    "tangent_1": "1",
    "tangent_2": "1",
    "material_a": "m",
    "material_b": "m",
}
#: along the axes of the contact
ALONG_AXES = ("impulse", "velocity_before", "velocity_after")


@dataclass(frozen=True)
class Impacts:
    """Impacts in the order of time. What those of limits and ropes do not have is NaN, "" or 0."""

    time: Array  # (n,) end of the step, or the time that was located [s]
    element: Array  # (n,) such as "contact.ground.ball", "pin.angle.lower_limit", "line.tension"
    body_a: Array  # (n,) names
    body_b: Array
    shape_a: Array
    shape_b: Array
    phase: Array  # (n,) of its step, from 1
    impulse: Array  # (n, 3) on b along normal, tangent_1, tangent_2 [N·s]; or (·, nan, nan) of a coordinate
    velocity_before: Array  # (n, 3) of b relative to a along these axes [m/s]
    velocity_after: Array  # (n, 3)
    energy: Array  # (n,) that it took [J]
    point: Array  # (n, 3) world [m]
    normal: Array  # (n, 3) axes of the contact, world
    tangent_1: Array
    tangent_2: Array
    material_a: Array  # (n, 3) the point of body a that is struck, in the frame of the body [m]
    material_b: Array

    def __len__(self) -> int:
        return len(self.time)

    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""
        return {name: getattr(self, name) for name in UNITS}

    def of(self, a: str, b: str = "") -> Impacts:
        """Impacts of two, in either order, each a body, "ground" or a shape; of a alone all that it has a
        part in, or of that element. Raises SceneError if there is none.
        """
        one = self._ends(a)
        chosen = one.any(axis=1) | (self.element == a)
        if b:
            other = self._ends(b)
            chosen = (one[:, 0] & other[:, 1]) | (one[:, 1] & other[:, 0])
        if not chosen.any():
            names = sorted({*self.element.tolist(), *self.body_a.tolist(), *self.body_b.tolist()} - {""})
            mend = f"; there are those of {listed(names)}" if names else ""
            raise SceneError("impacts", f"{a}, {b}" if b else a, f"there are none{mend}")
        return Impacts(**{name: values[chosen] for name, values in self.arrays().items()})

    def _ends(self, name: str) -> Array:
        """(n, 2) whether it is body or shape a, and b."""
        ends = ((self.body_a, self.shape_a), (self.body_b, self.shape_b))
        return np.stack([(body == name) | (shape == name) for body, shape in ends], axis=1)

    def columns(self) -> list[Curve]:
        """The columns of the table."""
        letters = {name: LOCAL if name in ALONG_AXES else COMPONENTS["xyz"] for name in UNITS}
        each = self.arrays().items()
        return [one for name, of in each for one in by_component(name, of, UNITS[name], letters[name])]

    def table(self) -> Any:
        """A `pandas.DataFrame`, a row for each; `attrs["units"]` has the units. Raises
        MissingLibraryError.
        """
        return data_frame(self.columns())

    def __repr__(self) -> str:
        return f"{len(self)} impacts"


def impacts_of_bodies(read: Callable[[str], Array], bodies: Sequence[str], shapes: Sequence[str]) -> Impacts:
    """Impacts of the list whose arrays `read` gives."""
    columns = {name: np.asarray(read(name)) for name in ARRAYS}
    names = {"body": np.array([*bodies, GROUND], str), "shape": np.array([*shapes, ""], str)}
    found = {name: columns[name] for name in UNITS if name in columns}
    found["element"] = element_names(columns["body_a"], columns["body_b"], bodies)
    for kind, of_kind in names.items():
        for end in "ab":
            # the last name is that of what has a negative number: the ground, nodes of meshes
            found[f"{kind}_{end}"] = of_kind[np.maximum(columns[f"{kind}_{end}"].astype(np.int64), -1)]
    for name in ALONG_AXES:
        found[name] = columns[f"local_{name}"]
    return Impacts(**{name: found[name] for name in UNITS})


def impacts_of_rows(time: Array, element: Array, impulse: Array) -> Impacts:
    """Impacts of limits and ropes."""
    n = len(time)
    found: dict[str, Array] = {"time": time, "element": element}
    found |= {name: np.full(n, "", "<U1") for name in ("body_a", "body_b", "shape_a", "shape_b")}
    found |= {"phase": np.zeros(n, np.int64), "energy": np.full(n, np.nan)}
    found |= {name: np.full((n, 3), np.nan) for name in UNITS if name not in found}
    found["impulse"] = np.column_stack([impulse, np.full((n, 2), np.nan)])
    return Impacts(**{name: found[name] for name in UNITS})


def in_order(one: Impacts, other: Impacts) -> Impacts:
    """Both in the order of time."""
    order = np.argsort(np.concatenate([one.time, other.time]), kind="stable")
    theirs = other.arrays()
    return Impacts(
        **{name: np.concatenate([values, theirs[name]])[order] for name, values in one.arrays().items()}
    )


def impacts_of_contacts(raw: RawResult) -> Impacts:
    """Impacts of bodies in a result; none where none are stored."""
    bodies, shapes = raw.names("bodies"), list(raw.attribute("shapes/name", []))
    none = {name: np.zeros((0, 3) if one.dims else 0, one.dtype) for name, one in ARRAYS.items()}
    read = (lambda name: raw.entries(IMPACTS, name)) if IMPACTS in raw.lists else none.__getitem__
    return impacts_of_bodies(read, bodies, shapes)
