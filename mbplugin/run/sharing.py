"""Rows with bounds that share what they carry in a way that rigid bodies do not determine."""

from __future__ import annotations

from mbplugin.analysis.rank.rank import RankReport
from mbplugin.errors import listed
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bounded, State
from mbplugin.tables.records import ON
from mbplugin.tables.spec import Array

#: rows that the message names
NAMED = 6


class Sharing:
    """Follows the changes of a run and tells once where rows that hold depend on each other.

    report: of the rank without these rows; dof: degrees of freedom at the start
    """

    def __init__(self, problem: Problem, report: RankReport, time: float, dof: int) -> None:
        rows = problem[Bounded].index.row.tolist()
        mode = problem[State].mode
        self.names = {row: what for row, (_, _, what) in zip(rows, problem.names.bounded)}
        self.holds = {row for row in rows if mode[row] == ON}
        self.others = int(problem.on.sum()) - len(self.holds)
        self.nv, self.redundant = problem.nv, self.others - (problem.nv - report.dof)
        self.told: list[tuple[float, str, str]] = []
        self.ended = not rows
        self.look(time, dof)

    def follow(self, changes: Array) -> list[tuple[float, str, str]]:
        """(time, level, text) that is to be told after these records of changes."""
        for k, one in enumerate(changes):
            if one.row not in self.names:
                self.ended = True  # joints under an enforcement law come and go
            if self.ended:
                break
            if one.after == ON:
                self.holds.add(int(one.row))
            else:
                self.holds.discard(int(one.row))
            if k + 1 == len(changes) or changes[k + 1].time > one.time:
                self.look(float(one.time), int(one.dof))
        told, self.told = self.told, []
        return told

    def look(self, time: float, dof: int) -> None:
        """Tell if more rows hold than take degrees of freedom, beside those that are redundant anyway."""
        rank = self.nv - dof
        if self.ended or not self.holds or self.others + len(self.holds) - rank <= self.redundant:
            return
        self.ended = True
        names = listed([self.names[row] for row in sorted(self.holds)], NAMED)
        shares = "these rows depend on each other or on joints, and share what they carry by the minimum norm"
        self.told.append(
            (time, "info", f"from t = {time:.6g} s on, forces are not unique: {shares}: {names}")
        )
