"""Singular configurations: positions at which the rank of the constraints is lower than nearby, so that an
additional motion becomes free.

The measure is σ, the smallest singular value of G that is not zero nearby (velocities in the mass norm,
rows of unit length); (σ₁/σ)² is the condition number of the constraint forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbplugin.analysis.phrases import vector_text
from mbplugin.analysis.rank.null_space import body_twists
from mbplugin.analysis.rank.rank import RankReport, rank
from mbplugin.analysis.singular.branches import Branches, branches, pointing
from mbplugin.analysis.singular.null_motions import free_motions, moved_along, undriven
from mbplugin.kernels.schur import factor
from mbplugin.problem import Problem
from mbplugin.tables.groups import Bodies, Rows
from mbplugin.tables.records import ACCELERATION_LEVEL
from mbplugin.tables.spec import Array

#: largest number of rows for which singular configurations are searched: at the start, and at each frame
MAX_ROWS, MAX_WATCHED_ROWS = 300, 120
#: smallest reported part of a motion
PART = 0.05
#: remedy, given once per run
ADVICE = (
    "at a singular configuration the motion may continue on several branches, small perturbations "
    "decide which, and reactions nearby may be large; move a joint, change a length, or limit the motion"
)
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
    if not 0 < problem.nc <= MAX_ROWS or report.rank == report.rows:
        return None  # too large, or the rank is as high as it can be
    q, v = problem.q, problem.v
    try:
        return lost_rank(problem, report, q)
    finally:
        problem.evaluate_at(q, v)


def lost_rank(problem: Problem, report: RankReport, q: Array) -> Singular | None:
    """Singular configuration as by `at_start`, at the position q; leaves the problem at another state."""
    problem.evaluate_at(q, 0.0)
    free = free_motions(problem)
    released = undriven(problem)
    nearby = moved_along(released, free_motions(released), steps=1)
    problem.evaluate_at(nearby, 0.0)
    around = rank(problem)
    if not (around.rank > report.rank and around.rows == report.rows):
        return None
    still = free_motions(problem)
    problem.evaluate_at(q, 0.0)
    lost, _, _ = np.linalg.svd(free - still @ (still.T @ free), full_matrices=False)
    freed = lost[:, : around.rank - report.rank]
    singular = Singular(problem.time, report.rank, around.rank, around.condition, in_words(problem, freed))
    if problem.nc > MAX_WATCHED_ROWS:
        return singular
    possible = branches(problem, *spaces(problem, report.rank), problem.nv - around.rank)
    return replace(singular, branches=possible)


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
    converts to velocities; and (nc,) the lengths of the rows, 0 of those that are not on.

    Over coordinates of joints rows have the lengths of the factor, those in which their bodies are free: at a
    singular position such a row may move nothing.
    """
    root, lengths = mass_root(problem), np.zeros(problem.nc)
    X = problem.jacobian()[problem.on] * root
    size = np.linalg.norm(X, axis=1)
    if problem.folded is not None:
        problem.call_function(factor, ACCELERATION_LEVEL)
        scale = problem[Rows].scale[problem.on]
        size = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0.0)
    lengths[problem.on] = size
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
