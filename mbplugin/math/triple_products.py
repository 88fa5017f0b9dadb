"""C ← C + Aᵀ D B in vector registers, for three rows of A and B: what a contact adds to a matrix of bodies.

Terms are added in the order of the rows, without fused multiply-add, as in `blocks.py`.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from mbplugin.math.blocks import BODIES, WHOLE, combination
from mbplugin.math.jit import internal
from mbplugin.math.panels import Panel

#: rows of A and B
DEPTH = 3


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


def _triple(typingctx, C, c_row, A, B, D, d_row, d_column, rows, columns):  # type: ignore[no-untyped-def]
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        C, c_row, A, B, D, d_row, d_column, rows, columns = args
        one = WHOLE(1)
        result = cgutils.alloca_once_value(builder, ir.IntType(1)(0))
        end = builder.append_basic_block("end")
        switch = builder.switch(builder.add(builder.mul(rows, WHOLE(16)), columns), end)
        for m in BODIES:
            for n in BODIES:
                block = builder.append_basic_block(f"sizes_{m}_{n}")
                switch.add_case(WHOLE(16 * m + n), block)
                builder.position_at_end(block)
                emit_product(
                    builder,
                    Panel(builder, C, c_row, one),
                    Panel(builder, A, WHOLE(m), one),
                    Panel(builder, B, WHOLE(n), one),
                    Panel(builder, D, d_row, d_column),
                    m,
                    n,
                )
                builder.store(ir.IntType(1)(1), result)
                builder.branch(end)
        builder.position_at_end(end)
        return builder.load(result)

    return types.boolean(*[types.int64] * 9), codegen


_add_triple: Any = intrinsic(_triple)


@internal
def add_triple_product(C, c_row, A, B, D, d_row, d_column, rows, columns):
    """C += Aᵀ D B; C (rows, columns), A (3, rows), B (3, columns), D (3, 3). Returns False, without doing
    anything, if there is no code for these sizes.

    C, A, B, D: addresses; c_row: distance between rows of C; d_row, d_column: between rows, columns of D
    """
    return _add_triple(C, c_row, A, B, D, d_row, d_column, rows, columns)
