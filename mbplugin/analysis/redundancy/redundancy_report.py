"""Redundancy as an analysis of its own: every set of rows that an analysis begins with, which rows are
redundant in it, and which reactions that leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mbplugin.analysis.initial_state.initial_velocities import Given
from mbplugin.analysis.rank.rank import RankReport
from mbplugin.analysis.redundancy.redundancy import ANALYSES, Redundancy, redundancy, rows_of
from mbplugin.analysis.redundancy.redundancy_text import report, step_table
from mbplugin.analysis.redundancy.repair_text import repair_table
from mbplugin.analysis.redundancy.repairs import Repair
from mbplugin.analysis.report import Report
from mbplugin.analysis.singular.singular import Singular
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array

#: a set of rows, and the names of the analyses that begin with it
Sets = list[tuple[list[str], Redundancy]]


@dataclass(kw_only=True)
class RedundancyReport(Report):
    """sets: the last one is that of the acceleration analysis, by which a run goes. lam: (nc,) multipliers,
    None without masses. given: velocities.
    """

    what: ClassVar[str] = "redundancy"
    sets: Sets
    lam: Array | None = None
    given: list[Given] = field(default_factory=list)
    singular: Singular | None = None
    repairs: list[Repair] | None = None

    @property
    def motion(self) -> Redundancy:
        """Of the rows that hold during the motion."""
        return self.sets[-1][1]

    def lines(self) -> list[str]:
        found = []
        for names, one in self.sets:
            moves = one is self.motion
            found += [
                *report(
                    one, self.lam if moves else None, with_reactions=moves, title=listed(names)
                ).splitlines(),
                "",
            ]
        found += [
            which(self.sets),
            "",
            "Joint by joint, in the order in which they keep their rows:",
            *step_table(self.motion.steps).splitlines(),
        ]
        if any(g.redundant for g in self.given):
            found += [
                "",
                "Given initial velocities that the joints or other given ones tell already:",
                *(f"  {g}" for g in self.given if g.redundant),
            ]
        if self.singular is not None:
            found += ["", f"warning: {self.singular}"]
        if self.repairs is not None:
            found += ["", *repair_table(self.repairs, self.motion.redundancy, self.motion).splitlines()]
        return found + self.messages

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "sets": [
                {"analyses": names, **one.as_dict(self.lam if one is self.motion else None)}
                for names, one in self.sets
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
        return found if self.repairs is None else found | {"repairs": [r.as_dict() for r in self.repairs]}


def sets_of_rows(problem: Problem, system: System, moving: RankReport | None = None) -> Sets:
    """Each set of rows once. Each analysis begins with the full set again, whatever another one found
    redundant. moving: the rank during the motion.
    """
    found: Sets = []
    taken: dict[bytes, int] = {}
    for name in ANALYSES:
        rows = rows_of(problem, system, name)
        if rows.tobytes() in taken:
            found[taken[rows.tobytes()]][0].append(name)
            continue
        taken[rows.tobytes()] = len(found)
        # the rank of the last one may be known already
        found.append(([name], redundancy(problem, system, name, moving if name == ANALYSES[-1] else None)))
    # the set of the motion comes last, by whatever name it was met first
    found.sort(key=lambda one: ANALYSES[-1] in one[0])
    return found


def listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def which(sets: Sets) -> str:
    """Which set of rows a run goes by, and why."""
    if len(sets) == 1:
        return "All three analyses begin with the same rows. A run counts them itself at its start and goes by them: none is taken out, redundant ones share."
    return (
        "A run goes by the rows of the acceleration analysis, which it counts itself at its start: what a `start` gives holds only until the motion begins. "
        "Each analysis begins with all rows again."
    )
