"""Shares by priority: how joints that hold the same share its load where their `priority` differs.

λ + Z y is as good as λ for every y (Gᵀ Z = 0), and the equations of motion give the shortest one. Level by
level from the lowest priority up, the forces of that level's rows are made as short as they can be by what is
left of y. So what a higher priority holds as well costs the lower one nothing; within a level the shares stay
the shortest ones, and with one level nothing changes. Lengths are in rows scaled by 1/√diag(G M⁻¹ Gᵀ), as
those of λ are. The motion does not feel any of it.

A reaction that comes out the same in whatever norm shares are short is settled by priority; one that does not
is a convention as before.
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
from mbplugin.interface.problem import Problem
from mbplugin.model import System
from mbplugin.tables.groups import Rows
from mbplugin.tables.spec import Array

#: a component that higher priority leaves nothing to share of: it has all
BY_PRIORITY = 3
#: part of a row from which on it is not rounding
PART = 1e-6


@dataclass(frozen=True)
class Shares:
    """λ* = P λ in rows of unit length. other: P in another norm; None where all priorities are equal and λ* =
    λ. null, scale, noise: as in `RankReport`.
    """

    null: Array
    scale: Array
    noise: float
    P: Array | None = None
    other: Array | None = None
    left_aside: int = 0  # rows up to which priorities are followed, in a model that has more and gives some

    def of(self, lam: Array) -> Array:
        """(nc,) multipliers as priorities share them."""
        if self.P is None:
            return lam
        return np.asarray(self.unit * (self.P @ (lam / self.unit)))

    @property
    def unit(self) -> Array:
        return np.where(self.scale > 0.0, self.scale, 1.0)

    def states(self, combine: Array, rows: Array | slice, pack: bool = False) -> Array:
        """For components combine (k, rows) of the multipliers of these rows: DETERMINED, SHARED, BY_PRIORITY,
        or UNDETERMINED where priority leaves nothing.

        together: components of one joint, some of which are none but for rounding.
        """
        scaled = combine * self.unit[rows]
        size = np.abs(scaled).max(axis=None if pack else 1, initial=1e-300)
        reached = np.abs(combine @ self.null[rows]).max(axis=1, initial=0.0) > self.noise * size
        found = np.where(reached, SHARED, DETERMINED)
        if self.P is not None and self.other is not None:
            settled = np.abs(scaled @ (self.P - self.other)[rows]).max(axis=1, initial=0.0) < PART * size
            nothing = np.abs(scaled @ self.P[rows]).max(axis=1, initial=0.0) < PART * size
            found = np.where(reached & settled, np.where(nothing, UNDETERMINED, BY_PRIORITY), found)
        return found


class Priorities:
    """What the scene says of priorities. levels: (nc,) of the rows; those of a motion have that of its joint."""

    def __init__(self, problem: Problem, system: System) -> None:
        given = {joint.name: joint.priority for joint in system.joints}
        self.levels = np.zeros(problem.nc, np.int64)
        for joint in problem.names.joints:
            self.levels[list(joint.rows)] = given.get(joint.name, 0)
        for c in problem.names.coordinates:
            mine = [r for r in (c.motion_row, c.start_row) if r >= 0]
            self.levels[mine] = given.get(problem.names.joints[c.joint].name, 0)
        self.differ = len(set(given.values())) > 1
        self.active = self.differ and problem.nc <= MAX_DENSE_ROWS

    def shares(self, null: Array, scale: Array, noise: float) -> Shares:
        """For the combinations without effect of one position."""
        if not self.active or not null.shape[1]:
            return Shares(
                null, scale, noise, left_aside=MAX_DENSE_ROWS if self.differ and not self.active else 0
            )
        Z = np.linalg.qr(null / np.where(scale > 0.0, scale, 1.0)[:, None])[0]
        unequal = 1.0 + 0.5 * np.sin(1.0 + np.arange(len(scale)))
        return Shares(
            null, scale, noise, shared(Z, self.levels, noise), shared(Z, self.levels, noise, unequal)
        )

    def at_present(self, problem: Problem) -> Shares:
        """Of the position whose terms are evaluated; nothing is evaluated."""
        return self.shares(*left_null_space(problem))


def shared(Z: Array, levels: Array, noise: float, weight: Array | None = None) -> Array:
    """P (nc, nc): λ* = P λ, short level by level, in rows of unit length times `weight`."""
    P = np.eye(len(Z))
    for level in np.unique(levels):
        mine = levels == level
        w = np.ones(mine.sum()) if weight is None else weight[mine]
        left, size, right = np.linalg.svd(w[:, None] * Z[mine], full_matrices=True)
        count = int((size > noise).sum())
        back = right[:count].T @ (left[:, :count] / size[:count]).T
        P -= Z @ (back @ (w[:, None] * P[mine]))
        Z = Z @ right[count:].T
    return P


def determined_by(problem: Problem, shares: Shares) -> Array:
    """(joints, 6) int8 for force x y z and torque x y z on b, world axes: 0 nothing is given, 1 shared, 2
    determined, 3 all of it by priority.
    """
    found = np.full((len(problem.names.joints), 6), DETERMINED, np.int8)
    active = problem[Rows].active
    for k, joint in enumerate(problem.names.joints):
        rows, gm = joint_rows(problem, joint)
        found[k] = shares.states(gm.T, rows, pack=True)
        # rows that a law holds are no unknowns of the constraint forces, and carry what their deviation says
        if len(rows) and not shares.scale[rows].any() and active[rows].any():
            found[k] = UNDETERMINED
    return found
