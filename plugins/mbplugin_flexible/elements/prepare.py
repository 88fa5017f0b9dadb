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


def prepare_elements(
    kind: str, points: Array, connectivity: Array, material: Material
) -> tuple[Array, Array]:
    """Constant numbers and integers of the elements, laid out as `layout.py` says.

    points (n, 3) [m], connectivity (ne, k). The elements have det J > 0 everywhere (`meshes/checks.py`).
    Raises ValueError for a law that the kind does not have.
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
) -> tuple[Array, Array]:
    """Numbers: moduli of each element, ∂ξ/∂X and volume of each Gauss point. Integers: the law."""
    J = jacobians(points, connectivity, kind.gradients)
    numbers = np.empty((len(J), layout.POINTS + layout.POINT * kind.gauss))
    numbers[:, : layout.POINTS] = material.lame
    at = numbers[:, layout.POINTS :].reshape(len(J), kind.gauss, layout.POINT)
    at[:, :, : layout.VOLUME] = np.linalg.inv(J).reshape(len(J), kind.gauss, 9)
    at[:, :, layout.VOLUME] = kind.rule[1] * np.linalg.det(J)
    return numbers.ravel(), np.array([LAWS.index(law)])


def hex8_numbers(points: Array, connectivity: Array, material: Material) -> tuple[Array, Array]:
    """Numbers: the geometry of each element, then the condensed matrices, once for equal elements. Integers:
    where the matrices of each element begin.
    """
    ne = len(connectivity)
    lam, mu = material.lame
    shape = hexahedra(points, connectivity)
    first, index = equal_elements(points, connectivity)
    own = np.empty((ne, layout.HEX8))
    own[:, layout.INVERSE : layout.WARP] = shape.inverse.reshape(ne, 9) / 8.0
    own[:, layout.WARP : layout.CONTENT] = shape.warp.reshape(ne, 12)
    own[:, layout.CONTENT : layout.MEAN] = shape.volume[:, None] * (1.0, lam, mu)
    own[:, layout.MEAN :] = shape.mean.reshape(ne, 12)
    places = own.size + np.column_stack([layout.H * index, layout.H * len(first) + layout.ALPHA * index])
    H, alpha = np.empty((len(first), layout.H)), np.empty((len(first), layout.ALPHA))
    k, l = np.transpose(layout.BLOCKS)
    for m in range(0, len(first), BATCH):
        some = slice(m, m + BATCH)
        matrices, amplitudes = condensed(points, np.asarray(connectivity)[first[some]], material.matrix)
        blocks = np.swapaxes(matrices.reshape(-1, 4, 3, 4, 3), 2, 3)
        H[some], alpha[some] = blocks[:, k, l].reshape(-1, layout.H), amplitudes.reshape(-1, layout.ALPHA)
    return np.concatenate([own.ravel(), H.ravel(), alpha.ravel()]), places.ravel()
