"""Three rows of six numbers, those of a contact and a rigid body, times vectors; in vector registers.

Terms are added in a fixed order, without fused multiply-add, as in `blocks.py`.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from mbplugin.math.emitters.blocks import LANE, WHOLE, combination, emitted
from mbplugin.math.emitters.panels import Panel

ROWS, COLUMNS = 3, 6


def total(builder: Any, row: Any) -> Any:
    """The sum of six numbers, ((x₀ + x₂) + x₄) + ((x₁ + x₃) + x₅)."""
    four, two = row.vectors
    half = lambda *lanes: builder.shuffle_vector(four, four, ir.Constant(ir.VectorType(LANE, 2), lanes))
    pair = builder.fadd(builder.fadd(half(0, 1), half(2, 3)), two)
    return builder.fadd(*(builder.extract_element(pair, LANE(k)) for k in range(2)))


@emitted(types.UniTuple(types.float64, ROWS)(types.int64, types.int64))
def three_rates(builder, A, x):
    """A x as three numbers; A (3, 6), x (6,), by their addresses."""
    rows, vector = (Panel(builder, address, WHOLE(COLUMNS), WHOLE(1)) for address in (A, x))
    right = vector.load(WHOLE(0), WHOLE(0), COLUMNS)
    sums = [total(builder, rows.load(WHOLE(r), WHOLE(0), COLUMNS) * right) for r in range(ROWS)]
    return cgutils.pack_array(builder, sums)


@emitted(types.void(types.int64, *[types.float64] * ROWS, types.int64))
def add_three(builder, A, a, b, c, x):
    """x ← x + Aᵀ (a, b, c); A (3, 6), x (6,), by their addresses."""
    rows, vector = (Panel(builder, address, WHOLE(COLUMNS), WHOLE(1)) for address in (A, x))
    change = combination(builder, [a, b, c], [rows.load(WHOLE(r), WHOLE(0), COLUMNS) for r in range(ROWS)])
    vector.store(WHOLE(0), WHOLE(0), vector.load(WHOLE(0), WHOLE(0), COLUMNS) + change)
