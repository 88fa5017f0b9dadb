"""Arrays from the vector of addresses: `view(tables, Markers).x`.

One integer vector holds address and length of every table of a problem. A function with this argument can
access every table, and its type does not depend on the scene. In compiled code a view is that vector and
nothing else: an array is made where its name is read. It does not own its memory.
"""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import infer_getattr, lower_builtin, lower_getattr_generic, models, register_model

from mbplugin.math.emitters.arrays import (
    INTEGER,
    WORDS,
    AttributeTemplate,
    Unowned,
    array_at,
    data_of,
    lowered,
    word,
)
from mbplugin.math.emitters.arrays import part as part
from mbplugin.math.emitters.calls import call_at
from mbplugin.tables.groups import GROUPS
from mbplugin.tables.spec import Array, specs
from mbplugin.tables.tape import DEPTH

#: entries reserved at the end of the vector for the arrays of a solver, and as many for those of a method
OWN = 176
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


#: call the function `int64 f(int64 first, int64 count, int64 *tables)` at an address, its first argument
call_batch = call_at


def view(tables: Array, group: Any) -> Any:
    """The arrays of one group. This body is for Python; compiled code has a `GroupView`."""
    first = 2 * FIRST[group]
    return arrays_at(group, np.asarray(tables[first : first + 2 * len(specs(group))]).tobytes())


@functools.lru_cache(maxsize=256)
def arrays_at(group: Any, words: bytes) -> Any:
    """The arrays of a group whose addresses and lengths are these integers: a function in plain Python needs
    the same ones at every call.
    """
    places = np.frombuffer(words, np.int64).reshape(-1, 2)
    arrays = []
    for spec, (address, length) in zip(specs(group).values(), places.tolist()):
        shape = (length, spec.columns) if spec.columns else (length,)
        dtype = np.dtype(spec.dtype)
        size = dtype.itemsize * math.prod(shape)
        memory = (ctypes.c_byte * size).from_address(address) if size else b""
        array = np.frombuffer(memory, dtype).reshape(shape)
        arrays.append(array.view(np.recarray) if dtype.names else array)
    return group(*arrays)


class GroupView(types.Type):
    """The arrays of a group in compiled code: the vector of addresses."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(f"View({kind.__module__}.{kind.__qualname__})")

    def array(self, name: str) -> Any:
        """The type of an array of the group; None if there is none of this name."""
        spec = specs(self.kind).get(name)
        return (
            None
            if spec is None
            else Unowned(numba.from_dtype(np.dtype(spec.dtype)), 2 if spec.columns else 1)
        )


@register_model(GroupView)
class GroupViewModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, WORDS)


@infer_getattr
class GroupArrays(AttributeTemplate):
    key = GroupView

    def generic_resolve(self, group: Any, name: str) -> Any:
        return group.array(name)


@lower_getattr_generic(GroupView)
def group_array(context: Any, builder: Any, group: Any, words: Any, name: str) -> Any:
    place, columns = place_of(group.kind, name), specs(group.kind)[name].columns
    shape = [word(builder, words, place + 1), *([INTEGER(columns)] if columns else [])]
    return array_at(context, builder, group.array(name), word(builder, words, place), shape)


@lowered(view, lambda tables, group: GroupView(group.instance_class), types.Array, types.Any)
def _view(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.bitcast(data_of(context, builder, signature.args[0], args[0]), WORDS)


def tables_of(group: Any) -> Array:
    """The vector of addresses behind the view of a group, in compiled code."""
    raise NotImplementedError


@lowered(tables_of, lambda group: Unowned(types.int64, 1), GroupView)
def _tables_of(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return array_at(context, builder, signature.return_type, args[0], [INTEGER(2 * TABLES)])


def words_at(address: int, length: int) -> Array:
    """(length,) integers of 8 bytes at an address."""
    return np.ctypeslib.as_array((ctypes.c_int64 * length).from_address(address))


@lowered(words_at, lambda address, length: Unowned(types.int64, 1), types.Integer, types.Integer)
def _words(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    address, length = (context.cast(builder, args[k], signature.args[k], types.int64) for k in (0, 1))
    return array_at(context, builder, signature.return_type, address, [length])


def stack_at(address: Any) -> Array:
    """The interpreter's stack (DEPTH, 3) at a pointer, as functions of expressions receive it."""
    return np.ctypeslib.as_array((ctypes.c_double * (3 * DEPTH)).from_address(address)).reshape(DEPTH, 3)


@lowered(stack_at, lambda address: Unowned(types.float64, 2), types.CPointer)
def _stack(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    shape = [INTEGER(DEPTH), INTEGER(3)]
    return array_at(context, builder, signature.return_type, args[0], shape)


def table_at(address: Any, length: int = 2 * TABLES) -> Array:
    """The vector of addresses at a pointer, as batch kernels receive it."""
    return np.ctypeslib.as_array((ctypes.c_int64 * length).from_address(address))


@lowered(table_at, lambda address, length=2 * TABLES: Unowned(types.int64, 1), types.CPointer)
def _table(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return array_at(context, builder, signature.return_type, args[0], [INTEGER(2 * TABLES)])


@lower_builtin(table_at, types.CPointer, types.Integer)
def _table_of_length(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    length = context.cast(builder, args[1], signature.args[1], types.int64)
    return array_at(context, builder, signature.return_type, args[0], [length])
