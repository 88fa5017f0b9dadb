"""Rows that switch, as results name them: limits, dry friction, one-way clutches, motions of limited effort;
joints that are held exactly or by an enforcement law; and what may cease to act.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mbplugin.problem import Problem
from mbplugin.results.layout import STATUSES
from mbplugin.tables.groups import Bearings, Bounded
from mbplugin.tables.records import COMPLIANT, LOWER, OFF, ON, RELEASED, UPPER
from mbplugin.tables.spec import Array

#: last word of the name -> status while the row holds, while its force is the lower bound, and the upper one
WORDS = {
    "lower_limit": ("at limit", "free", "free"),
    "upper_limit": ("at limit", "free", "free"),
    "one_way": ("locked", "free", "free"),
    "friction": ("sticks", "slips forwards", "slips backwards"),
    "slip": ("sticks", "slips forwards", "slips backwards"),
    "slip_1": ("sticks", "slips", "slips"),
    "slip_2": ("sticks", "slips", "slips"),
    "gap": ("closed", "open", "open"),
    "push": ("at limit", "free", "free"),
    "tension": ("taut", "slack", "slack"),
    "hold": ("sticks", "slips forwards", "slips backwards"),
    "effort": ("follows", "at lower effort", "at upper effort"),
}


@dataclass(frozen=True)
class Switching:
    """Names of the elements, and what modes of their rows mean."""

    names: list[str]  # of the bounded rows, in the order of the tables, such as "pin.angle.friction"
    units: list[str]  # of their forces
    rows: Array  # (bounds,)
    conditional: list[str]  # what acts under a condition, in the order of the tables
    places: Array  # (conditional,) in State.mode
    elements: list[str]  # the bounded rows, the joints with an enforcement law, and all that may cease to act
    element: Array  # number of the element of each entry of State.mode; −1: it never switches
    status: Array  # (entries, modes) number in STATUSES
    resting: list[tuple[int, int]]  # friction, and a limit or clutch of the same coordinate

    @property
    def switches(self) -> bool:
        """Whether anything switches in a run without calls of `Simulation`."""
        return bool(self.names or self.conditional)

    @classmethod
    def of(cls, problem: Problem) -> Self:
        names, index = problem.names, problem[Bounded].index
        rows = np.array(index.row, np.int64)
        # the first two auxiliary states are energies; those of a row are called after it
        bounds = [
            names.states[k - 2].removesuffix(".impulse") for k in np.asarray(index.first_aux, int).tolist()
        ]
        acting = [one.label for one in names.activities]
        conditional = [k for k, one in enumerate(names.activities) if one.conditional]
        element = np.full(problem.nc + len(acting), -1)
        element[rows] = np.arange(len(rows))
        status = np.zeros((len(element), UPPER + 1), np.int64)
        status[:, [ON, COMPLIANT]] = [STATUSES.index(word) for word in ("exact", "compliant")]
        for row, bound in zip(rows, bounds):
            words = WORDS[bound.rpartition(".")[2]]
            status[row, [OFF, ON, LOWER, UPPER]] = [STATUSES.index(word) for word in ("off", *words)]
        idle = rows[problem[Bearings].index.bounded[problem[Bearings].index.pressing >= 0]]
        status[idle, OFF] = STATUSES.index("free")
        held = [names.joints[one.joint] for one in names.enforced]
        for k, joint in enumerate(held):
            element[joint.rows] = len(bounds) + k
        element[problem.nc :] = len(bounds) + len(held) + np.arange(len(acting))
        for k, one in enumerate(names.activities):
            words = ("acts", "off", "broken" if one.breaks else "released")
            status[problem.nc + k, [ON, OFF, RELEASED]] = [STATUSES.index(word) for word in words]
        elements = [*bounds, *(joint.name for joint in held), *acting]
        units = ["N" if names.rows[row].unit == "m" else "N m" for row in rows]
        own = [acting[k] for k in conditional]
        places = problem.nc + np.array(conditional, np.int64)
        resting = [
            (k, other)
            for k, bound in enumerate(bounds)
            for other, its in enumerate(bounds)
            if bound.rpartition(".")[0] == its.rpartition(".")[0]
            and bound.endswith(".friction")
            and its.endswith(("_limit", ".one_way"))
        ]
        return cls(bounds, units, rows, own, places, elements, element, status, resting)

    def statuses(self, modes: Array) -> Array:
        """(n, bounds) numbers in STATUSES from modes (n, entries). What rests on a limit does not slip, also
        where friction exerts all that it can.
        """
        found = self.status[self.rows, modes[:, self.rows]]
        for k, holds in self.resting:
            slips = (modes[:, self.rows[k]] == LOWER) | (modes[:, self.rows[k]] == UPPER)
            at_rest = slips & (modes[:, self.rows[holds]] == ON)
            found[at_rest, k] = self.status[self.rows[k], ON]
        return np.asarray(found)

    def events(self, changes: Array) -> dict[str, Array]:
        """The entries (n,) of the list of events for records of changes: rows of a joint are one element."""
        changes = changes[self.element[changes["row"]] >= 0]
        row = changes["row"]
        found: dict[str, Any] = {
            "time": changes["time"],
            "element": self.element[row],
            "before": self.status[row, changes["before"]],
            "after": self.status[row, changes["after"]],
            "impulse": changes["impulse"],
            "dof": changes["dof"],
        }
        same = np.ones(max(0, len(row) - 1), bool)
        for values in found.values():
            same &= values[1:] == values[:-1]
        kept = np.concatenate([np.ones(min(1, len(row)), bool), ~same])
        return {name: values[kept] for name, values in found.items()}
