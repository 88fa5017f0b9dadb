"""The parts of constraint rows over trees: X = M⁻¹ Gᵀ, T = Gᵀ, and their lengths.

The length of a row is computed with the masses of the links on which it acts, each taken as a free ball:
about its length in maximal coordinates. Its length in joint coordinates, √(G M⁻¹ Gᵀ), is no scale: it is 0
where the joints do not let the row move anything, as across the plane of a planar loop, or at a singular
position. Divided by it, the rounding in such a row would become as large as any other row.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.tree.solve import solve_tree
from mbplugin.kernels.view import view
from mbplugin.math.dense import solve_lower, solve_lower_transposed
from mbplugin.math.emitters.arrays import address_of
from mbplugin.math.jit import inlined
from mbplugin.tables.groups import Blocks, Bodies, Markers, Rows
from mbplugin.tables.records import DENSE


@inlined
def add_lengths(blocks, markers, scale, block, body):
    """Add to the squared lengths of the rows of a block the parts of their markers on a tree."""
    for s in range(block.slots):
        marker = markers.index[blocks.marker[block.first_slot + s]]
        if marker.body != body:
            continue
        by_force, by_torque = markers.p[marker.first_parameter + 13], markers.p[marker.first_parameter + 14]
        for r in range(block.rows):
            g, G = block.first_G_marker + (r * block.slots + s) * 6, blocks.G_marker
            force = G[g] * G[g] + G[g + 1] * G[g + 1] + G[g + 2] * G[g + 2]
            torque = G[g + 3] * G[g + 3] + G[g + 4] * G[g + 4] + G[g + 5] * G[g + 5]
            scale[block.first_row + r] += by_force * force + by_torque * torque


@by_address(when="tree")
def member_on_tree(tables, k, i):
    """X, T and the lengths of the rows of block k over its member i, a tree. Returns 0."""
    blocks = view(tables, Blocks)
    block, member = blocks.index[k], blocks.member[i]
    bodies = view(tables, Bodies)
    body = bodies.index[member.body]
    n, g0, rows = member.nv, member.first_G, block.rows
    selected = view(tables, Rows).selected
    for r in range(rows):
        for c in range(n):
            x = blocks.G[g0 + r * n + c]
            blocks.X[g0 + r * n + c] = x
            blocks.T[g0 + c * rows + r] = x
        if selected[block.first_row + r] == 0:
            continue
        if body.mass_form == DENSE:
            solve_lower(bodies.L, body.first_mass, n, blocks.X, g0 + r * n)
            solve_lower_transposed(bodies.L, body.first_mass, n, blocks.X, g0 + r * n)
        else:
            solve_tree(tables, body.tree, address_of(blocks.X, g0 + r * n))
    add_lengths(blocks, view(tables, Markers), view(tables, Rows).scale, block, member.body)
    return 0
