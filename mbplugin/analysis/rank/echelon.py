"""Pivot rows of a column echelon form, without forming it."""

from __future__ import annotations

import numpy as np

from mbplugin.tables.spec import Array

#: rows that are orthogonalised together
BLOCK = 64


def last_places(Z: Array, noise: float) -> Array:
    """(d,) row indices at which the columns of Z (n, d) end after column elimination.

    From the last row upwards, a row is such an end if it is linearly independent of the rows below it. A row
    whose remainder is at most `noise` counts as dependent. Blocks of rows are orthogonalised at once.
    """
    n, d = Z.shape
    basis = np.zeros((d, d))
    ends: list[int] = []
    for stop in range(n, 0, -BLOCK):
        block = Z[max(stop - BLOCK, 0) : stop][::-1].copy()
        # twice, against rounding
        for _ in range(2):
            below = basis[: len(ends)]
            block -= (block @ below.T) @ below
        for k in range(len(block)):
            size = np.linalg.norm(block[k])
            if len(ends) == d or size <= noise:
                continue
            unit = block[k] / size
            unit -= (basis[: len(ends)] @ unit) @ basis[: len(ends)]
            unit /= np.linalg.norm(unit)
            basis[len(ends)] = unit
            ends.append(stop - 1 - k)
            block[k + 1 :] -= np.outer(block[k + 1 :] @ unit, unit)
    return np.array(ends, np.int64)
