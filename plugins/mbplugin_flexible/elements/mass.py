"""Masses of elements, and lumped masses of nodes."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements.geometry import jacobians
from mbplugin_flexible.elements.kinds import KINDS


def element_masses(kind: str, points: Array, connectivity: Array, density: float) -> Array:
    """(ne, k, k) ∫ ρ N_a N_b dV of each element [kg]."""
    element = KINDS[kind]
    N, gradients = element.shape(element.mass[0])
    j = np.linalg.det(jacobians(points, connectivity, gradients))
    pairs = np.einsum("m,ma,mb->mab", density * element.mass[1], N, N).reshape(len(N), -1)
    return (j @ pairs).reshape(len(j), element.k, element.k)


def element_lumps(kind: str, points: Array, connectivity: Array, density: float) -> Array:
    """(ne, k) lumped masses of each element [kg].

    Row sums for linear elements. Those of a quadratic tetrahedron are negative at its corners, so quadratic
    elements get the diagonal, scaled to the mass of the element: E. Hinton, T. Rock, O. C. Zienkiewicz,
    Earthquake Eng. Struct. Dyn. 4 (1976) 245–249.
    """
    M = element_masses(kind, points, connectivity, density)
    if KINDS[kind].row_sums:
        return M.sum(axis=2)
    diagonal = np.einsum("eaa->ea", M)
    return diagonal * (M.sum(axis=(1, 2)) / diagonal.sum(axis=1))[:, None]


def lumped_mass(kind: str, points: Array, connectivity: Array, density: float) -> Array:
    """(n,) mass of each node [kg], positive at every node of an element; the sum is the mass of the mesh.

    points (n, 3) [m], connectivity (ne, k), density [kg/m³]

    It mostly makes frequencies low. Errors of modes 1 / 3 / 6 / 9 of a free cube, ν = 0.3, with 2,187
    velocities, and behind them those with consistent mass [%]:

        hex8 8³      −1.6 / −3.0 / −0.1 / −6.7       1.5 / 1.4 / 1.6 / 0.9
        tet10 4³     −2.2 / −5.0 / −0.5 / −6.1       0.5 / 0.2 / 0.2 / 0.2
        hex27 4³     0.08 / 0.09 / 0.01 / −0.14      0.15 / 0.21 / 0.16 / 0.05
    """
    lumps = element_lumps(kind, points, connectivity, density)
    return np.bincount(np.asarray(connectivity, int).ravel(), lumps.ravel(), len(points))
