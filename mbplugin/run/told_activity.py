"""Messages of a run on joints, motions, forces and contacts that begin or cease to act."""

from __future__ import annotations

from typing import Any

from mbplugin.analysis.phrases import plural
from mbplugin.problem import ActivityInfo, Problem
from mbplugin.tables.records import ON, RELEASED
from mbplugin.tables.spec import Array

Message = tuple[float, str, str]
#: changes that are told one by one
FIRST = 10


class ActivityMessages:
    """Follows the changes of a run. dof: degrees of freedom at the start."""

    def __init__(self, problem: Problem, dof: int) -> None:
        self.names, self.rows, self.dof, self.count = problem.names.activities, problem.nc, dof, 0

    def follow(self, changes: Array) -> list[Message]:
        """(time, level, text) that is to be told after these records of changes."""
        told: list[Message] = []
        one: Any
        for k, one in enumerate(changes):
            if k > 0 and one.time > changes[k - 1].time:
                self.dof = int(changes[k - 1].dof)
            if one.row >= self.rows:
                self.count += 1
                if self.count <= FIRST:
                    told.append((float(one.time), "info", self.text(one)))
                if self.count == FIRST + 1:
                    told.append((float(one.time), "info", "further changes of this kind are in `events`"))
        if len(changes):
            self.dof = int(changes[-1].dof)
        return told

    def text(self, one: Any) -> str:
        """Who begins or ceases to act, and what it leaves."""
        name: ActivityInfo = self.names[int(one.row) - self.rows]
        does = {ON: "begins to act", RELEASED: "is released"}.get(int(one.after), "ceases to act")
        freedom = f"{plural(int(one.dof), 'degree')} of freedom"
        if int(one.dof) != self.dof:
            freedom += f" instead of {self.dof}"
        if one.redundant > 0:
            freedom += f", {plural(int(one.redundant), 'redundant row')}"
        return f"t = {one.time:.9g} s: {name.label} {does}: {freedom}"
