"""Symbolic factorisation of S = G M⁻¹ Gᵀ on the joint graph: elimination order, fill-in, block products.

Blocks that share a body are neighbours; the order is block minimum degree.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from mbplugin.math.ordering import minimum_degree
from mbplugin.tables.groups import Blocks, Factor
from mbplugin.tables.records import BlockRecord, NodeRecord, OffDiagonalBlock, ProductRecord
from mbplugin.tables.spec import records

Triple = tuple[int, int, int]
#: systems whose factor tables are kept, since a changed system has the same graph
KEPT = 4


def factor_tables(table: Blocks, chosen: Any, bodies: int) -> Factor:
    """The factor table for the blocks with the chosen numbers; bodies: their number in the system."""
    member = [(body, g0, nv) for body, g0, _, nv in table.member.tolist()]
    blocks, members = [], []
    for number, columns in zip(chosen.tolist(), table.index[chosen].tolist()):
        block = BlockRecord(*columns)
        blocks.append((number, block.first_row, block.rows))
        members.append(tuple(member[block.first_member : block.first_member + block.members]))
    factor = symbolic(tuple(blocks), tuple(members), bodies)
    return factor._replace(values=np.zeros(len(factor.values)))


@functools.lru_cache(maxsize=KEPT)
def symbolic(blocks: tuple[Triple, ...], members: tuple[tuple[Triple, ...], ...], bodies: int) -> Factor:
    """The factor table of blocks.

    blocks: number, first row and rows of each. members: of each, the body, start in G and velocities
    """
    sizes = [rows for *_, rows in blocks]
    on_body: list[list[tuple[int, int, int]]] = [[] for _ in range(bodies)]
    for k, bodies_of_block in enumerate(members):
        for body, g0, nv in bodies_of_block:
            on_body[body].append((k, g0, nv))
    neighbours: list[set[int]] = [set() for _ in blocks]
    for group in on_body:
        touching = {k for k, _, _ in group}
        for k in touching:
            neighbours[k] |= touching - {k}
    order, fill = minimum_degree(neighbours, sizes)
    place = {k: p for p, k in enumerate(order)}
    node: list[tuple[int, ...]] = []
    off_diagonal: list[tuple[int, ...]] = []
    diagonal: dict[int, int] = {}
    offset: dict[tuple[int, int], int] = {}
    size = first_update = 0
    for k, later in zip(order, fill):
        n = sizes[k]
        diagonal[k] = size
        pairs = len(later) * (len(later) + 1) // 2
        node.append((*blocks[k], size, len(off_diagonal), len(later), first_update))
        first_update += pairs
        size += n * n
        for j in sorted(later, key=place.__getitem__):
            m = sizes[j]
            offset[k, j] = size
            off_diagonal.append((blocks[j][0], size, *blocks[j][1:]))
            size += m * n
    update: list[int] = []
    for later in fill:
        ordered = sorted(later, key=place.__getitem__)
        for j, column in enumerate(ordered):
            for row in ordered[: j + 1]:
                update.append(diagonal[row] if row == column else offset[row, column])
    product = []
    for group in on_body:
        for i, gi, nv in group:
            for j, gj, _ in group:
                if place[i] <= place[j]:
                    target = diagonal[i] if i == j else offset[i, j]
                    product.append((target, gi, sizes[i], gj, sizes[j], nv, blocks[i][0], blocks[j][0]))
    product.sort(key=lambda job: (job[0], job[1], job[3]))
    return Factor(
        node=records(NodeRecord, node),
        off_diagonal=records(OffDiagonalBlock, off_diagonal),
        update=np.array(update, np.int64),
        product=records(ProductRecord, product),
        values=np.zeros(size),
    )
