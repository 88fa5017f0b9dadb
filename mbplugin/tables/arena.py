"""One memory block for all tables of a system.

Separately allocated arrays begin at page boundaries. Kernels that traverse several of them in parallel then
suffer from 4K aliasing: a load waits for an earlier store whose address agrees in the last twelve bits. Here
every long array starts at a different offset within its page. Short ones stand one behind the other, so that
the block of a small system is copied in microseconds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.tables.spec import Array, specs

PAGE, LINE = 4096, 64
#: cache lines between the page offsets of consecutive long arrays; odd, so that 64 arrays have 64 offsets
STRIDE = 39
#: bytes up to which an array is short
SHORT = 1024
#: attributes of an array; records look for a column of the name first, in Python
nbytes_of, dtype_of, shape_of = (getattr(np.ndarray, name).__get__ for name in ("nbytes", "dtype", "shape"))


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
        """The block of these tables, with what they hold."""
        end = count = 0
        places: dict[type, dict[str, Place]] = {}
        for group, arrays in tables.items():
            places[group] = of_group = {}
            for name, array in zip(specs(group), arrays):
                start, size = end, nbytes_of(array)
                if size > SHORT:
                    start = end + (count * STRIDE * LINE % PAGE - end) % PAGE
                    count += 1
                of_group[name] = Place(start, size, dtype_of(array), shape_of(array), type(array))
                end = start + -(-size // LINE) * LINE
        memory = block(end)
        for group, arrays in tables.items():
            for array, place in zip(arrays, places[group].values()):
                if place.bytes:
                    content = np.frombuffer(np.ndarray.tobytes(array), np.uint8)
                    memory[place.start : place.start + place.bytes] = content
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


def block(size: int) -> Array:
    """(size,) bytes, zero, from a page boundary on."""
    memory = np.zeros(size + PAGE, np.uint8)
    start = -memory.ctypes.data % PAGE
    return memory[start : start + size]
