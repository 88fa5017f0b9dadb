"""Stiffness of elements at rest, from their constant numbers; the laws agree there."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements import layout
from mbplugin_flexible.elements.incompatible import HOURGLASS, contract, strain_matrix
from mbplugin_flexible.elements.kinds import KINDS
from mbplugin_flexible.elements.shape_functions import CORNERS


def rest_stiffness(kind: str, numbers: Array) -> Array:
    """(ne, 3 k, 3 k) stiffness of each element [N/m]; numbers (ne, stride) of `prepare_elements`."""
    if kind == "hex8":
        return hex8_stiffness(numbers)
    element, ne = KINDS[kind], len(numbers)
    at = numbers[:, layout.POINTS :].reshape(ne, element.gauss, layout.POINT)
    inverse = at[:, :, : layout.VOLUME].reshape(ne, element.gauss, 3, 3)
    B = strain_matrix(np.einsum("gam,egmj->egaj", element.gradients, inverse, optimize=True))
    lam, mu = (at[:, :, layout.VOLUME] * numbers[:, [k]] for k in (layout.LAM, layout.MU))
    return contract(B, elastic(lam, mu, B))


def elastic(lam: Array, mu: Array, B: Array) -> Array:
    """C B, for λ and μ (...,) and strains (..., 6, n)."""
    lam, mu = lam[..., None, None], mu[..., None, None]
    product = mu * B
    product[..., :3, :] += mu * B[..., :3, :] + lam * B[..., :3, :].sum(axis=-2, keepdims=True)
    return product


def hex8_stiffness(numbers: Array) -> Array:
    """The stiffness of constant strain and of the amplitudes q."""
    ne = len(numbers)
    part = lambda first, shape: numbers[:, first : first + np.prod(shape)].reshape(ne, *shape)
    # ∂u/∂X at the centre and q, by the displacements of the nodes
    centre = np.einsum("am,emj->eaj", CORNERS, part(layout.INVERSE, (3, 3)))
    warped = HOURGLASS - centre @ np.swapaxes(part(layout.WARP, (4, 3)), 1, 2)
    q = np.einsum("eak,ij->ekiaj", warped, np.eye(3)).reshape(ne, 12, 24)
    strain = strain_matrix(centre) + strain_matrix(part(layout.MEAN, (4, 3))) @ q
    H = np.zeros((ne, 12, 12))
    rows, columns = np.tril_indices(12)
    H[:, rows, columns] = H[:, columns, rows] = numbers[:, layout.H : layout.ALPHA]
    stress = elastic(numbers[:, layout.VOLUME_LAM], numbers[:, layout.VOLUME_MU], strain)
    return np.swapaxes(strain, 1, 2) @ stress + np.swapaxes(q, 1, 2) @ (H @ q)
