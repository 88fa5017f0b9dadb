"""Products and triangular solves of panels: dense matrices inside larger arrays, of any size.

Like `blocks.py`, with loops instead of sizes known in advance: columns are taken eight at a time in vector
registers, rows three at a time. Every number of a result adds its terms in the order of the loops, without
fused multiply-add, so that results are the same on every machine.

A panel is given by the address of its first number (`at`) and the distance between its rows, in numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from mbplugin.math.emitters.blocks import REAL, TRUTH, WHOLE, Row, by_case, done, emitted, widths
from mbplugin.math.jit import inlined, internal

#: columns and rows that are computed at a time
COLUMNS, ROWS = 8, 3
#: sizes of diagonal blocks that are factored in registers
FIXED = (1, 2, 3, 4, 5, 6)


@inlined
def at(array, k):
    """Address of number k of a flat array of int64 or float64."""
    return array.ctypes.data + 8 * k


class Panel:
    """A matrix in memory: address of its first number, distances between rows and between columns."""

    def __init__(self, builder: Any, address: Any, row: Any, column: Any) -> None:
        self.builder, self.row, self.column = builder, row, column
        self.base = builder.inttoptr(address, REAL.as_pointer())

    def pointer(self, r: Any, c: Any) -> Any:
        b = self.builder
        return b.gep(self.base, [b.add(b.mul(r, self.row), b.mul(c, self.column))])

    def number(self, r: Any, c: Any) -> Any:
        return self.builder.load(self.pointer(r, c), align=8)

    def pieces(self, r: Any, c: Any, width: int) -> list[Any]:
        """Pointers to the vectors of `width` neighbouring numbers."""
        b, pointers, start = self.builder, [], 0
        first = self.pointer(r, c)
        for lanes in widths(width):
            pointer = b.gep(first, [WHOLE(start)])
            if lanes > 1:
                pointer = b.bitcast(pointer, ir.VectorType(REAL, lanes).as_pointer())
            pointers.append(pointer)
            start += lanes
        return pointers

    def load(self, r: Any, c: Any, width: int) -> Row:
        return Row(self.builder, [self.builder.load(p, align=8) for p in self.pieces(r, c, width)])

    def store(self, r: Any, c: Any, row: Row) -> None:
        for vector, p in zip(row.vectors, self.pieces(r, c, len(row))):
            self.builder.store(vector, p, align=8)


class Sum:
    """A row that a loop changes; the compiler keeps it in registers."""

    def __init__(self, builder: Any, row: Row) -> None:
        self.builder = builder
        self.places = [cgutils.alloca_once(builder, v.type) for v in row.vectors]
        self.set(row)

    def set(self, row: Row) -> None:
        for vector, place in zip(row.vectors, self.places):
            self.builder.store(vector, place)

    @property
    def row(self) -> Row:
        return Row(self.builder, [self.builder.load(p) for p in self.places])


def by_columns(builder: Any, columns: Any, emit: Callable[[Any, int], None]) -> None:
    """Code of `emit(first column, width)` for all columns, `COLUMNS` at a time."""
    full = builder.and_(columns, WHOLE(-COLUMNS))
    with cgutils.for_range_slice(builder, WHOLE(0), full, WHOLE(COLUMNS), WHOLE) as (c, _):
        emit(c, COLUMNS)
    rest = {width: partial(done, emit, full, width) for width in range(1, COLUMNS)}
    by_case(builder, builder.sub(columns, full), rest, TRUTH(0))


@emitted(types.void(*[types.int64] * 10))
def _subtract_product(builder, C, c_row, A, a_row, a_column, B, b_row, rows, columns, depth):
    one = WHOLE(1)
    c_panel = Panel(builder, C, c_row, one)
    a_panel = Panel(builder, A, a_row, a_column)
    b_panel = Panel(builder, B, b_row, one)

    def tile(r: Any, count: int, c: Any, width: int) -> None:
        places = [builder.add(r, WHOLE(i)) for i in range(count)]
        sums = [Sum(builder, c_panel.load(p, c, width)) for p in places]
        with cgutils.for_range(builder, depth, intp=WHOLE) as loop:
            right = b_panel.load(loop.index, c, width)
            for place, s in zip(places, sums):
                s.set(s.row - right * a_panel.number(place, loop.index))
        for place, s in zip(places, sums):
            c_panel.store(place, c, s.row)

    def strip(c: Any, width: int) -> None:
        full = builder.mul(builder.udiv(rows, WHOLE(ROWS)), WHOLE(ROWS))
        with cgutils.for_range_slice(builder, WHOLE(0), full, WHOLE(ROWS), WHOLE) as (r, _):
            tile(r, ROWS, c, width)
        left = builder.sub(rows, full)
        for count in range(1, ROWS):
            with builder.if_then(builder.icmp_signed("==", left, WHOLE(count))):
                tile(full, count, c, width)

    by_columns(builder, columns, strip)


def _solve(scaled: bool, copied: bool) -> Any:
    """The code of `solve_unit_lower`, of `solve_lower` (scaled), or of `solve_and_scale` (copied)."""

    @emitted(types.void(*[types.int64] * 10))
    def solve(builder, T, t_row, L, l_row, l_column, D, d_row, S, n, columns):
        t_panel, s_panel = (Panel(builder, P, t_row, WHOLE(1)) for P in (T, S))
        l_panel = Panel(builder, L, l_row, l_column)
        d_panel = Panel(builder, D, d_row, WHOLE(1))

        def strip(c: Any, width: int) -> None:
            with cgutils.for_range(builder, n, intp=WHOLE) as outer:
                total = Sum(builder, t_panel.load(outer.index, c, width))
                with cgutils.for_range(builder, outer.index, intp=WHOLE) as inner:
                    factor = l_panel.number(outer.index, inner.index)
                    total.set(total.row - t_panel.load(inner.index, c, width) * factor)
                row = total.row
                if scaled or copied:
                    row = row * d_panel.number(outer.index, WHOLE(0))
                t_panel.store(outer.index, c, row if scaled else total.row)
                if copied:
                    s_panel.store(outer.index, c, row)

        by_columns(builder, columns, strip)

    return solve


_solve_unit_lower, _solve_lower, _solve_and_scale = (
    _solve(False, False),
    _solve(True, False),
    _solve(False, True),
)


@internal
def subtract_product(C, c_row, A, a_row, a_column, B, b_row, rows, columns, depth):
    """C −= A B; C (rows, columns), A (rows, depth), B (depth, columns).

    C, A, B: addresses; c_row, a_row, b_row: distances between rows; a_column: between the columns of A
    """
    _subtract_product(C, c_row, A, a_row, a_column, B, b_row, rows, columns, depth)


@internal
def solve_unit_lower(T, t_row, L, l_row, l_column, n, columns):
    """T ← (1 + L)⁻¹ T, L strictly lower triangular; T (n, columns).

    T, L: addresses; t_row, l_row, l_column: distances between rows and columns
    """
    _solve_unit_lower(T, t_row, L, l_row, l_column, T, 0, T, n, columns)


@internal
def solve_lower(T, t_row, L, l_row, l_column, D, d_row, n, columns):
    """T ← (D⁻¹ + L)⁻¹ T, L strictly lower triangular, D diagonal; T (n, columns).

    T, L, D: addresses; t_row, l_row, l_column: distances between rows and columns; d_row: between numbers of
    D
    """
    _solve_lower(T, t_row, L, l_row, l_column, D, d_row, T, n, columns)


@internal
def solve_and_scale(T, t_row, L, l_row, l_column, D, d_row, S, n, columns):
    """T ← (1 + L)⁻¹ T as by `solve_unit_lower`, and S ← D T; S: address of a panel like T."""
    _solve_and_scale(T, t_row, L, l_row, l_column, D, d_row, S, n, columns)


def _factor(symmetric: bool) -> Any:
    """The code of `factor_diagonal` for the sizes in `FIXED`: 1 done, 0 bad pivot, −1 another size."""

    @emitted(types.int64(types.int64, types.int64, types.int64))
    def factor(builder, a, a_row, size):
        panel = Panel(builder, a, a_row, WHOLE(1))
        cases = {n: partial(emit_factor, builder, panel, n, symmetric) for n in FIXED}
        return by_case(builder, size, cases, WHOLE(-1))

    return factor


def emit_factor(builder: Any, panel: Panel, n: int, symmetric: bool) -> Any:
    """Factor a block of n rows in registers; returns 1 if all pivots are good, else 0."""
    b = builder
    A = [
        [panel.number(WHOLE(r), WHOLE(c)) if c >= r or not symmetric else None for c in range(n)]
        for r in range(n)
    ]
    good = TRUTH(1)
    for k in range(n):
        pivot = A[k][k]
        # as two comparisons each, which are false for NaN
        positive = b.and_(b.fcmp_ordered(">", pivot, REAL(0.0)), b.fcmp_ordered("<", pivot, REAL(1e300)))
        negative = b.and_(b.fcmp_ordered("<", pivot, REAL(0.0)), b.fcmp_ordered(">", pivot, REAL(-1e300)))
        good = b.and_(good, b.or_(positive, negative))
        A[k][k] = inverse = b.fdiv(REAL(1.0), pivot)
        left = [A[k][i] if symmetric else A[i][k] for i in range(n)]
        for i in range(k + 1, n):
            A[i][k] = b.fmul(left[i], inverse)
        for i in range(k + 1, n):
            for j in range(i if symmetric else k + 1, n):
                if i == j == k + 1:
                    # the next pivot waits only for one product after the division
                    change = b.fmul(b.fmul(left[i], A[k][j]), inverse)
                else:
                    change = b.fmul(A[i][k], A[k][j])
                A[i][j] = b.fsub(A[i][j], change)
    for r in range(n):
        for c in range(n):
            b.store(A[r][c], panel.pointer(WHOLE(r), WHOLE(c)), align=8)
    return b.zext(good, WHOLE)


_factor_symmetric, _factor_general = _factor(True), _factor(False)


@internal
def factor_diagonal(a, start, row, n, symmetric):
    """Overwrite a diagonal block with its factors: A = (1 + L) U, pivots inverted. No exchanges.

    row: distance between its rows; symmetric: only the upper triangle is read, U = D (1 + L)ᵀ
    Returns False if a pivot is zero or not finite.
    """
    done = _factor_symmetric(at(a, start), row, n) if symmetric else _factor_general(at(a, start), row, n)
    if done >= 0:
        return done == 1
    for k in range(n):
        rk = start + k * row
        d = a[rk + k]
        if not 0.0 < abs(d) < 1e300:
            return False
        d = 1.0 / d
        a[rk + k] = d
        for i in range(k + 1, n):
            ri = start + i * row
            f = (a[rk + i] if symmetric else a[ri + k]) * d
            a[ri + k] = f
            for j in range(i if symmetric else k + 1, n):
                a[ri + j] -= f * a[rk + j]
    return True
