"""Quadratic elements from linear ones with straight sides."""

from __future__ import annotations

import numpy as np

from mbplugin.interface import Array
from mbplugin_flexible.elements.kinds import FACES
from mbplugin_flexible.elements.shape_functions import CUBE_EDGES, TETRAHEDRON_EDGES


def add_middles(
    points: Array, elements: np.ndarray, groups: tuple[tuple[int, ...], ...]
) -> tuple[Array, np.ndarray]:
    """Points with the means of groups of corners of each element behind them, equal ones once, and the node
    of each group (ne, groups).
    """
    corners = np.sort(elements[:, np.array(groups)].reshape(-1, len(groups[0])), axis=1)
    unique, number = np.unique(corners, axis=0, return_inverse=True)
    added = points[unique].mean(axis=1)
    return np.vstack([points, added]), len(points) + number.reshape(len(elements), len(groups))


def to_tet10(points: Array, tets: np.ndarray) -> tuple[Array, np.ndarray]:
    """Points (n, 3) and elements (ne, 10) from tetrahedra (ne, 4)."""
    points, middles = add_middles(points, tets, TETRAHEDRON_EDGES)
    return points, np.hstack([tets, middles])


def to_hex27(points: Array, hexes: np.ndarray) -> tuple[Array, np.ndarray]:
    """Points (n, 3) and elements (ne, 27) from hexahedra (ne, 8)."""
    points, on_edges = add_middles(points, hexes, CUBE_EDGES)
    points, on_faces = add_middles(points, hexes, FACES[8])
    points, inside = add_middles(points, hexes, (tuple(range(8)),))
    return points, np.hstack([hexes, on_edges, on_faces, inside])
