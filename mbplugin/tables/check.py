"""Whether each index in the records of tables is within what it points at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mbplugin.tables.links import Index, IndexBy, index_hints, index_of
from mbplugin.tables.spec import Array, record_types


class StrayIndexError(Exception):
    """A record points outside; the text names group, record and field."""


def check_indices(tables: Mapping[type, Any]) -> None:
    """Raises StrayIndexError for the first index that is below −1 or behind the end of its group."""
    sizes = {
        group.__name__: len(arrays._asdict().get("index", arrays[0])) for group, arrays in tables.items()
    }
    sizes |= {
        f"{group.__name__}.{name}": len(array)
        for group, arrays in tables.items()
        for name, array in zip(arrays._fields, arrays)
    }
    for group, arrays in tables.items():
        for name, record in record_types(group).items():
            array = getattr(arrays, name)
            for field, target, values, lengths in pointed_at(record, array):
                size = sizes[target]
                # numbers of an element may begin at the end, where it has none
                ends = values + lengths if lengths is not None else values + ("." not in target)
                wrong = (values < -1) | (ends > np.maximum(size, values == 0))
                if wrong.any():
                    k = int(np.argmax(wrong))
                    raise StrayIndexError(
                        f"{group.__name__}.{name}[{k}].{field} = {values[k]}: {target} has {size}"
                    )


def pointed_at(record: Any, array: Array) -> Iterator[tuple[str, str, Array, Array | None]]:
    """Field, group, indices and numbers of neighbours of all indices in an array of records."""
    for field, hint in index_hints(record).items():
        index = index_of(hint)
        if isinstance(index, Index):
            yield field, index.group, array[field], array[index.length] if index.length else None
        elif isinstance(index, IndexBy):
            for value, group in index.groups.items():
                chosen = array[field][array[index.field] == value]
                yield field, group, chosen, None
