"""A tree of boxes over triangles: each level halves the triangles of a box across its longest side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: triangles of a leaf, about
LEAF = 4


class Tree(NamedTuple):
    """Boxes of a heap, and the triangles in the order of its leaves: leaf l of L has n l // L and those up to
    n (l + 1) // L.
    """

    leaves: int
    order: NDArray[np.int64]  # (n,)
    low: NDArray[np.float64]  # (2 leaves − 1, 3)
    high: NDArray[np.float64]


def tree_of(corners: NDArray[np.float64]) -> Tree:
    """The tree of triangles with these corners (n, 3, 3)."""
    n, levels = len(corners), 0
    while LEAF << levels < n:
        levels += 1
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle, order = low + high, np.arange(n)
    for level in range(levels):
        starts = n * np.arange(1 << level) // (1 << level)
        part = np.repeat(np.arange(1 << level), np.diff([*starts, n]))
        extent = np.maximum.reduceat(middle[order], starts) - np.minimum.reduceat(middle[order], starts)
        along = middle[order, extent.argmax(axis=1)[part]]
        order = order[np.lexsort((along, part))]
    starts = n * np.arange(1 << levels) // (1 << levels)
    lows = [np.minimum.reduceat(low[order], starts)]
    highs = [np.maximum.reduceat(high[order], starts)]
    while len(lows[0]) > 1:
        lows.insert(0, np.minimum(lows[0][::2], lows[0][1::2]))
        highs.insert(0, np.maximum(highs[0][::2], highs[0][1::2]))
    return Tree(1 << levels, order, np.vstack(lows), np.vstack(highs))
