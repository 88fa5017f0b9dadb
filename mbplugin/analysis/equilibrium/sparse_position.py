"""Answers of one position of a large system to the search for an equilibrium, with sparse matrices.

    [ K + σW  Gᵀ ] [ δ ]   [ h + Gᵀλ ]
    [ G       0  ] [ μ ] = [ 0       ]

W are the masses of `mass_scaling.py`. σ is zero but for rounding where K is positive over the motions that
the constraints allow. Elsewhere it is so large that K + σW is, which makes the step one that decreases the
potential energy; the pivots tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigs

from mbplugin.analysis.equilibrium.bordered import Constrained, Factor
from mbplugin.analysis.equilibrium.bounded_rows import BoundedRows, acting, holding
from mbplugin.analysis.equilibrium.complementarity import HOLDS
from mbplugin.analysis.equilibrium.dense_position import FAR_FROM_EQUILIBRIUM, SOFT, SYMMETRIC, stiffnesses_of
from mbplugin.analysis.equilibrium.lowest_modes import largest_eigenvalue, lowest, random_motions
from mbplugin.analysis.equilibrium.mass_scaling import MassScaling, largest_force
from mbplugin.analysis.rank.rank import rank
from mbplugin.analysis.tangent.stiffness import sparse_stiffness
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows
from mbplugin.tables.spec import Array

#: number of velocities above which sparse matrices are used, and modes that are then computed
LARGE_SYSTEM, LOWEST_MODES = 1000, 20
#: least σ, relative to the largest eigenvalue; its growth until K + σW is positive, its decrease per step
LEAST_SHIFT, SHIFT_GROWTH, SHIFT_DECREASE = 1e-14, 8.0, 8.0
#: least σ of a K that is not symmetric
LEAST_UNSYMMETRIC_SHIFT = 1e-10


class SparsePosition:
    """The present position of a problem, as of the last call of `here`."""

    locked = False
    #: steps after which forces are assumed to have no potential
    downhill = 150

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.shift = 0.0  # σ of the last step
        self.here()
        self.scaling = MassScaling(problem, self.constrained.unit**-2)

    def here(self) -> None:
        """Take the position at which the equations are evaluated."""
        self.constrained = Constrained(self.problem)
        self.mass = Factor(self.constrained, self.constrained.M)

    def multipliers(self, h: Array) -> Array:
        """λ (nc,) that leaves the least h + Gᵀλ in the norm of M⁻¹."""
        c = self.constrained
        lam = np.zeros(self.problem.nc)
        lam[c.rows] = -c.row_scale * self.mass.solve(c.unit * h)[1]
        return lam

    def stiffness(self, lam: Array) -> Any:
        """K (nv, nv) in scaled velocities."""
        return self.constrained.scaled(sparse_stiffness(self.problem, lam))

    def step(
        self,
        lam: Array,
        h: Array,
        level: float,
        far: bool,
        fits: Callable[[Array], bool],
        bounded: BoundedRows | None = None,
    ) -> Array:
        """δ (nv,) of a Newton step under the forces h, shortened until it fits. level: relative unbalanced
        force. bounded: rows whose forces are found with δ
        """
        with acting(self.problem, bounded):
            K = sparse_stiffness(self.problem, lam)
        own = lam.copy()
        if bounded is not None:
            own[bounded.row] = 0.0
        rest, force = h + self.problem.times_G_T(own), largest_force(self.problem, lam)
        # what is rounding moves nothing
        rest = np.where(np.abs(rest) <= self.scaling.rounding(force), 0.0, rest)
        # near equilibrium, an unbalanced torque makes K unsymmetric by itself
        by_torque = 2.0 * float(np.abs(rest).max(initial=0.0)) if level <= FAR_FROM_EQUILIBRIUM else 0.0
        symmetric = far or asymmetry(K) <= max(SYMMETRIC * float(abs(K).max()), by_torque)
        c, mass = self.scaled_masses(K, force)
        # among rows with bounds, W = J A⁻¹ Jᵀ is positive only where A is
        factor = self.newton(c, mass, K, symmetric or bounded is not None, level, far)
        if bounded is None:
            dq = c.unit * factor.solve(c.unit * rest)[0]
        else:
            self.find(bounded, c, factor, rest, fits, lambda f, dq: self.multipliers(h + f - K @ dq))
            with holding(self.problem, bounded):
                held = self.scaled_masses(K, force, bounded)
            factor = self.newton(*held, K, symmetric, level, far)
            dq = with_rows_that_hold(bounded, held[0], factor, rest)
        while not fits(dq):
            dq = 0.5 * dq
        return np.asarray(dq)

    def newton(
        self, c: Constrained, mass: Factor, K: Any, symmetric: bool, level: float, far: bool
    ) -> Factor:
        """The factor of a Newton step over the motions that `c` allows. mass: that of its masses."""
        K = c.scaled(K)
        largest = largest_eigenvalue(c, mass, K) or 1.0
        if not symmetric:
            # off equilibrium, a direction without stiffness gets one of the size of the unbalanced force
            shift = largest * min(0.1, max(LEAST_UNSYMMETRIC_SHIFT, level))
            return Factor(c, K + shift * c.M, symmetric=False)
        least = LEAST_SHIFT * largest
        K = 0.5 * (K + K.T)
        self.shift = max(least, self.shift / SHIFT_DECREASE) if far else least
        factor = Factor(c, K + self.shift * c.M)
        while factor.negative:
            self.shift *= SHIFT_GROWTH
            factor = Factor(c, K + self.shift * c.M)
        return factor

    def find(
        self,
        bounded: BoundedRows,
        c: Constrained,
        factor: Factor,
        rest: Array,
        fits: Callable[[Array], bool],
        reactions: Callable[[Array, Array], Array],
    ) -> None:
        """Find which rows hold, with a step under the forces `rest` that fits: beside a longer one their gaps
        would be rounding.
        """
        A, shift = factor.A * factor.size, 0.0

        def moved(force: Array) -> Array:
            return np.asarray(c.unit * factor.solve(c.unit * force)[0])

        while not fits(dq := moved(rest)):
            shift = max(SHIFT_GROWTH * shift, LEAST_SHIFT * factor.size)
            factor = Factor(c, A + shift * c.M)
        bounded.find(dq, lambda F: np.column_stack([moved(one) for one in F.T]), reactions)

    def scaled_masses(
        self, K: Any, force: float, bounded: BoundedRows | None = None
    ) -> tuple[Constrained, Factor]:
        """W of the search, and its factor. K: (nv, nv); force: the largest; bounded: given if other rows are
        on than those of the position
        """
        added = self.scaling.added(self.constrained.unit**-2, K.diagonal(), force)
        if not added.any() and bounded is None:
            return self.constrained, self.mass
        c = Constrained(self.problem, added)
        return c, Factor(c, c.M)

    def closing(self) -> Array:
        """The least δ (nv,) in the norm of M with G δ = −Φ, Φ as evaluated last, and G of the position."""
        c = self.constrained
        gap = -c.row_scale * self.problem[Rows].phi[c.rows]
        return np.asarray(c.unit * self.mass.solve(np.zeros(c.nv), gap)[0])

    def allowed(self, dq: Array) -> Array:
        """The part of δ that the constraints allow."""
        c = self.constrained
        return np.asarray(c.unit * self.mass.solve(c.M @ (dq / c.unit))[0])

    def moments(self, lam: Array) -> Array:
        """`MassScaling.moments` in scaled velocities."""
        unit = self.constrained.unit
        return np.asarray(self.scaling.moments(largest_force(self.problem, lam)) * unit**2)

    def stiffnesses(self, lam: Array) -> tuple[Array, Array | float, int]:
        """The lowest eigenvalues of K over the allowed motions [1/s²], the size up to which they count as
        zero, and how many there are in all. Where K is not symmetric: real parts of those nearest to zero.
        """
        c, K = self.constrained, self.stiffness(lam)
        dof = rank(self.problem).dof
        if not dof:
            return np.zeros(0), 0.0, 0
        if dof <= 3 * LOWEST_MODES:
            N = random_motions(c, self.mass, dof)
            return *stiffnesses_of(K, N, self.moments(lam)), dof
        if asymmetry(K) <= SYMMETRIC * abs(K).max():
            found = lowest(c, self.mass, 0.5 * (K + K.T), LOWEST_MODES)
            return found.values, found.zero, dof
        zero = SOFT * largest_eigenvalue(c, self.mass, K)
        factor = Factor(c, K + zero * c.M, symmetric=False)
        solve = LinearOperator((c.nv, c.nv), matvec=lambda x: factor.solve(c.M @ x)[0], dtype=float)
        theta = eigs(solve, LOWEST_MODES, v0=random_motions(c, self.mass, 1)[:, 0], return_eigenvectors=False)
        return np.sort((1.0 / theta).real) - zero, zero, dof


def with_rows_that_hold(bounded: BoundedRows, c: Constrained, factor: Factor, rest: Array) -> Array:
    """δ (nv,) under the forces `rest` and those of rows at bounds, with rows that hold closed, and the forces
    of these; `c` has them as constraints.
    """
    row, holds = bounded.row, bounded.doing == HOLDS
    gap, forces = np.zeros(bounded.problem.nc), np.zeros(bounded.problem.nc)
    gap[row[holds]] = bounded.gaps
    x, mu = factor.solve(c.unit * (rest + bounded.at_bounds), c.row_scale * gap[c.rows])
    forces[c.rows] = -c.row_scale * mu
    bounded.force = np.where(holds, forces[row], bounded.force)
    return np.asarray(c.unit * x)


def asymmetry(K: Any) -> float:
    return float(abs(K - K.T).max())


def without_self_stress(problem: Problem, lam: Array) -> Array:
    """λ (nc,) of least norm in rows of unit length: without the part that redundant rows leave open."""
    report = rank(problem)
    if not report.null.shape[1]:
        return lam
    unit = np.where(report.scale > 0.0, report.scale, 1.0)
    Z = np.linalg.qr(report.null / unit[:, None])[0]
    open_part = Z @ (Z.T @ np.where(problem.on, lam / unit, 0.0))
    return np.asarray(lam - unit * open_part)
