"""Contradictory constraints: a redundant row prescribes another value than the rows on which it depends.

No position (velocity, acceleration) satisfies all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from mbplugin.analysis.initial_state.blamed_starts import blamed_position, blamed_velocity
from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.redundancy.redundancy import Redundancy, Redundant, redundancy, redundancy_of_rows
from mbplugin.analysis.redundancy.redundancy_text import row_text
from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Measures, Rows, State
from mbplugin.tables.records import ACCELERATION_LEVEL, OFF, POSITION_LEVEL, VELOCITY_LEVEL
from mbplugin.tables.spec import Array

#: smallest mismatch [mechanism sizes or rad; per s or s²] that is a contradiction
CONTRADICTION = 1e-7
#: residual [mechanism sizes] of a closed joint
CLOSED = 1e-9
#: largest number of contradictions that a message lists
MAX_SHOWN = 4
#: by level: what the unit of a row gets, and the headline
PER_TIME = ("", "/s", "/s²")
HEADLINE = (
    "constraints contradict each other at position level, so the mechanism cannot be assembled",
    "constraints contradict each other at velocity level",
    "constraints contradict each other at acceleration level",
)


def position_conflict(problem: Problem, system: System, given_q: Array) -> PhysicsError | None:
    """Contradictions at the positions of the scene `given_q` (nq,), or where Newton's method ended.

    The rows of starts are on.
    """
    last_q, problem = problem.q, problem.copy()
    problem[State].mode[np.flatnonzero(problem[Rows].level > POSITION_LEVEL)] = OFF
    for q in (given_q, last_q):
        problem.set_state(float(problem[State].time[0]), q, problem.v)
        if entries.evaluate(problem.addresses) != 0 or not np.isfinite(problem[Rows].phi).all():
            continue
        report = redundancy_of_rows(problem, system, "position", rank(problem))
        blamed = functools.partial(blamed_position, problem, q, CLOSED)
        error = conflict(problem, report, report.redundant, POSITION_LEVEL, blamed)
        if error is not None:
            return error
    return None


def velocity_conflict(problem: Problem, system: System) -> PhysicsError | None:
    """Contradicting rates of joints and motions; the speed of a `start` that conflicts is dropped instead."""
    report = redundancy(problem, system, "velocity")
    starts = {c.start_row for c in problem.names.coordinates}
    prescribed = [r for r in report.redundant if r.row not in starts]
    return conflict(problem, report, prescribed, VELOCITY_LEVEL)


def acceleration_conflict(problem: Problem, system: System, report: RankReport) -> PhysicsError | None:
    """Motions that agree at the start and contradict each other right after it."""
    if (
        report.rows == report.rank
        or np.abs(report.null.T @ problem[Rows].gamma).max(initial=0.0) < CONTRADICTION
    ):
        return None
    counts = redundancy(problem, system, "acceleration", report)
    driven = [
        r
        for r in counts.redundant
        if any(held.label.startswith("motion of ") for held in (r.held, *(t.held for t in r.terms)))
    ]
    blamed = functools.partial(blamed_velocity, problem, system, report, CONTRADICTION)
    return conflict(problem, counts, driven, ACCELERATION_LEVEL, blamed)


def conflict(
    problem: Problem,
    report: Redundancy,
    candidates: list[Redundant],
    level: int,
    blamed: Callable[[], tuple[str, str] | None] = lambda: None,
) -> PhysicsError | None:
    """The error for contradictions among `candidates` at one level, largest first; None if there are none.

    blamed: what is at fault where rows of motions contradict others at a dead point, and how to mend it
    """
    size = problem.names.size
    wrong = [
        r
        for r in candidates
        if abs(r.mismatch[level]) > CONTRADICTION * (size if r.held.unit == "m" else 1.0)
    ]
    if not wrong:
        return None
    wrong.sort(key=lambda r: -abs(r.mismatch[level]))
    owners = ", ".join(dict.fromkeys(r.held.owner for r in wrong))
    motion_rows = {r for c in problem.names.coordinates for r in c.motion_rows}
    fault = blamed() if all(r.row in motion_rows for r in wrong) else None
    if fault is not None:
        owners = fault[0]
    lines = [f"t = {report.time:.9g} s: {HEADLINE[level]}. Correct or remove {owners}:"]
    lines += [f"  {row_text(report, r)}, but {mismatch_text(problem, r, level)}" for r in wrong[:MAX_SHOWN]]
    if len(wrong) > MAX_SHOWN:
        lines.append(f"  and {len(wrong) - MAX_SHOWN} more")
    own = [r for r in wrong if r.held.unit == "rad" and {t.held.joint for t in r.terms} <= {r.held.joint}]
    if level == POSITION_LEVEL and own and own[0].held.joint >= 0:
        name = own[0].held.owner
        lines.append(
            f"  As the scene is written the markers of {name} are turned to each other by so much that its "
            "rows depend on each other. Give the body a `position` and an `orientation` near its place; a "
            "joint that names bodies instead of markers holds them as they are written."
        )
    if fault is not None:
        lines.append(f"  {fault[1]}")
    elif level > POSITION_LEVEL and any(r.row in motion_rows for r in wrong):
        lines.append(
            "  Consistent values hold at this time only; a motion of a coordinate that is driven already "
            "can be removed."
        )
    return PhysicsError("\n".join(lines))


def mismatch_text(problem: Problem, r: Redundant, level: int) -> str:
    """A clause with the value that a row prescribes and the consistent one, or with its residual."""
    unit, gap = r.held.unit + PER_TIME[level], r.mismatch[level]
    value, parameter = prescribed_value(problem, r, level)
    if value is None:
        of = f" of its {parameter}" if parameter else ""
        return f"the residual{of} is {gap:+.4g} {unit} instead of 0"
    stated = f"its {parameter} is {value!r} {unit}" if parameter else f"it prescribes {value!r} {unit}"
    # while other joints are open, the mismatch is accurate to first order only
    residuals = [
        abs(problem[Rows].phi[row])
        for number in {t.held.joint for t in r.terms} - {-1}
        for row in problem.names.joints[number].rows
        if row != r.row
    ]
    is_open = level == POSITION_LEVEL and max(residuals, default=0.0) > CLOSED * problem.names.size
    change = -gap if level == ACCELERATION_LEVEL else gap
    consistent = rounded(value + change, max(abs(value), abs(gap)))
    return f"{stated}; the consistent value is {'about ' if is_open else ''}{consistent!r} {unit}"


def prescribed_value(problem: Problem, r: Redundant, level: int) -> tuple[float | None, str]:
    """The value that a motion, a start or a parameter prescribes here, and the parameter's name.

    None if the row prescribes 0, or the value is not known.
    """
    rows, names, measures = problem[Rows], problem.names, problem[Measures]
    for c in names.coordinates:
        if r.row in (*c.motion_rows, c.start_row):
            by_level = (
                measures.value[c.measure] - rows.phi[r.row],
                -rows.phi_t[r.row],
                rows.gamma[r.row] + measures.bias[c.measure],
            )
            return rounded(float(by_level[level]), max(abs(float(measures.value[c.measure])), 1.0)), ""
    if level > POSITION_LEVEL or r.held.joint < 0:
        return None, ""
    joint = names.joints[r.held.joint]
    parameters = [basic.to for basic in joint.kind.basics for _ in basic.labels]
    parameter = parameters[r.row - joint.rows[0]] if len(parameters) == len(joint.rows) else None
    if not parameter:
        return None, ""
    if r.held.label == "distance":
        a, b = (problem[Markers].x.reshape(-1, 3)[marker] for marker in (joint.markers[0], joint.markers[-1]))
        return rounded(float(np.linalg.norm(b - a) - rows.phi[r.row]), names.size), parameter
    return None, parameter


def rounded(x: float, scale: float) -> float:
    """x with 15 digits; 0 if it is rounding beside `scale`."""
    return 0.0 if abs(x) < 1e-14 * scale else float(f"{x:.15g}")
