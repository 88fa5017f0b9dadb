"""Wrenches of rows on markers, for frames: Σ Gᵀ (λ + load) over the rows of one owner."""

from __future__ import annotations

from mbplugin.kernels.tree.shown import add_carried
from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry, internal
from mbplugin.tables.groups import Blocks, Rows, RowWrenches, Trees


@internal
def sum_row_wrenches(tables):
    """`RowWrenches.wrench` from the multipliers and loads in the tables."""
    rows, G = view(tables, Rows), view(tables, Blocks).G_marker
    parts = view(tables, RowWrenches)
    for p in range(parts.wrench.shape[0]):
        for k in range(6):
            parts.wrench[p, k] = 0.0
        for i in range(parts.first[p], parts.first[p + 1]):
            carried = rows.lam[parts.row[i]] + rows.load[parts.row[i]]
            for k in range(6):
                parts.wrench[p, k] += carried * G[parts.place[i] + k]
    if view(tables, Trees).index.shape[0] > 0:
        add_carried(tables)


@compiled_entry()
def evaluate_row_wrenches(tables):
    """`sum_row_wrenches`, from Python. Returns 0."""
    sum_row_wrenches(tables)
    return 0
