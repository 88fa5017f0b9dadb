"""Small dense blocks in vector registers: products, factors and solves in the sizes of joints.

The compiler does not vectorise such loops, since it must assume that a store changes what is loaded next.
Here a block is loaded, computed in registers and stored. Every lane adds its terms in the order of the loops,
without fused multiply-add, so that results are the same on every machine; on narrower registers an operation
takes two instructions.

Each function takes a tuple of blocks, each as an array and a start index (row by row), and a tuple of sizes.
It returns False, without doing anything, if it has no code for these sizes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

REAL, WHOLE, LANE, TRUTH = ir.DoubleType(), ir.IntType(64), ir.IntType(32), ir.IntType(1)

#: numbers of rows with their own code: pin; ball; revolute and translational
JOINTS = (2, 3, 5)
#: numbers of velocities of rigid bodies: planar, spatial
BODIES = (3, 6)
#: bits of a size in the key of up to three: the tree of a long chain has thousands of velocities
SIZE_BITS = 20


def widths(columns: int) -> list[int]:
    """Widths of the vectors that make up a row of so many columns."""
    parts: list[int] = []
    for width in (4, 2, 1):
        while columns - sum(parts) >= width:
            parts.append(width)
    return parts


def width_of(vector: Any) -> int:
    """Number of lanes."""
    return int(vector.type.count) if isinstance(vector.type, ir.VectorType) else 1


class Row:
    """A row of a block in registers: vectors whose widths add up to its columns."""

    def __init__(self, builder: Any, vectors: list[Any]) -> None:
        self.builder, self.vectors = builder, vectors

    @classmethod
    def of(cls, builder: Any, numbers: list[Any]) -> Row:
        vectors, start = [], 0
        for width in widths(len(numbers)):
            vector = numbers[start]
            if width > 1:
                vector = ir.Constant(ir.VectorType(REAL, width), ir.Undefined)
                for k in range(width):
                    vector = builder.insert_element(vector, numbers[start + k], LANE(k))
            vectors.append(vector)
            start += width
        return cls(builder, vectors)

    def __len__(self) -> int:
        return sum(width_of(v) for v in self.vectors)

    def __add__(self, other: Row) -> Row:
        return Row(self.builder, [self.builder.fadd(a, b) for a, b in zip(self.vectors, other.vectors)])

    def __sub__(self, other: Row) -> Row:
        return Row(self.builder, [self.builder.fsub(a, b) for a, b in zip(self.vectors, other.vectors)])

    def __mul__(self, other: Any) -> Row:
        """Lane by lane with another row, or with one number."""
        right = (
            other.vectors
            if isinstance(other, Row)
            else [self.spread(other, width_of(v)) for v in self.vectors]
        )
        return Row(self.builder, [self.builder.fmul(a, b) for a, b in zip(self.vectors, right)])

    def spread(self, number: Any, width: int) -> Any:
        """A vector with `number` in every lane."""
        if width == 1:
            return number
        empty = ir.Constant(ir.VectorType(REAL, width), ir.Undefined)
        first = self.builder.insert_element(empty, number, LANE(0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(LANE, width), [0] * width))


class Block:
    """A block in memory: array data and start index."""

    def __init__(self, builder: Any, base: Any, start: Any) -> None:
        self.builder, self.base, self.start = builder, base, start

    def pointer(self, k: int) -> Any:
        return self.builder.gep(self.base, [self.builder.add(self.start, WHOLE(k))])

    def number(self, k: int) -> Any:
        return self.builder.load(self.pointer(k), align=8)

    def set(self, k: int, number: Any) -> None:
        self.builder.store(number, self.pointer(k), align=8)

    def numbers(self, rows: int, columns: int) -> list[list[Any]]:
        return [[self.number(columns * r + c) for c in range(columns)] for r in range(rows)]

    def pointers(self, row: int, columns: int) -> list[Any]:
        """Pointers to the vectors of one row."""
        pointers, start = [], row * columns
        for width in widths(columns):
            pointer = self.pointer(start)
            if width > 1:
                pointer = self.builder.bitcast(pointer, ir.VectorType(REAL, width).as_pointer())
            pointers.append(pointer)
            start += width
        return pointers

    def rows(self, rows: int, columns: int) -> list[Row]:
        return [
            Row(self.builder, [self.builder.load(p, align=8) for p in self.pointers(r, columns)])
            for r in range(rows)
        ]

    def store(self, rows: list[Row]) -> None:
        for r, row in enumerate(rows):
            for vector, p in zip(row.vectors, self.pointers(r, len(row))):
                self.builder.store(vector, p, align=8)


def key_of(builder: Any, sizes: Sequence[Any]) -> Any:
    """One number for sizes at run time, each below 2²⁰: `number_of` these sizes and no others."""
    key = WHOLE(0)
    for size in sizes:
        key = builder.add(builder.shl(key, WHOLE(SIZE_BITS)), size)
    return key


def number_of(case: Sequence[int]) -> int:
    """The key of sizes with code."""
    number = 0
    for size in case:
        number = (number << SIZE_BITS) + size
    return number


def by_case(builder: Any, key: Any, cases: Mapping[int, Callable[[], Any]], otherwise: Any) -> Any:
    """Code of the case whose number is `key`, and its value; `otherwise`, a constant, for another key."""
    result = cgutils.alloca_once_value(builder, otherwise)
    end = builder.append_basic_block("end")
    switch = builder.switch(key, end)
    for number, emit in cases.items():
        block = builder.append_basic_block(f"case_{number}")
        switch.add_case(WHOLE(number), block)
        builder.position_at_end(block)
        builder.store(emit(), result)
        builder.branch(end)
    builder.position_at_end(end)
    return builder.load(result)


def done(emit: Callable[..., None], *arguments: Any) -> Any:
    """Emit code; the truth value that there is code."""
    emit(*arguments)
    return TRUTH(1)


def emitted(kind: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of `emit(builder, *numbers)`, which writes the code of a function and returns its value, None
    if it has none.

    The result is a compiled function with the signature `kind`.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def declare(typingctx: Any, *numbers: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                value = emit(builder, *args)
                return context.get_dummy_value() if value is None else value

            return kind, codegen

        # numba looks at the arguments
        functools.update_wrapper(declare, emit)
        return intrinsic(declare)

    return decorate


def for_sizes(cases: Sequence[tuple[int, ...]]) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of `emit(builder, blocks, *sizes)`, which writes the code for given sizes.

    The result is a compiled function f((array, start, ...), (size, ...)) with code for the sizes in `cases`.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def declare(typingctx: Any, blocks: Any, sizes: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                values = cgutils.unpack_tuple(builder, args[0])
                kinds = list(signature.args[0])
                operands = [
                    Block(
                        builder,
                        context.make_array(kinds[k])(context, builder, value=values[k]).data,
                        values[k + 1],
                    )
                    for k in range(0, len(values), 2)
                ]
                key = key_of(builder, cgutils.unpack_tuple(builder, args[1]))
                code = {number_of(case): partial(done, emit, builder, operands, *case) for case in cases}
                return by_case(builder, key, code, TRUTH(0))

            return types.boolean(blocks, sizes), codegen

        declare.__name__ = emit.__name__
        return intrinsic(declare)

    return decorate


def combination(builder: Any, a: Any, B: list[Row]) -> Row:
    """Σ_k a_k B_k of numbers a and rows B."""
    total = B[0] * a[0]
    for a_k, row in zip(a[1:], B[1:]):
        total = total + row * a_k
    return total


@for_sizes([(m, n, 6) for m, n in product((3, 5), repeat=2)] + [(2, 2, 3)])
def add_product(builder, blocks, rows, columns, depth):
    """C += A B, called with (C, A, B), (rows, columns, depth)."""
    C, A, B = blocks
    right = B.rows(depth, columns)
    C.store(
        [c + combination(builder, a, right) for c, a in zip(C.rows(rows, columns), A.numbers(rows, depth))]
    )


@for_sizes(
    [(m, n) for n in BODIES for m in JOINTS]
    + [(n, m) for n in BODIES for m in JOINTS if (n, m) not in {(3, 3)}]
)
def add_combination(builder, blocks, depth, columns):
    """c += aᵀ B, called with (c, a, B), (depth, columns)."""
    c, a, B = blocks
    c.store([c.rows(1, columns)[0] + combination(builder, a.numbers(1, depth)[0], B.rows(depth, columns))])


@for_sizes(list(product(JOINTS, repeat=2)))
def subtract_combination(builder, blocks, depth, columns):
    """c −= aᵀ B, called with (c, a, B), (depth, columns)."""
    c, a, B = blocks
    c.store([c.rows(1, columns)[0] - combination(builder, a.numbers(1, depth)[0], B.rows(depth, columns))])


@for_sizes(list(product(JOINTS, repeat=2)))
def gemv_sub(builder, blocks, rows, columns):
    """c −= A b, called with (c, A, b), (rows, columns)."""
    c, A, b = blocks
    right = b.numbers(1, columns)[0]
    for r, row in enumerate(A.numbers(rows, columns)):
        total = builder.fmul(row[0], right[0])
        for x, y in zip(row[1:], right[1:]):
            total = builder.fadd(total, builder.fmul(x, y))
        c.set(r, builder.fsub(c.number(r), total))


@for_sizes([(m, m, m) for m in JOINTS] + [(3, 5, 5), (5, 3, 5), (3, 3, 5), (5, 5, 3), (3, 5, 3), (5, 3, 3)])
def subtract_gram(builder, blocks, rows, columns, depth):
    """C −= Aᵀ B, called with (C, A, B), (rows, columns, depth)."""
    C, A, B = blocks
    left, right = A.numbers(depth, rows), B.rows(depth, columns)
    C.store(
        [
            c - combination(builder, [left[k][r] for k in range(depth)], right)
            for r, c in enumerate(C.rows(rows, columns))
        ]
    )


@for_sizes([(m,) for m in JOINTS])
def cholesky_block(builder, blocks, n):
    """A ← L with A = L Lᵀ, lower triangle, diagonal inverted; called with (A,), (n,).

    A diagonal entry is not > 0 (it may be NaN) if its pivot is not positive.
    """
    (A,) = blocks
    sqrt = builder.module.declare_intrinsic("llvm.sqrt", [REAL])
    L = A.numbers(n, n)
    for j in range(n):
        d = L[j][j]
        # 1/√d as √d · (1/d): root and quotient are computed in parallel
        L[j][j] = builder.fmul(builder.call(sqrt, [d]), builder.fdiv(REAL(1.0), d))
        for i in range(j + 1, n):
            L[i][j] = builder.fmul(L[i][j], L[j][j])
        for i in range(j + 1, n):
            for k in range(j + 1, i + 1):
                L[i][k] = builder.fsub(L[i][k], builder.fmul(L[i][j], L[k][j]))
    for i in range(n):
        for j in range(i + 1):
            A.set(n * i + j, L[i][j])


@for_sizes(list(product(JOINTS, repeat=2)) + [(m, 1) for m in JOINTS])
def solve_lower_block(builder, blocks, n, columns):
    """B ← L⁻¹ B, called with (L, B), (n, columns)."""
    L, B = blocks
    lower, rows = L.numbers(n, n), B.rows(n, columns)
    for i in range(n):
        rows[i] = rows[i] * lower[i][i]
        for k in range(i + 1, n):
            rows[k] = rows[k] - rows[i] * lower[k][i]
    B.store(rows)


@for_sizes([(m,) for m in JOINTS])
def solve_upper_block(builder, blocks, n):
    """b ← L⁻ᵀ b, called with (L, b), (n,)."""
    L, b = blocks
    lower, x = L.numbers(n, n), b.numbers(1, n)[0]
    for i in range(n - 1, -1, -1):
        x[i] = builder.fmul(x[i], lower[i][i])
        for k in range(i):
            x[k] = builder.fsub(x[k], builder.fmul(x[i], lower[i][k]))
    for i in range(n):
        b.set(i, x[i])


@for_sizes([(m, n) for n in BODIES for m in JOINTS])
def transpose_and_norms(builder, blocks, rows, columns):
    """T ← Gᵀ and s += diag(G W Gᵀ), W diagonal, called with (T, s, G, W), (rows, columns)."""
    T, s, G, W = blocks
    G_rows = G.numbers(rows, columns)
    transposed = [Row.of(builder, [G_rows[r][c] for r in range(rows)]) for c in range(columns)]
    norms = s.rows(1, rows)[0]
    for row, w in zip(transposed, W.numbers(1, columns)[0]):
        norms = norms + row * row * w
    T.store(transposed)
    s.store([norms])


@for_sizes([(m, n) for n in BODIES for m in JOINTS])
def scale_rows(builder, blocks, rows, columns):
    """X ← diag(s) G W and T ← T diag(s), W diagonal, called with (X, T, G, W, s), (rows, columns)."""
    X, T, G, W, s = blocks
    weights, scales = W.rows(1, columns)[0], s.rows(1, rows)[0]
    factors = s.numbers(1, rows)[0]
    X.store([row * weights * factor for row, factor in zip(G.rows(rows, columns), factors)])
    T.store([row * scales for row in T.rows(columns, rows)])
