"""µs for the order and pattern of sparse matrices of blocks, for their factors and for a solution.

Chains of bodies (6) and joints (5); a wall of bricks, each coupled with up to six neighbours.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numba
import numpy as np
from timing import seconds, sized, table

from mbplugin.matrix import add_diagonal, factor_matrix, matrix_tables, solve_matrix
from mbplugin.matrix.capacity import analyse_matrix

REPEATED = 9


def chain(n: int) -> tuple[Any, Any, Any]:
    edges = [(n + k, k) for k in range(n)] + [(n + k, k - 1) for k in range(1, n)]
    return [6] * n + [5] * n, [0] * n + [1] * n, edges


def wall(width: int, height: int) -> tuple[Any, Any, Any]:
    edges = []
    for y in range(height):
        for x in range(width):
            if x + 1 < width:
                edges.append((y * width + x, y * width + x + 1))
            for above in (x - 1, x) if y % 2 == 0 else (x, x + 1):
                if y + 1 < height and 0 <= above < width:
                    edges.append((y * width + x, (y + 1) * width + above))
    return [6] * (width * height), [0] * (width * height), edges


@numba.njit(error_model="numpy")
def fill(m: Any, upper: Any, lower: Any) -> None:
    """Random numbers beside a large diagonal."""
    for k in range(m.info[0].values):
        m.upper[k], m.lower[k] = upper[k], lower[k]
    for i in range(m.info[0].nodes):
        for r in range(m.node[i].rows):
            add_diagonal(m, i, r, 1e3)


@numba.njit(error_model="numpy")
def factor(m: Any) -> int:
    return int(factor_matrix(m))


@numba.njit(error_model="numpy")
def solve(m: Any) -> None:
    solve_matrix(m, m.x)


def least(work: Any, before: Any = lambda: None) -> float:
    """Least time of one call [µs]."""
    found = []
    for _ in range(sized(REPEATED, 2)):
        before()
        found.append(1e6 * seconds(work))
    return min(found)


GRAPHS = {
    "chain, 100 bodies and 100 joints": partial(chain, 100),
    "chain, 500 and 500": partial(chain, 500),
    "chain, 10,000 and 10,000": partial(chain, 10000),
    "wall, 1,000 bodies": partial(wall, 40, 25),
}


def matrix() -> None:
    rng = np.random.default_rng(0)
    rows: list[list[object]] = []
    for name, graph in sized(GRAPHS, {"wall, 4 bodies": partial(wall, 2, 2)}).items():
        cells: list[object] = [name]
        for symmetric in (True, False):
            m = matrix_tables(*graph(), symmetric=symmetric)
            if symmetric:
                cells.append(least(partial(analyse_matrix, m)))
            upper, lower = rng.uniform(-1.0, 1.0, (2, len(m.upper)))
            cells.append(least(partial(factor, m), partial(fill, m, upper, lower)))
            if not symmetric:
                cells.append(least(partial(solve, m)))
        rows.append(cells)
    table("Sparse matrices of blocks [µs]", ["pattern", "order and pattern", "LDLᵀ", "LU", "solution"], rows)
