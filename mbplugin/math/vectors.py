"""Whole arrays of numbers, and parts of them, in compiled code."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from mbplugin.math.jit import internal


def _clear(typingctx, array, start, count):  # type: ignore[no-untyped-def]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, value=args[0]).data
        size = builder.mul(args[2], ir.IntType(64)(8))
        cgutils.memset(builder, builder.gep(data, [args[1]]), size, 0)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), codegen


#: clear(array, start, count): zero `count` numbers of a flat array of float64; a loop with an index takes
#: four times as long
clear: Any = intrinsic(_clear)


@internal
def copy_range(source, first, target, at, count):
    """`count` numbers of `target` from `at` on ← those of `source` from `first` on."""
    for i in range(count):
        target[at + i] = source[first + i]


@internal
def add_scaled(factor, source, first, target, at, count):
    """`count` numbers of `target` from `at` on += factor times those of `source` from `first` on."""
    for i in range(count):
        target[at + i] += factor * source[first + i]


@internal
def copy(source, target):
    """target ← source, number by number."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@internal
def fill(target, value):
    """Set all numbers to a value."""
    for i in range(target.shape[0]):
        target[i] = value


@internal
def sum_of(v):
    """Sum of all numbers."""
    s = 0.0
    for i in range(v.shape[0]):
        s += v[i]
    return s
