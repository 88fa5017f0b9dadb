"""Singular positions: where the constraints lose rank that they have in the positions around, and a motion
becomes free that is held elsewhere.

The measure is σ, the smallest singular value of G that is not zero around (velocities in the mass norm, rows
of unit length); (σ₁/σ)² is the condition number of the constraint forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.singular.branches import OPEN, Branches, branches
from mbplugin.analysis.singular.null_motions import evaluate_at, free_motions, moved_along, undriven
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Markers, Rates, Rows, State
from mbplugin.tables.purposes import RETRACT
from mbplugin.tables.spec import Array

#: rows up to which one looks for singular positions: at the start, and at each frame
LARGEST, WATCHED = 300, 120
#: σ below which a position between frames is called singular, and a part of a motion that is worth a word
SINGULAR, PART = 1e-3, 0.05
#: σ beside the largest below which a position is close to a singular one
NEARBY = 0.02
#: what to do about it, said once in a run
ADVICE = (
    "at a singular position the mechanism may go on in more than one way, small changes decide which, and reactions close by may be large; "
    "move a joint, change a length, or keep the motion away from there"
)
#: σ of the middle one of three frames over the largest of them, below which a zero may lie between
DIP = 0.9
#: bodies that a text names
NAMED = 4


@dataclass(frozen=True)
class Singular:
    """rank: here, and around. condition: at a position beside it. motion: what becomes free, in words.

    least: the smallest singular value beside the largest where the position is only close to a singular one,
    else 0. came, taken: numbers of the branches along which a run comes and goes, from 0; -1 where nobody
    knows.
    """

    time: float
    rank: int
    rank_around: int
    condition: float
    motion: str
    branches: Branches | None = None
    least: float = 0.0
    came: int = -1
    taken: int = -1

    def as_dict(self) -> dict[str, Any]:
        found = {
            name: getattr(self, name)
            for name in ("time", "rank", "rank_around", "condition", "motion", "least")
        }
        ways = self.branches
        if ways is None:
            return found
        return found | {
            "kind": ways.kind,
            "ways": ways.ways,
            "came": self.came,
            "taken": self.taken,
            "suggestion": ways.suggestion,
            "joint": ways.joint,
            "along": list(ways.along),
            "moved": ways.moved,
            "least_singular_value_then": ways.least,
            "coordinate": ways.coordinate,
            "value": ways.value,
        }

    def __str__(self) -> str:
        return ". ".join(
            [self.what(), *([str(self.branches)] if self.branches is not None else []), *self.taken_words()]
        )

    def taken_words(self) -> list[str]:
        if self.branches is None or len(self.branches.ways) < 2 or self.taken < 0:
            return []
        changes = self.came >= 0 and self.came != self.taken
        return [
            f"The run comes along way {self.came + 1} and goes on along way {self.taken + 1}"
            if changes
            else f"The run takes way {self.taken + 1}"
        ]

    def what(self) -> str:
        if self.least > 0.0:
            return (
                f"t = {self.time:.6g} s: close to a singular position: the smallest singular value of the constraints falls to {self.least:.2g} of the largest, "
                f"and nearly free becomes: {self.motion} (condition number {self.condition:.2g})"
            )
        lost = self.rank_around - self.rank
        motions = "1 more motion becomes free" if lost == 1 else f"{lost} more motions become free"
        return (
            f"t = {self.time:.6g} s: singular position: the rank of the constraints falls from {self.rank_around} to {self.rank}, and {motions}: {self.motion} "
            f"(condition number {self.condition:.2g} beside it)"
        )


def at_start(problem: Problem, report: RankReport) -> Singular | None:
    """Whether the present position has a lower rank than one beside it. The problem is left as it was."""
    if not 0 < problem.nc <= LARGEST:
        return None
    q, v = problem.q, problem.v
    evaluate_at(problem, q)
    free = free_motions(problem)
    with undriven(problem):
        there = moved_along(problem, free_motions(problem), steps=1)
    found = None
    evaluate_at(problem, there)
    around = rank(problem)
    if around.rank > report.rank and around.rows == report.rows:
        still = free_motions(problem)
        evaluate_at(problem, q)
        lost, _, _ = np.linalg.svd(free - still @ (still.T @ free), full_matrices=False)
        freed = lost[:, : around.rank - report.rank]
        found = Singular(
            float(problem[State].time[0]),
            report.rank,
            around.rank,
            around.condition,
            in_words(problem, freed),
        )
        if problem.nc <= WATCHED:
            found = replace(
                found, branches=branches(problem, *spaces(problem, report.rank), problem.nv - around.rank)
            )
    problem.set_state(float(problem[State].time[0]), q, v)
    problem.check(entries.evaluate(problem.addresses))
    return found


def in_words(problem: Problem, motions: Array) -> str:
    """Which bodies move with these velocities (nv, k), and how; it does not depend on the choice of
    velocities that span the same motions.
    """
    names, markers = problem.names, problem[Markers]
    v = problem.v
    linear, angular = [], []
    for motion in motions.T:
        problem[State].v[:] = motion
        problem.check(entries.evaluate(problem.addresses))
        linear.append(markers.v[names.body_marker].copy())
        angular.append(markers.w[names.body_marker].copy())
    problem[State].v[:] = v
    problem.check(entries.evaluate(problem.addresses))
    shifts = [np.linalg.svd(part, full_matrices=False)[1:] for part in np.stack(linear, axis=1) / names.size]
    turns = [np.linalg.svd(part, full_matrices=False)[1:] for part in np.stack(angular, axis=1)]
    largest = max(sizes[0] for sizes, _ in (*shifts, *turns))
    said = []
    for name, turn, shift in zip(names.bodies, turns, shifts):
        parts = [
            f"{verb} {direction(axes[0])}"
            for verb, (sizes, axes) in (("turns about", turn), ("moves along", shift))
            if sizes[0] > PART * largest
        ]
        if parts:
            said.append(f"{name} {' and '.join(parts)}")
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    return "; ".join(said[:NAMED]) + more


def direction(w: Array) -> str:
    """A unit vector, its largest component positive, with few digits."""
    unit = w / np.linalg.norm(w)
    unit = unit * np.sign(unit[np.argmax(np.abs(unit))])
    return "(" + ", ".join(f"{x:.2g}" for x in np.where(np.abs(unit) < 5e-4, 0.0, unit)) + ")"


def scaled(problem: Problem) -> tuple[Array, Array]:
    """G of the last evaluation over velocities in the mass norm, its rows of unit length, and the factor that
    leads to velocities. Nothing is evaluated.
    """
    rows = problem[Rows]
    inverse = problem[Bodies].inverse
    root = np.sqrt(np.where(inverse > 0.0, inverse, 1.0))
    X = problem.jacobian()[rows.active == 1] * root
    size = np.linalg.norm(X, axis=1)
    return X[size > 0.0] / size[size > 0.0, None], root


def spaces(problem: Problem, rank: int) -> tuple[Array, Array]:
    """Null motions N (nv, nv − rank), Nᵀ M N = 1, and z (nc, …) with Gᵀ z = 0, of unit length in scaled rows.
    Nothing is evaluated.
    """
    rows = problem[Rows]
    X, root = scaled(problem)
    active = np.flatnonzero(rows.active == 1)
    size = np.linalg.norm(problem.jacobian()[active] * root, axis=1)
    left, _, right = np.linalg.svd(X, full_matrices=True)
    z = np.zeros((problem.nc, X.shape[0] - rank))
    z[active[size > 0.0]] = left[:, rank:] / size[size > 0.0, None]
    return (right[rank:] * root).T, z


class Watch:
    """Looks at each frame for a least σ between frames, and goes there on a problem of its own, so that the
    run does not feel it.
    """

    def __init__(self, problem: Problem, copy: Problem, rank_around: int) -> None:
        self.problem, self.copy, self.rank = problem, copy, rank_around
        self.before: list[tuple[float, float, Array, Array, Array]] = []

    def frame(self, t: float) -> Singular | None:
        """After a frame at t, whose terms the problem holds."""
        singular = np.linalg.svd(scaled(self.problem)[0], compute_uv=False)
        if len(singular) < self.rank or self.rank == 0:
            return None
        problem = self.problem
        self.before.append(
            (t, float(singular[self.rank - 1]), problem.q, problem.v, problem[Rates].v_dot.copy())
        )
        if len(self.before) < 3:
            return None
        (t0, s0, *_), (t1, s1, q, v, v_dot), (t2, s2, *_) = self.before
        first = self.before.pop(0)
        if not (s0 > s1 <= s2 and s1 < DIP * max(s0, s2)):
            return None
        found = self.between(t0, t1, t2, q, v, v_dot)
        if found is None or found.branches is None:
            return found
        if found.least == 0.0:
            now = found.branches.along_with(self.copy, v + (found.time - t1) * v_dot)
            return replace(found, came=now, taken=now)
        return replace(
            found,
            came=found.branches.along_with(self.copy, first[3]),
            taken=found.branches.along_with(self.copy, problem.v),
        )

    def between(self, t0: float, t1: float, t2: float, q: Array, v: Array, v_dot: Array) -> Singular | None:
        """The least σ along the motion through q with these velocities and accelerations, by golden section."""
        at = lambda s: self.at(q, v, v_dot, t1, s)
        golden = (np.sqrt(5.0) - 1.0) / 2.0
        a, b = t0 - t1, t2 - t1
        sigma = lambda s: float(at(s)[0][self.rank - 1])
        c, d = b - golden * (b - a), a + golden * (b - a)
        fc, fd = sigma(c), sigma(d)
        while b - a > 1e-7 * (t2 - t0):
            if fc < fd:
                b, d, fd = d, c, fc
                c = b - golden * (b - a)
                fc = sigma(c)
            else:
                a, c, fc = c, d, fd
                d = a + golden * (b - a)
                fd = sigma(d)
        s = (a + b) / 2.0
        singular, right = at(s)
        least = float(singular[self.rank - 1] / singular[0])
        if least > NEARBY:
            return None
        rank_here = int((singular[: self.rank] > 2.0 * max(least, SINGULAR) * singular[0]).sum())
        near = least if least > SINGULAR else 0.0
        freed = right[rank_here : self.rank].T
        beside, _ = at(s + 0.02 * (t2 - t0))
        condition = float(beside[0] / beside[self.rank - 1]) ** 2
        at(s)
        text = in_words(self.copy, freed)
        ways = branches(self.copy, *spaces(self.copy, rank_here), self.copy.nv - self.rank)
        # away from a singular position, a small value that leads nowhere is no news
        if near and ways.kind == OPEN:
            return None
        return Singular(t1 + s, rank_here, self.rank, condition if not near else least**-2, text, ways, near)

    def at(self, q: Array, v: Array, v_dot: Array, t: float, s: float) -> tuple[Array, Array]:
        """Singular values a time s further along, and the right singular vectors as velocities."""
        problem = self.copy
        problem.set_state(t + s, q, v)
        problem[Rates].v_dot[:] = s * v + 0.5 * s * s * v_dot
        problem.check(entries.call_purpose(problem.addresses, RETRACT))
        with undriven(problem):
            status, _ = entries.assemble_positions(problem.addresses, problem.names.size)
        problem.check(status)
        problem.check(entries.evaluate(problem.addresses))
        X, root = scaled(problem)
        _, singular, right = np.linalg.svd(X, full_matrices=False)
        return singular, right * root
