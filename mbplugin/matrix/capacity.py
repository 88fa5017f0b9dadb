"""Sparse matrices of blocks from Python: their arrays, and more room where an analysis found too little."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.math.jit import jit
from mbplugin.matrix.symbolic import analyse
from mbplugin.tables.groups import Matrix
from mbplugin.tables.records import (
    MatrixEntryRecord,
    MatrixNodeRecord,
    MatrixPanelRecord,
    MatrixRecord,
    MatrixSourceRecord,
)
from mbplugin.tables.spec import Array, dtype_of
from mbplugin.tables.status import NO_ROOM


def empty_matrix(
    group: Any = Matrix, nodes: int = 0, edges: int = 0, entries: int = 0, values: int = 0, length: int = 0
) -> Any:
    """Tables of a matrix without nodes, with room for so many.

    group: `Matrix`, or a group with its fields
    entries: blocks beside the diagonal in the factor U; values: its numbers; length: of vectors
    """

    def blank(record: Any, n: int) -> Array:
        return np.zeros(n, dtype_of(record)).view(np.recarray)

    return group(
        info=blank(MatrixRecord, 1),
        node=blank(MatrixNodeRecord, nodes),
        edge=np.zeros((edges, 2), np.int64),
        panel=blank(MatrixPanelRecord, nodes),
        entry=blank(MatrixEntryRecord, entries),
        source=blank(MatrixSourceRecord, entries),
        upper=np.zeros(values),
        lower=np.zeros(values),
        x=np.zeros(length),
        row=np.zeros(length),
        work=np.zeros(17 * nodes + 2 + 4 * edges + entries, np.int64),
    )


def enlarged(m: Any) -> Any:
    """Matrix of the same nodes, edges and `x`, with room for all that `m.info` counts, and a quarter more."""
    info = m.info[0]

    def room(count: int, now: int) -> int:
        return now if count <= now else count + count // 4

    nodes, edges = room(info.nodes, len(m.node)), room(info.edges, len(m.edge))
    entries, values = room(info.entries, len(m.entry)), room(info.values, len(m.upper))
    more = empty_matrix(type(m), nodes, edges, entries, values, room(info.length, len(m.x)))
    more.info[:] = m.info
    for name in ("node", "edge"):
        before = getattr(m, name)
        getattr(more, name)[: len(before)] = before
    more.x[: len(m.x)] = m.x
    return more


def matrix_tables(
    sizes: Any, constraint: Any, edges: Any, symmetric: bool = False, group: Any = Matrix
) -> Any:
    """Tables of a matrix with these nodes, one behind the other in vectors, and edges (n, 2), analysed."""
    sizes, edges = np.asarray(sizes, np.int64), np.asarray(edges, np.int64).reshape(-1, 2)
    n, e = len(sizes), len(edges)
    m = empty_matrix(group, n, e, n + e, 0, int(sizes.sum()))
    m.info.nodes, m.info.edges, m.info.symmetric = n, e, symmetric
    m.info.length = sizes.sum()
    m.node.rows, m.node.first = sizes, np.cumsum(sizes) - sizes
    m.node.constraint = constraint
    m.edge[:] = edges
    return analysed(m)


def analysed(m: Any) -> Any:
    """`m` after `analyse`, with more room if needed."""
    while analyse_matrix(m) == NO_ROOM:
        m = enlarged(m)
    return m


@jit
def analyse_matrix(m):  # type: ignore[no-untyped-def]
    """`analyse`, for Python."""
    return analyse(m)
