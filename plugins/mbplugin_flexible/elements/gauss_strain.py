"""Displacement gradients at the Gauss points of a hexahedron with incompatible modes."""

from __future__ import annotations

from math import sqrt

import numpy as np

from mbplugin.interface import jit
from mbplugin.math.polar import determinant, inverse_transposed, weighted
from mbplugin.math.vec3 import load9, product
from mbplugin_flexible.elements.layout import INVERSE, WARP
from mbplugin_flexible.elements.shape_functions import CORNERS
from mbplugin_flexible.elements.tensors import columns, four_vectors, outer_sum

#: (8, 3) ξ of the Gauss points, by ξ, then η, then ζ; their signs are those of corners
GAUSS = np.ascontiguousarray(CORNERS[[0, 1, 3, 2, 4, 5, 7, 6]]) / sqrt(3.0)


@jit
def jacobian_at_centre(own):
    """∂X/∂ξ."""
    inverse = load9(own, INVERSE)
    J = inverse_transposed((
        inverse[0], inverse[3], inverse[6], inverse[1], inverse[4], inverse[7],
        inverse[2], inverse[5], inverse[8],
    ))  # fmt: skip
    return weighted(0.125, J, 0.0, J)


@jit
def gauss_gradient(own, J0, q, alpha, g):
    """∂ũ/∂X of q and of the amplitudes α at Gauss point g."""
    x, y, z = GAUSS[g, 0], GAUSS[g, 1], GAUSS[g, 2]
    # columns: ∂h_k/∂ξ
    slope = ((y, x, 0.0), (0.0, z, y), (z, 0.0, x), (y * z, z * x, x * y))
    J = weighted(1.0, J0, 0.125, outer_sum(four_vectors(own, WARP), slope))
    inverse = inverse_transposed(J)
    warped = outer_sum(q, slope)
    modes = columns(
        (x * alpha[0], x * alpha[1], x * alpha[2]),
        (y * alpha[3], y * alpha[4], y * alpha[5]),
        (z * alpha[6], z * alpha[7], z * alpha[8]),
    )
    to_X = (
        inverse[0], inverse[3], inverse[6], inverse[1], inverse[4], inverse[7],
        inverse[2], inverse[5], inverse[8],
    )  # fmt: skip
    ratio = -2.0 * determinant(J0) / determinant(J)
    centre = load9(own, INVERSE)
    return weighted(0.125, product(warped, to_X), 8.0 * ratio, product(modes, centre))
