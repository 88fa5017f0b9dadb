"""Reactions of joints at the present multipliers and loads."""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Blocks, Rows, Trees


@internal
def largest_force(tables):
    """The largest |λ| + |load| of a row, or component of a reaction that is read of a joint without rows."""
    rows, carried, largest = view(tables, Rows), view(tables, Trees).carried, 0.0
    for r in range(rows.lam.shape[0]):
        largest = max(largest, abs(rows.lam[r]) + abs(rows.load[r]))
    for k in range(carried.shape[0]):
        largest = max(largest, abs(carried[k]))
    return largest


@internal
def wrench(tables, one, c):
    """World component c (0 to 5) of the reaction that a bearing or an implicit variable reads, on the last
    marker of its joint.
    """
    if one.link >= 0:
        return view(tables, Trees).carried[6 * one.link + c]
    blocks = view(tables, Blocks)
    rows = view(tables, Rows)
    block = blocks.index[one.block]
    slots = block.slots
    total = 0.0
    for r in range(one.first_row, one.first_row + one.rows):
        total += (rows.lam[r] + rows.load[r]) * blocks.G_marker[
            block.first_G_marker + ((r - block.first_row) * slots + one.slot) * 6 + c
        ]
    return total
