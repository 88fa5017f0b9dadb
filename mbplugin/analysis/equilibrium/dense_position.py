"""What the search for an equilibrium asks of one position, in the null space N of the constraints (G N = 0,
Nᵀ M N = 1) as a dense matrix.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbplugin.analysis.rank.null_space import null_space
from mbplugin.analysis.tangent.stiffness import stiffness
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows
from mbplugin.tables.spec import Array

#: relative eigenvalues of NᵀKN that count as zero, and relative asymmetry that is not rounding
SOFT, SYMMETRIC = 1e-11, 1e-8
#: relative size of rounding in a force along a direction without stiffness
ROUNDING = 1e-12
#: least damping σ of a step that is too long, relative to the largest stiffness or force, and its growth
DAMPING, GROWTH = 1e-13, 2.0
#: least stiffness relative to the largest force: at a horizontal pendulum there is none
STIFF = 1e-12
#: unbalanced force, relative to the largest, above which a position is far from equilibrium
FAR = 1e-3


class DensePosition:
    """The present position of a problem, as of the last call of `here`."""

    #: steps after which forces are assumed to have no potential
    downhill = 40

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.here()

    def here(self) -> None:
        """Take the position at which the equations are evaluated."""
        self.free = null_space(self.problem)

    @property
    def locked(self) -> bool:
        """Whether nothing can move."""
        return self.free.dof == 0

    def multipliers(self, h: Array) -> Array:
        """λ (nc,) that leaves the least h + Gᵀλ in the norm of M⁻¹."""
        lam = np.zeros(self.problem.nc)
        lam[self.problem[Rows].active == 1] = -self.free.to_lam @ h
        return lam

    def step(self, lam: Array, h: Array, level: float, far: bool, fits: Callable[[Array], bool]) -> Array:
        """δ (nv,) of a Newton step under the forces h, damped until it fits. level: relative unbalanced
        force.
        """
        N = self.free.N
        K = N.T @ stiffness(self.problem, lam) @ N
        r, noise = N.T @ h, ROUNDING * (np.abs(N.T) @ np.abs(h))
        newton = damped_newton(K, r, noise, level, far)
        dq = N @ newton(0.0)
        shift = DAMPING * max(float(np.abs(K).max(initial=0.0)), float(np.abs(r).max(initial=0.0)))
        while not fits(dq):
            dq = N @ newton(shift)
            shift *= GROWTH
        return np.asarray(dq)

    def allowed(self, dq: Array) -> Array:
        """The part of δ that the constraints allow."""
        return np.asarray(self.free.N @ np.linalg.lstsq(self.free.N, dq, rcond=None)[0])

    def stiffnesses(self, lam: Array) -> tuple[Array, float, int]:
        """All eigenvalues of NᵀKN [1/s²] by real part, the size up to which they count as zero, and how many
        there are.
        """
        values = eigenvalues(self.free.N.T @ stiffness(self.problem, lam) @ self.free.N)
        return values, SOFT * float(np.abs(values).max(initial=0.0)), len(values)


def damped_newton(K: Array, r: Array, noise: Array, level: float, far: bool) -> Callable[[float], Array]:
    """y(σ) with (K + σ) y = r; if K is symmetric, or far from equilibrium, with absolute values of the
    eigenvalues of its symmetric part. noise: what is rounding in r.

    A large σ shortens y, first along the directions of least stiffness. Under rotations the derivative of an
    unbalanced torque has an unsymmetric part, which vanishes at equilibrium.
    """
    floor = max(STIFF * float(np.abs(r).max(initial=0.0)), 1e-300)
    if not far and np.abs(K - K.T).max(initial=0.0) > SYMMETRIC * np.abs(K).max(initial=0.0):
        # off equilibrium, a direction without stiffness gets one of the size of the unbalanced force
        cut = min(0.1, max(1e-8, 3.0 * level))
        U, size, V = np.linalg.svd(K)
        along = np.where(size > cut * size.max(), U.T @ r, 0.0)
        least = max(cut * float(size.max()), floor)
        return lambda shift: V.T @ (along / (np.maximum(size, least) + shift))
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    size, along = np.abs(values), vectors.T @ r
    least = max(SOFT * float(size.max(initial=0.0)), floor)
    # what has no stiffness moves only if a force acts along it
    along = np.where((size <= least) & (np.abs(along) <= np.abs(vectors.T) @ noise), 0.0, along)
    return lambda shift: vectors @ (along / (np.maximum(size, least) + shift))


def eigenvalues(K: Array) -> Array:
    """Real parts of the eigenvalues in ascending order."""
    if not len(K):
        return np.zeros(0)
    if np.abs(K - K.T).max() <= SYMMETRIC * np.abs(K).max():
        return np.asarray(np.linalg.eigvalsh(0.5 * (K + K.T)))
    return np.asarray(np.sort(np.linalg.eigvals(K).real))
