"""Loads of a body at chosen instants: each force at its point of attack, and the inertia that balances them.

About the mass centre c, in the axes of the body:
    m a_c = Σ F,   J α + ω × J ω = Σ M        (Newton, Euler)
    a_o = a_c − α × c − ω × (ω × c)           of the origin of the body frame
The load on a point s is then the mass there times g − a_o − α × s − ω × (ω × s), and all loads together are
in equilibrium (d'Alembert; inertia relief).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.rotation import rotation
from mbplugin.errors import SceneError, StoreError, optional_library
from mbplugin.results.contacts import entries_between
from mbplugin.results.layout import APPLIED, Array
from mbplugin.results.on_body import CONTACT, GRAVITY, forces_on_body
from mbplugin.results.read import RawResult

#: axes of a principal moment that is nothing: no rotation about it is found from torques
NO_INERTIA = 1e-14
INERTIA = "inertia"
HEADINGS = (
    *("time [s]", "load", "part", "x [m]", "y [m]", "z [m]"),
    *("fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]", "tz [N m]"),
)


class Load(NamedTuple):
    """A force at a point, in the axes of the body."""

    name: str
    part: str  # "applied", "constraint" or "inertia"
    point: Array  # (3,) in the body frame [m]
    force: Array  # (3,) [N]
    torque: Array  # (3,) about the point [N·m]


@dataclass(frozen=True)
class LoadsAtTime:
    """The loads of a body at one instant. Vectors have the axes of the body."""

    time: float  # [s]
    position: Array  # (3,) origin of the body frame, world [m]
    axes: Array  # (3, 3) body frame to world
    loads: tuple[Load, ...]  # joints, motions, force elements and contacts
    gravity: Array  # (3,) [m/s²]
    acceleration: Array  # (3,) of the origin of the body frame [m/s²], by the balance of the loads
    angular_velocity: Array  # (3,) [rad/s]
    angular_acceleration: Array  # (3,) [rad/s²], by the balance of the loads
    body_forces: tuple[Load, ...]  # gravity and inertia at the mass centre

    @property
    def all(self) -> tuple[Load, ...]:
        """All loads, those of gravity and inertia last: their sums are zero."""
        return (*self.loads, *self.body_forces)


class LoadsOfBody(Sequence[LoadsAtTime]):
    """The loads of a body, one `LoadsAtTime` for each instant.

    body: its name, mass [kg]; center_of_mass (3,) [m] and inertia (3, 3) about it [kg·m²] in the body frame
    """

    def __init__(
        self, body: str, mass: float, center_of_mass: Array, inertia: Array, instants: Sequence[LoadsAtTime]
    ) -> None:
        self.body, self.mass = body, mass
        self.center_of_mass, self.inertia = center_of_mass, inertia
        self._instants = tuple(instants)

    def __len__(self) -> int:
        return len(self._instants)

    def __getitem__(self, k: Any) -> Any:
        return self._instants[k]

    def rows(self) -> list[tuple[Any, ...]]:
        """A tuple for each load of each instant, in the order of `HEADINGS`."""
        return [
            (at.time, one.name, one.part, *one.point.tolist(), *one.force.tolist(), *one.torque.tolist())
            for at in self
            for one in at.all
        ]

    def table(self) -> Any:
        """The rows as a `pandas.DataFrame`. Raises MissingLibraryError."""
        return optional_library("pandas", "a table").DataFrame(self.rows(), columns=list(HEADINGS))

    def __repr__(self) -> str:
        return f'Loads of "{self.body}" at {len(self)} instants'


def loads_of_body(raw: RawResult, body: str, times: Sequence[float] | None) -> LoadsOfBody:
    """The loads of a body at the frames nearest to these times [s]; None: at all frames. Raises SceneError,
    StoreError.
    """
    forces = forces_on_body(raw, body)
    if body in raw.names("nodes") or body in raw.names("deformations"):
        mend = f'loads are those of rigid bodies, and this one deforms; `forces("{body}")` has its resultants'
        raise SceneError("body", body, mend)
    if "loads/point" not in raw:
        raise StoreError(f"{raw.path}: has no points of attack of loads: run the scene again")
    k = raw.names("bodies").index(body)
    mass, centre = raw.attribute("bodies/mass")[k], raw["bodies/local_center_of_mass"][k]
    J = raw["bodies/inertia"][k].reshape(3, 3)
    origin, R = raw["bodies/position"][:, k], rotation(raw["bodies/orientation"][:, k])
    gravity = np.array(raw.attribute("forces/gravity", [0.0, 0.0, 0.0]))
    owner, names = raw.attribute("loads/body", []), raw.attribute("loads/element", [])
    parts, points, wrench = raw.attribute("loads/part", []), raw["loads/point"], raw["loads/wrench"]
    own = [n for n, name in enumerate(owner) if name == body]
    contacts = contacts_of_body(raw, body, list(forces.applied))
    w = raw["bodies/angular_velocity"][:, k]
    found = []
    for i in frames_at(raw, times):
        A = R[i]
        loads = [
            moved(names[n], parts[n], points[n], centre, wrench[i, n, :3] @ A, wrench[i, n, 3:] @ A)
            for n in own
        ]
        loads += [
            Load(name, APPLIED, (point - origin[i]) @ A, force @ A, torque @ A)
            for frame, name, point, force, torque in contacts
            if frame == i
        ]
        found.append(
            balanced(float(raw.time[i]), origin[i], A, loads, gravity @ A, w[i] @ A, (mass, centre, J))
        )
    return LoadsOfBody(body, float(mass), centre, J, found)


def frames_at(raw: RawResult, times: Sequence[float] | None) -> list[int]:
    """Frames nearest to these times. Raises SceneError for times outside of the result."""
    if times is None:
        return list(range(raw.frames))
    stored = raw.time
    for time in times:
        if not (len(stored) and stored[0] - 1e-9 <= time <= stored[-1] + 1e-9):
            span = f"{stored[0]:g} to {stored[-1]:g} s" if len(stored) else "no time"
            raise SceneError("time", time, f"the result has {span}")
    return [int(np.argmin(np.abs(stored - time))) for time in times]


def moved(name: str, part: str, point: Array, centre: Array, force: Array, torque: Array) -> Load:
    """A load at a point from that at the mass centre: M_p = M_c − (p − c) × F."""
    return Load(name, part, point, force, torque - np.cross(point - centre, force))


def contacts_of_body(
    raw: RawResult, body: str, applied: Sequence[str]
) -> list[tuple[int, str, Array, Array, Array]]:
    """(frame, name, point, force, torque about it) of each loaded contact, world axes."""
    found = []
    for name in [name for name in applied if name.startswith(f"{CONTACT} ") and "contacts" in raw.lists]:
        other = name.removeprefix(f"{CONTACT} ")
        if other != "ground" and other not in raw.names("bodies"):
            continue  # a force element of such a name
        at = entries_between(raw, other, body)
        force, moment = at.sign[:, None] * at.force, at.sign[:, None] * at.moment
        for n in np.flatnonzero(np.abs(force).max(axis=1, initial=0.0) > 0.0):
            found.append((int(at.frame[n]), name, at.point[n], force[n], moment[n]))
    return found


def balanced(
    time: float,
    position: Array,
    axes: Array,
    loads: Sequence[Load],
    gravity: Array,
    w: Array,
    mass_properties: tuple[float, Array, Array],
) -> LoadsAtTime:
    """The loads with the accelerations that they cause; w (3,): angular velocity, body axes [rad/s]."""
    mass, centre, J = mass_properties
    force = mass * gravity + sum((one.force for one in loads), np.zeros(3))
    about_centre = [one.torque + np.cross(one.point - centre, one.force) for one in loads]
    torque = sum(about_centre, np.zeros(3))
    spin = J @ w
    alpha = np.linalg.pinv(J, rcond=NO_INERTIA, hermitian=True) @ (torque - np.cross(w, spin))
    a = force / mass
    of_origin = a - np.cross(alpha, centre) - np.cross(w, np.cross(w, centre))
    inertia = Load(INERTIA, INERTIA, centre, -mass * a, -(J @ alpha + np.cross(w, spin)))
    weight = [Load(GRAVITY, APPLIED, centre, mass * gravity, np.zeros(3))] if gravity.any() else []
    return LoadsAtTime(time, position, axes, tuple(loads), gravity, of_origin, w, alpha, (*weight, inertia))
