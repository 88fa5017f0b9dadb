"""Incompatible modes of the trilinear hexahedron (QM6).

    u = Σ N_a u_a + Σ_m (1 − ξ_m²) α_m                       three modes with nine amplitudes
    ∇(1 − ξ_m²) = −2 ξ_m (j₀/j) J₀⁻ᵀ e_m,  j = det J         J₀ at the centre

With this gradient the modes do no work on a constant stress, so that any mesh passes the patch test:
R. L. Taylor, P. J. Beresford, E. L. Wilson, Int. J. Numer. Meth. Eng. 10 (1976) 1211–1219.

Nodal displacements are written as

    u_a = c + A X_a + ⅛ Σ_k h_ka q_k,     h = (ξη, ηζ, ζξ, ξηζ) at the nodes       12 amplitudes q

where A, ∂u/∂X at the centre, makes constant strain. With the mean ε + Q of the strain in the element

    W = ½ V (ε + Q) : C : (ε + Q) + ½ qᵀ H q,    ε = sym A,   Q = sym Σ_k q_k d_kᵀ,   d_k = ⟨∇h_k⟩/8

and α = −K_αα⁻¹ K_αq q. The amplitudes α do not depend on A.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements.geometry import jacobians, relative_nodes
from mbplugin_flexible.elements.kinds import KINDS
from mbplugin_flexible.elements.shape_functions import CORNERS

#: (8, 4) h_k at the nodes
HOURGLASS = np.column_stack([
    CORNERS[:, 0] * CORNERS[:, 1], CORNERS[:, 1] * CORNERS[:, 2], CORNERS[:, 2] * CORNERS[:, 0],
    CORNERS.prod(axis=1),
])  # fmt: skip


@dataclass(frozen=True)
class Hexahedra:
    """Constant data of trilinear hexahedra.

    inverse: (ne, 3, 3) ∂ξ/∂X at the centre [1/m]
    warp:    (ne, 4, 3) Σ_a h_ka X_a [m]
    mean:    (ne, 4, 3) d_k [1/m]
    volume:  (ne,) [m³]
    """

    inverse: Array
    warp: Array
    mean: Array
    volume: Array


def hexahedra(points: Array, connectivity: Array) -> Hexahedra:
    """Their geometry; points (n, 3) [m], connectivity (ne, 8)."""
    kind = KINDS["hex8"]
    J0 = jacobians(points, connectivity, kind.shape(np.zeros((1, 3)))[1])[:, 0]
    J = jacobians(points, connectivity, kind.gradients)
    j, Jinv = np.linalg.det(J), np.linalg.inv(J)
    slopes = hourglass_slopes(kind.rule[0])
    volume = j.sum(axis=1)
    mean = np.einsum("eg,gkm,egmj->ekj", j, slopes, Jinv, optimize=True) / (8.0 * volume[:, None, None])
    warp = np.einsum("ak,eai->eki", HOURGLASS, relative_nodes(points, connectivity))
    return Hexahedra(np.linalg.inv(J0), warp, mean, volume)


def condensed(points: Array, connectivity: Array, C: Array) -> tuple[Array, Array]:
    """H (ne, 12, 12) [N/m], and (ne, 9, 12) the amplitudes α by q [-].

    points (n, 3) [m], connectivity (ne, 8), C (6, 6) [Pa]
    q is ordered by k, then by component; α by mode, then by component
    """
    kind = KINDS["hex8"]
    xi = kind.rule[0]
    J0 = jacobians(points, connectivity, kind.shape(np.zeros((1, 3)))[1])[:, 0]
    J = jacobians(points, connectivity, kind.gradients)
    j, Jinv = np.linalg.det(J), np.linalg.inv(J)
    # the hourglass modes, without their mean strain
    slope = np.einsum("gkm,egmj->egkj", hourglass_slopes(xi), Jinv) / 8.0
    slope -= np.einsum("eg,egkj->ekj", j, slope)[:, None] / j.sum(axis=1)[:, None, None, None]
    B = strain_matrix(slope)
    ratio = np.linalg.det(J0)[:, None] / j
    G = strain_matrix(np.einsum("eg,gm,emj->egmj", ratio, -2.0 * xi, np.linalg.inv(J0)))
    CG = np.einsum("eg,st,egtn->egsn", j, C, G, optimize=True)
    CB = np.einsum("eg,st,egtn->egsn", j, C, B, optimize=True)
    K_aa, K_aq, K_qq = (contract(left, right) for left, right in ((G, CG), (G, CB), (B, CB)))
    alpha = -np.linalg.solve(K_aa, K_aq)
    H = K_qq + np.swapaxes(K_aq, 1, 2) @ alpha
    return 0.5 * (H + np.swapaxes(H, 1, 2)), alpha


def contract(left: Array, right: Array) -> Array:
    """Σ over Gauss points and strains; (ne, ng, 6, m) and (ne, ng, 6, n) to (ne, m, n)."""
    ne, ng, ns = left.shape[:3]
    flat = lambda A: A.reshape(ne, ng * ns, -1)
    return np.swapaxes(flat(left), 1, 2) @ flat(right)


def hourglass_slopes(xi: Array) -> Array:
    """(m, 4, 3) derivatives of h_k with respect to ξ at points (m, 3)."""
    x, y, z = xi.T
    o = np.zeros_like(x)
    rows = ((y, x, o), (o, z, y), (z, o, x), (y * z, z * x, x * y))
    return np.moveaxis(np.array(rows), -1, 0)


def strain_matrix(slopes: Array) -> Array:
    """(..., 6, 3 k) strains xx, yy, zz, xy, yz, xz, the last three doubled, by amplitudes of functions whose
    gradients are (..., k, 3).
    """
    x, y, z = np.moveaxis(slopes, -1, 0)
    B = np.zeros((*x.shape[:-1], 6, x.shape[-1], 3))
    B[..., 0, :, 0], B[..., 1, :, 1], B[..., 2, :, 2] = x, y, z
    B[..., 3, :, 0], B[..., 3, :, 1] = y, x
    B[..., 4, :, 1], B[..., 4, :, 2] = z, y
    B[..., 5, :, 0], B[..., 5, :, 2] = z, x
    return B.reshape(*B.shape[:-2], -1)
