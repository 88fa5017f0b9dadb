"""Arrays from the vector of addresses: `view(tables, Markers).x`.

One integer vector holds address and length of every table of a problem. A function with this argument can
access every table, and its type does not depend on the scene. The arrays of `view` do not own their memory,
so there is no reference counting.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

from mbplugin.tables.groups import GROUPS
from mbplugin.tables.spec import Array, specs
from mbplugin.tables.tape import DEPTH

#: entries reserved at the end of the vector for the arrays of a solver, and as many for those of a method
OWN = 128
#: arrays above which a view is inlined by force: LLVM would leave a call that writes them all, 0.25 µs for 85
LARGE = 40
#: group -> index of its first field, in pairs of address and length
FIRST: dict[Any, int] = {}
for _group in GROUPS:
    FIRST[_group] = sum(len(specs(g)) for g in FIRST)
#: length of the vector in pairs of address and length
TABLES = sum(len(specs(g)) for g in GROUPS) + 2 * OWN


def solver_tables(group: Any) -> Any:
    """Declare a NamedTuple as the solver's group of tables; a solver has at most one."""
    return own_tables(group, TABLES - 2 * OWN)


def method_tables(group: Any) -> Any:
    """Declare a NamedTuple as the method's group of tables; a method has at most one."""
    return own_tables(group, TABLES - OWN)


def own_tables(group: Any, first: int) -> Any:
    """Declare a group whose fields begin at `first` of the vector of addresses."""
    if len(specs(group)) > OWN:
        raise TypeError(
            f"{group.__name__} has {len(specs(group))} arrays, more than {OWN}; combine some of them"
        )
    FIRST[group] = first
    return group


def place_of(group: Any, field: str) -> int:
    """Index of an array's address in the vector; its length follows."""
    return 2 * (FIRST[group] + list(specs(group)).index(field))


#: of all functions that are called by address: two integers and the vector of addresses; returns a status
SIGNATURE = types.int64(types.int64, types.int64, types.CPointer(types.int64))


@intrinsic
def call_batch(typingctx: Any, address: Any, first: Any, count: Any, tables: Any) -> Any:
    """Call the function `int64 f(int64 first, int64 count, int64 *tables)` at `address`.

    tables: an array of any type, whose data pointer is passed
    """
    signature = types.int64(types.int64, types.int64, types.int64, tables)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer = ir.IntType(64)
        kind = ir.FunctionType(integer, [integer, integer, integer.as_pointer()])
        function = builder.inttoptr(args[0], kind.as_pointer())
        data = builder.bitcast(
            cgutils.create_struct_proxy(tables)(context, builder, value=args[3]).data, integer.as_pointer()
        )
        return builder.call(function, [args[1], args[2], data])

    return signature, codegen


def view(tables: Array, group: Any) -> Any:
    """The arrays of one group. This body is for Python; compiled code uses the overload below."""
    arrays = []
    for field, spec in specs(group).items():
        place = place_of(group, field)
        address, length = int(tables[place]), int(tables[place + 1])
        shape = (length, spec.columns) if spec.columns else (length,)
        dtype = np.dtype(spec.dtype)
        size = dtype.itemsize * int(np.prod(shape))
        memory = (ctypes.c_byte * size).from_address(address) if size else b""
        array = np.frombuffer(memory, dtype).reshape(shape)
        arrays.append(array.view(np.recarray) if dtype.names else array)
    return group(*arrays)


@intrinsic
def _view_of(typingctx, tables, group):  # type: ignore[no-untyped-def]
    """`view` in compiled code: one array structure per field, without an owner."""
    kind = group.instance_class if hasattr(group, "instance_class") else group.instance_type.instance_class
    fields = specs(kind)
    items = [
        types.Array(numba.from_dtype(np.dtype(spec.dtype)), 2 if spec.columns else 1, "C")
        for spec in fields.values()
    ]
    same = all(item == items[0] for item in items)
    result = types.NamedUniTuple(items[0], len(items), kind) if same else types.NamedTuple(items, kind)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer = ir.IntType(64)
        base = cgutils.create_struct_proxy(tables)(context, builder, value=args[0]).data
        entry = lambda k: builder.load(builder.gep(base, [integer(k)]))
        arrays = []
        for (field, spec), item in zip(fields.items(), items):
            place = place_of(kind, field)
            array = context.make_array(item)(context, builder)
            data = builder.inttoptr(entry(place), array.data.type)
            shape = [entry(place + 1), *([integer(spec.columns)] if spec.columns else [])]
            size = np.dtype(spec.dtype).itemsize
            strides = [integer(size * spec.columns), integer(size)] if spec.columns else [integer(size)]
            populate_array(
                array, data=data, shape=shape, strides=strides, itemsize=integer(size), meminfo=None
            )
            arrays.append(array._getvalue())
        return context.make_tuple(builder, result, arrays)

    return result(tables, group), codegen


def _is_large(group: Any) -> bool:
    kind = group.instance_class if hasattr(group, "instance_class") else group.instance_type.instance_class
    return len(specs(kind)) > LARGE


@overload(view)
def _view(tables, group):  # type: ignore[no-untyped-def]
    return None if _is_large(group) else lambda tables, group: _view_of(tables, group)


@overload(view, jit_options={"forceinline": True})
def _view_of_large(tables, group):  # type: ignore[no-untyped-def]
    return (lambda tables, group: _view_of(tables, group)) if _is_large(group) else None


@intrinsic
def _part_of(typingctx, array, start, count):  # type: ignore[no-untyped-def]
    result = types.Array(array.dtype, 1, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = context.make_array(array)(context, builder, value=args[0])
        integer = ir.IntType(64)
        piece = context.make_array(result)(context, builder)
        data = builder.gep(whole.data, [args[1]])
        populate_array(
            piece, data=data, shape=[args[2]], strides=[integer(8)], itemsize=integer(8), meminfo=None
        )
        return piece._getvalue()

    return result(array, types.int64, types.int64), codegen


@intrinsic
def _table_at(typingctx, address, length):  # type: ignore[no-untyped-def]
    result = types.Array(types.int64, 1, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer = ir.IntType(64)
        array = context.make_array(result)(context, builder)
        populate_array(
            array, data=args[0], shape=[args[1]], strides=[integer(8)], itemsize=integer(8), meminfo=None
        )
        return array._getvalue()

    return result(types.CPointer(types.int64), types.int64), codegen


def part(array: Array, start: int, count: int) -> Array:
    """`array[start : start + count]` of a flat array, which compiles faster than a slice."""
    return array[start : start + count]


@overload(part)
def _part(array, start, count):  # type: ignore[no-untyped-def]
    return lambda array, start, count: _part_of(array, start, count)


@intrinsic
def _words_at(typingctx, address, length):  # type: ignore[no-untyped-def]
    result = types.Array(types.int64, 1, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer = ir.IntType(64)
        array = context.make_array(result)(context, builder)
        data = builder.inttoptr(args[0], array.data.type)
        populate_array(
            array, data=data, shape=[args[1]], strides=[integer(8)], itemsize=integer(8), meminfo=None
        )
        return array._getvalue()

    return result(types.int64, types.int64), codegen


def words_at(address: int, length: int) -> Array:
    """(length,) integers of 8 bytes at an address."""
    return np.ctypeslib.as_array((ctypes.c_int64 * length).from_address(address))


@overload(words_at)
def _words(address, length):  # type: ignore[no-untyped-def]
    return lambda address, length: _words_at(address, length)


@intrinsic
def _stack_at(typingctx, address):  # type: ignore[no-untyped-def]
    result = types.Array(types.float64, 2, "C")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(result)(context, builder)
        data = builder.bitcast(args[0], array.data.type)
        integer = ir.IntType(64)
        shape, strides = [integer(DEPTH), integer(3)], [integer(24), integer(8)]
        populate_array(array, data=data, shape=shape, strides=strides, itemsize=integer(8), meminfo=None)
        return array._getvalue()

    return result(types.CPointer(types.int64)), codegen


def stack_at(address: Any) -> Array:
    """The interpreter's stack (DEPTH, 3) at a pointer, as functions of expressions receive it."""
    return np.ctypeslib.as_array((ctypes.c_double * (3 * DEPTH)).from_address(address)).reshape(DEPTH, 3)


@overload(stack_at)
def _stack(address):  # type: ignore[no-untyped-def]
    return lambda address: _stack_at(address)


def table_at(address: Any, length: int = 2 * TABLES) -> Array:
    """The vector of addresses at a pointer, as batch kernels receive it."""
    return np.ctypeslib.as_array((ctypes.c_int64 * length).from_address(address))


@overload(table_at)
def _table(address, length=2 * TABLES):  # type: ignore[no-untyped-def]
    return lambda address, length=2 * TABLES: _table_at(address, length)
