"""Rows that may begin to act during a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbplugin.tables.groups import Activity
from mbplugin.tables.records import COMPLIANT, TARGET_ROW

if TYPE_CHECKING:
    from mbplugin.problem.problem import Problem


def rows_that_begin(problem: Problem) -> list[int]:
    """Rows that a condition lets act as rows of S."""
    target = problem[Activity].target
    return [
        int(one.number)
        for info, record in zip(problem.names.activities, problem[Activity].index)
        if info.conditional
        for one in target[record.first_target : record.first_target + record.targets]
        if one.kind == TARGET_ROW and one.mode != COMPLIANT
    ]
