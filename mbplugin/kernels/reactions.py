"""Reactions of joints at the present multipliers and loads."""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import Blocks, Rows


@internal
def wrench(tables, k, first, count, slot, c):
    """World component c (0 to 5) of the reaction on a marker slot of block k by `count` rows from `first`."""
    blocks = view(tables, Blocks)
    rows = view(tables, Rows)
    block = blocks.index[k]
    slots = block.slots
    total = 0.0
    for r in range(first, first + count):
        total += (rows.lam[r] + rows.load[r]) * blocks.G_marker[
            block.first_G_marker + ((r - block.first_row) * slots + slot) * 6 + c
        ]
    return total
