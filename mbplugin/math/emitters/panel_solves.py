"""Substitution through one panel of a factored matrix, in vector registers for the sizes in `FIXED`.

Panels as in `panels.py`. The sums over columns of `backward` are taken in four lanes, which are added in
pairs; the order is the same on every machine.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from mbplugin.math.emitters.blocks import LANE, REAL, TRUTH, WHOLE, Row, by_case, done, emitted
from mbplugin.math.emitters.panels import (
    FIXED,
    Panel,
    Sum,
    by_columns,
    solve_lower,
    solve_unit_lower,
    subtract_product,
)
from mbplugin.math.jit import internal

ONE = WHOLE(1)


def for_rows(builder: Any, n: Any, emit: Any) -> Any:
    """Code of `emit(n)` for each size in `FIXED`. Returns whether n is one of them."""
    return by_case(builder, n, {rows: partial(done, emit, rows) for rows in FIXED}, TRUTH(0))


def total_of(builder: Any, vector: Any) -> Any:
    """Sum of the lanes of a vector of 4, in pairs."""
    a, b, c, d = (builder.extract_element(vector, LANE(k)) for k in range(4))
    return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))


@emitted(types.boolean(*[types.int64] * 8))
def _forward_fixed(builder, y, L, l_row, T, t_row, out, n, columns):
    """`forward` for the sizes in `FIXED`; False for others."""
    y_panel, out_panel = Panel(builder, y, ONE, ONE), Panel(builder, out, ONE, ONE)
    l_panel, t_panel = Panel(builder, L, l_row, ONE), Panel(builder, T, t_row, ONE)
    zero = WHOLE(0)

    def emit(rows: int) -> None:
        v = [y_panel.number(WHOLE(r), zero) for r in range(rows)]
        for k in range(rows):
            for r in range(k + 1, rows):
                v[r] = builder.fsub(v[r], builder.fmul(l_panel.number(WHOLE(r), WHOLE(k)), v[k]))
        for r in range(rows):
            builder.store(v[r], y_panel.pointer(WHOLE(r), zero), align=8)

        def strip(c: Any, width: int) -> None:
            total = t_panel.load(zero, c, width) * v[0]
            for r in range(1, rows):
                total = total + t_panel.load(WHOLE(r), c, width) * v[r]
            out_panel.store(zero, c, total)

        by_columns(builder, columns, strip)

    return for_rows(builder, n, emit)


@emitted(types.boolean(*[types.int64] * 8))
def _backward_fixed(builder, y, U, u_row, T, t_row, x, n, columns):
    """`backward` for the sizes in `FIXED`; False for others."""
    y_panel, x_panel = Panel(builder, y, ONE, ONE), Panel(builder, x, ONE, ONE)
    u_panel, t_panel = Panel(builder, U, u_row, ONE), Panel(builder, T, t_row, ONE)
    zero = WHOLE(0)
    lanes = ir.VectorType(REAL, 4)

    def emit(rows: int) -> None:
        sums = [Sum(builder, Row(builder, [ir.Constant(lanes, [REAL(0.0)] * 4)])) for _ in range(rows)]
        full = builder.and_(columns, WHOLE(-4))
        with cgutils.for_range_slice(builder, zero, full, WHOLE(4), WHOLE) as (c, _):
            right = x_panel.load(zero, c, 4)
            for r, s in enumerate(sums):
                s.set(s.row + t_panel.load(WHOLE(r), c, 4) * right)
        rest = [
            builder.fsub(y_panel.number(WHOLE(r), zero), total_of(builder, s.row.vectors[0]))
            for r, s in enumerate(sums)
        ]
        v = [Sum(builder, Row(builder, [number])) for number in rest]
        with cgutils.for_range_slice(builder, full, columns, ONE, WHOLE) as (c, _):
            right = x_panel.load(zero, c, 1)
            for r, s in enumerate(v):
                s.set(s.row - t_panel.load(WHOLE(r), c, 1) * right)
        w = [s.row.vectors[0] for s in v]
        for k in range(rows - 1, -1, -1):
            w[k] = builder.fmul(w[k], u_panel.number(WHOLE(k), WHOLE(k)))
            for r in range(k):
                w[r] = builder.fsub(w[r], builder.fmul(u_panel.number(WHOLE(r), WHOLE(k)), w[k]))
        for r in range(rows):
            builder.store(w[r], y_panel.pointer(WHOLE(r), zero), align=8)

    return for_rows(builder, n, emit)


@emitted(types.void(*[types.int64] * 6))
def _product_row(builder, out, y, T, t_row, n, columns):
    """out ← Tᵀ y for any n."""
    out_panel, y_panel = Panel(builder, out, ONE, ONE), Panel(builder, y, ONE, ONE)
    t_panel, zero = Panel(builder, T, t_row, ONE), WHOLE(0)

    def strip(c: Any, width: int) -> None:
        total = Sum(builder, t_panel.load(zero, c, width) * y_panel.number(zero, zero))
        with cgutils.for_range(builder, n, start=ONE, intp=WHOLE) as loop:
            total.set(total.row + t_panel.load(loop.index, c, width) * y_panel.number(loop.index, zero))
        out_panel.store(zero, c, total.row)

    by_columns(builder, columns, strip)


def _move(subtract: bool) -> Any:
    """`subtract_row`, to −= source, or `copy_row`, to ← source: two addresses of so many numbers."""

    @emitted(types.void(types.int64, types.int64, types.int64))
    def move(builder, to, source, columns):
        to_panel, source_panel = Panel(builder, to, ONE, ONE), Panel(builder, source, ONE, ONE)
        zero = WHOLE(0)

        def strip(c: Any, width: int) -> None:
            row = source_panel.load(zero, c, width)
            if subtract:
                row = to_panel.load(zero, c, width) - row
            to_panel.store(zero, c, row)

        by_columns(builder, columns, strip)

    return move


subtract_row, copy_row = _move(True), _move(False)


@internal
def forward(y, L, l_row, T, t_row, out, n, columns):
    """y ← (1 + L)⁻¹ y, L strictly lower triangular; out ← Tᵀ y; y (n,), T (n, columns), out (columns,).

    y, L, T, out: addresses; l_row, t_row: distances between rows
    """
    if not _forward_fixed(y, L, l_row, T, t_row, out, n, columns):
        solve_unit_lower(y, 1, L, l_row, 1, n, 1)
        _product_row(out, y, T, t_row, n, columns)


@internal
def backward(y, U, u_row, T, t_row, x, n, columns):
    """y ← U⁻¹ (y − T x), U upper triangular with inverted diagonal; y (n,), T (n, columns), x (columns,).

    y, U, T, x: addresses; u_row, t_row: distances between rows
    """
    if not _backward_fixed(y, U, u_row, T, t_row, x, n, columns):
        subtract_product(y, 1, T, t_row, 1, x, 1, n, 1, columns)
        last = 8 * (n - 1)
        corner = U + last * (u_row + 1)
        solve_lower(y + last, -1, corner, -u_row, -1, corner, -u_row - 1, n, 1)
