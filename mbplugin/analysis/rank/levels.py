"""At which level each row is given: a position Φ, a velocity Φ̇ or an acceleration Φ̈."""

from __future__ import annotations

from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows

LEVELS = ("position", "velocity", "acceleration")
#: owners that a line names
SHOWN = 20


def level_of_rows(problem: Problem) -> list[tuple[str, str, str]]:
    """(owner, label, level) of every row that holds something in a run, in the order of the tables; a `start`
    holds nothing then.
    """
    starts = {c.start_row for c in problem.names.coordinates}
    level = problem[Rows].level
    return [
        (row.owner, row.label, LEVELS[level[r]])
        for r, row in enumerate(problem.names.rows)
        if r not in starts
    ]


def told(problem: Problem) -> list[str]:
    """A line for each level that has rows. Rows of joints at position level are counted; motions and all
    other rows are named.
    """
    motions = {c.motion_row for c in problem.names.coordinates}
    owners = {problem.names.rows[r].owner for r in motions if r >= 0}
    lines = []
    for level in LEVELS:
        mine = [(owner, label) for owner, label, at in level_of_rows(problem) if at == level]
        named: dict[str, list[str]] = {}
        for owner, label in mine:
            if level != LEVELS[0] or owner in owners:
                named.setdefault(owner, []).append(label)
        parts = [
            f"{owner.removesuffix(' motion')} ({', '.join(labels)})"
            for owner, labels in list(named.items())[:SHOWN]
        ]
        parts += [f"and {len(named) - SHOWN} more"] if len(named) > SHOWN else []
        if mine:
            among = ", among them " if len(mine) > len(named) and level == LEVELS[0] else ", "
            lines.append(f"rows at {level} level: {len(mine)}" + (among + "; ".join(parts) if parts else ""))
    return lines
