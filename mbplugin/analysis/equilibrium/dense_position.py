"""Answers of one position to the search for an equilibrium, in the null space N of the constraints (G N = 0,
Nᵀ M N = 1) as a dense matrix. Steps have Nᵀ W N = 1 with the masses W of `mass_scaling.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.linalg import solve_triangular

from mbplugin.analysis.equilibrium.bounded_rows import PRESSINGS, BoundedRows, stiffness_with
from mbplugin.analysis.equilibrium.mass_scaling import MassScaling, largest_force
from mbplugin.analysis.rank.null_space import null_space
from mbplugin.analysis.tangent.stiffness import stiffness
from mbplugin.problem import Problem
from mbplugin.tables.groups import Rows
from mbplugin.tables.spec import Array

#: relative eigenvalues of NᵀKN that count as zero, and relative asymmetry that is not rounding
SOFT, SYMMETRIC = 1e-11, 1e-8
#: eigenvalues, relative to the largest, that are computed anew from their vectors; relative error of those
LOW, EXACT = 1e-8, 1e-14
#: relative size of rounding in a force along a direction without stiffness
ROUNDING_OF_FORCE = 1e-12
#: least damping σ of a step that is too long, relative to the largest stiffness or force, and its growth
DAMPING, GROWTH = 1e-13, 2.0
#: how often it grows; a step that is too long even then, since rows are far open or closed, is shortened
DAMPINGS = 100
#: least stiffness relative to the largest force: at a horizontal pendulum there is none
STIFF = 1e-12
#: relative singular values of rows of unit length below which they depend on each other
DEPENDENT = 1e-9
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

    def step(
        self,
        lam: Array,
        h: Array,
        level: float,
        far: bool,
        fits: Callable[[Array], bool],
        bounded: BoundedRows | None = None,
    ) -> Array:
        """δ (nv,) of a Newton step under the forces h, damped until it fits. level: relative unbalanced
        force. bounded: rows whose forces are found with δ
        """
        K, force = stiffness_with(self.problem, lam, bounded), largest_force(self.problem, lam)
        added = self.scaling.added(self.masses, K.diagonal(), force)
        N = self.free.N
        if added.any():
            # Nᵀ W N = 1
            L = np.linalg.cholesky(np.eye(N.shape[1]) + N.T @ (added[:, None] * N))
            N = solve_triangular(L, N.T, lower=True).T
        full, K, r = K, N.T @ K @ N, N.T @ h
        noise = np.abs(N.T) @ (ROUNDING_OF_FORCE * np.abs(h) + self.scaling.rounding(force))
        # among rows with bounds, W = J A⁻¹ Jᵀ is positive only where A is
        newton, columns = damped_newton(K, r, noise, level, far or bounded is not None)
        least_shift = DAMPING * max(float(np.abs(K).max(initial=0.0)), float(np.abs(r).max(initial=0.0)))

        def damped(shift: float) -> Array:
            if bounded is None:
                return np.asarray(N @ newton(shift))
            # which rows hold is found with a step that fits, in which gaps are not lost beside it
            held = max(shift, fitting)
            if held not in found:
                bounded.find(
                    N @ newton(held),
                    lambda F: N @ columns(held, N.T @ F),
                    lambda f, dq: self.multipliers(h + f - full @ dq),
                )
                found.clear()
                found[held] = AlongRest.of(bounded, N, K, r, noise, level, far)
            of_rest = found[held]
            for _ in range(PRESSINGS):
                y = of_rest.step(bounded, shift)
                presses = bool(bounded.by_reaction.any())
                if not presses or bounded.rub(self.multipliers(h + bounded.total - full @ (N @ y))):
                    break
                found[held] = of_rest = AlongRest.of(bounded, N, K, r, noise, level, far)
            return np.asarray(N @ y)

        fitting = 0.0
        found: dict[float, AlongRest] = {}  # by the shift with which the rows that hold were found
        if bounded is not None:
            fitting = shift_that_fits(lambda shift: N @ newton(shift), least_shift, fits)
        dq = damped(0.0)
        shift = least_shift
        for _ in range(DAMPINGS):
            if fits(dq):
                break
            dq = damped(shift)
            shift *= GROWTH
        while not fits(dq):
            dq = 0.5 * dq
        return dq

    def closing(self) -> Array:
        """The least δ (nv,) in the norm of M with G δ = −Φ, Φ as evaluated last, and G of the position."""
        return np.asarray(-self.free.to_velocity @ self.problem[Rows].phi[self.problem.on])

    def allowed(self, dq: Array) -> Array:
        """The part of δ that the constraints allow."""
        return np.asarray(self.free.N @ np.linalg.lstsq(self.free.N, dq, rcond=None)[0])

    def hold(self, J: Array) -> None:
        """Let rows J (k, nv) hold, beside those of the problem."""
        if len(J):
            self.free = replace(self.free, N=self.free.N @ Independent.of(J @ self.free.N).rest)

    def stiffnesses(self, lam: Array, added: Array | float = 0.0) -> tuple[Array, Array, int]:
        """All eigenvalues of NᵀKN [1/s²] by real part, the size up to which each counts as zero, and how many
        there are. added: (nv, nv) to K
        """
        K = stiffness(self.problem, lam) + added
        moments = self.scaling.moments(largest_force(self.problem, lam))
        values, zero = stiffnesses_of(K, self.free.N, moments)
        return values, zero, len(values)


@dataclass
class AlongRest:
    """A step along the motions Z that the rows which hold leave, so that what they carry does not round."""

    rows: Independent
    J: Array  # (k, n) of the rows that hold
    stiff: Array  # (n, n)
    pull: Array  # (n,)
    closing: Array  # (n,)
    along: Callable[[float], Array]

    @classmethod
    def of(
        cls, bounded: BoundedRows, N: Array, K: Array, r: Array, noise: Array, level: float, far: bool
    ) -> Self:
        """K (n, n), r (n,), noise (n,) over N (nv, n)."""
        J, (across, turning) = bounded.holding @ N, bounded.turning(N)
        rows, stiff, pull = Independent.of(J), K + across, r + N.T @ bounded.at_bounds + turning
        closing, Z = rows.solution(bounded.gaps), rows.rest
        rounded = np.abs(Z.T) @ (noise + ROUNDING_OF_FORCE * np.abs(r))
        along = damped_newton(Z.T @ stiff @ Z, Z.T @ (pull - stiff @ closing), rounded, level, far)[0]
        return cls(rows, J, stiff, pull, closing, along)

    def step(self, bounded: BoundedRows, shift: float) -> Array:
        """y (n,), with what the rows that hold then carry."""
        y = self.closing + self.rows.rest @ self.along(shift)
        rest = self.stiff @ y + shift * y - self.pull - self.J.T @ bounded.carried
        bounded.carry(self.rows.forces(rest))
        return np.asarray(y)


@dataclass
class Independent:
    """Rows J (k, n) that hold, some of which may repeat others: J = S⁻¹ U Σ Vᵀ."""

    scale: Array  # (k,) S
    U: Array  # (k, rank)
    sigma: Array  # (rank,)
    V: Array  # (n, rank)
    rest: Array  # (n, n − rank) an orthonormal basis of J y = 0

    @classmethod
    def of(cls, J: Array) -> Self:
        size = np.linalg.norm(J, axis=1)
        scale = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0.0)
        U, sigma, Vt = np.linalg.svd(J * scale[:, None], full_matrices=True)
        rank = int((sigma > DEPENDENT * sigma.max(initial=0.0)).sum())
        return cls(scale, U[:, :rank], sigma[:rank], Vt[:rank].T, Vt[rank:].T)

    def solution(self, b: Array) -> Array:
        """The least y (n,) with J y = b (k,), by least squares."""
        return np.asarray(self.V @ ((self.U.T @ (b * self.scale)) / self.sigma))

    def forces(self, b: Array) -> Array:
        """f (k,) with Jᵀ f = b (n,), by least squares, of least norm."""
        return np.asarray(self.scale * (self.U @ ((self.V.T @ b) / self.sigma)))


def shift_that_fits(step: Callable[[float], Array], least: float, fits: Callable[[Array], bool]) -> float:
    """The σ at which a step fits; 0 if it does without."""
    shift = 0.0
    for k in range(DAMPINGS):
        if fits(step(shift)):
            break
        shift = least * GROWTH**k
    return shift


def damped_newton(
    K: Array, r: Array, noise: Array, level: float, far: bool
) -> tuple[Callable[[float], Array], Callable[[float, Array], Array]]:
    """y(σ) with (K + σ) y = r, and Y(σ, F) with (K + σ) Y = F; if K is symmetric, or far from equilibrium,
    with absolute values of the eigenvalues of its symmetric part. noise: what is rounding in r.

    A large σ shortens y, first along the directions of least stiffness. Under rotations the derivative of an
    unbalanced torque has an unsymmetric part, which vanishes at equilibrium.
    """
    floor = max(STIFF * float(np.abs(r).max(initial=0.0)), 1e-300)
    if not far and not symmetric(K):
        # off equilibrium, a direction without stiffness gets one of the size of the unbalanced force
        cut = min(0.1, max(1e-8, 3.0 * level))
        U, size, V = np.linalg.svd(K)
        along = np.where(size > cut * size.max(), U.T @ r, 0.0)
        size = np.maximum(size, max(cut * float(size.max()), floor))
        return (
            lambda shift: V.T @ (along / (size + shift)),
            lambda shift, F: V.T @ ((U.T @ F) / (size + shift)[:, None]),
        )
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    size, along = np.abs(values), vectors.T @ r
    least = max(SOFT * float(size.max(initial=0.0)), floor)
    # what has no stiffness moves only if a force acts along it
    along = np.where((size <= least) & (np.abs(along) <= np.abs(vectors.T) @ noise), 0.0, along)
    size = np.maximum(size, least)
    return (
        lambda shift: vectors @ (along / (size + shift)),
        lambda shift, F: vectors @ ((vectors.T @ F) / (size + shift)[:, None]),
    )


def stiffnesses_of(K: Any, N: Array, moments: Array) -> tuple[Array, Array]:
    """(dof,) eigenvalues of NᵀKN [1/s²] by real part, and the size up to which each counts as zero, with the
    arguments of `modes_of`, but any K.
    """
    reduced = N.T @ (K @ N)
    if symmetric(reduced):
        values, _, zero = modes_of(K, N, moments)
        return values, zero
    values, size = np.sort(np.linalg.eigvals(reduced).real), np.abs(N)
    # where no motion has stiffness all of K is the rounding of its terms
    rounding = SOFT * ((size * (abs(K) @ size)).sum(axis=0) + moments @ size**2).max(initial=0.0)
    return values, np.full(len(values), max(SOFT * float(np.abs(values).max(initial=0.0)), rounding))


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
