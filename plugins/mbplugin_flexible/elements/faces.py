"""Faces of elements: their shape functions, and the quadrature that forces on them need.

Nodes are in the order of `ElementKind.faces`: corners, middles of the edges behind each corner, centre.
"""

from __future__ import annotations

import functools

import numpy as np

from mbplugin.interface import Array, FaceRule
from mbplugin_flexible.elements.quadrature import Rule, unit_interval

#: ξ, η of the nodes of each kind of face
SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [0, -1], [1, 0], [0, 1], [-1, 0], [0, 0]], float)
TRIANGLE = np.array([[0, 0], [1, 0], [0, 1], [0.5, 0], [0.5, 0.5], [0, 0.5]], float)
#: number of nodes -> nodes, exponents of the monomials of N, and points of the rule along each axis. In ξ and
#: η, N ∂x/∂ξ × ∂x/∂η has the degrees 2 and 5 on squares, on triangles the degrees 1 and 4 together
KINDS = {
    3: (TRIANGLE[:3], ((0, 0), (1, 0), (0, 1)), 1),
    6: (TRIANGLE, ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)), 3),
    4: (SQUARE[:4], tuple(np.ndindex(2, 2)), 2),
    9: (SQUARE, tuple(np.ndindex(3, 3)), 3),
}


def of_square(n: int) -> Rule:
    """n² points of [−1, 1]², exact to degree 2 n − 1 in each coordinate."""
    x, w = np.polynomial.legendre.leggauss(n)
    return np.stack(np.meshgrid(x, x, indexing="ij"), -1).reshape(-1, 2), np.outer(w, w).ravel()


def of_triangle(n: int) -> Rule:
    """n² points of 0 ≤ ξ, η, ξ + η ≤ 1, exact to degree 2 n − 1: the conical product, as of tetrahedra."""
    (r, wr), (s, ws) = unit_interval(n, 1), unit_interval(n, 0)
    R, S = np.meshgrid(r, s, indexing="ij")
    return np.stack([R, S * (1.0 - R)], -1).reshape(-1, 2), np.outer(wr, ws).ravel()


@functools.cache
def face_rule(nodes: int) -> FaceRule:
    """Shape functions and quadrature of a face of 3, 4, 6 or 9 nodes; read-only."""
    at, exponents, n = KINDS[nodes]
    points, weights = (of_triangle if nodes in (3, 6) else of_square)(n)
    e = np.array(exponents, float)
    # N_a is 1 at node a and 0 at the others
    coefficients = np.linalg.inv(monomials(at, e))
    slopes = [e[:, k] * monomials(points, np.maximum(e - np.eye(2)[k], 0.0)) @ coefficients for k in range(2)]
    rule = FaceRule(weights, monomials(points, e) @ coefficients, *slopes)
    for array in rule:
        array.setflags(write=False)
    return rule


def monomials(points: Array, exponents: Array) -> Array:
    """(m, k) values of ξ^i η^j at points (m, 2), for k exponents (i, j)."""
    return np.prod(points[:, None, :] ** exponents, axis=2)
