"""Answers of one position to the search for an equilibrium, in the null space N of the constraints (G N = 0,
Nᵀ M N = 1) as a dense matrix. Steps have Nᵀ W N = 1 with the masses W of `mass_scaling.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from mbplugin.analysis.equilibrium.mass_scaling import MassScaling, largest_force
from mbplugin.analysis.rank.null_space import null_space
from mbplugin.analysis.tangent.stiffness import stiffness
from mbplugin.problem import Problem
from mbplugin.tables.spec import Array

#: relative eigenvalues of NᵀKN that count as zero, and relative asymmetry that is not rounding
SOFT, SYMMETRIC = 1e-11, 1e-8
#: eigenvalues, relative to the largest, that are computed anew from their vectors; relative error of those
LOW, EXACT = 1e-8, 1e-14
#: relative size of rounding in a force along a direction without stiffness
ROUNDING_OF_FORCE = 1e-12
#: least damping σ of a step that is too long, relative to the largest stiffness or force, and its growth
DAMPING, GROWTH = 1e-13, 2.0
#: least stiffness relative to the largest force: at a horizontal pendulum there is none
STIFF = 1e-12
#: unbalanced force, relative to the largest, above which a position is far from equilibrium
FAR_FROM_EQUILIBRIUM = 1e-3


class DensePosition:
    """The present position of a problem, as of the last call of `here`."""

    #: steps after which forces are assumed to have no potential
    downhill = 40

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.here()
        self.scaling = MassScaling(problem, self.masses)

    def here(self) -> None:
        """Take the position at which the equations are evaluated."""
        self.free = null_space(self.problem)

    @property
    def masses(self) -> Array:
        """(nv,) diagonal of M."""
        return np.asarray((self.free.L**2).sum(axis=1))

    @property
    def locked(self) -> bool:
        """Whether nothing can move."""
        return self.free.dof == 0

    def multipliers(self, h: Array) -> Array:
        """λ (nc,) that leaves the least h + Gᵀλ in the norm of M⁻¹."""
        lam = np.zeros(self.problem.nc)
        lam[self.problem.on] = -self.free.to_lam @ h
        return lam

    def step(self, lam: Array, h: Array, level: float, far: bool, fits: Callable[[Array], bool]) -> Array:
        """δ (nv,) of a Newton step under the forces h, damped until it fits. level: relative unbalanced
        force.
        """
        K, force = stiffness(self.problem, lam), largest_force(self.problem, lam)
        added = self.scaling.added(self.masses, K.diagonal(), force)
        N = self.free.N
        if added.any():
            # Nᵀ W N = 1
            L = np.linalg.cholesky(np.eye(N.shape[1]) + N.T @ (added[:, None] * N))
            N = solve_triangular(L, N.T, lower=True).T
        K, r = N.T @ K @ N, N.T @ h
        noise = np.abs(N.T) @ (ROUNDING_OF_FORCE * np.abs(h) + self.scaling.rounding(force))
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

    def stiffnesses(self, lam: Array) -> tuple[Array, Array, int]:
        """All eigenvalues of NᵀKN [1/s²] by real part, the size up to which each counts as zero, and how many
        there are.
        """
        K = stiffness(self.problem, lam)
        moments = self.scaling.moments(largest_force(self.problem, lam))
        values, zero = stiffnesses_of(K, self.free.N, moments)
        return values, zero, len(values)


def damped_newton(K: Array, r: Array, noise: Array, level: float, far: bool) -> Callable[[float], Array]:
    """y(σ) with (K + σ) y = r; if K is symmetric, or far from equilibrium, with absolute values of the
    eigenvalues of its symmetric part. noise: what is rounding in r.

    A large σ shortens y, first along the directions of least stiffness. Under rotations the derivative of an
    unbalanced torque has an unsymmetric part, which vanishes at equilibrium.
    """
    floor = max(STIFF * float(np.abs(r).max(initial=0.0)), 1e-300)
    if not far and not symmetric(K):
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


def stiffnesses_of(K: Any, N: Array, moments: Array) -> tuple[Array, Array]:
    """(dof,) eigenvalues of NᵀKN [1/s²] by real part, and the size up to which each counts as zero, with the
    arguments of `modes_of`, but any K.
    """
    reduced = N.T @ (K @ N)
    if symmetric(reduced):
        values, _, zero = modes_of(K, N, moments)
        return values, zero
    values = np.sort(np.linalg.eigvals(reduced).real)
    return values, np.full(len(values), SOFT * float(np.abs(values).max(initial=0.0)))


def symmetric(K: Array) -> bool:
    return bool(np.abs(K - K.T).max(initial=0.0) <= SYMMETRIC * np.abs(K).max(initial=0.0))


def modes_of(K: Any, N: Array, moments: Array) -> tuple[Array, Array, Array]:
    """ω² (dof,) of NᵀKN in ascending order [1/s²], its vectors y (dof, dof), and the size up to which each ω²
    counts as zero: what is rounding in φᵀKφ, φ = N y.

    K: (nv, nv) symmetric over N, dense or sparse
    N: (nv, dof) orthonormal in mass
    moments: (nv,) stiffness of each velocity whose sum is rounded, besides K
    """
    reduced = N.T @ (K @ N)
    values, vectors = np.linalg.eigh(0.5 * (reduced + reduced.T))
    largest = float(np.abs(values).max(initial=0.0))
    # vectors are exact to rounding: their quotients of Rayleigh to its square, also beside far larger ω²
    low = np.abs(values) <= LOW * largest
    shapes = N @ vectors[:, low]
    quotients = shapes.T @ (K @ shapes)
    values[low], turn = np.linalg.eigh(0.5 * (quotients + quotients.T))
    vectors[:, low] = vectors[:, low] @ turn
    order = np.argsort(values)
    values, vectors = values[order], vectors[:, order]
    size = np.abs(N @ vectors)
    zero = SOFT * ((size * (abs(K) @ size)).sum(axis=0) + moments @ size**2) + EXACT**2 * largest
    return values, vectors, zero
