"""Redundancy analysis: redundant rows of each analysis, and the reactions that they leave undetermined."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from mbplugin.analysis.initial_state.initial_velocities import Given
from mbplugin.analysis.phrases import enumerated
from mbplugin.analysis.rank.rank import RankReport
from mbplugin.analysis.redundancy.redundancy import ANALYSES, Redundancy, modes_of, redundancy
from mbplugin.analysis.redundancy.redundancy_text import STEPS_TITLE, report, step_table
from mbplugin.analysis.redundancy.repair_text import repair_table
from mbplugin.analysis.redundancy.repairs import Repair
from mbplugin.analysis.report import Report
from mbplugin.analysis.singular.singular import Singular
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.records import ON
from mbplugin.tables.spec import Array

#: distinct sets of rows, each with the names of the analyses that use it
Sets = list[tuple[list[str], Redundancy]]


@dataclass(kw_only=True, repr=False)
class RedundancyReport(Report):
    """Redundancy of each set of rows at the initial state."""

    what: ClassVar[str] = "redundancy"
    sets: Sets  # the last one is that of the acceleration analysis, which a run uses
    lam: Array | None = None  # (nc,) multipliers; None without masses
    given: list[Given] = field(default_factory=list)  # given initial velocities
    singular: Singular | None = None
    repairs: list[Repair] | None = None  # None: not tried

    @property
    def motion(self) -> Redundancy:
        """Redundancy of the rows that are on during the motion."""
        return self.sets[-1][1]

    def lines(self) -> list[str]:
        lines = []
        for names, counts in self.sets:
            in_motion = counts is self.motion
            lam = self.lam if in_motion else None
            text = report(counts, lam, with_reactions=in_motion, title=enumerated(names))
            lines += [*text.splitlines(), ""]
        lines += [rows_of_a_run(self.sets), "", STEPS_TITLE, *step_table(self.motion.steps).splitlines()]
        if any(g.redundant for g in self.given):
            lines += [
                "",
                "Given initial velocities that joints or other given velocities determine already:",
                *(f"  {g}" for g in self.given if g.redundant),
            ]
        if self.singular is not None:
            lines += ["", f"warning: {self.singular}"]
        if self.repairs is not None:
            lines += ["", *repair_table(self.repairs, self.motion.redundancy, self.motion).splitlines()]
        return lines + self.messages

    def as_dict(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "sets": [
                {"analyses": names, **counts.as_dict(self.lam if counts is self.motion else None)}
                for names, counts in self.sets
            ],
            "given": [
                {
                    "name": g.name,
                    "given": g.given,
                    "used": g.used,
                    "state": g.state,
                    "given_by": list(g.by),
                    "through": list(g.through),
                }
                for g in self.given
            ],
            "singular": None if self.singular is None else self.singular.as_dict(),
            "messages": self.messages,
        }
        if self.repairs is not None:
            document["repairs"] = [r.as_dict() for r in self.repairs]
        return document


def sets_of_rows(problem: Problem, system: System, rank_in_motion: RankReport | None = None) -> Sets:
    """Redundancy of each distinct set of rows at the present state; that used during the motion comes last.

    Every analysis starts from its full set of rows. rank_in_motion: rank of the rows that are on, if known.
    """
    sets: Sets = []
    place: dict[bytes, int] = {}
    for name in ANALYSES:
        key = (modes_of(problem, system, name) == ON).tobytes()
        if key in place:
            sets[place[key]][0].append(name)
            continue
        place[key] = len(sets)
        known = rank_in_motion if name == "acceleration" else None
        sets.append(([name], redundancy(problem, system, name, known)))
    sets.sort(key=lambda one: "acceleration" in one[0])
    return sets


def rows_of_a_run(sets: Sets) -> str:
    """Which set of rows a run uses, and why."""
    if len(sets) == 1:
        return (
            "All three analyses use the same rows. A run analyses them again at t = 0 and keeps all of them; "
            "redundant rows share the load."
        )
    return (
        "A run uses the rows of the acceleration analysis, which it repeats at t = 0: a `start` constrains "
        "the initial state only. Each analysis starts from its full set of rows."
    )
