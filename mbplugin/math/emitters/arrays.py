"""Arrays at given addresses, without owners, and calls of functions at given addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_builtin, lower_getattr_generic, type_callable
from numba.np.arrayobj import populate_array

__all__ = [
    "INTEGER",
    "WORDS",
    "AttributeTemplate",
    "array_at",
    "call_at",
    "data_of",
    "infer_getattr",
    "lower_builtin",
    "lower_getattr_generic",
    "structure",
    "type_callable",
    "word",
]

INTEGER = ir.IntType(64)
#: a pointer to integers of 8 bytes
WORDS = INTEGER.as_pointer()


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


@intrinsic
def call_at(typingctx: Any, address: Any, first: Any, count: Any, tables: Any) -> Any:
    """Call the function `int64 f(int64 first, int64 count, int64 *tables)` at `address`.

    tables: an array of any type, whose data pointer is passed
    """
    signature = types.int64(types.int64, types.int64, types.int64, tables)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(INTEGER, [INTEGER, INTEGER, WORDS])
        data = builder.bitcast(data_of(context, builder, tables, args[3]), WORDS)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1], args[2], data])

    return signature, codegen
