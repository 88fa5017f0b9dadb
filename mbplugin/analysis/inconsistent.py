"""Constraints that contradict each other: a redundant row asks for something else than the rows that hold it already.

No position (velocity, acceleration) satisfies all.
"""

from __future__ import annotations

import numpy as np

from mbplugin.analysis.rank import RankReport, rank
from mbplugin.analysis.redundancy import Redundancy, Redundant, analysed, redundancy
from mbplugin.analysis.redundancy_words import row_words
from mbplugin.errors import PhysicsError
from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.model import System
from mbplugin.tables.groups import Rows, State
from mbplugin.tables.spec import Array

#: mismatch [size or rad, and per s, per s²] from which on rows contradict each other
GAP = 1e-7
#: contradictions that a message tells
SHOWN = 4
UNITS = ("", "/s", "/s²")
WHAT = ("position: it cannot be assembled", "velocity", "acceleration")


def position_conflict(problem: Problem, system: System, given: Array) -> PhysicsError | None:
    """Why positions cannot be closed: contradictions at the positions that the scene gives, or where Newton's method ended. Rows of starts are active."""
    ended = problem.q
    for q in (given, ended):
        problem.set_state(float(problem[State].time[0]), q, problem.v)
        if entries.evaluate_terms(problem.addresses) != 0 or not np.isfinite(problem[Rows].phi).all():
            continue
        before = problem[Rows].active.copy()
        problem[Rows].active[problem[Rows].level > 0] = 0
        try:
            found = analysed(problem, system, "position", rank(problem))
        finally:
            problem[Rows].active[:] = before
        error = conflict(found, 0, problem.words.size)
        if error is not None:
            return error
    return None


def velocity_conflict(problem: Problem, system: System) -> PhysicsError | None:
    """Rates of joints and motions that cannot all hold. Speeds of starts are not among them: one that cannot hold is dropped."""
    found = redundancy(problem, system, "velocity")
    starts = {c.start_row for c in problem.words.coordinates}
    return conflict(found, 1, problem.words.size, [r for r in found.redundant if r.row not in starts])


def acceleration_conflict(problem: Problem, system: System, report: RankReport) -> PhysicsError | None:
    """Motions that agree at the start, and not any more after it."""
    if report.rows == report.rank or np.abs(report.null.T @ problem[Rows].gamma).max(initial=0.0) < GAP:
        return None
    found = redundancy(problem, system, "acceleration", report)
    driven = [r for r in found.redundant if any(held.label.startswith("motion of ") for held in (r.held, *(t.held for t in r.terms)))]
    return conflict(found, 2, problem.words.size, driven)


def conflict(found: Redundancy, level: int, size: float, among: list[Redundant] | None = None) -> PhysicsError | None:
    """The error that tells the contradictions of one level, largest first; None where there are none."""
    bad = [r for r in (found.redundant if among is None else among) if abs(r.mismatch[level]) > GAP * (size if r.held.unit == "m" else 1.0)]
    if not bad:
        return None
    bad.sort(key=lambda r: -abs(r.mismatch[level]))
    joints = ", ".join(dict.fromkeys(r.held.owner for r in bad))
    lines = [f"t = {found.time:.9g} s: constraints contradict each other in {WHAT[level]}. Correct or leave out {joints}:"]
    lines += [f"  {row_words(found, r)}, but it asks for {abs(r.mismatch[level]):.4g} {r.held.unit}{UNITS[level]} else than that" for r in bad[:SHOWN]]
    if len(bad) > SHOWN:
        lines.append(f"  and {len(bad) - SHOWN} more")
    return PhysicsError("\n".join(lines))
