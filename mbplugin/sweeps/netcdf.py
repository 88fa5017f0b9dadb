"""NetCDF 3 with 64-bit offsets ("CDF-2"), as far as a sweep needs it: float64, int8 and letters, no record
dimension.

Layout: NetCDF Classic Format Specification (Unidata). The bytes are those that `scipy.io.netcdf_file` writes
for the same variables, which the tests compare; importing that takes 0.07 s.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

MAGIC = b"CDF\x02"
DIMENSIONS, VARIABLES, ATTRIBUTES = 10, 11, 12  # tags of lists
#: number of a type in a file -> type of numpy
TYPES = {1: np.dtype("i1"), 2: np.dtype("S1"), 6: np.dtype(">f8")}
NUMBERS = {("i", 1): 1, ("S", 1): 2, ("f", 8): 6}
#: what fills the rest of four bytes behind values of int8; 0 for others
FILL = b"\x81"
#: length of a variable in bytes where it does not fit into 32 bits
LARGE = 2**32 - 1


class Stored(NamedTuple):
    """A variable of a file."""

    dims: tuple[str, ...]
    values: Array  # float64, int8 or S1
    attributes: Mapping[str, Any] = {}  # bytes, or arrays (n,) of int8


def encode(variables: Mapping[str, Stored], attributes: Mapping[str, Any]) -> bytes:
    """The bytes of a file. Variables are in the order of their shapes, the largest first."""
    lengths: dict[str, int] = {}
    for variable in variables.values():
        lengths |= dict(zip(variable.dims, variable.values.shape))
    numbers = {name: number for number, name in enumerate(lengths)}
    dimensions = [text(name) + struct.pack(">i", length) for name, length in lengths.items()]
    head = MAGIC + struct.pack(">i", 0) + listed(DIMENSIONS, dimensions) + attribute_list(attributes)
    order = sorted(variables, key=lambda name: variables[name].values.shape, reverse=True)
    blocks = [block_of(variables[name].values) for name in order]

    def described(begin: int) -> bytes:
        rows = []
        for name, block in zip(order, blocks):
            dims, values, own = variables[name]
            of_dims = struct.pack(f">{len(dims) + 1}i", len(dims), *(numbers[dim] for dim in dims))
            place = struct.pack(">iIq", number_of(values), min(len(block), LARGE), begin)
            rows.append(text(name) + of_dims + attribute_list(own) + place)
            begin += len(block)
        return listed(VARIABLES, rows)

    begin = len(head) + len(described(0))
    return b"".join([head, described(begin), *blocks])


def decode(data: bytes) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and the attributes of a file. Raises ValueError, struct.error, KeyError, OverflowError or
    UnicodeDecodeError if it is damaged.
    """
    reader = Reader(data)
    if reader.take(4) != MAGIC or reader.integer() != 0:
        raise ValueError("it is no file of this kind")
    lengths = [(reader.text(), reader.integer())[1] for _ in range(reader.count(DIMENSIONS))]
    attributes = reader.attributes()
    arrays = {}
    for _ in range(reader.count(VARIABLES)):
        name = reader.text()
        dims = [reader.integer() for _ in range(reader.integer())]
        shape = tuple(lengths[dim] for dim in dims)
        reader.attributes()
        kind, _, begin = struct.unpack(">iIq", reader.take(16))
        values = np.frombuffer(data, TYPES[kind], int(np.prod(shape, dtype=object)), begin).reshape(shape)
        arrays[name] = values.astype(values.dtype.newbyteorder("="))
    return arrays, attributes


class Reader:
    """Reads the head of a file from its beginning."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if not 0 <= count <= len(self.data) - self.place:
            raise ValueError("it ends too early")
        self.place += count
        return self.data[self.place - count : self.place]

    def integer(self) -> int:
        """A number that is not negative."""
        (value,) = struct.unpack(">i", self.take(4))
        if value < 0:
            raise ValueError(f"a length is {value}")
        return int(value)

    def count(self, tag: int) -> int:
        """The length of a list."""
        found, count = self.integer(), self.integer()
        if found != tag and (found, count) != (0, 0):
            raise ValueError(f"a list has the tag {found}, not {tag}")
        return count

    def block(self, length: int) -> bytes:
        """Bytes that are filled up to a multiple of four."""
        return self.take(length + -length % 4)[:length]

    def text(self) -> str:
        return self.block(self.integer()).decode()

    def attributes(self) -> dict[str, Any]:
        """Name -> bytes or array."""
        found = {}
        for _ in range(self.count(ATTRIBUTES)):
            name, kind, count = self.text(), TYPES[self.integer()], self.integer()
            content = self.block(count * kind.itemsize)
            found[name] = content if kind.kind == "S" else np.frombuffer(content, kind)
        return found


def number_of(values: Array) -> int:
    """The number of the type of an array."""
    return NUMBERS[values.dtype.kind, values.dtype.itemsize]


def big_endian(values: Array) -> Array:
    return values.astype(values.dtype.newbyteorder(">"))


def block_of(values: Array) -> bytes:
    """The values of a variable as they stand in a file."""
    return padded(big_endian(values).tobytes(), FILL if values.dtype.kind == "i" else b"\0")


def padded(data: bytes, fill: bytes = b"\0") -> bytes:
    """Filled up to a multiple of four bytes."""
    return data + fill * (-len(data) % 4)


def text(name: str) -> bytes:
    """A name with its length."""
    data = name.encode()
    return struct.pack(">i", len(data)) + padded(data)


def listed(tag: int, rows: Sequence[bytes]) -> bytes:
    """A list with its tag and its length."""
    return struct.pack(">ii", tag if rows else 0, len(rows)) + b"".join(rows)


def attribute_list(attributes: Mapping[str, Any]) -> bytes:
    """Attributes, which are bytes or arrays."""
    rows = []
    for name, value in attributes.items():
        values = np.frombuffer(value, "S1") if isinstance(value, bytes) else value
        head = text(name) + struct.pack(">ii", number_of(values), len(values))
        rows.append(head + padded(big_endian(values).tobytes()))
    return listed(ATTRIBUTES, rows)
