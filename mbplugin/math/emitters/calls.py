"""Calls of functions at addresses that are known when machine code runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from inspect import signature
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

from mbplugin.math.emitters.arrays import INTEGER, WORDS, data_of

#: of all functions that are called by address: two integers and the vector of addresses; returns a status
KIND = ir.FunctionType(INTEGER, [INTEGER, INTEGER, WORDS])


def called(context: Any, builder: Any, address: Any, numbers: Any, kind: Any, tables: Any) -> Any:
    """Call the function at an address with two integers and the data of an array of type `kind`."""
    data = builder.bitcast(data_of(context, builder, kind, tables), WORDS)
    return builder.call(builder.inttoptr(address, KIND.as_pointer()), [*numbers, data])


@intrinsic
def call_at(typingctx: Any, address: Any, first: Any, count: Any, tables: Any) -> Any:
    """Call the function `int64 f(int64 first, int64 count, int64 *tables)` at `address`.

    tables: an array of any type, whose data pointer is passed
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return called(context, builder, args[0], args[1:3], tables, args[3])

    return types.int64(types.int64, types.int64, types.int64, tables), codegen


def named_cell(symbol: str) -> ctypes.c_int64:
    """An integer of this process that machine code finds by its symbol."""
    cell = ctypes.c_int64(0)
    binding.add_symbol(symbol, ctypes.addressof(cell))
    return cell


def call_of_cell(python: Callable[..., Any], symbol: str) -> Any:
    """Function that compiled code calls as `python(tables, first, second)`: the function whose address a cell
    has.
    """
    numbers = len(signature(python).parameters) - 1

    def typed(tables: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            module = builder.module
            cell = module.globals.get(symbol)
            if cell is None:
                cell = ir.GlobalVariable(module, INTEGER, symbol)
                cell.linkage = "external"
            whole = [*args[1:], INTEGER(0), INTEGER(0)][:2]
            return called(context, builder, builder.load(cell), whole, tables, args[0])

        return types.int64(tables, *[types.int64] * numbers), codegen

    # numba looks at the arguments
    declare: Any = (
        lambda typingctx, tables: typed(tables),
        lambda typingctx, tables, first: typed(tables),
        lambda typingctx, tables, first, second: typed(tables),
    )[numbers]
    declare.__name__, declare.__doc__ = python.__name__, python.__doc__
    declare.__module__, declare.__qualname__ = python.__module__, python.__qualname__
    return intrinsic(declare)
