"""Rows that come and go in a matrix: Σ GᵀC G of a law with slope C, and rows that border it.

    [ A + Σ GᵀC G   s G_bᵀ ]
    [ G_b             δ    ]      nodes of bodies, and one more node for each block that is a border

The pattern changes with the contacts: a solver declares it again (`declare_step_matrix`, or
`declare_augmented`, then `couple_transient`), calls `analyse`, and returns `request_matrix_capacity`
where that says NO_ROOM.
"""

from __future__ import annotations

from math import sqrt

from mbplugin.kernels.members import first_member, members_of
from mbplugin.kernels.transient import MATRIX_CAPACITY
from mbplugin.kernels.view import view
from mbplugin.math.emitters.panels import at
from mbplugin.math.emitters.triple_products import DEPTH, RIGID, add_pair_products, add_triple_product
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import add_scaled
from mbplugin.matrix.pattern import add_edge, add_node
from mbplugin.matrix.values import add_diagonal, find, place
from mbplugin.tables.groups import Capacity, TransientRows
from mbplugin.tables.status import OVERFLOW


@internal
def request_matrix_capacity(tables):
    """Require longer arrays of `Matrix`, as `analyse` has counted them. Returns OVERFLOW, which the solver
    returns: the step is then repeated.
    """
    view(tables, Capacity).required[MATRIX_CAPACITY] = 1
    return OVERFLOW


@inlined
def couple_transient(tables, m, k):
    """Couple the bodies of block k of the transient rows, as its law does."""
    transient = view(tables, TransientRows)
    member = transient.member
    for i in members_of(transient, k):
        for j in range(i + 1, first_member(transient, k + 1, 0)):
            if member[i].nv > 0 and member[j].nv > 0:
                add_edge(m, member[i].body, member[j].body)


@inlined
def border_transient(tables, m, k, first):
    """Declare the rows of block k as a border. first: their place in a vector. Returns the node."""
    transient = view(tables, TransientRows)
    node = add_node(m, transient.index[k].rows, first, 1)
    for i in members_of(transient, k):
        if transient.member[i].nv > 0:
            add_edge(m, node, transient.member[i].body)
    return node


@internal
def add_transient_terms(tables, m, k, C, first):
    """Add GᵀC G of block k of the transient rows to its bodies, for a law whose load f changes by −C G δ.

    C: (rows, rows) row by row from `first`; symmetric if the matrix is
    """
    transient = view(tables, TransientRows)
    n = transient.index[k].rows
    if n == DEPTH and add_rigid_pair(transient, m, k, C, first):
        return
    for i in members_of(transient, k):
        a = transient.member[i]
        for j in members_of(transient, k):
            b = transient.member[j]
            if a.nv > 0 and b.nv > 0:
                start, row, column, below = place(m, a.body, b.body)
                if start >= 0:
                    values = m.lower if below == 1 else m.upper
                    if n != DEPTH or not fast_product(
                        transient.G, a, b, C, first, values, start, row, column
                    ):
                        add_product(transient.G, a, b, C, first, n, values, start, row, column)


@inlined
def add_rigid_pair(transient, m, k, C, first):
    """`add_transient_terms` for three rows between two rigid bodies. Returns whether it was done."""
    i, j = first_member(transient, k, 0), first_member(transient, k, 1)
    a, b = transient.member[i], transient.member[j]
    if a.nv != RIGID or b.nv != RIGID:
        return False
    if m.node[a.body].position > m.node[b.body].position:
        a, b = b, a
    start, row = find(m, a.body, b.body)
    if start < 0:
        return False
    first_a, row_a = find(m, a.body, a.body)
    first_b, row_b = find(m, b.body, b.body)
    below = 0 if m.info[0].symmetric == 1 else at(m.lower, start)
    add_pair_products(
        at(m.upper, first_a),
        row_a,
        at(m.upper, first_b),
        row_b,
        at(m.upper, start),
        below,
        row,
        at(transient.G, a.first_G),
        at(transient.G, b.first_G),
        at(C, first),
    )
    return True


@inlined
def fast_product(G, a, b, C, first, values, start, row, column):
    """`add_product` in vector registers, for blocks of three rows. Returns whether that was done."""
    if column == 1:
        return add_triple_product(
            at(values, start), row, at(G, a.first_G), at(G, b.first_G), at(C, first), DEPTH, 1, a.nv, b.nv
        )
    # transposed: G_bᵀ Cᵀ G_a
    return add_triple_product(
        at(values, start), column, at(G, b.first_G), at(G, a.first_G), at(C, first), 1, DEPTH, b.nv, a.nv
    )


@internal
def add_product(G, a, b, C, first, n, values, start, row, column):
    """values ← values + G_aᵀ C G_b, with the block's distances between rows and columns."""
    for c in range(b.nv):
        for r in range(n):
            w = 0.0
            for q in range(n):
                w += C[first + r * n + q] * G[b.first_G + q * b.nv + c]
            for i in range(a.nv):
                values[start + i * row + c * column] += G[a.first_G + r * a.nv + i] * w


@internal
def add_transient_border(tables, m, k, node, back, delta):
    """Add the scaled rows Ĝ of block k to `node`, back Ĝᵀ to their columns, delta to the diagonal."""
    transient = view(tables, TransientRows)
    block = transient.index[k]
    for r in range(block.rows):
        add_diagonal(m, node, r, delta)
    for i in members_of(transient, k):
        member = transient.member[i]
        if member.nv == 0:
            continue
        for r in range(block.rows):
            scale = transient_row_scale(transient, block.first_row + r)
            row = member.first_G + r * member.nv
            add_line(m, node, member.body, r, True, scale, transient.G, row)
            add_line(m, member.body, node, r, False, back * scale, transient.G, row)


@inlined
def add_line(m, i, j, line, is_row, factor, a, first):
    """Add factor a[first ...] to a row of block (i, j), or to a column of it."""
    start, row, column, below = place(m, i, j)
    if start >= 0:
        values = m.lower if below == 1 else m.upper
        across, along, count = (row, column, m.node[j].rows) if is_row else (column, row, m.node[i].rows)
        for k in range(count):
            values[start + line * across + k * along] += factor * a[first + k]


@inlined
def transient_row_scale(transient, row):
    """1 / √diag(G M⁻¹ Gᵀ) of a row: the scale of `add_transient_border`; 0 for a row that moves nothing."""
    return 1.0 / sqrt(transient.inverse_mass[row]) if transient.inverse_mass[row] > 0.0 else 0.0


@inlined
def add_transient_load(transient, k, r, load, x):
    """x ← x + Gᵀ load for row r of block k; x (nv,) such as the right-hand side of the step."""
    for i in members_of(transient, k):
        member = transient.member[i]
        g = member.first_G + r * member.nv
        add_scaled(load, transient.G, g, x, member.first_v, member.nv)
