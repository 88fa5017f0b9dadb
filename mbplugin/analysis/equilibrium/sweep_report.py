"""The report of a quasi-static sweep."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mbplugin.analysis.equilibrium.quasi_static import Jump
from mbplugin.analysis.forces_report import TouchingForce
from mbplugin.analysis.report import Report, States, table
from mbplugin.results.layout import STATUSES
from mbplugin.tables.spec import Array

#: jumps that are told one by one
FIRST = 10


@dataclass(kw_only=True, repr=False)
class SweepReport(Report):
    """Equilibria at n times. position: (n, bodies, 3) [m]; reactions: (n, joints, 6) force [N] and torque
    [N·m] on b about its marker, world axes; drive: (n, motions) along their coordinates, in `units`;
    coordinate: (n, coordinates) [m] or [rad]; status, force: (n, bounds) of rows with bounds; least: (n,) the
    least stiffness [1/s²], NaN: it is not told; stable: (n,) 1, 0 or -1, not told; contacts: those that are
    closed at each position, None: nothing can touch.
    """

    what: ClassVar[str] = "static"
    states: States
    bodies: list[str]
    position: Array
    joints: list[str]
    reactions: Array
    motions: list[str]
    units: list[str]
    drive: Array
    coordinates: list[str]
    coordinate: Array
    bounds: list[str]
    bound_units: list[str]
    status: Array
    force: Array
    least: Array
    stable: Array
    inputs: list[str]
    searches: int
    jumps: list[Jump] = field(default_factory=list)
    contacts: list[list[TouchingForce]] | None = None

    def lines(self) -> list[str]:
        t, told = self.states.time, self.stable >= 0
        text = [f"{len(t)} equilibria from t = {t[0]:.6g} s to {t[-1]:.6g} s, {self.searches} searches"]
        if told.any():
            k = int(np.nanargmin(np.where(told, self.least, np.nan)))
            unstable = int((self.stable == 0).sum())
            how = f"not stable (neutral, or unstable): {unstable} of them" if unstable else "all are stable"
            least = f"; the least stiffness is {self.least[k]:.6g} 1/s2, at t = {t[k]:.6g} s"
            text.append(how + (least if np.isfinite(self.least[k]) else "; nothing is free to move"))
        text += [self.jump_text(one) for one in self.jumps[:FIRST]]
        if len(self.jumps) > FIRST:
            text.append(f"... {len(self.jumps) - FIRST} more of this kind")
        way = np.linalg.norm(np.diff(self.position, axis=0), axis=2).sum(axis=0)
        farthest = np.linalg.norm(self.position - self.position[0], axis=2).max(axis=0)
        text += table(
            ["body", "path [m]", "farthest from its first position [m]"],
            list(zip(self.bodies, way.tolist(), farthest.tolist())),
        )
        if self.motions:
            text += table(
                ["motion", "in", "least drive", "largest drive"],
                list(zip(self.motions, self.units, *ends(self.drive))),
            )
        if self.bounds:
            seen = [", ".join(statuses(self.status[:, k])) for k in range(len(self.bounds))]
            text += table(
                ["with bounds", "in", "least force", "largest force", "status"],
                list(zip(self.bounds, self.bound_units, *ends(self.force), seen)),
            )
        if self.contacts is not None:
            text += table(["contact", "largest force [N]", "status"], self.pairs())
        return text + self.messages

    def pairs(self) -> list[tuple[str, float, str]]:
        """Each two bodies that touch: the largest sum of their forces, and what contacts do, over time."""
        sums: dict[str, float] = {}
        seen: dict[str, dict[str, None]] = {}
        for contacts in self.contacts or []:
            now: dict[str, Array] = {}
            for one in contacts:
                name = f"{one.a} - {one.b}"
                now[name] = now.get(name, np.zeros(3)) + one.force
                seen.setdefault(name, {})[one.status] = None
            for name, force in now.items():
                sums[name] = max(sums.get(name, 0.0), float(np.linalg.norm(force)))
        return [(name, sums[name], ", ".join(seen[name])) for name in sums]

    def jump_text(self, one: Jump) -> str:
        k = int(np.argmax(one.moved))
        at = "".join(f", {name} = {x:.6g}" for name, x in zip(self.inputs, one.inputs.tolist()))
        far = f'body "{self.bodies[k]}" is {one.moved[k]:.4g} m away'
        if one.rotated.max(initial=0.0) > one.moved.max(initial=0.0):
            k = int(np.argmax(one.rotated))
            far = f'body "{self.bodies[k]}" has turned by {one.rotated[k]:.4g} rad'
        if one.ended:
            what = "the branch of equilibria ends (a fold, or something gives way), and another one begins"
            return f"t = {one.time:.9g} s{at}: {what}, in which {far}"
        what = "the equilibrium becomes unstable, and its branch goes on (a bifurcation)"
        if max(one.moved.max(initial=0.0), one.rotated.max(initial=0.0)) > 0.0:
            return f"t = {one.time:.9g} s{at}: {what}; of the stable ones that begin there one is followed"
        return f"t = {one.time:.9g} s{at}: {what}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "time": self.states.time,
            "bodies": {n: {"position": self.position[:, k]} for k, n in enumerate(self.bodies)},
            "joints": {
                n: {"force": self.reactions[:, k, :3], "torque": self.reactions[:, k, 3:]}
                for k, n in enumerate(self.joints)
            },
            "motions": {n: {"drive": self.drive[:, k]} for k, n in enumerate(self.motions)},
            "coordinates": {n: self.coordinate[:, k] for k, n in enumerate(self.coordinates)},
            "bounds": {
                n: {"status": [STATUSES[int(s)] for s in self.status[:, k]], "force": self.force[:, k]}
                for k, n in enumerate(self.bounds)
            },
            "least_stiffness": self.least,
            "stable": [{1: True, 0: False}.get(int(s)) for s in self.stable],
            "jumps": [
                {
                    "time": one.time,
                    "inputs": dict(zip(self.inputs, one.inputs.tolist())),
                    "moved": dict(zip(self.bodies, one.moved.tolist())),
                    "rotated": dict(zip(self.bodies, one.rotated.tolist())),
                    "ended": one.ended,
                }
                for one in self.jumps
            ],
            **({} if self.contacts is None else {"contacts": [contact_dicts(one) for one in self.contacts]}),
            "searches": self.searches,
            "messages": self.messages,
        }


def contact_dicts(contacts: list[TouchingForce]) -> list[dict[str, Any]]:
    return [{key: x for key, x in one._asdict().items() if x is not None} for one in contacts]


def ends(values: Array) -> tuple[list[float], list[float]]:
    """The least and the largest of each column."""
    return values.min(axis=0).tolist(), values.max(axis=0).tolist()


def statuses(numbers: Array) -> list[str]:
    """Those that occur, in the order of time."""
    return [STATUSES[int(k)] for k in dict.fromkeys(numbers.tolist())]
