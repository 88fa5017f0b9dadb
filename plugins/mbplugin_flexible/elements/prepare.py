"""Constant numbers of elements, computed before the run."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin.math.elasticity import LAWS
from mbplugin_flexible.elements import layout
from mbplugin_flexible.elements.geometry import equal_elements, jacobians
from mbplugin_flexible.elements.incompatible import condensed, hexahedra
from mbplugin_flexible.elements.kinds import KINDS, ElementKind
from mbplugin_flexible.elements.material import Material

#: elements whose matrices are computed at once
BATCH = 1024


def prepare_elements(kind: str, points: Array, connectivity: Array, material: Material) -> Array:
    """(ne, stride) constant numbers of each element, laid out as `layout.py` says.

    points (n, 3) [m], connectivity (ne, k). The elements have det J > 0 everywhere (`quality.py`). Raises
    ValueError for a law that the kind does not have.
    """
    element = KINDS[kind]
    law = material.law or element.laws[0]
    if law not in element.laws:
        raise ValueError(f"elements {kind!r} have the laws {', '.join(element.laws)}, not {law!r}")
    if kind == "hex8":
        return hex8_numbers(points, connectivity, material)
    return large_strain_numbers(element, points, connectivity, law, material)


def large_strain_numbers(
    kind: ElementKind, points: Array, connectivity: Array, law: str, material: Material
) -> Array:
    """Law and moduli of each element; ∂ξ/∂X and volume of each Gauss point."""
    J = jacobians(points, connectivity, kind.gradients)
    numbers = np.empty((len(J), layout.stride(kind.name, kind.gauss)))
    numbers[:, : layout.POINTS] = (LAWS.index(law), *material.lame)
    at = numbers[:, layout.POINTS :].reshape(len(J), kind.gauss, layout.POINT)
    at[:, :, : layout.VOLUME] = np.linalg.inv(J).reshape(len(J), kind.gauss, 9)
    at[:, :, layout.VOLUME] = kind.rule[1] * np.linalg.det(J)
    return numbers


def hex8_numbers(points: Array, connectivity: Array, material: Material) -> Array:
    """Geometry of each element, and the condensed matrices, those of equal elements once."""
    ne = len(connectivity)
    lam, mu = material.lame
    shape = hexahedra(points, connectivity)
    numbers = np.empty((ne, layout.HEX8))
    numbers[:, layout.INVERSE : layout.WARP] = shape.inverse.reshape(ne, 9) / 8.0
    numbers[:, layout.WARP : layout.CONTENT] = shape.warp.reshape(ne, 12)
    numbers[:, layout.CONTENT : layout.MEAN] = shape.volume[:, None] * (1.0, lam, mu)
    numbers[:, layout.MEAN : layout.H] = shape.mean.reshape(ne, 12)
    first, index = equal_elements(points, connectivity)
    lower = np.tril_indices(12)
    matrices = np.empty((len(first), layout.HEX8 - layout.H))
    for k in range(0, len(first), BATCH):
        some = slice(k, k + BATCH)
        H, alpha = condensed(points, np.asarray(connectivity)[first[some]], material.matrix)
        matrices[some, : layout.ALPHA - layout.H] = H[:, lower[0], lower[1]]
        matrices[some, layout.ALPHA - layout.H :] = alpha.reshape(len(alpha), 108)
    numbers[:, layout.H :] = matrices[index]
    return numbers
