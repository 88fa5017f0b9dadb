"""Rank of the constraint rows that are on, degrees of freedom, and which reactions are determined.

Rows are scaled to unit length in the norm of M⁻¹. The left null space of G, all z with Gᵀ z = 0, holds the
dependencies among the rows; mechanically its columns are the self-stresses of the mechanism. A component of a
reaction is determined if no self-stress has a part in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.kernels.schur import POSITIONS, SMALL_PIVOT, factor, solve_rows
from mbplugin.problem import JointInfo, Problem
from mbplugin.tables.groups import Blocks, Factor, Rates, Rows
from mbplugin.tables.records import ACCELERATION_LEVEL
from mbplugin.tables.spec import Array

#: largest number of rows for a dense singular value decomposition; above, the sparse factor is used
MAX_DENSE_ROWS = 300
#: singular values of the scaled G M^(-1/2), relative to the largest, below which they count as zero
ZERO = 1e-9
#: sparse factor: singular values of a remaining candidate below which it is a dependency
DEPENDENT = 1e-7
#: sparse factor: |Gᵀ z| below which a candidate is certainly a dependency, and rounds of refining the others
CERTAIN, ROUNDS = 1e-11, 6
#: part of a candidate outside the known null space above which it counts as a new direction
NEW = 1e-4
#: parts of null vectors (rows of unit length) that may be rounding: from singular values, from the factor
DENSE_NOISE, FACTOR_NOISE = 1e-7, 1e-4
#: flags of a reaction component, as stored in `joints/determined`
UNDETERMINED, SHARED, DETERMINED = 0, 1, 2


@dataclass(frozen=True)
class RankReport:
    """Rank of the rows that are on, at one position."""

    dof: int  # degrees of freedom: nv − rank
    rows: int  # rows that are on
    rank: int
    condition: float  # condition number of G M⁻¹ Gᵀ, independent rows, unit length; NaN: not computed
    determined: Array  # (joints, 6) int8 flags of force x y z and torque x y z on b, world axes
    null: Array  # (nc, rows − rank) left null space of G: Gᵀ null = 0
    scale: Array  # (nc,) 1 / |row| in the norm of M⁻¹; 0: not on, or of zero length
    noise: float  # parts of `null`, in rows of unit length, up to which they may be rounding


def rank(problem: Problem) -> RankReport:
    """Rank of the rows that are on, at present: by singular values, of many rows by the factor of S."""
    problem.evaluate_at()
    if problem.nc > MAX_DENSE_ROWS:
        return rank_by_factor(problem)
    on = np.flatnonzero(problem.on)
    G = problem.jacobian()[on]
    problem.check_rows(on, G)
    null, scale, sigma, count = np.zeros((problem.nc, 0)), np.zeros(problem.nc), np.zeros(0), 0
    if G.size:
        X = problem.solve_mass_root(G.T).T
        null, scale, sigma, count = dependencies(problem, on, X)
    condition = float(sigma[0] / sigma[count - 1]) ** 2 if count else 1.0
    flags = determined(problem, null, scale, DENSE_NOISE)
    return RankReport(problem.nv - count, len(on), count, condition, flags, null, scale, DENSE_NOISE)


def dependencies(problem: Problem, on: Array, X: Array) -> tuple[Array, Array, Array, int]:
    """null and scale as in `RankReport`, singular values, rank; X (on, nv) has X Xᵀ = G M⁻¹ Gᵀ."""
    length = np.linalg.norm(X, axis=1)
    usable = length > 1e-13 * length.max(initial=0.0)
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=usable)
    scales = np.zeros(problem.nc)
    scales[on] = scale
    # without the singular vectors, which only dependent rows need
    sigma = np.linalg.svd(X * scale[:, None], compute_uv=False)
    count = int((sigma > ZERO * sigma.max(initial=0.0)).sum())
    if count == len(on):
        return np.zeros((problem.nc, 0)), scales, sigma, count
    U, sigma, _ = np.linalg.svd(X * scale[:, None], full_matrices=X.shape[0] > X.shape[1])
    count = int((sigma > ZERO * sigma.max(initial=0.0)).sum())
    null = np.zeros((problem.nc, len(on) - count))
    # a row of zero length is a dependency by itself
    null[on] = U[:, count:] * np.where(scale > 0.0, scale, 1.0)[:, None]
    return null, scales, sigma, count


def left_null_space(problem: Problem) -> tuple[Array, Array, float]:
    """null, scale and noise as in `RankReport`, at the position of the last evaluation; evaluates nothing."""
    on = np.flatnonzero(problem.on)
    X = problem.solve_mass_root(problem.jacobian()[on].T).T
    null, scale, _, _ = dependencies(problem, on, X)
    return null, scale, DENSE_NOISE


def rank_by_factor(problem: Problem) -> RankReport:
    """Rank from the sparse factor of S + δ, for many rows; the condition number is not computed.

    Each small pivot of S + δ gives a candidate for a dependency. Inverse iteration refines the candidates,
    and |Gᵀ z| decides which of them are dependencies.
    """
    rows = problem[Rows]
    problem.call_function(factor, ACCELERATION_LEVEL)
    problem.check_rows(np.arange(problem.nc), rows.scale)
    G_scaled = problem.sparse_jacobian().T * rows.scale[None, :]
    reached = lambda z: problem.solve_mass_root(G_scaled @ z)
    null = np.zeros((problem.nc, 0))
    remaining = small_pivots(problem)
    if remaining.size:
        for _ in range(ROUNDS):
            remaining = inverse_iteration(problem, remaining - null @ (null.T @ remaining), 2)
            certain = np.linalg.norm(reached(remaining), axis=0) < CERTAIN
            null = np.hstack([null, new_directions(null, remaining[:, certain])])
            remaining = remaining[:, ~certain]
            if not remaining.size:
                break
        # what remains is a soft motion, or a dependency with a part of one
        remaining = new_directions(null, remaining)
        _, sigma, Vt = np.linalg.svd(reached(remaining), full_matrices=False)
        null = rows.scale[:, None] * np.hstack([null, remaining @ Vt.T[:, sigma < DEPENDENT]])
    zero_rows = np.flatnonzero(problem.on & (rows.scale == 0.0))
    alone = np.zeros((problem.nc, len(zero_rows)))
    alone[zero_rows, range(len(zero_rows))] = 1.0
    null = np.hstack([null, alone])
    on, scale = int(problem.on.sum()), rows.scale.copy()
    count = on - null.shape[1]
    flags = determined(problem, null, scale, FACTOR_NOISE)
    return RankReport(problem.nv - count, on, count, float("nan"), flags, null, scale, FACTOR_NOISE)


def small_pivots(problem: Problem) -> Array:
    """(nc, k) unit vectors of the rows whose pivot in the factor is small."""
    factor = problem[Factor]
    small: list[int] = []
    for node in factor.node:
        n, start = node.rows, node.first_value
        inverse_pivot = factor.values[start : start + n * n : n + 1]
        small += (node.first_row + np.flatnonzero(inverse_pivot * inverse_pivot * SMALL_PIVOT > 1.0)).tolist()
    units = np.zeros((problem.nc, len(small)))
    units[small, range(len(small))] = 1.0
    return units


def inverse_iteration(problem: Problem, z: Array, steps: int) -> Array:
    """Columns z (nc, k) after `steps` inverse iterations with the present factor, of unit length."""
    rows, rates = problem[Rows], problem[Rates]
    z = z.copy()
    for k in range(z.shape[1]):
        for _ in range(steps):
            rates.v_dot[:], rows.target[:] = 0.0, z[:, k]
            problem.call_function(solve_rows, POSITIONS)
            z[:, k] = rows.lam / np.linalg.norm(rows.lam)
    return z


def new_directions(null: Array, candidates: Array) -> Array:
    """Orthonormal columns that span what `candidates` add to `null`, without what is rounding only."""
    rest = candidates - null @ (null.T @ candidates)
    if not rest.size:
        return rest
    from scipy.linalg import qr  # imported late: takes 0.15 s, and only large models come here

    Q, R, _ = qr(rest, mode="economic", pivoting=True)
    kept = Q[:, np.abs(np.diag(R)) > NEW]
    # orthogonalise again: dividing by a small remainder amplified rounding
    return np.linalg.qr(kept - null @ (null.T @ kept))[0]


def block_jacobian(problem: Problem, joint: JointInfo) -> Array:
    """(rows, slots, 6) G_m of all rows of the joint's block, one slot for each of its markers, world axes."""
    blocks = problem[Blocks]
    block = blocks.index[joint.block]
    size = 6 * block.slots * block.rows
    values = blocks.G_marker[block.first_G_marker : block.first_G_marker + size]
    return np.asarray(values.reshape(block.rows, block.slots, 6))


def joint_rows(problem: Problem, joint: JointInfo) -> tuple[Array, Array]:
    """(rows,) numbers of a joint's own rows, and (rows, 6) G_m of its last marker, which is on b.

    λ[rows] @ G_m is the reaction on b about that marker, world axes.
    """
    return np.array(joint.rows, np.int64), problem[Blocks].G_marker[places_of_G_m(problem, joint)]


def places_of_G_m(problem: Problem, joint: JointInfo) -> Array:
    """(rows, 6) places in `Blocks.G_marker` of a joint's own rows over its last marker, which is on b."""
    block = problem[Blocks].index[joint.block]
    row = np.array(joint.rows, np.int64) - block.first_row
    slot = row * block.slots + len(joint.markers) - 1
    return np.asarray(block.first_G_marker + 6 * slot[:, None] + np.arange(6))


def determined(problem: Problem, null: Array, scale: Array, noise: float) -> Array:
    """(joints, 6) int8 flags of force x y z and torque x y z on b, world axes.

    DETERMINED, SHARED (a self-stress contributes) or UNDETERMINED (the joint's rows have zero length).
    """
    flags = np.full((len(problem.names.joints), 6), DETERMINED, np.int8)
    if not null.shape[1] and scale[problem.on].all():
        return flags
    for k, joint in enumerate(problem.names.joints):
        rows, G_m = joint_rows(problem, joint)
        reached = np.abs(G_m.T @ null[rows]).max(axis=1, initial=0.0)
        flags[k][reached > noise * max(scale[rows].max(initial=0.0), 1e-300)] = SHARED
        # rows of a compliant joint are not on; deformation determines their load
        if len(rows) and not scale[rows].any() and problem.on[rows].any():
            flags[k] = UNDETERMINED
    return flags
