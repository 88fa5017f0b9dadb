"""Arrays and structures at given addresses, without owners."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model, type_callable
from numba.np.arrayobj import populate_array

INTEGER = ir.IntType(64)
#: a pointer to integers of 8 bytes
WORDS = INTEGER.as_pointer()


class Unowned(types.Array):
    """An array in memory that nobody owns: its references are not counted."""

    def __init__(self, dtype: Any, ndim: int) -> None:
        super().__init__(dtype, ndim, "C", name=f"unowned({dtype}, {ndim}d)")

    def __repr__(self) -> str:
        return self.name


@register_model(Unowned)
class UnownedModel(models.ArrayModel):
    def traverse(self, builder: Any) -> Any:
        return []


@lower_cast(Unowned, types.Array)
def _as_any_array(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    """Where a variable is this array or one with an owner."""
    return value


def data_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The pointer to the numbers of an array."""
    return cgutils.create_struct_proxy(kind)(context, builder, value=array).data


def word(builder: Any, words: Any, k: int) -> Any:
    """Integer k behind a pointer to integers that nothing changes as long as compiled code runs."""
    loaded = builder.load(builder.gep(words, [INTEGER(k)]))
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def array_at(context: Any, builder: Any, kind: Any, data: Any, shape: Sequence[Any]) -> Any:
    """The array of type `kind` at a pointer or address; its rows follow each other. Nobody owns it."""
    array = context.make_array(kind)(context, builder)
    cast = builder.inttoptr if isinstance(data.type, ir.IntType) else builder.bitcast
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [INTEGER(size)]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    populate_array(
        array,
        data=cast(data, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=INTEGER(size),
        meminfo=None,
    )
    return array._getvalue()


def structure(context: Any, builder: Any, kind: Any, fields: Mapping[str, Any]) -> Any:
    """A structure of type `kind` with these fields."""
    made = cgutils.create_struct_proxy(kind)(context, builder)
    for name, value in fields.items():
        setattr(made, name, value)
    return made._getvalue()


def lowered(function: Any, kind: Any, *arguments: Any) -> Any:
    """Decorator of the code that a function is in compiled code.

    kind: function that returns the type of the result for those of the arguments; arguments: types for which
    there is this code
    """
    type_callable(function)(lambda context: kind)
    return lower_builtin(function, *arguments)


def without_owner(array: Any) -> Any:
    """Array whose references are not counted; anything else as it is."""
    return array


@lowered(
    without_owner,
    lambda array: Unowned(array.dtype, array.ndim) if isinstance(array, types.Array) else array,
    types.Any,
)
def _without_owner(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = signature.args[0]
    if not isinstance(kind, types.Array):
        return impl_ret_borrowed(context, builder, signature.return_type, args[0])
    array = cgutils.create_struct_proxy(kind)(context, builder, value=args[0])
    shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    return array_at(context, builder, signature.return_type, array.data, shape)


def address_of(array: Any, first: int) -> int:
    """The address of number `first` of a flat array of numbers of 8 bytes."""
    return int(array.ctypes.data) + 8 * first


@lowered(address_of, lambda array, first: types.int64, types.Array, types.Integer)
def _address_of(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    first = context.cast(builder, args[1], signature.args[1], types.int64)
    data = builder.gep(data_of(context, builder, signature.args[0], args[0]), [first])
    return builder.ptrtoint(data, INTEGER)


def numbers_at(address: int, length: int) -> Any:
    """(length,) numbers at an address."""
    return np.ctypeslib.as_array((ctypes.c_double * length).from_address(address))


@lowered(numbers_at, lambda address, length: Unowned(types.float64, 1), types.Integer, types.Integer)
def _numbers_at(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    address, length = (context.cast(builder, args[k], signature.args[k], types.int64) for k in (0, 1))
    return array_at(context, builder, signature.return_type, address, [length])


def square(array: Any, n: int) -> Any:
    """A flat array of n n numbers as (n, n)."""
    return array.reshape(n, n)


@lowered(square, lambda array, n: Unowned(array.dtype, 2), types.Array, types.Integer)
def _square(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    n = context.cast(builder, args[1], signature.args[1], types.int64)
    data = data_of(context, builder, signature.args[0], args[0])
    return array_at(context, builder, signature.return_type, data, [n, n])


def part(array: Any, start: int, count: int) -> Any:
    """`array[start : start + count]` of a flat array, which compiles faster than a slice."""
    return array[start : start + count]


@lowered(part, lambda array, start, count: Unowned(array.dtype, 1), types.Array, types.Integer, types.Integer)
def _part(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    start, count = (context.cast(builder, args[k], signature.args[k], types.int64) for k in (1, 2))
    data = builder.gep(data_of(context, builder, signature.args[0], args[0]), [start])
    return array_at(context, builder, signature.return_type, data, [count])


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
