"""The surface of a height field: two triangles in each cell, whose number follows from their place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbplugin_contact.triangles.surface import Surface, completed


def field_triangles(
    heights: NDArray[np.float64], size: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points (n, 3) [m] and triangles of heights (rows, columns) over a rectangle about the origin. Rows are
    along y, in each row x increases; the triangles of cell k are 2 k and 2 k + 1.
    """
    rows, columns = heights.shape
    x = size[0] * (np.arange(columns) / (columns - 1) - 0.5)
    y = size[1] * (np.arange(rows) / (rows - 1) - 0.5)
    points = np.column_stack([np.tile(x, rows), np.repeat(y, columns), heights.ravel()])
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    right, far, up = first + 1, first + columns + 1, first + columns
    triangles = np.column_stack([first, right, far, first, far, up]).reshape(-1, 3)
    return points, triangles


def field_surface(heights: NDArray[np.float64], size: tuple[float, float]) -> Surface:
    """The surface of a height field, solid below."""
    points, triangles = field_triangles(heights, size)
    rows, columns = heights.shape[0] - 1, heights.shape[1] - 1
    cell = np.arange(rows * columns)
    i, j = cell % columns, cell // columns
    # edges: 0 along x, 1 up along y, 2 the diagonal of triangle 2 k; 0 the diagonal, 1 along x, 2 along y of
    # triangle 2 k + 1
    ring = np.arange(6 * len(cell)).reshape(-1, 6)
    edges = np.full(ring.shape, 2)
    ring[:, 2], ring[:, 3] = ring[:, 3].copy(), ring[:, 2].copy()
    below, above = j > 0, j < rows - 1
    left, right = i > 0, i < columns - 1
    ring[below, 0] = 6 * (cell[below] - columns) + 4
    ring[above, 4] = 6 * (cell[above] + columns)
    ring[left, 5] = 6 * (cell[left] - 1) + 1
    ring[right, 1] = 6 * (cell[right] + 1) + 5
    edges[~below, 0] = edges[~above, 4] = edges[~left, 5] = edges[~right, 1] = 1
    solid = np.ones(len(triangles), bool)
    grid = (columns, rows, size[0] / columns, size[1] / rows)
    return completed(points, triangles, ring.ravel(), edges.ravel(), solid, None, grid)
