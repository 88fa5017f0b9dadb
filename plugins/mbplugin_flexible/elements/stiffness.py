"""Stiffness of elements at rest, from their constant numbers; the laws agree there."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements import layout
from mbplugin_flexible.elements.incompatible import HOURGLASS, contract, strain_matrix
from mbplugin_flexible.elements.kinds import KINDS
from mbplugin_flexible.elements.shape_functions import CORNERS


def rest_stiffness(kind: str, numbers: Array, integers: Array, elements: Array) -> Array:
    """(m, 3 k, 3 k) stiffness of m elements, given by their numbers [N/m].

    numbers, integers: all of `prepare_elements`
    """
    if kind == "hex8":
        return hex8_stiffness(numbers, integers, elements)
    element, m = KINDS[kind], len(elements)
    own = numbers.reshape(-1, layout.POINTS + layout.POINT * element.gauss)[elements]
    at = own[:, layout.POINTS :].reshape(m, element.gauss, layout.POINT)
    inverse = at[:, :, : layout.VOLUME].reshape(m, element.gauss, 3, 3)
    B = strain_matrix(np.einsum("gam,egmj->egaj", element.gradients, inverse, optimize=True))
    lam, mu = (at[:, :, layout.VOLUME] * own[:, [k]] for k in (layout.LAM, layout.MU))
    return contract(B, elastic(lam, mu, B))


def elastic(lam: Array, mu: Array, B: Array) -> Array:
    """C B, for λ and μ (...,) and strains (..., 6, n)."""
    lam, mu = lam[..., None, None], mu[..., None, None]
    product = mu * B
    product[..., :3, :] += mu * B[..., :3, :] + lam * B[..., :3, :].sum(axis=-2, keepdims=True)
    return product


def hex8_stiffness(numbers: Array, integers: Array, elements: Array) -> Array:
    """The stiffness of constant strain and of the amplitudes q."""
    m = len(elements)
    own = numbers[layout.HEX8 * np.asarray(elements)[:, None] + np.arange(layout.HEX8)]
    part = lambda first, shape: own[:, first : first + np.prod(shape)].reshape(m, *shape)
    # ∂u/∂X at the centre and q, by the displacements of the nodes
    centre = np.einsum("am,emj->eaj", CORNERS, part(layout.INVERSE, (3, 3)))
    warped = HOURGLASS - centre @ np.swapaxes(part(layout.WARP, (4, 3)), 1, 2)
    q = np.einsum("eak,ij->ekiaj", warped, np.eye(3)).reshape(m, 12, 24)
    strain = strain_matrix(centre) + strain_matrix(part(layout.MEAN, (4, 3))) @ q
    blocks = numbers[integers[2 * np.asarray(elements)][:, None] + np.arange(layout.H)].reshape(m, 10, 3, 3)
    H: Array = np.empty((m, 4, 3, 4, 3))
    for b, (k, l) in enumerate(layout.BLOCKS):
        H[:, k, :, l], H[:, l, :, k] = blocks[:, b], np.swapaxes(blocks[:, b], 1, 2)
    H = H.reshape(m, 12, 12)
    stress = elastic(own[:, layout.VOLUME_LAM], own[:, layout.VOLUME_MU], strain)
    return np.swapaxes(strain, 1, 2) @ stress + np.swapaxes(q, 1, 2) @ (H @ q)
