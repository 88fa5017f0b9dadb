"""A plane mesh of a disc: a core of quadrilaterals inside rings of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mbplugin.interface import Array

#: corners of the core, and how much its sides are bent towards the circle, relative to the radius
CORE, BENT = 0.6, 0.5


def lattice_quads(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers (rows, columns) of the points of a lattice, and its counter-clockwise quadrilaterals (n, 4)."""
    number = np.arange(rows * columns).reshape(rows, columns)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], -1)
    return number, quads.reshape(-1, 4)


def disc(radius: float, around: int, rings: int) -> tuple[Array, np.ndarray]:
    """Points (n, 2) [m] and counter-clockwise quadrilaterals (nq, 4) of a disc about the origin.

    around: quadrilaterals of each ring, a multiple of 4; rings: outside the core, which has (around/4)²
    """
    m = around // 4
    lattice = 2.0 * np.arange(m + 1) / m - 1.0
    grid = np.stack(np.meshgrid(lattice, lattice, indexing="ij"), -1)
    core = radius * core_points(grid.reshape(-1, 2))
    number, quads = lattice_quads(m + 1, m + 1)
    # the boundary of the core, counter-clockwise from its corner at x, y < 0
    rim = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    angles = 2.0 * np.pi * np.arange(around) / around - 0.75 * np.pi
    circle = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    points, loops = [core], [rim]
    for ring in range(1, rings + 1):
        outward = ring / rings
        points.append(circle if ring == rings else (1.0 - outward) * core[rim] + outward * circle)
        loops.append(len(core) + (ring - 1) * around + np.arange(around))
    for inner, outer in pairwise(loops):
        following = [np.roll(loop, -1) for loop in (inner, outer)]
        quads = np.vstack([quads, np.column_stack([inner, outer, following[1], following[0]])])
    return np.vstack(points), quads


def core_points(square: Array) -> Array:
    """The points (n, 2) of the core, for radius 1, at points of the square [-1, 1]²: on each smaller square
    about the origin its sides are bent towards a circle, the more the larger it is.
    """
    size = np.abs(square).max(axis=1, keepdims=True)
    on_side = np.divide(square, size, out=np.zeros_like(square), where=size > 0.0)
    x, y = on_side.T
    beside = np.abs(x) >= np.abs(y)  # on the sides x = ±1
    angle = 0.25 * np.pi * np.where(beside, y, x)
    cosine, sine = np.cos(angle), np.sin(angle)
    on_circle = np.column_stack([np.where(beside, x * cosine, sine), np.where(beside, sine, y * cosine)])
    bent = BENT * size
    return CORE * size * ((1.0 - bent) * on_side / np.sqrt(2.0) + bent * on_circle)
