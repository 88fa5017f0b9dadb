"""Counts of a constrained system at one position: rows, rank, degrees of freedom, and which reactions the equations determine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.tables.groups import K_GM, K_ROW, K_ROWS, K_SLOTS, Blocks, Rows, State
from mbplugin.tables.spec import Array

#: singular values of the scaled G M^(-1/2), relative to the largest, below which they count as zero
ZERO = 1e-9
UNDETERMINED, SHARED, DETERMINED = 0, 1, 2


@dataclass(frozen=True)
class RankReport:
    """dof = nv − rank. determined: (joints, 6) for force x y z and torque x y z on b, world axes, at this position."""

    dof: int
    rows: int
    rank: int
    condition: float
    determined: Array


def rank(problem: Problem) -> RankReport:
    """Rank of the active rows at the present state, from a singular value decomposition."""
    problem.check(entries.evaluate_terms(problem.addresses))
    rows = problem[Rows]
    active = np.flatnonzero(rows.active == 1)
    G = problem.jacobian()[active]
    scale, singular, null = np.ones(0), np.zeros(0), np.zeros((0, 0))
    if G.size:
        X = np.linalg.solve(np.linalg.cholesky(problem.mass(problem[State].q.copy())), G.T).T
        norms = np.sqrt((X * X).sum(axis=1))
        scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 1e-13 * norms.max())
        left, singular, _ = np.linalg.svd(X * scale[:, None], full_matrices=True)
    count = int((singular > ZERO * singular.max(initial=0.0)).sum()) if singular.size else 0
    if G.size:
        null = left[:, count:] * scale[:, None]
    condition = float(singular[0] / singular[count - 1]) ** 2 if count else 1.0
    whole = np.zeros((problem.nc, null.shape[1]))
    whole[active] = null
    return RankReport(problem.nv - count, len(active), count, condition, determined(problem, whole))


def determined(problem: Problem, null: Array) -> Array:
    """For each joint's reaction on b: 2 where no self-stress reaches the component, 1 where one does, 0 where a row has no norm."""
    found = np.full((len(problem.words.joints), 6), DETERMINED, np.int8)
    blocks = problem[Blocks]
    for k, joint in enumerate(problem.words.joints):
        block = blocks.row[joint.block]
        slots = block[K_SLOTS]
        gm = blocks.gm[block[K_GM] : block[K_GM] + 6 * slots * block[K_ROWS]].reshape(block[K_ROWS], slots, 6)
        here = [r - block[K_ROW] for r in joint.rows]
        wrench = gm[here, -1].T @ null[list(joint.rows)]
        found[k][np.abs(wrench).max(axis=1, initial=0.0) > 1e-7] = SHARED
        if problem[Rows].dropped[list(joint.rows)].all():
            found[k] = UNDETERMINED
    return found
