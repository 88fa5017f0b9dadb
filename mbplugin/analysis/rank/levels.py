"""Level of each constraint row: position (Φ = 0), velocity (Φ̇ = 0) or acceleration (Φ̈ = 0)."""

from __future__ import annotations

from mbplugin.analysis.phrases import plural
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows

LEVELS = ("position", "velocity", "acceleration")
#: largest number of owners that one line names
SHOWN = 20


def level_of_rows(problem: Problem) -> list[tuple[str, str, str]]:
    """(owner, label, level) of each row that is active in a run, in table order.

    Rows of a `start` are left out: they constrain the initial state only.
    """
    starts = {c.start_row for c in problem.names.coordinates}
    level = problem[Rows].level
    return [
        (row.owner, row.label, LEVELS[level[r]])
        for r, row in enumerate(problem.names.rows)
        if r not in starts
    ]


def level_lines(problem: Problem) -> list[str]:
    """One report line for each level that has rows.

    Joint rows at position level are only counted; all other rows are listed by owner and label.
    """
    motion_rows = [r for c in problem.names.coordinates for r in c.motion_rows]
    driving = {problem.names.rows[r].owner for r in motion_rows}
    all_rows = level_of_rows(problem)
    lines = []
    for level in LEVELS:
        rows = [(owner, label) for owner, label, at in all_rows if at == level]
        if not rows:
            continue
        listed: dict[str, list[str]] = {}
        for owner, label in rows:
            if level != "position" or owner in driving:
                listed.setdefault(owner, []).append(label)
        parts = [f"{owner.removesuffix(' motion')} ({', '.join(labels)})" for owner, labels in listed.items()]
        if len(parts) > SHOWN:
            parts[SHOWN:] = [f"and {len(parts) - SHOWN} more"]
        line = f"{plural(len(rows), 'constraint row')} at {level} level"
        if parts:
            some = level == "position" and len(rows) > len(listed)
            line += (", including " if some else ": ") + "; ".join(parts)
        lines.append(line)
    return lines
