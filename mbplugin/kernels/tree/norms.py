"""Lengths of rows over links of trees.

A row is scaled by the masses of the links that it acts on, each as if it were free. That is what its length
is in maximal coordinates. G M⁻¹ Gᵀ of the joint coordinates is 0 where the joints do not let a row move
anything, as those of a loop across its plane, or at a singular position: scaled by itself such a row would
count as any other.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.numbers import NUMBERS, POSE, X, get
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vec3 import add, cross, dot, load, load9, rotate, sub
from mbplugin.tables.groups import Blocks, Markers, Rows, Trees


@internal
def mobility(trees, link, arm, f, n):
    """gᵀ M⁻¹ g of a wrench at `arm` from the origin of a link, as if that were a free ball."""
    k = NUMBERS * link
    fixed = trees.fixed
    d = rotate(load9(trees.pose, POSE * link), get(fixed, k + 12))
    m = max(fixed[k + 15], trees.least[0])
    J = max((fixed[k + 16] + fixed[k + 17] + fixed[k + 18]) / 3.0, trees.least[1])
    turn = add(n, cross(sub(arm, d), f))
    return dot(f, f) / m + dot(turn, turn) / J


@by_address(when="tree")
def add_norms_on_tree(tables, k, body):
    """Add to the squared lengths of the rows of block k the parts of the links of a tree. Returns 0."""
    blocks, markers, trees = view(tables, Blocks), view(tables, Markers), view(tables, Trees)
    scale, block = view(tables, Rows).scale, view(tables, Blocks).index[k]
    for s in range(block.slots):
        marker = blocks.marker[block.first_slot + s]
        if markers.index[marker].body != body:
            continue
        link = int(markers.p[markers.index[marker].first_parameter])
        arm = sub(load(markers.x, marker), get(trees.pose, POSE * link + X))
        for r in range(block.rows):
            g = block.first_G_marker + (r * block.slots + s) * 6
            f, n = get(blocks.G_marker, g), get(blocks.G_marker, g + 3)
            scale[block.first_row + r] += mobility(trees, link, arm, f, n)
    return 0
