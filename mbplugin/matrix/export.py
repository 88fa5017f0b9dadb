"""A sparse matrix of blocks as a matrix of scipy."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_csc(m: Any) -> Any:
    """The values of `m` before its factorization, (length, length), with the zeros of its fill."""
    from scipy.sparse import coo_array

    symmetric = m.info[0].symmetric == 1
    rows, columns, values = [], [], []

    def add(first_row: int, first_column: int, block: Any) -> None:
        r, c = np.indices(block.shape)
        rows.append((first_row + r).ravel())
        columns.append((first_column + c).ravel())
        values.append(block.ravel())

    for panel in m.panel[: m.info[0].nodes]:
        n, width, start = int(panel.rows), int(panel.width), int(panel.first_value)
        upper, lower = (a[start : start + n * width].reshape(n, width) for a in (m.upper, m.lower))
        diagonal = upper[:, :n]
        add(panel.first, panel.first, np.triu(diagonal) + np.triu(diagonal, 1).T if symmetric else diagonal)
        for entry in m.entry[panel.first_entry : panel.end_entry]:
            part = slice(int(entry.column), int(entry.column) + int(entry.rows))
            add(panel.first, entry.first, upper[:, part])
            add(entry.first, panel.first, (upper if symmetric else lower)[:, part].T)
    n = int(m.info[0].length)
    where = (np.concatenate(rows), np.concatenate(columns))
    return coo_array((np.concatenate(values), where), shape=(n, n)).tocsc()
