"""G v and Gᵀ λ of single rows.

A record with `row` and `block` stands for its row, such as an enforced or a bounded one.
"""

from __future__ import annotations

from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vectors import add_scaled
from mbplugin.tables.groups import Blocks, Bodies, Rows, State


@internal
def row_times(tables, k, r, v):
    """(G v) of row r of block k, counted within the block."""
    blocks = view(tables, Blocks)
    block = blocks.index[k]
    rate = 0.0
    for j in range(block.first_member, block.first_member + block.members):
        member = blocks.member[j]
        for c in range(member.nv):
            rate += blocks.G[member.first_G + r * member.nv + c] * v[member.first_v + c]
    return rate


@internal
def times_row_of(tables, one, v):
    """(G v) of the row of a record."""
    return row_times(tables, one.block, one.row - view(tables, Blocks).index[one.block].first_row, v)


@internal
def rate_of(tables, one):
    """Φ̇ of the row of a record."""
    return times_row_of(tables, one, view(tables, State).v) + view(tables, Rows).phi_t[one.row]


@internal
def add_row_load(tables, one, load):
    """h ← h + Gᵀ load of the row of a record."""
    blocks, h = view(tables, Blocks), view(tables, Bodies).h
    block = blocks.index[one.block]
    for j in range(block.first_member, block.first_member + block.members):
        member = blocks.member[j]
        first = member.first_G + (one.row - block.first_row) * member.nv
        add_scaled(load, blocks.G, first, h, member.first_v, member.nv)
