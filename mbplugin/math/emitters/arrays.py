"""Arrays and structures at given addresses, without owners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate as AttributeTemplate
from numba.extending import lower_builtin, lower_cast, models, register_model, type_callable
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


def without_owner(array: Any) -> Any:
    """The same array, whose references are not counted; anything else as it is."""
    return array


@type_callable(without_owner)
def _type_without_owner(context: Any) -> Any:
    return lambda array: Unowned(array.dtype, array.ndim) if isinstance(array, types.Array) else array


@lower_builtin(without_owner, types.Any)
def _without_owner(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = signature.args[0]
    if not isinstance(kind, types.Array):
        return impl_ret_borrowed(context, builder, signature.return_type, args[0])
    array = cgutils.create_struct_proxy(kind)(context, builder, value=args[0])
    shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    return array_at(context, builder, signature.return_type, array.data, shape)
