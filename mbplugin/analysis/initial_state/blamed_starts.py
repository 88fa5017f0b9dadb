"""Contradictions at a dead point, where a row of a motion is redundant, but a `start`, or the positions or
velocities as written, are at fault: with others the motion could hold.
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.rank.rank import RankReport
from mbplugin.analysis.singular.null_motions import free_motions
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows, State
from mbplugin.tables.records import START
from mbplugin.tables.spec import Array

#: displacement off a dead point [mechanism sizes or rad]
OFF_DEAD_POINT = 0.3


def blamed_position(problem: Problem, q: Array, closed: float) -> tuple[str, str] | None:
    """Cause that keeps motions from holding at the positions q (nq,), and how to mend it; None if they hold
    nowhere near.
    """
    other, names = problem.copy(), problem.names
    starts = [c.start_row for c in names.coordinates if c.start_row >= 0 and other.on[c.start_row]]
    other[State].mode[starts] = START
    other.evaluate_at(q)
    free = free_motions(other)
    direction = free @ np.cos(1.0 + np.arange(free.shape[1]))
    direction *= OFF_DEAD_POINT / max(np.abs(direction).max(initial=0.0), 1e-300)
    for sign in (0.0, 1.0, -1.0):
        other.move_to(q, sign * direction)
        other.evaluate_at()
        if other.close_positions() <= closed:
            break
    else:
        return None
    if starts:
        mend = "Here nothing that is free changes what is driven; without this start the motion can hold."
        return ", ".join(names.rows[row].owner for row in starts), mend
    mend = "Here nothing that is free changes what is driven: write positions to one side of this dead point."
    return "the positions as written", mend


def blamed_velocity(
    problem: Problem, system: System, report: RankReport, gap: float
) -> tuple[str, str] | None:
    """Cause of the velocities with which accelerations of motions contradict others, and how to mend it;
    None if they do so without these, too.
    """
    other, state = problem.copy(), problem[State]
    rows = other[Rows]
    v = np.linalg.lstsq(other.jacobian()[other.on], -rows.phi_t[other.on])[0]
    other.evaluate(float(state.time[0]), state.q, v)
    if not np.abs(report.null.T @ rows.gamma).max(initial=0.0) < gap:
        return None
    starts = [
        f"{joint.name} start" for joint in system.joints if joint.start is not None and joint.start.speed
    ]
    mend = (
        "At this position the motion leaves a speed free that it does not admit a moment later; without it "
    )
    return ", ".join(starts) or "the velocities as written", f"{mend}they agree."
