"""Elements that cannot be used: turned inside out, or without volume."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements.geometry import jacobians, longest_edges, relative_nodes
from mbplugin_flexible.elements.kinds import KINDS

#: det J, as a part of the cube of the largest extent, below which an element has no volume
FLAT = 1e-9


@dataclass(frozen=True)
class Quality:
    """What is wrong with the elements of a mesh.

    inverted:   numbers of the elements with det J < 0 at a Gauss point or node: their nodes are in the wrong
                order, or a corner points inwards
    degenerate: numbers of the elements with det J = 0 there, but for rounding: equal nodes, or a flat corner
    smallest:   (ne,) least det J / greatest det J; 1 for parallelepipeds and straight tetrahedra
    """

    inverted: Array
    degenerate: Array
    smallest: Array


def quality(kind: str, points: Array, connectivity: Array) -> Quality:
    """Check all elements; points (n, 3) [m], connectivity (ne, k)."""
    element = KINDS[kind]
    places = np.vstack([element.rule[0], element.mass[0], element.nodes])
    j = np.linalg.det(jacobians(points, connectivity, element.shape(places)[1]))
    size = np.maximum(longest_edges(relative_nodes(points, connectivity)), np.finfo(float).tiny)
    least, greatest = j.min(axis=1), j.max(axis=1)
    flat = FLAT * size**3
    inverted = least < -flat
    degenerate = ~inverted & ~(least > flat)
    ratio = least / np.where(greatest > 0.0, greatest, 1.0)
    return Quality(np.flatnonzero(inverted), np.flatnonzero(degenerate), ratio)
