"""Forces on a body: applied forces and the forces of constraints, by the names of the elements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.errors import StoreError, listed, optional_library
from mbplugin.results.contacts import contacts_of_pair
from mbplugin.results.layout import APPLIED, COMPONENTS, CONSTRAINT, Array
from mbplugin.results.quantities import index_of
from mbplugin.results.read import RawResult
from mbplugin.results.without_forces import massless, without_forces

#: the names under which gravity and contacts stand
GRAVITY, CONTACT = "gravity", "contact with"


@dataclass(frozen=True)
class Acting:
    """A force [N] on a body and its torque [N·m] about the mass centre, (frames, 3) each, world axes."""

    force: Array
    torque: Array


class ForcesOnBody:
    """All that acts on one body.

    applied:       gravity, force elements and contacts by name, each with `force` and `torque`
    constraint:    joints, motions and couplings by name, the same
    force, torque: sums of all, (frames, 3) [N] and [N·m] about the mass centre, world axes
    """

    def __init__(
        self, body: str, time: Array, applied: Mapping[str, Acting], constraint: Mapping[str, Acting]
    ) -> None:
        self.body, self.time = body, time
        self.applied, self.constraint = dict(applied), dict(constraint)

    @property
    def force(self) -> Array:
        return self._sum("force")

    @property
    def torque(self) -> Array:
        return self._sum("torque")

    def _sum(self, which: str) -> Array:
        every = [*self.applied.values(), *self.constraint.values()]
        return np.asarray(sum((getattr(one, which) for one in every), np.zeros((len(self.time), 3))))

    def dataset(self) -> Any:
        """An `xarray.Dataset` of `force` and `torque` over time, element and xyz; the coordinate `part` says
        "applied" or "constraint". Raises MissingLibraryError.
        """
        xarray = optional_library("xarray", "a dataset")
        every = [*self.applied.items(), *self.constraint.items()]
        parts = [APPLIED] * len(self.applied) + [CONSTRAINT] * len(self.constraint)
        arrays = {}
        for which, unit in (("force", "N"), ("torque", "N m")):
            values = np.zeros((len(self.time), len(every), 3))
            for k, (_, one) in enumerate(every):
                values[:, k] = getattr(one, which)
            arrays[which] = (("time", "element", "xyz"), values, {"units": unit})
        coordinates = {
            "time": ("time", self.time, {"units": "s"}),
            "element": [name for name, _ in every],
            "part": ("element", parts),
            "xyz": list(COMPONENTS["xyz"]),
        }
        return xarray.Dataset(arrays, coordinates, {"body": self.body})

    def __repr__(self) -> str:
        applied, constraint = listed(list(self.applied), 12), listed(list(self.constraint), 12)
        return (
            f'Forces on "{self.body}": applied: {applied or "none"}; of constraints: {constraint or "none"}'
        )


def forces_on_body(raw: RawResult, body: str) -> ForcesOnBody:
    """Forces on a body. Raises SceneError with the nearest name, StoreError."""
    bodies = raw.names("bodies")
    index_of(bodies, body, "body")
    if "loads/wrench" not in raw:
        raise StoreError(f"{raw.path}: has no forces on bodies: {without_forces(massless(raw))}")
    parts: dict[str, dict[str, Acting]] = {APPLIED: gravity_on(raw, body), CONSTRAINT: {}}
    owner, part, element = (raw.attribute(f"loads/{key}", []) for key in ("body", "part", "element"))
    wrench = raw["loads/wrench"]
    for k in [k for k, name in enumerate(owner) if name == body]:
        parts[part[k]][element[k]] = Acting(wrench[:, k, :3], wrench[:, k, 3:])
    parts[APPLIED] |= contacts_on(raw, body)
    return ForcesOnBody(body, raw.time, parts[APPLIED], parts[CONSTRAINT])


def gravity_on(raw: RawResult, body: str) -> dict[str, Acting]:
    """The weight of a body, if there is gravity; a force element may be called the same."""
    gravity = np.array(raw.attribute("forces/gravity", [0.0, 0.0, 0.0]))
    if not gravity.any():
        return {}
    name = f"[scene] {GRAVITY}" if GRAVITY in raw.names("forces") else GRAVITY
    mass = raw.attribute("bodies/mass")[raw.names("bodies").index(body)]
    weight = np.tile(mass * gravity, (raw.frames, 1))
    return {name: Acting(weight, np.zeros_like(weight))}


def contacts_on(raw: RawResult, body: str) -> dict[str, Acting]:
    """The contacts of a body with each other body and the ground that it has met."""
    if "contacts" not in raw.lists:
        return {}
    bodies = raw.names("bodies")
    number = bodies.index(body)
    ends = raw.entries("contacts", "body_a"), raw.entries("contacts", "body_b")
    others = {int(k) for one, other in (ends, ends[::-1]) for k in np.unique(other[one == number])}
    found = {}
    for other in sorted(others - {number}):
        name = bodies[other] if other >= 0 else "ground"
        pair = contacts_of_pair(raw, name, body)
        found[f"{CONTACT} {name}"] = Acting(pair.force, pair.torque)
    return found
