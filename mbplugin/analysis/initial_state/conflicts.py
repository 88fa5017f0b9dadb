"""Constraints that contradict each other: a redundant row asks for something else than the rows that hold it
already.

No position (velocity, acceleration) satisfies all.
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.redundancy.redundancy import Redundancy, Redundant, analysed, redundancy
from mbplugin.analysis.redundancy.redundancy_text import row_words
from mbplugin.errors import PhysicsError
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.groups import Markers, Measures, Rows, State
from mbplugin.tables.spec import Array

#: mismatch [size or rad, and per s, per s²] from which on rows contradict each other
GAP = 1e-7
#: residual [size] of joints that count as closed
CLOSED = 1e-9
#: contradictions that a message tells
SHOWN = 4
UNITS = ("", "/s", "/s²")
WHAT = ("position: it cannot be assembled", "velocity", "acceleration")


def position_conflict(problem: Problem, system: System, given: Array) -> PhysicsError | None:
    """Why positions cannot be closed: contradictions at the positions that the scene gives, or where Newton's
    method ended. Rows of starts are active.
    """
    ended = problem.q
    for q in (given, ended):
        problem.set_state(float(problem[State].time[0]), q, problem.v)
        if entries.evaluate(problem.addresses) != 0 or not np.isfinite(problem[Rows].phi).all():
            continue
        before = problem[Rows].active.copy()
        problem[Rows].active[problem[Rows].level > 0] = 0
        try:
            found = analysed(problem, system, "position", rank(problem))
        finally:
            problem[Rows].active[:] = before
        error = conflict(problem, system, found, 0)
        if error is not None:
            return error
    return None


def velocity_conflict(problem: Problem, system: System) -> PhysicsError | None:
    """Rates of joints and motions that cannot all hold. Speeds of starts are not among them: one that cannot
    hold is dropped.
    """
    found = redundancy(problem, system, "velocity")
    starts = {c.start_row for c in problem.names.coordinates}
    return conflict(problem, system, found, 1, [r for r in found.redundant if r.row not in starts])


def acceleration_conflict(problem: Problem, system: System, report: RankReport) -> PhysicsError | None:
    """Motions that agree at the start, and not any more after it."""
    if report.rows == report.rank or np.abs(report.null.T @ problem[Rows].gamma).max(initial=0.0) < GAP:
        return None
    found = redundancy(problem, system, "acceleration", report)
    driven = [
        r
        for r in found.redundant
        if any(held.label.startswith("motion of ") for held in (r.held, *(t.held for t in r.terms)))
    ]
    return conflict(problem, system, found, 2, driven)


def conflict(
    problem: Problem, system: System, found: Redundancy, level: int, among: list[Redundant] | None = None
) -> PhysicsError | None:
    """The error that tells the contradictions of one level, largest first; None where there are none."""
    size = problem.names.size
    bad = [
        r
        for r in (found.redundant if among is None else among)
        if abs(r.mismatch[level]) > GAP * (size if r.held.unit == "m" else 1.0)
    ]
    if not bad:
        return None
    bad.sort(key=lambda r: -abs(r.mismatch[level]))
    joints = ", ".join(dict.fromkeys(r.held.owner for r in bad))
    lines = [
        f"t = {found.time:.9g} s: constraints contradict each other in {WHAT[level]}. Correct or leave out {joints}:"
    ]
    lines += [f"  {row_words(found, r)}, but {asked(problem, system, r, level)}" for r in bad[:SHOWN]]
    if len(bad) > SHOWN:
        lines.append(f"  and {len(bad) - SHOWN} more")
    if level and any(r.row == c.motion_row for r in bad for c in problem.names.coordinates):
        lines.append(
            "  What would agree is told for this time alone; a motion whose coordinate others drive already can be left out."
        )
    return PhysicsError("\n".join(lines))


def asked(problem: Problem, system: System, r: Redundant, level: int) -> str:
    """What a row asks for and what would agree: a value of a motion or start, a parameter, or by how much the
    others leave its ends apart.
    """
    unit, gap = r.held.unit + UNITS[level], r.mismatch[level]
    value, name = given_value(problem, system, r, level)
    if value is None:
        return f"they leave {gap:+.4g} {unit} where it asks for {'0' if not name else f'its {name}'}"
    what = (
        f"its {name} {value!r} {unit} should be"
        if name
        else f"it asks for {value!r} {unit}; what would agree is"
    )
    # away from closed joints a mismatch is of first order only
    others = [
        abs(problem[Rows].phi[j])
        for joint in {t.held.joint for t in r.terms} - {-1}
        for j in problem.names.joints[joint].rows
        if j != r.row
    ]
    about = "about " if level == 0 and max(others, default=0.0) > CLOSED * problem.names.size else ""
    wanted = clean(value + (gap if level < 2 else -gap), max(abs(value), abs(gap)))
    return f"{what} {about}{wanted!r} {unit}"


def given_value(problem: Problem, system: System, r: Redundant, level: int) -> tuple[float | None, str]:
    """What a motion, a start or a parameter gives here, and the parameter's name; None where nothing but zero
    is asked for, or the number is not known.
    """
    rows, names, measures = problem[Rows], problem.names, problem[Measures]
    for c in names.coordinates:
        if r.row in (c.motion_row, c.start_row):
            here = (
                measures.value[c.measure] - rows.phi[r.row],
                -rows.phi_t[r.row],
                rows.gamma[r.row] + measures.bias[c.measure],
            )
            return clean(float(here[level]), max(abs(float(measures.value[c.measure])), 1.0)), ""
    if level or r.held.joint < 0:
        return None, ""
    joint = names.joints[r.held.joint]
    basics = joint.kind.planar_basics if joint.planar else joint.kind.basics
    targets = [basic.to for basic in basics or () for _ in basic.labels]
    name = targets[r.row - joint.rows[0]] if len(targets) == len(joint.rows) else None
    if not name:
        return None, ""
    if r.held.label == "distance":
        a, b = (problem[Markers].x.reshape(-1, 3)[marker] for marker in (joint.markers[0], joint.markers[-1]))
        return clean(float(np.linalg.norm(b - a) - rows.phi[r.row]), problem.names.size), name
    return None, name


def clean(x: float, scale: float) -> float:
    """x with the digits that are beyond rounding of `scale`."""
    return 0.0 if abs(x) < 1e-14 * scale else float(f"{x:.15g}")
