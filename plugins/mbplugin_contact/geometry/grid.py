"""Pairs of shapes whose boxes overlap, from a grid of cells.

A shape belongs to the cell of the low corner of its box. No box is larger than a cell, so two that overlap
lie in the same cell or in neighbouring ones. Cells repeat periodically, at least three in each direction, so
that every cell has 26 different neighbours and no pair is found twice; boxes of a pair that meets by the
period alone do not overlap. Shapes larger than a cell, and half-spaces, are compared with all. The cell is
the size for which both together promise the least work. Before, most nodes of a mesh are left out: those
that overlap none of the few boxes around that overlap the box of all its nodes.

The pairs (i, j), i < j, are in the order of i, then j, whatever the cells are.
"""

from __future__ import annotations

from math import log2, sqrt
from typing import NamedTuple

import numpy as np

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, column, dot, load, norm, rotate, scale, store, sub
from mbplugin.stepping.arrays import Floats3, Ints
from mbplugin.stepping.shapes import (
    BOX_SHAPE,
    CAPSULE_SHAPE,
    CONE_SHAPE,
    CONVEX_SHAPE,
    CYLINDER_SHAPE,
    ELLIPSOID_SHAPE,
    PLANE_SHAPE,
    SPHERE_SHAPE,
)
from mbplugin_contact.geometry.tables import hull_vertex

#: ranks of shapes: in the grid; compared with all; a half-space; not part of contact; one of many of its body
#: that no box of another body overlaps
IN_GRID, LARGE, HALF_SPACE, ABSENT, FAR = range(5)
#: results: done; `pair` is too short, `used[1]` places are wanted; the box of shape `used[1]` is no number
DONE, NO_ROOM, NOT_A_NUMBER = range(3)
#: number of shapes up to which all are compared with all
FEW = 24
CLASSES = 128
#: number of shapes of one body from which on far ones are left out; of boxes of others that they are
#: compared with, at most
CROWD, NEAR = 32, 16


class Grid(NamedTuple):
    """Boxes of n shapes and the pairs that overlap; the other arrays are work arrays."""

    low: Floats3  # (n, 3) low corners; of a half-space: a point of its plane
    high: Floats3  # (n, 3) high corners; of a half-space: its outward normal
    rank: Ints  # (n,)
    body: Ints  # (n,) of each shape, −1: the ground; two shapes of one body are no pair
    pair: Ints  # (2 m,) i and j of each pair, with room for m
    used: Ints  # (2,) number of pairs; detail of a result
    found: Ints  # (2 m,) pairs before they are sorted
    cell: Ints  # (n,) of each shape
    order: Ints  # (n,) shapes by cell, then large ones
    start: Ints  # (2 n + CLASSES + 2,) of each cell in `order`
    sorted_low: Floats3  # (n, 3) by cell
    sorted_high: Floats3


def grid_arrays(n: int, pairs: int) -> Grid:
    """Arrays for n shapes and so many pairs."""
    three = lambda: np.zeros((n, 3))
    ints = lambda m: np.zeros(m, np.int64)
    return Grid(
        three(), three(), ints(n), ints(n), ints(2 * pairs), ints(2), ints(2 * pairs), ints(n), ints(n),
        ints(2 * n + CLASSES + 2), three(), three(),
    )  # fmt: skip


@internal
def set_box(grid, hulls, k, type, p, first, radius, hull, x, R, margin):
    """The box of shape k, larger by `margin` on all sides, with its rank.

    p[first], ...: its numbers; radius: of a sphere that holds it, infinite for a half-space [m]
    """
    half = (margin, margin, margin)
    centre = x
    grid.rank[k] = IN_GRID
    if type == SPHERE_SHAPE:
        r = p[first] + margin
        half = (r, r, r)
    elif type == BOX_SHAPE:
        size = (p[first], p[first + 1], p[first + 2])
        half = (
            margin + 0.5 * (abs(R[0]) * size[0] + abs(R[1]) * size[1] + abs(R[2]) * size[2]),
            margin + 0.5 * (abs(R[3]) * size[0] + abs(R[4]) * size[1] + abs(R[5]) * size[2]),
            margin + 0.5 * (abs(R[6]) * size[0] + abs(R[7]) * size[1] + abs(R[8]) * size[2]),
        )
    elif type == CAPSULE_SHAPE:
        r, h = p[first] + margin, 0.5 * p[first + 1]
        half = (r + h * abs(R[2]), r + h * abs(R[5]), r + h * abs(R[8]))
    elif type in (CYLINDER_SHAPE, CONE_SHAPE):
        r, h = max(p[first], p[first + 2]), 0.5 * p[first + 1]
        half = (
            margin + r * sqrt(max(1.0 - R[2] * R[2], 0.0)) + h * abs(R[2]),
            margin + r * sqrt(max(1.0 - R[5] * R[5], 0.0)) + h * abs(R[5]),
            margin + r * sqrt(max(1.0 - R[8] * R[8], 0.0)) + h * abs(R[8]),
        )
    elif type == ELLIPSOID_SHAPE:
        a, b, c = p[first], p[first + 1], p[first + 2]
        half = (
            margin + norm((R[0] * a, R[1] * b, R[2] * c)),
            margin + norm((R[3] * a, R[4] * b, R[5] * c)),
            margin + norm((R[6] * a, R[7] * b, R[8] * c)),
        )
    elif type == CONVEX_SHAPE:
        low, high = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300)
        for i in range(hulls.index[hull].vertices):
            p = rotate(R, hull_vertex(hulls, hull, (1.0, 1.0, 1.0), i))
            low = (min(low[0], p[0]), min(low[1], p[1]), min(low[2], p[2]))
            high = (max(high[0], p[0]), max(high[1], p[1]), max(high[2], p[2]))
        half = add(half, scale(0.5, sub(high, low)))
        centre = add(x, scale(0.5, add(low, high)))
    elif type == PLANE_SHAPE:
        grid.rank[k] = HALF_SPACE
        normal = column(R, 2)
        # moved outward by the margin of this shape
        store(grid.low, k, add(x, scale(margin, normal)))
        store(grid.high, k, normal)
        return
    else:
        r = radius + margin
        half = (r, r, r)
    store(grid.low, k, sub(centre, half))
    store(grid.high, k, add(centre, half))


@inlined
def overlap(low, high, i, j):
    return (
        low[i, 0] <= high[j, 0]
        and low[j, 0] <= high[i, 0]
        and low[i, 1] <= high[j, 1]
        and low[j, 1] <= high[i, 1]
        and low[i, 2] <= high[j, 2]
        and low[j, 2] <= high[i, 2]
    )


@inlined
def keep(grid, i, j):
    """Count the pair of shapes i and j, and store it if there is room."""
    if grid.body[i] != grid.body[j]:
        n = grid.used[0]
        if 2 * n < grid.found.shape[0]:
            grid.found[2 * n], grid.found[2 * n + 1] = min(i, j), max(i, j)
        grid.used[0] = n + 1


@inlined
def below(x, n, low, high):
    """Whether a box reaches below the plane through x with the outward normal n."""
    corner = (
        low[0] if n[0] >= 0.0 else high[0],
        low[1] if n[1] >= 0.0 else high[1],
        low[2] if n[2] >= 0.0 else high[2],
    )
    return dot(n, sub(corner, x)) <= 0.0


@internal
def compare(grid, i, j):
    """Keep the pair of shapes i and j, of any rank, if it may touch."""
    a, b = grid.rank[i], grid.rank[j]
    if a >= ABSENT or b >= ABSENT or (a == HALF_SPACE and b == HALF_SPACE):
        return
    one, other = (i, j) if a == HALF_SPACE else (j, i)
    if meets(grid, one, load(grid.low, other), load(grid.high, other)):
        keep(grid, i, j)


@internal
def leave_out_far(grid, n):
    """Give the rank FAR to shapes of bodies with many of them that no box of another body overlaps."""
    first = 0
    while first < n:
        end = first + 1
        while end < n and grid.body[end] == grid.body[first]:
            end += 1
        if end - first >= CROWD:
            leave_out(grid, n, first, end)
        first = end


@internal
def leave_out(grid, n, first, end):
    """Give the rank FAR to shapes from `first` to `end`, which are those of one body, likewise."""
    low, high = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300)
    for i in range(first, end):
        if grid.rank[i] == IN_GRID:
            a, b = load(grid.low, i), load(grid.high, i)
            low = (min(low[0], a[0]), min(low[1], a[1]), min(low[2], a[2]))
            high = (max(high[0], b[0]), max(high[1], b[1]), max(high[2], b[2]))
    near, others = 0, grid.order
    for j in range(n):
        if (j < first or j >= end) and meets(grid, j, low, high):
            if near == NEAR:
                return
            others[near] = j
            near += 1
    for i in range(first, end):
        if grid.rank[i] == IN_GRID:
            k = 0
            while k < near and not meets(grid, others[k], load(grid.low, i), load(grid.high, i)):
                k += 1
            if k == near:
                grid.rank[i] = FAR


@inlined
def meets(grid, j, low, high):
    """Whether shape j, unless it is left out, overlaps a box."""
    a, b = load(grid.low, j), load(grid.high, j)
    if grid.rank[j] == HALF_SPACE:
        return below(a, b, low, high)
    overlaps = low[0] <= b[0] and a[0] <= high[0] and low[1] <= b[1]
    return grid.rank[j] < ABSENT and overlaps and a[1] <= high[1] and low[2] <= b[2] and a[2] <= high[2]


@internal
def extent(grid, i):
    """The longest edge of a box."""
    return max(
        max(grid.high[i, 0] - grid.low[i, 0], grid.high[i, 1] - grid.low[i, 1]),
        grid.high[i, 2] - grid.low[i, 2],
    )


@internal
def largest_in_grid(grid, n):
    """The largest extent of shapes for the grid. They are counted in classes, each twice as large as the one
    before; larger ones cost a comparison with all, smaller ones the shapes that fill the cells around them.
    """
    count = grid.start
    for c in range(CLASSES):
        count[c] = 0
    total, smallest = 0, 1e300
    for i in range(n):
        if grid.rank[i] == IN_GRID:
            total += 1
            smallest = min(smallest, extent(grid, i))
    if total == 0:
        return 0.0
    smallest = max(smallest, 1e-300)
    top = 0
    for i in range(n):
        if grid.rank[i] == IN_GRID:
            c = min(int(log2(max(extent(grid, i) / smallest, 1.0))), CLASSES - 1)
            count[c] += 1
            top = max(top, c)
    best, cost, below, volume = 0.0, 1e300, 0, 0.0
    size = smallest
    for c in range(top + 1):
        below += count[c]
        volume += count[c] * (size / smallest) ** 3
        if count[c] > 0:
            # as many as fit densely into the cells around
            around = min(27.0 * (size / smallest) ** 3 * below / volume, 1.0 * below)
            work = (total - below) * 1.0 * total + 0.5 * below * around
            if work < cost:
                best, cost = 2.0 * size, work
        size *= 2.0
    return best


@internal
def find_pairs(grid):
    """Write the pairs whose boxes overlap to `pair`, their number to `used[0]`. Returns DONE, NO_ROOM or
    NOT_A_NUMBER.

    A half-space and a box overlap if the box reaches below the plane.
    """
    n = grid.low.shape[0]
    grid.used[0] = grid.used[1] = 0
    for i in range(n):
        if grid.rank[i] == LARGE or grid.rank[i] == FAR:
            grid.rank[i] = IN_GRID
        if grid.rank[i] != ABSENT:
            for c in range(3):
                if not (abs(grid.low[i, c]) < 1e300 and abs(grid.high[i, c]) < 1e300):
                    grid.used[1] = i
                    return NOT_A_NUMBER
    if n <= FEW:
        for i in range(n):
            for j in range(i + 1, n):
                compare(grid, i, j)
    else:
        sorted_pairs(grid, n)
    m = grid.used[0]
    if 2 * m > grid.found.shape[0]:
        grid.used[0], grid.used[1] = 0, m
        return NO_ROOM
    in_order(grid, n, m)
    return DONE


@internal
def sorted_pairs(grid, n):
    """All pairs, in no order."""
    leave_out_far(grid, n)
    limit = largest_in_grid(grid, n)
    small, others = 0, n
    cell = (0.0, 0.0, 0.0)
    low, high = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300)
    for i in range(n):
        if grid.rank[i] >= ABSENT:
            continue
        if grid.rank[i] == IN_GRID and not extent(grid, i) < limit:
            grid.rank[i] = LARGE
        if grid.rank[i] != IN_GRID:
            others -= 1
            grid.order[others] = i
            continue
        small += 1
        a, b = load(grid.low, i), load(grid.high, i)
        low = (min(low[0], a[0]), min(low[1], a[1]), min(low[2], a[2]))
        high = (max(high[0], a[0]), max(high[1], a[1]), max(high[2], a[2]))
        cell = (max(cell[0], b[0] - a[0]), max(cell[1], b[1] - a[1]), max(cell[2], b[2] - a[2]))
    for p in range(others, n):
        i = grid.order[p]
        for j in range(n):
            # two of them once
            if grid.rank[j] == IN_GRID or i < j:
                compare(grid, i, j)
    if small > 0:
        fill_cells(grid, n, small, low, high, cell)


@inlined
def cells_in(length, cell):
    """Number of cells of a period, at least 3."""
    return int(min(max(length / cell + 1.0, 3.0), 1e6)) if cell > 0.0 else 3


@inlined
def cell_number(x, low, cell, period):
    """The cell of a coordinate in its period."""
    return int(min((x - low) / cell, 1e15)) % period if cell > 0.0 else 0


@internal
def fill_cells(grid, n, small, low, high, cell):
    """Sort the small shapes by cell, and keep the pairs in the same and in neighbouring cells."""
    # rounding must not make a box larger than a cell
    cell = scale(1.0 + 1e-6, cell)
    nx, ny, nz = (
        cells_in(high[0] - low[0], cell[0]),
        cells_in(high[1] - low[1], cell[1]),
        cells_in(high[2] - low[2], cell[2]),
    )
    while nx * ny * nz > 2 * small + 27 and max(max(nx, ny), nz) > 3:
        if nx >= ny and nx >= nz:
            nx = max(3, (nx + 1) // 2)
        elif ny >= nz:
            ny = max(3, (ny + 1) // 2)
        else:
            nz = max(3, (nz + 1) // 2)
    start, cells = grid.start, nx * ny * nz
    for c in range(cells + 1):
        start[c] = 0
    for i in range(n):
        if grid.rank[i] == IN_GRID:
            x = cell_number(grid.low[i, 0], low[0], cell[0], nx)
            y = cell_number(grid.low[i, 1], low[1], cell[1], ny)
            z = cell_number(grid.low[i, 2], low[2], cell[2], nz)
            grid.cell[i] = x + nx * (y + ny * z)
            start[grid.cell[i]] += 1
    total = 0
    for c in range(cells + 1):
        total += start[c]
        start[c] = total
    # backwards, so that `start` ends at the first of each cell
    for i in range(n - 1, -1, -1):
        if grid.rank[i] == IN_GRID:
            start[grid.cell[i]] -= 1
            p = start[grid.cell[i]]
            grid.order[p] = i
            for c in range(3):
                grid.sorted_low[p, c], grid.sorted_high[p, c] = grid.low[i, c], grid.high[i, c]
    for z in range(nz):
        for y in range(ny):
            for x in range(nx):
                c = x + nx * (y + ny * z)
                if start[c] < start[c + 1]:
                    around_cell(grid, c, x, y, z, nx, ny, nz)


@internal
def around_cell(grid, c, x, y, z, nx, ny, nz):
    """Keep the pairs within cell c and with half of its neighbours."""
    first, end = grid.start[c], grid.start[c + 1]
    low, high = grid.sorted_low, grid.sorted_high
    for p in range(first, end):
        for q in range(p + 1, end):
            if overlap(low, high, p, q):
                keep(grid, grid.order[p], grid.order[q])
    for k in range(14, 27):
        dx, dy, dz = k % 3 - 1, (k // 3) % 3 - 1, k // 9 - 1
        other = (x + dx + nx) % nx + nx * ((y + dy + ny) % ny + ny * ((z + dz + nz) % nz))
        for q in range(grid.start[other], grid.start[other + 1]):
            for p in range(first, end):
                if overlap(low, high, p, q):
                    keep(grid, grid.order[p], grid.order[q])


@internal
def in_order(grid, n, m):
    """Copy the pairs found to `pair`, in the order of i, then j."""
    start, placed, found, pair = grid.start, grid.cell, grid.found, grid.pair
    for i in range(n + 1):
        start[i] = 0
    for i in range(n):
        placed[i] = 0
    for k in range(m):
        start[found[2 * k] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    for k in range(m):
        i, j = found[2 * k], found[2 * k + 1]
        p = start[i] + placed[i]
        placed[i] += 1
        while p > start[i] and pair[2 * p - 1] > j:
            pair[2 * p], pair[2 * p + 1] = i, pair[2 * p - 1]
            p -= 1
        pair[2 * p], pair[2 * p + 1] = i, j
