"""C ← C + Aᵀ D B in vector registers, for three rows of A and B: what a contact adds to a matrix of bodies.

One block at a time, or all four of two rigid bodies.

Terms are added in the order of the rows, without fused multiply-add, as in `blocks.py`.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from numba import types

from mbplugin.math.emitters.blocks import (
    BODIES,
    TRUTH,
    WHOLE,
    by_case,
    combination,
    done,
    emitted,
    key_of,
    number_of,
)
from mbplugin.math.emitters.panels import Panel

#: rows of A and B; velocities of a rigid body
DEPTH, RIGID = 3, 6


def emit_product(builder: Any, C: Panel, A: Panel, B: Panel, D: Panel, rows: int, columns: int) -> None:
    right = [B.load(WHOLE(q), WHOLE(0), columns) for q in range(DEPTH)]
    middle = [
        combination(builder, [D.number(WHOLE(r), WHOLE(q)) for q in range(DEPTH)], right)
        for r in range(DEPTH)
    ]
    for i in range(rows):
        left = [A.number(WHOLE(r), WHOLE(i)) for r in range(DEPTH)]
        change = combination(builder, left, middle)
        C.store(WHOLE(i), WHOLE(0), C.load(WHOLE(i), WHOLE(0), columns) + change)


@emitted(types.boolean(*[types.int64] * 9))
def add_triple_product(builder, C, c_row, A, B, D, d_row, d_column, rows, columns):
    """C += Aᵀ D B; C (rows, columns), A (3, rows), B (3, columns), D (3, 3). Returns False, without doing
    anything, if there is no code for these sizes.

    C, A, B, D: addresses; c_row: distance between rows of C; d_row, d_column: between rows, columns of D
    """

    def emit(m: int, n: int) -> None:
        at = lambda address, row: Panel(builder, address, row, WHOLE(1))
        slope = Panel(builder, D, d_row, d_column)
        emit_product(builder, at(C, c_row), at(A, WHOLE(m)), at(B, WHOLE(n)), slope, m, n)

    cases = {number_of(case): partial(done, emit, *case) for case in product(BODIES, repeat=2)}
    return by_case(builder, key_of(builder, (rows, columns)), cases, TRUTH(0))


@emitted(types.void(*[types.int64] * 10))
def add_pair_products(builder, AA, a_row, BB, b_row, AB, BA, ab_row, A, B, D):
    """AA += Aᵀ D A, BB += Bᵀ D B, AB += Aᵀ D B and, unless BA is 0, BA += Aᵀ Dᵀ B.

    A, B (3, 6), D (3, 3), all by their addresses; a_row, b_row, ab_row: distances between the rows of
    AA, of BB, of AB and BA
    """
    at = lambda address, row: Panel(builder, address, row, WHOLE(1))
    left, right, slope = at(A, WHOLE(RIGID)), at(B, WHOLE(RIGID)), at(D, WHOLE(DEPTH))
    rows = [[P.load(WHOLE(q), WHOLE(0), RIGID) for q in range(DEPTH)] for P in (left, right)]
    d = [[slope.number(WHOLE(r), WHOLE(q)) for q in range(DEPTH)] for r in range(DEPTH)]
    D_A, D_B = ([combination(builder, row, given) for row in d] for given in rows)
    rotated = [combination(builder, list(column), rows[1]) for column in zip(*d)]

    def add(C: Panel, i: int, of: Panel, middle: list[Any]) -> None:
        change = combination(builder, [of.number(WHOLE(r), WHOLE(i)) for r in range(DEPTH)], middle)
        C.store(WHOLE(i), WHOLE(0), C.load(WHOLE(i), WHOLE(0), RIGID) + change)

    for i in range(RIGID):
        add(at(AA, a_row), i, left, D_A)
        add(at(AB, ab_row), i, left, D_B)
        add(at(BB, b_row), i, right, D_B)
    with builder.if_then(builder.icmp_signed("!=", BA, WHOLE(0))):
        for i in range(RIGID):
            add(at(BA, ab_row), i, left, rotated)
