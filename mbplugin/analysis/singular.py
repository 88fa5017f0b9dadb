"""Singular positions: where the constraints lose rank that they have in the positions around, and a motion becomes free that is held elsewhere.

The measure is σ, the smallest singular value of G that is not zero around (velocities in the mass norm, rows of unit length); (σ₁/σ)² is the condition number of the
constraint forces.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mbplugin.analysis.nearby import evaluate_at, free_motions, moved_along, undriven
from mbplugin.analysis.rank import RankReport, rank
from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.tables.groups import RETRACT, Bodies, Points, Rates, Rows, State
from mbplugin.tables.spec import Array

#: rows up to which one looks for singular positions: at the start, and at each frame
LARGEST, WATCHED = 300, 120
#: σ below which a position between frames is called singular, and a part of a motion that is worth a word
SINGULAR, PART = 1e-3, 0.05
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
    """rank: here, and around. condition: at a position beside it. motion: what becomes free, in words."""

    time: float
    rank: int
    rank_around: int
    condition: float
    motion: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
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
        found = Singular(float(problem[State].time[0]), report.rank, around.rank, around.condition, in_words(problem, freed))
    problem.set_state(float(problem[State].time[0]), q, v)
    problem.check(entries.evaluate_terms(problem.addresses))
    return found


def in_words(problem: Problem, motions: Array) -> str:
    """Which bodies move with these velocities (nv, k), and how; it does not depend on the choice of velocities that span the same motions."""
    words, points = problem.words, problem[Points]
    v = problem.v
    linear, angular = [], []
    for motion in motions.T:
        problem[State].v[:] = motion
        problem.check(entries.evaluate_terms(problem.addresses))
        linear.append(points.v[words.body_point].copy())
        angular.append(points.w[words.body_point].copy())
    problem[State].v[:] = v
    problem.check(entries.evaluate_terms(problem.addresses))
    shifts = [np.linalg.svd(part, full_matrices=False)[1:] for part in np.stack(linear, axis=1) / words.size]
    turns = [np.linalg.svd(part, full_matrices=False)[1:] for part in np.stack(angular, axis=1)]
    largest = max(sizes[0] for sizes, _ in (*shifts, *turns))
    said = []
    for name, turn, shift in zip(words.bodies, turns, shifts):
        parts = [f"{verb} {direction(axes[0])}" for verb, (sizes, axes) in (("turns about", turn), ("moves along", shift)) if sizes[0] > PART * largest]
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
    """G of the last evaluation over velocities in the mass norm, its rows of unit length, and the factor that leads to velocities. Nothing is evaluated."""
    rows = problem[Rows]
    inverse = problem[Bodies].inverse
    root = np.sqrt(np.where(inverse > 0.0, inverse, 1.0))
    X = problem.jacobian()[rows.active == 1] * root
    size = np.linalg.norm(X, axis=1)
    return X[size > 0.0] / size[size > 0.0, None], root


class Watch:
    """Looks at each frame for a least σ between frames, and goes there on a problem of its own, so that the run does not feel it."""

    def __init__(self, problem: Problem, copy: Problem, rank_around: int) -> None:
        self.problem, self.copy, self.rank = problem, copy, rank_around
        self.before: list[tuple[float, float, Array, Array, Array]] = []

    def frame(self, t: float) -> Singular | None:
        """After a frame at t, whose terms the problem holds."""
        singular = np.linalg.svd(scaled(self.problem)[0], compute_uv=False)
        if len(singular) < self.rank or self.rank == 0:
            return None
        problem = self.problem
        self.before.append((t, float(singular[self.rank - 1]), problem.q, problem.v, problem[Rates].v_dot.copy()))
        if len(self.before) < 3:
            return None
        (t0, s0, *_), (t1, s1, q, v, v_dot), (t2, s2, *_) = self.before
        del self.before[0]
        if not (s0 > s1 <= s2 and s1 < DIP * max(s0, s2)):
            return None
        return self.between(t0, t1, t2, q, v, v_dot)

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
        if singular[self.rank - 1] > SINGULAR * singular[0]:
            return None
        rank_here = int((singular > 2.0 * SINGULAR * singular[0]).sum())
        freed = right[rank_here : self.rank].T
        beside, _ = at(s + 0.02 * (t2 - t0))
        condition = float(beside[0] / beside[self.rank - 1]) ** 2
        at(s)
        return Singular(t1 + s, rank_here, self.rank, condition, in_words(self.copy, freed))

    def at(self, q: Array, v: Array, v_dot: Array, t: float, s: float) -> tuple[Array, Array]:
        """Singular values a time s further along, and the right singular vectors as velocities."""
        problem = self.copy
        problem.set_state(t + s, q, v)
        problem[Rates].v_dot[:] = s * v + 0.5 * s * s * v_dot
        problem.check(entries.call_purpose(problem.addresses, RETRACT))
        with undriven(problem):
            status, _ = entries.assemble_positions(problem.addresses, problem.words.size)
        problem.check(status)
        problem.check(entries.evaluate_terms(problem.addresses))
        X, root = scaled(problem)
        _, singular, right = np.linalg.svd(X, full_matrices=False)
        return singular, right * root
