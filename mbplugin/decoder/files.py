"""Metadata and chunks of the arrays of a store as files."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

#: the format of a store that is read and written
FORMAT, VERSION = "mbplugin result", 3
CHECKSUM_BYTES = 4
#: to open a FIFO for reading would wait for a writer
WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
#: types of numbers in a store
TYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint8", "bool")
#: more frames or rows than that are no count
MOST = 2**40


class Damaged(Exception):
    """A file of the store is missing, too short, or does not match its checksum; str() says which."""


def demand(holds: bool, damage: str) -> None:
    """Raises Damaged unless it holds."""
    if not holds:
        raise Damaged(damage)


def chunk_name(index: int, ndim: int) -> str:
    """File name of chunk `index` along the first axis; the other axes have one chunk."""
    return ".".join(["c", str(index)] + ["0"] * (ndim - 1)) if ndim else "c"


def read_regular(path: Path, size: int | None = None) -> bytes:
    """The content of a regular file of `size` bytes. Raises Damaged; a FIFO or a device is not waited for."""
    try:
        number = os.open(path, WITHOUT_WAITING)
        try:
            present = os.fstat(number)
            demand(stat.S_ISREG(present.st_mode), "is not a regular file")
            demand(size in (None, present.st_size), f"has {present.st_size} bytes, {size} expected")
            with open(number, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(number)
    except FileNotFoundError:
        raise Damaged("is missing") from None
    except OSError as error:
        raise Damaged(f"cannot be read: {error.strerror or error}") from None


def chunk_bytes(shape: Sequence[int], dtype: np.dtype) -> int:
    """Size of the file of a chunk."""
    return math.prod(shape) * dtype.itemsize + CHECKSUM_BYTES


def finite(text: str) -> float:
    """The number in a text. Raises ValueError for nan and infinity, which could not be written again."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def read_node(folder: Path) -> dict[str, Any]:
    """Metadata of the group or array in `folder`. Raises Damaged if it is missing or unreadable."""
    try:
        content = read_regular(folder / "zarr.json")
        node = json.loads(content, parse_constant=finite, parse_float=finite)
    except Damaged as reason:
        raise Damaged(f"zarr.json {reason}") from None
    except (ValueError, RecursionError):
        raise Damaged("zarr.json is not readable as JSON") from None
    known = isinstance(node, dict) and node.get("node_type") in ("group", "array")
    demand(known, "zarr.json describes neither a group nor an array")
    described = isinstance(node.setdefault("attributes", {}), dict)
    demand(described, "zarr.json has attributes that are no object")
    return node


class ArrayInfo(NamedTuple):
    """Shape, chunks and type of an array."""

    shape: tuple[int, ...]
    chunk: tuple[int, ...]  # shape of a chunk: all rows of every axis but the first
    dtype: np.dtype


def array_info(node: Mapping[str, Any]) -> ArrayInfo:
    """Shape, chunks and type in the metadata of an array as `make_array` writes it. Raises Damaged."""
    try:
        shape, chunk = node["shape"], node["chunk_grid"]["configuration"]["chunk_shape"]
        codecs = [codec["name"] for codec in node["codecs"]]
        kind = node["data_type"]
    except (KeyError, TypeError, IndexError):
        raise Damaged("zarr.json is incomplete") from None
    counted = are_counts(shape) and are_counts(chunk) and len(shape) == len(chunk)
    demand(counted, "zarr.json has no valid shape")
    fits = all(c >= 1 for c in chunk) and [max(n, 1) for n in shape[1:]] == chunk[1:]
    demand(fits, "zarr.json has chunks that do not fit the shape")
    demand(kind in TYPES and codecs == ["bytes", "crc32c"], "zarr.json has an unknown type or encoding")
    return ArrayInfo(tuple(shape), tuple(chunk), np.dtype(kind).newbyteorder("<"))


def are_counts(values: Any) -> bool:
    """Whether `values` is a list of integers that can be numbers of rows."""
    return isinstance(values, list) and all(is_count(n) for n in values)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST
