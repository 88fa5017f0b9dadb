"""Counts of a constrained system at one position: rows, rank, degrees of freedom, and which reactions the equations determine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.interface.compiled import CALLBACK
from mbplugin.interface.problem import Problem
from mbplugin.kernels import entries
from mbplugin.kernels.core import POSITIONS
from mbplugin.kernels.schur import SMALL
from mbplugin.tables.groups import (
    ACCELERATION_LEVEL,
    FACTOR,
    K_GM,
    K_ROW,
    K_ROWS,
    K_SLOTS,
    PROXIMAL,
    Blocks,
    Bodies,
    Core,
    Factor,
    Rates,
    Rows,
    State,
)  # fmt: skip
from mbplugin.tables.spec import Array

#: rows from which on the sparse factor is asked
DENSE = 300
#: singular values of S below which a row repeats others, in its own test of the factor
REPEATED = 1e-7
#: singular values of the scaled G M^(-1/2), relative to the largest, below which they count as zero
ZERO = 1e-9
UNDETERMINED, SHARED, DETERMINED = 0, 1, 2


@dataclass(frozen=True)
class RankReport:
    """dof = nv − rank. determined: (joints, 6) for force x y z and torque x y z on b, world axes, at this position.

    null: (nc, rows − rank) columns z with Gᵀ z = 0. scale: (nc,) 1 / |row| in the mass norm; 0 where the row has no norm.
    """

    dof: int
    rows: int
    rank: int
    condition: float
    determined: Array
    null: Array
    scale: Array


def rank(problem: Problem) -> RankReport:
    """Rank of the active rows at the present state: by singular values, and where there are too many rows for that, by the factor of the joint blocks."""
    problem.check(entries.evaluate_terms(problem.addresses))
    rows = problem[Rows]
    if problem.nc > DENSE:
        return rank_by_factor(problem)
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
        # a row without norm is a combination without effect by itself
        null = left[:, count:] * np.where(scale > 0.0, scale, 1.0)[:, None]
    condition = float(singular[0] / singular[count - 1]) ** 2 if count else 1.0
    whole, scales = np.zeros((problem.nc, null.shape[1])), np.zeros(problem.nc)
    whole[active], scales[active] = null, scale if G.size else 0.0
    return RankReport(problem.nv - count, len(active), count, condition, determined(problem, whole, scales), whole, scales)


def rank_by_factor(problem: Problem) -> RankReport:
    """Each small pivot of S + δ points at a combination of rows that may be without effect; two inverse iterations make it one, and |Gᵀ z| tells."""
    rows, factor, rates = problem[Rows], problem[Factor], problem[Rates]
    core, address = problem[Core].address, problem.addresses.ctypes.data
    call = lambda which, what: CALLBACK(int(core[which]))(what, 0, address)
    call(FACTOR, ACCELERATION_LEVEL)
    active = int((rows.active == 1).sum())
    z = []
    for row0, n, start, _ in factor.node:
        diagonal = factor.values[start : start + n * n : n + 1]
        for r in np.flatnonzero(diagonal * diagonal * SMALL > 1.0):
            vector = np.zeros(problem.nc)
            vector[row0 + r] = 1.0
            for _ in range(2):
                rates.v_dot[:], rows.target[:] = 0.0, vector
                call(PROXIMAL, POSITIONS)
                vector = rows.lam / np.linalg.norm(rows.lam)
            z.append(vector)
    lost = np.flatnonzero((rows.dropped == 1) & (rows.active == 1))
    null = np.zeros((problem.nc, 0))
    if z:
        basis = np.linalg.qr(np.array(z).T)[0]
        G, inverse = problem.sparse_jacobian(), problem[Bodies].inverse
        weight = np.sqrt(np.where(inverse > 0, inverse, 0.0))
        _, singular, right = np.linalg.svd((G.T @ (rows.scale[:, None] * basis)) * weight[:, None])
        singular = np.concatenate([singular, np.zeros(basis.shape[1] - len(singular))])
        null = rows.scale[:, None] * (basis @ right.T[:, singular < REPEATED])
    without_norm = np.zeros((problem.nc, len(lost)))
    without_norm[lost, range(len(lost))] = 1.0
    null = np.hstack([null, without_norm])
    count = active - null.shape[1]
    scale = np.where((rows.active == 1) & (rows.dropped == 0), rows.scale, 0.0)
    return RankReport(problem.nv - count, active, count, float("nan"), determined(problem, null, scale), null, scale)


def determined(problem: Problem, null: Array, scale: Array) -> Array:
    """For each joint's reaction on b: 2 where no self-stress reaches the component, 1 where one does, 0 where its rows have no norm."""
    found = np.full((len(problem.words.joints), 6), DETERMINED, np.int8)
    blocks = problem[Blocks]
    for k, joint in enumerate(problem.words.joints):
        block = blocks.row[joint.block]
        slots = block[K_SLOTS]
        gm = blocks.gm[block[K_GM] : block[K_GM] + 6 * slots * block[K_ROWS]].reshape(block[K_ROWS], slots, 6)
        here = [r - block[K_ROW] for r in joint.rows]
        wrench = gm[here, -1].T @ null[list(joint.rows)]
        found[k][np.abs(wrench).max(axis=1, initial=0.0) > 1e-7] = SHARED
        if len(joint.rows) and not scale[list(joint.rows)].any():
            found[k] = UNDETERMINED
    return found
