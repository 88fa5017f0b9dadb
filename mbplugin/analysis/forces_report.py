"""Forces of joints on their bodies, and of motions along their coordinates, in a report at one position."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mbplugin.analysis.report import Report, States, table
from mbplugin.tables.spec import Array

#: unit of a coordinate -> of the force along it
DRIVEN_IN = {"rad": "N m", "m": "N"}


class BoundedForce(NamedTuple):
    """A row whose force has bounds: its status, as frames name it, and its force along the coordinate.

    share: of its bound at rest, in equilibrium; 0 of a row that only pushes; None: not told
    """

    name: str  # "hinge.angle.friction"
    status: str
    force: float  # [N] or [N m], as `unit` says
    unit: str
    share: float | None = None


class TouchingForce(NamedTuple):
    """A contact of body b with body a, world axes: "open", "sticks" or "slips"."""

    a: str
    b: str
    status: str
    point: Array  # (3,) [m]
    force: Array  # (3,) on b [N]
    local_force: Array  # (3,) on b: along the normal and two tangents [N]
    share: float | None = None  # of what friction can hold, in equilibrium; None: not told


@dataclass(kw_only=True, repr=False)
class ForcesReport(Report):
    """reactions: (joints, 6) force [N] and torque [N·m] on b about its marker, world axes. drive: (motions,)
    force or torque along the coordinate, in `units`: "N" or "N m".
    """

    states: States
    joints: list[str] = field(default_factory=list)
    reactions: Array = field(default_factory=lambda: np.zeros((0, 6)))
    motions: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    drive: Array = field(default_factory=lambda: np.zeros(0))
    bounds: list[BoundedForce] = field(default_factory=list)
    contacts: list[TouchingForce] | None = None

    def tables_of_forces(self) -> list[str]:
        lines = []
        if len(self.reactions):
            lines += table(
                ["joint", "fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]", "tz [N m]"],
                [(name, *reaction) for name, reaction in zip(self.joints, self.reactions.tolist())],
            )
        if len(self.drive):
            lines += table(
                ["motion", "in", "drive"], list(zip(self.motions, self.units, self.drive.tolist()))
            )
        if self.bounds:
            rows = [one if one.share is not None else one[:4] for one in self.bounds]
            columns = ["with bounds", "status", "force", "in", "share of its bound"]
            lines += table(columns[: len(rows[0])], rows)
        if self.contacts:
            named = ["contact", "status", "x [m]", "y", "z", "fx [N] on the second", "fy", "fz"]
            between = [(f"{one.a} - {one.b}", one.status, *one.point, *one.force) for one in self.contacts]
            if (shares := [one.share for one in self.contacts])[0] is not None:
                named.append("share of its friction")
                between = [(*line, share) for line, share in zip(between, shares)]
            lines += table(named, between)
        return lines

    def forces_as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "joints": {n: {"force": r[:3], "torque": r[3:]} for n, r in zip(self.joints, self.reactions)},
            "motions": {name: {"drive": drive} for name, drive in zip(self.motions, self.drive)},
        }
        if self.bounds:
            of = [{key: x for key, x in one._asdict().items() if x is not None} for one in self.bounds]
            found["bounds"] = {one.pop("name"): one for one in of}
        if self.contacts is not None:
            named = [one._asdict() for one in self.contacts]
            found["contacts"] = [{key: x for key, x in one.items() if x is not None} for one in named]
        return found
