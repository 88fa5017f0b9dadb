"""The lowest modes of a large system, by shift-invert over the motions that the constraints allow.

    undamped:  K φ + Gᵀμ = ω² M φ,  G φ = 0             Lanczos on (K + ε M)⁻¹ M
    damped:    (s² M + s D + K) φ + Gᵀμ = 0,  G φ = 0   Arnoldi on (A − s₀ B)⁻¹ B,
                                                        A = [0 1; −K −D], B = [1 0; 0 M]

With (A − s₀ B) y = B x:  (K + s₀ D + s₀² M) y₁ = −(M x₂ + (D + s₀ M) x₁),  y₂ = x₁ + s₀ y₁.

The pivots of K − β M tell how many ω² lie below β. Where Lanczos has found fewer, which may happen where
several are equal, it continues in the complement of those found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigs, eigsh

from mbplugin.analysis.equilibrium.bordered import Constrained, Factor
from mbplugin.errors import PhysicsError
from mbplugin.tables.spec import Array

#: ω², relative to the largest, that count as zero: shift-invert is as exact as the rounding of K allows
ZERO = 1e-14
#: searches, and iterations of the estimate of the largest ω²
SEARCHES, POWERS = 6, 12
#: distance of the shift from free motions, relative to the largest ω²
AWAY = 1e-7


@dataclass
class Lowest:
    """The lowest eigenvalues of K, and how many of all are negative, and zero."""

    values: Array  # (k,) ω², ascending
    shapes: Array  # (nv, k) in scaled velocities, unit generalized mass
    negative: int  # of all ω² below zero
    free: int  # of all ω² that are zero
    missing: int | None  # ω² below the largest of `values` that were not found; None: not known
    zero: float  # |ω²| that count as zero


def random_motions(constrained: Constrained, mass: Factor, count: int) -> Array:
    """(nv, count) allowed motions, orthonormal in mass; the same ones each time."""
    X: Array = np.random.default_rng(1).standard_normal((constrained.nv, count))
    X = np.column_stack([mass.solve(constrained.M @ x)[0] for x in X.T])
    for _ in range(2):
        X = np.linalg.solve(np.linalg.cholesky(X.T @ (constrained.M @ X)), X.T).T
    return X


def largest_eigenvalue(constrained: Constrained, mass: Factor, K: Any) -> float:
    """Estimate of the largest |ω²| of K over the allowed motions, from below."""
    x, value = np.random.default_rng(2).standard_normal(constrained.nv), 0.0
    for _ in range(POWERS):
        x = mass.solve(K @ (x / max(np.sqrt(x @ (constrained.M @ x)), 1e-300)))[0]
        value = float(np.sqrt(x @ (constrained.M @ x)))
        if value <= 1e-300:
            return 0.0
    return value


def lowest(constrained: Constrained, mass: Factor, K: Any, count: int) -> Lowest:
    """The `count` lowest ω² of a symmetric K; count is less than half of the degrees of freedom.

    Raises PhysicsError if the position is singular.
    """
    M = constrained.M
    largest = largest_eigenvalue(constrained, mass, K) or 1.0
    zero = ZERO * largest
    negative, up_to_zero = (Factor(constrained, K + x * M).negative for x in (zero, -10.0 * zero))
    if negative is None or up_to_zero is None:
        negative, up_to_zero = 0, 0
    # the shift lies below all ω². With free motions it keeps a distance from their ω² = 0: otherwise their
    # rounding would hide the next higher ones
    shift = -(0.1 * zero if up_to_zero == negative else AWAY * largest)
    factor = Factor(constrained, K - shift * M)
    while factor.negative:
        shift *= 8.0
        factor = Factor(constrained, K - shift * M)
    # the error of an eigenvalue is rounding times its distance from the shift
    values, shapes = np.zeros(0), np.zeros((constrained.nv, 0))
    missing: int | None = None
    for search in range(SEARCHES):
        more, of_more = search_lowest(constrained, factor, K, shift, shapes, missing or count, search)
        shapes = np.hstack([shapes, of_more])
        values = np.concatenate([values, more])
        order = np.argsort(values)
        values, shapes = values[order], shapes[:, order]
        found, bound = gap_below(values, zero)
        below = Factor(constrained, K - bound * M).negative
        missing = None if below is None else max(0, below - found)
        if not missing:
            break
    values, shapes = rayleigh_ritz(M, K, shapes)
    return Lowest(values[:count], shapes[:, :count], negative, up_to_zero - negative, missing, zero)


def search_lowest(
    constrained: Constrained, factor: Factor, K: Any, shift: float, known: Array, count: int, start: int
) -> tuple[Array, Array]:
    """`count` further eigenvalues nearest above `shift`, and their vectors, beside the known ones."""
    n, M = constrained.nv, constrained.M
    against = M @ known

    def solve(b: Array) -> Array:
        x = factor.solve(b)[0]
        return np.asarray(x - known @ (against.T @ x))

    v0 = solve(M @ np.random.default_rng(3 + start).standard_normal(n))
    values, vectors = eigsh(
        K, count, M, sigma=shift, OPinv=LinearOperator((n, n), matvec=solve, dtype=float), v0=v0
    )
    return values, vectors


def rayleigh_ritz(M: Any, K: Any, shapes: Array) -> tuple[Array, Array]:
    """Better ω² and shapes within the space that the shapes span: with a shift near free motions shapes have
    an error of 1e-8, and the ω² found here the square of it.
    """
    X = np.linalg.solve(np.linalg.cholesky(shapes.T @ (M @ shapes)), shapes.T).T
    values, turn = np.linalg.eigh(X.T @ (K @ X))
    return values, X @ turn


def gap_below(values: Array, zero: float) -> tuple[int, float]:
    """How many of the ascending values lie below the highest gap among them, and a number in that gap."""
    step = np.diff(values)
    wide = np.flatnonzero(step > 1e-6 * np.abs(values[1:]) + 10.0 * zero)
    if not len(wide):
        return len(values), float(values[-1] + 1e-6 * abs(values[-1]) + zero)
    k = int(wide[-1])
    return k + 1, float(0.5 * (values[k] + values[k + 1]))


def lowest_damped(
    constrained: Constrained, K: Any, D: Any, count: int, scale: float, s0: float
) -> tuple[Array, Array]:
    """s (k,) with Im s ≥ 0 and shapes (nv, k) in scaled velocities of the modes nearest to s₀, in
    ascending |s|.

    scale: about the lowest |s| that is not zero [1/s]. s0: real shift [1/s]
    """
    n, M = constrained.nv, constrained.M
    D_shifted = D + s0 * M
    symmetric = abs(K - K.T).max() == 0.0 and abs(D - D.T).max() == 0.0
    factor = Factor(constrained, K + s0 * D_shifted, symmetric)

    # the second half is φ s / scale
    def apply(x: Array) -> Array:
        x1, x2 = x[:n], scale * x[n:]
        y1 = -factor.solve(M @ x2 + D_shifted @ x1)[0]
        return np.concatenate([y1, (x1 + s0 * y1) / scale])

    rng = np.random.default_rng(5)
    start = apply(apply(np.concatenate([np.zeros(n), rng.standard_normal(n)])))
    wanted = 2 * count + 4
    theta, vectors = eigs(
        LinearOperator((2 * n, 2 * n), matvec=apply, dtype=float), wanted, v0=start, ncv=2 * wanted + 20
    )
    s = s0 + 1.0 / theta
    s = np.where(np.abs(s.imag) <= 1e-12 * np.abs(s), s.real, s)
    upper = np.flatnonzero(s.imag >= 0.0)
    chosen = upper[np.argsort(np.abs(s[upper]), kind="stable")][:count]
    if not np.isfinite(s[chosen]).all():
        raise PhysicsError("eigen analysis: the search for damped modes found no finite eigenvalues")
    return s[chosen], vectors[:n, chosen]
