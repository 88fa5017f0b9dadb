"""Declaration of tables: numbers with one or more columns, or records with named columns.

    x: Floats3                       (n, 3) float64
    index: Records[BlockRecord]      (n,) records of int64, one column for each field of the NamedTuple

Compiled code and Python read the columns of a record by name: `blocks.index[k].first_row`.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

Record = TypeVar("Record")
Array = NDArray[Any]


class Records(Any, Generic[Record]):
    """Annotation of an array of records whose columns are the fields of a NamedTuple."""


class Spec(NamedTuple):
    """Element type and columns of an array."""

    dtype: Any
    columns: int  # 0: a one-dimensional array


Floats = Annotated[Array, Spec("float64", 0)]
Floats3 = Annotated[Array, Spec("float64", 3)]
Floats6 = Annotated[Array, Spec("float64", 6)]
Floats9 = Annotated[Array, Spec("float64", 9)]
Ints = Annotated[Array, Spec("int64", 0)]
Ints2 = Annotated[Array, Spec("int64", 2)]


@functools.cache
def dtype_of(record: Any) -> Any:
    """The numpy dtype of a record: int64 and float64 by the annotations of its fields."""
    types = {int: np.int64, float: np.float64}
    return np.dtype([(name, types[hint]) for name, hint in get_type_hints(record).items()], align=True)


def records(record: Any, rows: Any) -> Any:
    """(n,) records from n tuples of numbers, in the order of the fields."""
    array = np.zeros(len(rows), dtype_of(record))
    for name, column in zip(record._fields, zip(*rows)):
        array[name] = column
    return array.view(np.recarray)


@functools.cache
def specs(group: Any) -> dict[str, Spec]:
    """Field name -> Spec of one group of tables."""
    fields = {}
    for name, hint in get_type_hints(group, include_extras=True).items():
        is_records = get_origin(hint) is Records
        fields[name] = Spec(dtype_of(get_args(hint)[0]), 0) if is_records else hint.__metadata__[0]
    return fields


@functools.cache
def record_types(group: Any) -> dict[str, Any]:
    """Field name -> NamedTuple of those arrays of a group that are records."""
    hints = get_type_hints(group, include_extras=True)
    return {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is Records}


def table(group: Any, n: int = 0, **given: Any) -> Any:
    """One group of tables: the `given` arrays; all others are n zeros."""

    if n == 0 and not given:
        return empty(group)
    arrays = {
        name: given.pop(name) if name in given else blank(spec, n) for name, spec in specs(group).items()
    }
    assert not given, given
    return group(**arrays)


def blank(spec: Spec, n: int) -> Array:
    """n zeros."""
    array = np.zeros((n, spec.columns) if spec.columns else n, spec.dtype)
    return array.view(np.recarray) if array.dtype.names else array


@functools.cache
def empty(group: Any) -> Any:
    """A group of arrays without entries, the same for all: there is nothing to write into."""
    return group(*(blank(spec, 0) for spec in specs(group).values()))
