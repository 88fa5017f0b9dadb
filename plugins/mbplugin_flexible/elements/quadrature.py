"""Gauss rules of the reference cube [−1, 1]³ and of the reference tetrahedron 0 ≤ ξ, η, ζ, ξ + η + ζ ≤ 1.

A rule is (points (ng, 3), weights (ng,)); the weights add up to the volume, 8 and 1/6.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from mbplugin.interface import Array

Rule = tuple[Array, Array]


def of_cube(n: int) -> Rule:
    """n³ points, ξ the fastest; exact to degree 2 n − 1 in each coordinate."""
    x, w = np.polynomial.legendre.leggauss(n)
    zeta, eta, xi = np.meshgrid(x, x, x, indexing="ij")
    points = np.stack([xi, eta, zeta], -1).reshape(-1, 3)
    return points, np.einsum("i,j,k->ijk", w, w, w).ravel()


def of_tetrahedron(n: int) -> Rule:
    """n³ points, exact to degree 2 n − 1: the conical product of A. H. Stroud, Approximate Calculation of
    Multiple Integrals (1971), section 2.4.
    """
    # ξ = r, η = s (1 − r), ζ = t (1 − r)(1 − s); the Jacobian (1 − r)²(1 − s) is the weight of the rules
    (r, wr), (s, ws), (t, wt) = (unit_interval(n, power) for power in (2, 1, 0))
    R, S, T = np.meshgrid(r, s, t, indexing="ij")
    points = np.stack([R, S * (1.0 - R), T * (1.0 - R) * (1.0 - S)], -1).reshape(-1, 3)
    return points, np.einsum("i,j,k->ijk", wr, ws, wt).ravel()


def unit_interval(n: int, power: int) -> tuple[Array, Array]:
    """Points and weights on [0, 1] for the weight (1 − x)^power: eigenvalues of the Jacobi matrix,
    G. H. Golub, J. H. Welsch, Math. Comput. 23 (1969) 221–230. (scipy takes 0.2 s to import.)
    """
    k = np.arange(1.0, n)
    c = 2.0 * k + power
    diagonal = np.append(-power / (power + 2.0), -(power**2) / (c * (c + 2.0)))
    beside = 2.0 * k * (k + power) / (c * np.sqrt(c * c - 1.0))
    x, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    return 0.5 * (x + 1.0), vectors[0] ** 2 / (power + 1.0)


def four_points() -> Rule:
    """Exact to degree 2 on the tetrahedron: P. C. Hammer, A. H. Stroud, Math. Tables Aids Comput. 10 (1956)
    137–139.
    """
    a, b = (5.0 - sqrt(5.0)) / 20.0, (5.0 + 3.0 * sqrt(5.0)) / 20.0
    points = np.full((4, 3), a)
    points[[1, 2, 3], [0, 1, 2]] = b
    return points, np.full(4, 1.0 / 24.0)


def centroid() -> Rule:
    """One point, exact to degree 1 on the tetrahedron."""
    return np.full((1, 3), 0.25), np.array([1.0 / 6.0])
