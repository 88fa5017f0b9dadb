"""Counts of a constrained system at one position: rows, rank, degrees of freedom, and which reactions the
equations determine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from mbplugin.kernels import entries
from mbplugin.kernels.core import POSITIONS
from mbplugin.kernels.schur import SMALL
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Blocks, Bodies, Factor, Rates, Rows, State
from mbplugin.tables.records import ACCELERATION_LEVEL
from mbplugin.tables.records import DENSE as FULL
from mbplugin.tables.spec import Array

#: rows from which on the sparse factor is asked
DENSE = 300
#: singular values of S below which a row repeats others, in its own test of the factor
REPEATED = 1e-7
#: the same for combinations of which that is clear, and how often the others are taken up again
CLEAR, PASSES = 1e-11, 6
#: part of a combination beside the others from which on it counts as another one
SPANNED = 1e-4
#: singular values of the scaled G M^(-1/2), relative to the largest, below which they count as zero
ZERO = 1e-9
UNDETERMINED, SHARED, DETERMINED = 0, 1, 2


@dataclass(frozen=True)
class RankReport:
    """dof = nv − rank. determined: (joints, 6) for force x y z and torque x y z on b, world axes, at this
    position.

    null: (nc, rows − rank) columns z with Gᵀ z = 0. scale: (nc,) 1 / |row| in the mass norm; 0 where the row
    has no norm.
    noise: parts of `null`, in rows of unit length, that may be rounding: the soft motions of long chains are
    in what the factor finds.
    """

    dof: int
    rows: int
    rank: int
    condition: float
    determined: Array
    null: Array
    scale: Array
    noise: float


def rank(problem: Problem) -> RankReport:
    """Rank of the active rows at the present state: by singular values, and where there are too many rows for
    that, by the factor of the joint blocks.
    """
    problem.check(entries.evaluate(problem.addresses))
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
    return RankReport(
        problem.nv - count,
        len(active),
        count,
        condition,
        determined(problem, whole, scales, 1e-7),
        whole,
        scales,
        1e-7,
    )


def rank_by_factor(problem: Problem) -> RankReport:
    """Each small pivot of S + δ points at a combination of rows that may be without effect; inverse
    iterations make it one, and |Gᵀ z| tells.
    """
    rows, factor = problem[Rows], problem[Factor]
    problem.call_core("factor", ACCELERATION_LEVEL)
    active = int((rows.active == 1).sum())
    inverse = problem[Bodies].inverse
    effect = (
        problem.sparse_jacobian().T * np.sqrt(np.where(inverse > 0, inverse, 0.0))[:, None]
    ) * rows.scale[None, :]
    z = []
    for node in factor.node:
        row0, n, start = node.first_row, node.rows, node.first_value
        diagonal = factor.values[start : start + n * n : n + 1]
        for r in np.flatnonzero(diagonal * diagonal * SMALL > 1.0):
            vector = np.zeros(problem.nc)
            vector[row0 + r] = 1.0
            z.append(vector)
    lost = np.flatnonzero((rows.dropped == 1) & (rows.active == 1))
    null = np.zeros((problem.nc, 0))
    if z:
        rest = np.array(z).T
        for _ in range(PASSES):
            rest = improved(problem, rest - null @ (null.T @ rest), 2)
            clear = np.linalg.norm(effect @ rest, axis=0) < CLEAR
            null = np.hstack([null, beside(null, rest[:, clear])])
            rest = rest[:, ~clear]
            if not rest.size:
                break
        # what is left is a soft motion, or a combination that still has a part of one
        rest = beside(null, rest)
        _, singular, right = np.linalg.svd(effect @ rest, full_matrices=False)
        null = rows.scale[:, None] * np.hstack([null, rest @ right.T[:, singular < REPEATED]])
    without_norm = np.zeros((problem.nc, len(lost)))
    without_norm[lost, range(len(lost))] = 1.0
    null = np.hstack([null, without_norm])
    count = active - null.shape[1]
    scale = np.where((rows.active == 1) & (rows.dropped == 0), rows.scale, 0.0)
    return RankReport(
        problem.nv - count,
        active,
        count,
        float("nan"),
        determined(problem, null, scale, 1e-4),
        null,
        scale,
        1e-4,
    )


def beside(null: Array, more: Array) -> Array:
    """Orthonormal columns for what `more` spans beside `null`; directions that it has only by rounding are
    left out.
    """
    more = more - null @ (null.T @ more)
    if not more.size:
        return more
    Q, R, _ = qr(more, mode="economic", pivoting=True)
    kept = Q[:, np.abs(np.diag(R)) > SPANNED]
    # once more against what dividing by a small part has blown up
    return np.linalg.qr(kept - null @ (null.T @ kept))[0]


def improved(problem: Problem, z: Array, passes: int) -> Array:
    """Inverse iterations on each column, with the factor at hand."""
    rows, rates = problem[Rows], problem[Rates]
    z = z.copy()
    for k in range(z.shape[1]):
        for _ in range(passes):
            rates.v_dot[:], rows.target[:] = 0.0, z[:, k]
            problem.call_core("solve_rows", POSITIONS)
            z[:, k] = rows.lam / np.linalg.norm(rows.lam)
    return z


def null_at_present(problem: Problem) -> tuple[Array, Array, float]:
    """null, scale and noise, as in `RankReport`, of the position whose terms are evaluated; nothing is
    evaluated.
    """
    rows, bodies = problem[Rows], problem[Bodies]
    active = np.flatnonzero(rows.active == 1)
    X = problem.jacobian()[active]
    for row in bodies.index:
        v0, n = row.first_v, row.nv
        if row.mass_form == FULL:
            L = np.linalg.cholesky(bodies.M[row.first_mass : row.first_mass + n * n].reshape(n, n))
            X[:, v0 : v0 + n] = np.linalg.solve(L, X[:, v0 : v0 + n].T).T
        else:
            X[:, v0 : v0 + n] *= np.sqrt(np.maximum(bodies.inverse[v0 : v0 + n], 0.0))
    length = np.linalg.norm(X, axis=1)
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 1e-13 * length.max(initial=0.0))
    left, singular, _ = np.linalg.svd(X * scale[:, None], full_matrices=True)
    count = int((singular > ZERO * singular.max(initial=0.0)).sum())
    null, scales = np.zeros((problem.nc, len(active) - count)), np.zeros(problem.nc)
    null[active], scales[active] = left[:, count:] * np.where(scale > 0.0, scale, 1.0)[:, None], scale
    return null, scales, 1e-7


def joint_rows(problem: Problem, joint: JointInfo) -> tuple[Array, Array]:
    """A joint's own rows, and (rows, 6) what each does to b at its marker, world axes, per unit of its
    multiplier.
    """
    blocks, rows = problem[Blocks], np.array(joint.rows, np.int64)
    block = blocks.index[joint.block]
    slots = block.slots
    gm = blocks.G_marker[block.first_G_marker : block.first_G_marker + 6 * slots * block.rows].reshape(
        block.rows, slots, 6
    )
    return rows, gm[rows - block.first_row, len(joint.markers) - 1]


def determined(problem: Problem, null: Array, scale: Array, noise: float) -> Array:
    """For each joint's reaction on b: 2 where no self-stress reaches the component, 1 where one does, 0 where
    its rows have no norm.
    """
    found = np.full((len(problem.names.joints), 6), DETERMINED, np.int8)
    for k, joint in enumerate(problem.names.joints):
        rows, gm = joint_rows(problem, joint)
        wrench = gm.T @ null[rows]
        found[k][
            np.abs(wrench).max(axis=1, initial=0.0) > noise * max(scale[rows].max(initial=0.0), 1e-300)
        ] = SHARED
        # rows that a law holds are no unknowns of the constraint forces, and carry what their deviation says
        if len(rows) and not scale[rows].any() and problem[Rows].active[rows].any():
            found[k] = UNDETERMINED
    return found
