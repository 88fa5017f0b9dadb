"""A bound of the highest frequency of a mesh, which limits the steps of explicit methods."""

from __future__ import annotations

from math import sqrt

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements.geometry import equal_elements
from mbplugin_flexible.elements.mass import element_lumps
from mbplugin_flexible.elements.stiffness import rest_stiffness

#: numbers of all matrices that are handled at once
BATCH = 2_000_000


def highest_frequency(
    kind: str, points: Array, connectivity: Array, constants: tuple[Array, Array], density: float
) -> float:
    """Upper bound of the highest frequency of the undeformed mesh with lumped mass [rad/s].

    The largest of all elements by themselves, K_e u = ω² M_e u (Fried's bound): uᵀKu and uᵀMu are sums over
    the elements, so no quotient of them is above the largest of the elements. Strain changes it: with
    `neo_hookean` an element compressed to 0.8 or 0.5 of its length has 1.15 or 1.7 times the frequency, with
    `saint_venant_kirchhoff` one stretched to 1.5 has 1.5 times; with `linear` it changes by a few percent.

    constants: all of `prepare_elements`. An eigenvalue is computed where ‖A⁴‖^¼ ≥ ω² (Frobenius' norm,
    A = M^-½ K M^-½) is above the largest ω² so far.
    """
    first, _ = equal_elements(points, connectivity)
    nodes = np.asarray(connectivity)[first]
    root = 1.0 / np.sqrt(np.repeat(element_lumps(kind, points, nodes, density), 3, axis=1))
    best = 0.0
    size = max(1, BATCH // root.shape[1] ** 2)
    for k in range(0, len(first), size):
        scale = root[k : k + size]
        A = rest_stiffness(kind, *constants, first[k : k + size]) * scale[:, :, None] * scale[:, None, :]
        best = max(best, largest_eigenvalue(A, best))
    return sqrt(best)


def largest_eigenvalue(A: Array, at_least: float) -> float:
    """The largest eigenvalue of the symmetric matrices A (m, n, n), or `at_least` if none is larger."""
    square = A @ A
    bound = np.sqrt(np.sqrt(np.sqrt(np.einsum("eij,eij->e", fourth := square @ square, fourth))))
    best = at_least
    for e in np.argsort(-bound):
        if bound[e] <= best:
            break
        best = max(best, float(np.linalg.eigvalsh(A[e])[-1]))
    return best
