"""One memory block for all tables of a system.

Separately allocated arrays begin at page boundaries. Kernels that traverse several of them in parallel then
suffer from 4K aliasing: a load waits for an earlier store whose address agrees in the last twelve bits. Here
every long array starts at a different offset within its page. Short ones stand one behind the other, so that
the block of a small system is copied in microseconds.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from mbplugin.tables.spec import Array, empty, specs

PAGE, LINE = 4096, 64
#: cache lines between the page offsets of consecutive long arrays; odd, so that 64 arrays have 64 offsets
STRIDE = 39
#: bytes up to which an array is short
SHORT = 1024
#: readers of attributes: `array.shape` of records would first search their columns for that name, in Python
nbytes_of, dtype_of, shape_of = (getattr(np.ndarray, name).__get__ for name in ("nbytes", "dtype", "shape"))
bytes_of = np.ndarray.tobytes
PADDING = bytes(LINE)


class Place(NamedTuple):
    """An array in the block."""

    start: int
    bytes: int
    dtype: Any
    shape: tuple[int, ...]
    kind: Any  # type of the array


class Arena:
    """The block, and the places of the arrays of each group."""

    def __init__(self, memory: Array, places: dict[type, dict[str, Place]]) -> None:
        self.memory, self.places = memory, places

    @classmethod
    def of(cls, tables: dict[type, Any]) -> Arena:
        """A block with the content of these tables: short arrays first, then the long ones."""
        places: dict[type, dict[str, Place]] = {}
        short: list[bytes] = []
        long: list[tuple[dict[str, Place], str, Array]] = []
        end = 0
        for group, arrays in tables.items():
            if arrays is empty(group):
                places[group] = nowhere(group)
                continue
            places[group] = of_group = {}
            for name, array in zip(specs(group), arrays):
                size = nbytes_of(array)
                of_group[name] = Place(end, size, dtype_of(array), shape_of(array), type(array))
                if size > SHORT:
                    long.append((of_group, name, array))
                elif size:
                    short += bytes_of(array), PADDING[: -size % LINE]
                    end += size + -size % LINE
        content = b"".join(short)
        for count, (of_group, name, _) in enumerate(long):
            place = of_group[name]
            start = end + (count * STRIDE * LINE % PAGE - end) % PAGE
            of_group[name] = place._replace(start=start)
            end = start + place.bytes + -place.bytes % LINE
        memory = block(end)
        memory[: len(content)] = np.frombuffer(content, np.uint8)
        for of_group, name, array in long:
            place = of_group[name]
            memory[place.start : place.start + place.bytes] = np.frombuffer(bytes_of(array), np.uint8)
        return cls(memory, places)

    @property
    def address(self) -> int:
        return int(self.memory.ctypes.data)

    def copy(self) -> Arena:
        """A block of its own with the same content and the same offsets within pages."""
        memory = block(len(self.memory))
        memory[:] = self.memory
        return Arena(memory, self.places)

    def group(self, group: type) -> Any:
        """The arrays of a group, as views."""
        memory = self.memory
        return group(
            *(
                np.ndarray.__new__(kind, shape, dtype, memory, start)
                for start, _, dtype, shape, kind in self.places[group].values()
            )
        )

    def array(self, group: type, name: str) -> Array:
        """One of them."""
        start, _, dtype, shape, kind = self.places[group][name]
        return np.ndarray.__new__(kind, shape, dtype, self.memory, start)


@functools.cache
def nowhere(group: Any) -> dict[str, Place]:
    """Places of the arrays of a group without entries."""
    arrays = zip(specs(group), empty(group))
    return {name: Place(0, 0, dtype_of(array), shape_of(array), type(array)) for name, array in arrays}


def block(size: int) -> Array:
    """(size,) bytes of zero that begin at a page boundary."""
    memory = np.zeros(size + PAGE, np.uint8)
    start = -memory.ctypes.data % PAGE
    return memory[start : start + size]
