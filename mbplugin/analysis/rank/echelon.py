"""Where combinations of rows end: the places of the echelon form of what has no effect."""

from __future__ import annotations

import numpy as np

from mbplugin.tables.spec import Array

#: rows that are taken at once
BLOCK = 64


def last_places(sizes: Array, noise: float) -> Array:
    """The places at which combinations end: as many as there are columns, each the last one of some
    combination of columns. Rows of `sizes` are in order.

    From the last row upwards, a row that does not lie in the span of those below it is such a place. Blocks
    of rows are freed of that span at once.
    """
    n, d = sizes.shape
    span = np.zeros((d, d))
    found: list[int] = []
    for stop in range(n, 0, -BLOCK):
        block = sizes[max(stop - BLOCK, 0) : stop][::-1].copy()
        for _ in range(2):
            below = span[: len(found)]
            block -= (block @ below.T) @ below
        for k in range(len(block)):
            size = np.linalg.norm(block[k])
            if len(found) == d or size <= noise:
                continue
            unit = block[k] / size
            unit -= (span[: len(found)] @ unit) @ span[: len(found)]
            unit /= np.linalg.norm(unit)
            span[len(found)] = unit
            found.append(stop - 1 - k)
            block[k + 1 :] -= np.outer(block[k + 1 :] @ unit, unit)
    return np.array(found, np.int64)
