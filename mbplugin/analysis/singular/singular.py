"""Singular configurations: positions at which the rank of the constraints is lower than nearby, so that an
additional motion becomes free.

The measure is σ, the smallest singular value of G that is not zero nearby (velocities in the mass norm,
rows of unit length); (σ₁/σ)² is the condition number of the constraint forces.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbplugin.analysis.phrases import vector_text
from mbplugin.analysis.rank.null_space import body_twists
from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.singular.branches import OPEN, Branches, branches, pointing
from mbplugin.analysis.singular.null_motions import free_motions, moved_along, undriven
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Bounded, Rows
from mbplugin.tables.spec import Array

#: largest number of rows for which singular configurations are searched: at the start, and at each frame
LARGEST, WATCHED = 300, 120
#: σ below which a position between frames is singular; smallest reported part of a motion
SINGULAR, PART = 1e-3, 0.05
#: σ relative to the largest, below which a position is close to a singular configuration
NEARBY = 0.02
#: remedy, given once per run
ADVICE = (
    "at a singular configuration the motion may continue on several branches, small perturbations "
    "decide which, and reactions nearby may be large; move a joint, change a length, or limit the motion"
)
#: σ of the middle of three frames, relative to the largest, below which there may be a zero between them
DIP = 0.9
#: largest change of an entry of the scaled G (rows of unit length) from one watched frame to the next, where
#: frames are that near to each other: six degrees of a rotation
MOVED = 0.1
#: bodies named in a message
NAMED = 4


@dataclass(frozen=True)
class Singular:
    """A singular configuration."""

    time: float  # [s]
    rank: int  # at this position
    rank_around: int  # nearby
    condition: float  # condition number nearby
    motion: str  # the motion that becomes free, as text
    branches: Branches | None = None
    least: float = 0.0  # smallest relative singular value, if the position is only close to a singular one
    came: int = -1  # branch on which a run arrives, from 0; -1: unknown
    taken: int = -1  # branch on which it continues

    def as_dict(self) -> dict[str, Any]:
        values = {
            name: getattr(self, name)
            for name in ("time", "rank", "rank_around", "condition", "motion", "least")
        }
        branches = self.branches
        if branches is None:
            return values
        return values | {
            "kind": branches.kind,
            "branches": branches.descriptions,
            "came": self.came,
            "taken": self.taken,
            "suggestion": branches.suggestion,
            "joint": branches.joint,
            "along": list(branches.along),
            "moved": branches.moved,
            "least_singular_value_then": branches.least,
            "coordinate": branches.coordinate,
            "value": branches.value,
        }

    def __str__(self) -> str:
        return ". ".join(
            [self.what(), *([str(self.branches)] if self.branches is not None else []), *self.branch_of_run()]
        )

    def branch_of_run(self) -> list[str]:
        if self.branches is None or len(self.branches.descriptions) < 2 or self.taken < 0:
            return []
        changes = self.came >= 0 and self.came != self.taken
        return [
            f"The run arrives on branch {self.came + 1} and continues on branch {self.taken + 1}"
            if changes
            else f"The run continues on branch {self.taken + 1}"
        ]

    def what(self) -> str:
        if self.least > 0.0:
            return (
                f"t = {self.time:.6g} s: close to a singular configuration: the smallest singular value "
                f"of the constraints drops to {self.least:.2g} of the largest; nearly free: "
                f"{self.motion} (condition number {self.condition:.2g})"
            )
        lost = self.rank_around - self.rank
        motions = (
            "1 additional motion becomes free" if lost == 1 else f"{lost} additional motions become free"
        )
        return (
            f"t = {self.time:.6g} s: singular configuration: the rank of the constraints drops from "
            f"{self.rank_around} to {self.rank}; {motions}: {self.motion} "
            f"(condition number nearby: {self.condition:.2g})"
        )


def at_start(problem: Problem, report: RankReport) -> Singular | None:
    """The singular configuration at the present position; None if the rank nearby is not higher. Restores the
    problem.
    """
    if not 0 < problem.nc <= LARGEST or report.rank == report.rows:
        return None  # too large, or the rank is as high as it can be
    q, v = problem.q, problem.v
    problem.evaluate_at(q, 0.0)
    free = free_motions(problem)
    released = undriven(problem)
    nearby = moved_along(released, free_motions(released), steps=1)
    singular = None
    problem.evaluate_at(nearby, 0.0)
    around = rank(problem)
    if around.rank > report.rank and around.rows == report.rows:
        still = free_motions(problem)
        problem.evaluate_at(q, 0.0)
        lost, _, _ = np.linalg.svd(free - still @ (still.T @ free), full_matrices=False)
        freed = lost[:, : around.rank - report.rank]
        singular = Singular(
            problem.time, report.rank, around.rank, around.condition, in_words(problem, freed)
        )
        if problem.nc <= WATCHED:
            singular = replace(
                singular, branches=branches(problem, *spaces(problem, report.rank), problem.nv - around.rank)
            )
    problem.evaluate_at(q, v)
    return singular


def in_words(problem: Problem, motions: Array) -> str:
    """Text: which bodies move with these velocities (nv, k), and how. Depends only on the space that the
    velocities span.
    """
    names = problem.names
    twists = body_twists(problem, motions).transpose(0, 2, 1)
    shifts = [np.linalg.svd(part, full_matrices=False)[1:] for part in twists[:, :, :3] / names.size]
    rotations = [np.linalg.svd(part, full_matrices=False)[1:] for part in twists[:, :, 3:]]
    largest = max(sizes[0] for sizes, _ in (*shifts, *rotations))
    phrases = []
    for name, rotation, shift in zip(names.bodies, rotations, shifts):
        parts = [
            f"{verb} {vector_text(pointing(axes[0]), 2, 5e-4)}"
            for verb, (sizes, axes) in (("rotates about", rotation), ("moves along", shift))
            if sizes[0] > PART * largest
        ]
        if parts:
            phrases.append(f"{name} {' and '.join(parts)}")
    more = f" and {len(phrases) - NAMED} more" if len(phrases) > NAMED else ""
    return "; ".join(phrases[:NAMED]) + more


def mass_root(problem: Problem) -> Array:
    """(nv,) M^(-1/2), 1 where a velocity has no mass of its own."""
    inverse = problem[Bodies].inverse
    return np.asarray(np.sqrt(np.where(inverse > 0.0, inverse, 1.0)))


def scaled(problem: Problem) -> tuple[Array, Array, Array]:
    """G of the last evaluation for velocities in the mass norm, with rows of unit length; the factor that
    converts to velocities; and (nc,) the lengths of the rows, 0 of inactive ones.
    """
    root, lengths = mass_root(problem), np.zeros(problem.nc)
    active = np.flatnonzero(problem[Rows].active == 1)
    X = problem.jacobian()[active] * root
    lengths[active] = size = np.linalg.norm(X, axis=1)
    return X[size > 0.0] / size[size > 0.0, None], root, lengths


def spaces(problem: Problem, rank: int) -> tuple[Array, Array]:
    """Null motions N (nv, nv − rank), Nᵀ M N = 1, and z (nc, …) with Gᵀ z = 0, of unit length in scaled rows,
    at the last evaluation.
    """
    X, root, length = scaled(problem)
    left, _, right = np.linalg.svd(X, full_matrices=True)
    z = np.zeros((problem.nc, X.shape[0] - rank))
    z[length > 0.0] = left[:, rank:] / length[length > 0.0, None]
    return (right[rank:] * root).T, z


class Watch:
    """Detects a minimum of σ between frames, and locates it on a copy of the problem, so that the run is not
    affected.
    """

    def __init__(self, problem: Problem, rank_around: int) -> None:
        self.problem, self.rank = problem, rank_around
        #: of the last two frames: time, σ, q, v, v̇
        self.before: list[tuple[float, float, Array, Array, Array]] = []
        #: entries of G at the last frame (1, entries), lengths of their rows at the first, sum of the changes
        self.last: Array | None = None
        self.unit = np.ones(0)
        self.way = 0.0

    @functools.cached_property
    def copy(self) -> Problem:
        """Where a position between frames is looked for."""
        return self.problem.copy()

    @functools.cached_property
    def released(self) -> Problem:
        """Where positions are closed, without the rows of motions."""
        return undriven(self.problem)

    def frames(
        self, times: Array, G: Array, q: Array, v: Array, v_dot: Array
    ) -> Iterator[tuple[int, Singular]]:
        """(frame, singular configuration) of each that lies before one of n frames, in order of time.

        times (n,) [s], and of each frame the numbers of `Blocks.G`, q, v and v̇
        """
        place, _, column = self.pattern
        entries = G[:, place] * self.root[column]
        chosen = self.moved(entries)
        sigma, rows = self.smallest(entries[chosen])
        for i, s, rows_here in zip(chosen, sigma, rows):
            if rows_here < self.rank or self.rank == 0:
                continue
            self.before.append((float(times[i]), float(s), q[i], v[i], v_dot[i]))
            if len(self.before) < 3:
                continue
            first, middle, last = self.before
            del self.before[0]
            if first[1] > middle[1] <= last[1] and middle[1] < DIP * max(first[1], last[1]):
                singular = self.located(first, middle, last)
                if singular is not None:
                    yield int(i), singular
        self.before = [(t, s, q.copy(), v.copy(), v_dot.copy()) for t, s, q, v, v_dot in self.before]

    @functools.cached_property
    def rows(self) -> Array:
        """(nc,) which rows are watched: the active ones without limits, friction and clutches, which come and
        go; a motion of limited effort counts as one without a limit.
        """
        active, bounded = self.problem[Rows].active == 1, self.problem[Bounded].index
        active[bounded["row"]] = bounded["works"] == 1
        return active

    @functools.cached_property
    def pattern(self) -> tuple[Array, Array, Array]:
        """Place in Blocks.G, row among the watched ones, and column of each entry of their G."""
        place, row, column = self.problem.entries_of_G
        used = self.rows[row]
        return place[used], (np.cumsum(self.rows) - 1)[row[used]], column[used]

    @functools.cached_property
    def root(self) -> Array:
        return mass_root(self.problem)

    def moved(self, entries: Array) -> Array:
        """Numbers of the frames at which the scaled G has changed by another MOVED, and of the first one.

        entries: (n, entries) of G for velocities in the mass norm
        """
        if self.last is None:
            row = self.pattern[1]
            size = np.sqrt(np.bincount(row, entries[0] ** 2, row.max(initial=0) + 1))
            self.unit = np.where(size > 0.0, size, 1.0)[row]
        last = entries[:1] if self.last is None else self.last
        difference = np.diff(np.concatenate([last, entries]), axis=0) / self.unit
        change = np.abs(difference).max(axis=1, initial=0.0)
        way = np.cumsum(np.concatenate([[self.way], change]))
        chosen = np.floor(way[1:] / MOVED) > np.floor(way[:-1] / MOVED)
        chosen[0] |= self.last is None
        self.last, self.way = entries[-1:].copy(), float(way[-1])
        return np.flatnonzero(chosen)

    def smallest(self, entries: Array) -> tuple[Array, Array]:
        """(n,) σ at n frames, and how many rows have a length; entries: as in `moved`.

        From the eigenvalues of the smaller of X Xᵀ and Xᵀ X, which take half the time of the singular values,
        and are exact enough to find where they are least.
        """
        _, row, column = self.pattern
        X = np.zeros((len(entries), int(self.rows.sum()), self.problem.nv))
        X[:, row, column] = entries
        size = np.linalg.norm(X, axis=2)
        X /= np.where(size > 0.0, size, 1.0)[:, :, None]
        least = min(X.shape[1:])
        if least < self.rank or least == 0:
            return np.zeros(len(X)), np.zeros(len(X), int)
        transposed = X.transpose(0, 2, 1)
        squares = np.linalg.eigvalsh(X @ transposed if X.shape[1] == least else transposed @ X)
        return np.sqrt(np.maximum(squares[:, least - max(self.rank, 1)], 0.0)), (size > 0.0).sum(axis=1)

    def located(self, first: Any, middle: Any, last: Any) -> Singular | None:
        """The singular configuration at the minimum of σ between three frames."""
        (t0, *_), (t1, _, q, v, v_dot), (t2, *_) = first, middle, last
        singular_position = self.between(t0, t1, t2, q, v, v_dot)
        if singular_position is None or singular_position.branches is None:
            return singular_position
        if singular_position.least == 0.0:
            branch = singular_position.branches.along_with(
                self.copy, v + (singular_position.time - t1) * v_dot
            )
            return replace(singular_position, came=branch, taken=branch)
        return replace(
            singular_position,
            came=singular_position.branches.along_with(self.copy, first[3]),
            taken=singular_position.branches.along_with(self.copy, last[3]),
        )

    def between(self, t0: float, t1: float, t2: float, q: Array, v: Array, v_dot: Array) -> Singular | None:
        """The least σ along the motion through q with these velocities and accelerations: golden section."""
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
        possible = branches(self.copy, *spaces(self.copy, rank_here), self.copy.nv - self.rank)
        # a small singular value without branches needs no message
        if near and possible.kind == OPEN:
            return None
        return Singular(
            t1 + s, rank_here, self.rank, condition if not near else least**-2, text, possible, near
        )

    def at(self, q: Array, v: Array, v_dot: Array, t: float, s: float) -> tuple[Array, Array]:
        """Singular values after a further time s, and the right singular vectors as velocities."""
        problem, released = self.copy, self.released
        released.set_state(t + s, q, v)
        released.move_to(q, s * v + 0.5 * s * s * v_dot)
        released.close_positions()
        problem.evaluate(t + s, released.q, released.v)
        X, root, _ = scaled(problem)
        _, singular, right = np.linalg.svd(X, full_matrices=False)
        return singular, right * root
