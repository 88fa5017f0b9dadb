"""How redundant joints share their load if their `priority` differs.

λ + Z y is a solution for every y, as Gᵀ Z = 0; the equations of motion give the one of least norm. From the
lowest priority up, level by level, the forces of that level's rows are made as small as the remaining freedom
in y allows. So lower priority carries only the remainder; within a level the least norm decides, and with one
level nothing changes. Norms are those of rows scaled by 1/√diag(G M⁻¹ Gᵀ), as for λ. The motion does not
depend on any of this.

A component that is the same in two different norms is settled by priority; one that differs depends on the
norm, which is our choice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.analysis.rank.rank import (
    DETERMINED,
    MAX_DENSE_ROWS,
    SHARED,
    UNDETERMINED,
    joint_rows,
    left_null_space,
)
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array

#: flag of a reaction component that priority settles: it carries all of what is shared
BY_PRIORITY = 3
#: relative size of a number above which it is more than rounding
ROUNDING_OF_ROWS = 1e-6


@dataclass(frozen=True)
class Sharing:
    """λ* = P λ at one position, in rows of unit length. null, scale, noise: as in `RankReport`."""

    null: Array
    scale: Array
    noise: float
    P: Array | None = None  # (nc, nc); None: all priorities are equal, λ* = λ
    P_other_norm: Array | None = None  # the same in another norm
    row_limit: int = 0  # if the model has too many rows for priorities: the number allowed; else 0

    def of(self, lam: Array) -> Array:
        """λ* (nc,) of the multipliers λ (nc,)."""
        if self.P is None:
            return lam
        return np.asarray(self.unit * (self.P @ (lam / self.unit)))

    def least(self, lam: Array) -> Array:
        """The multipliers with the effect of λ (nc,) that have the least norm in rows of unit length."""
        scaled, Z = lam / self.unit, np.linalg.qr(self.null / self.unit[:, None])[0]
        return np.asarray(self.unit * (scaled - Z @ (Z.T @ scaled)))

    @property
    def unit(self) -> Array:
        """(nc,) row scale, 1 for rows of zero length."""
        return np.where(self.scale > 0.0, self.scale, 1.0)

    def flags(self, combine: Array, rows: Array | slice, one_joint: bool = False) -> Array:
        """(k,) flags of the components `combine` (k, rows) of the multipliers of these rows.

        DETERMINED, SHARED, BY_PRIORITY, or UNDETERMINED if priority leaves nothing for it. one_joint: the
        components belong to one joint, so that a component far below the others is rounding.
        """
        scaled = combine * self.unit[rows]
        size = np.abs(scaled).max(axis=None if one_joint else 1, initial=1e-300)
        reached = np.abs(combine @ self.null[rows]).max(axis=1, initial=0.0) > self.noise * size
        flags = np.where(reached, SHARED, DETERMINED)
        if self.P is None or self.P_other_norm is None:
            return flags
        difference = scaled @ (self.P - self.P_other_norm)[rows]
        settled = np.abs(difference).max(axis=1, initial=0.0) < ROUNDING_OF_ROWS * size
        nothing = np.abs(scaled @ self.P[rows]).max(axis=1, initial=0.0) < ROUNDING_OF_ROWS * size
        return np.where(reached & settled, np.where(nothing, UNDETERMINED, BY_PRIORITY), flags)


class Priorities:
    """Priorities of a scene.

    levels: (nc,) priority of each row; a motion's row has that of its joint. All zero if no priorities
            differ, or if there are more than MAX_DENSE_ROWS rows
    """

    def __init__(self, problem: Problem, system: System) -> None:
        priority = {joint.name: joint.priority for joint in system.joints}
        self.differ = len(set(priority.values())) > 1
        self.active = self.differ and problem.nc <= MAX_DENSE_ROWS
        self.levels = np.zeros(problem.nc, np.int64)
        if not self.active:
            return
        for joint in problem.names.joints:
            self.levels[list(joint.rows)] = priority.get(joint.name, 0)
        for c in problem.names.coordinates:
            rows = [r for r in (*c.motion_rows, c.start_row) if r >= 0]
            self.levels[rows] = priority.get(problem.names.joints[c.joint].name, 0)

    def sharing(self, null: Array, scale: Array, noise: float) -> Sharing:
        """Sharing at one position; arguments as in `RankReport`."""
        if not self.active or not null.shape[1]:
            limit = MAX_DENSE_ROWS if self.differ and not self.active else 0
            return Sharing(null, scale, noise, row_limit=limit)
        Z = np.linalg.qr(null / np.where(scale > 0.0, scale, 1.0)[:, None])[0]
        unequal = 1.0 + 0.5 * np.sin(1.0 + np.arange(len(scale)))
        P, P_other_norm = (sharing_matrix(Z, self.levels, noise, weight) for weight in (None, unequal))
        return Sharing(null, scale, noise, P, P_other_norm)

    def at_present(self, problem: Problem) -> Sharing:
        """At the position of the last evaluation; evaluates nothing."""
        return self.sharing(*left_null_space(problem))


def sharing_matrix(Z: Array, levels: Array, noise: float, weight: Array | None = None) -> Array:
    """The matrix P (nc, nc), for rows of unit length, with λ* = P λ: from level to level the norm of the
    level's rows, weighted by `weight` (nc,), is made least.
    """
    P = np.eye(len(Z))
    for level in np.unique(levels):
        rows = levels == level
        w = np.ones(rows.sum()) if weight is None else weight[rows]
        U, sigma, Vt = np.linalg.svd(w[:, None] * Z[rows], full_matrices=True)
        count = int((sigma > noise).sum())
        pseudo_inverse = Vt[:count].T @ (U[:, :count] / sigma[:count]).T
        P -= Z @ (pseudo_inverse @ (w[:, None] * P[rows]))
        Z = Z @ Vt[count:].T
    return P


def reaction_flags(problem: Problem, sharing: Sharing) -> Array:
    """(joints, 6) int8 flags of force x y z and torque x y z on b, world axes.

    0: the row constrains nothing, or carries nothing by priority; 1: shared; 2: determined; 3: carries all of
    what is shared, by priority.
    """
    flags = np.full((len(problem.names.joints), 6), DETERMINED, np.int8)
    for k, joint in enumerate(problem.names.joints):
        rows, G_m = joint_rows(problem, joint)
        flags[k] = sharing.flags(G_m.T, rows, one_joint=True)
        # rows of a compliant joint are not on; deformation determines their load
        if len(rows) and not sharing.scale[rows].any() and problem.on[rows].any():
            flags[k] = UNDETERMINED
    return flags
