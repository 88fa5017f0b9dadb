"""Chunks and metadata of the store as files.

A chunk is the raw little-endian array followed by its crc32c (4 bytes, little-endian): the Zarr v3 codecs
`bytes` and `crc32c`. Chunk i along the first axis is the file `c.i.0.0` beside the array's `zarr.json`.

Between flushes only whole chunks and attributes change: writing 30 arrays takes 3 ms, against 80 ms through
the array interface of zarr 3.1 (measured). A file is always replaced as a whole, through one temporary file
outside the store, so that a reader sees either the old or the new one.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

CHECKSUM_BYTES = 4
#: to open a FIFO for reading would wait for a writer
WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Damaged(Exception):
    """A file of the store is missing, too short, or does not match its checksum; str() says which."""


def demand(holds: bool, damage: str) -> None:
    """Raises Damaged unless it holds."""
    if not holds:
        raise Damaged(damage)


def encode(array: np.ndarray) -> bytes:
    """The bytes of a chunk that holds `array`."""
    import google_crc32c

    data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return data + int(google_crc32c.value(data)).to_bytes(CHECKSUM_BYTES, "little")


def decode(data: bytes, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """The array in the bytes of a chunk. Raises Damaged if length or checksum is wrong."""
    import google_crc32c

    expected = chunk_bytes(shape, dtype)
    demand(len(data) == expected, f"has {len(data)} bytes, {expected} expected")
    body, checksum = data[:-CHECKSUM_BYTES], int.from_bytes(data[-CHECKSUM_BYTES:], "little")
    demand(int(google_crc32c.value(body)) == checksum, "does not match its checksum")
    return np.frombuffer(body, dtype=dtype).reshape(shape).copy()


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


def read_chunk(folder: Path, index: int, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Chunk `index` of the array in `folder`. Raises Damaged."""
    size = chunk_bytes(shape, dtype)
    return decode(read_regular(folder / chunk_name(index, len(shape)), size), shape, dtype)


def check_size(folder: Path, index: int, shape: Sequence[int], dtype: np.dtype) -> None:
    """Chunk `index` of the array in `folder` is there and has its size. Raises Damaged."""
    size = chunk_bytes(shape, dtype)
    try:
        present = os.stat(f"{folder}/{chunk_name(index, len(shape))}")
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise Damaged("is missing" if missing else f"cannot be read: {error.strerror or error}") from None
    demand(present.st_size == size, f"has {present.st_size} bytes, {size} expected")


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


def open_new(path: Path | str, buffering: int = -1) -> BinaryIO:
    """A new file in the place of what a kill left. Raises OSError; a link is not followed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags, 0o666)
    except FileExistsError:
        present = os.lstat(path)
        if not stat.S_ISREG(present.st_mode) or present.st_nlink > 1:
            raise OSError(errno.EEXIST, "is in the way and is not a file of mbplugin", str(path)) from None
        os.unlink(path)
        number = os.open(path, flags, 0o666)
    return cast(BinaryIO, open(number, "wb", buffering))


def replace_file(path: Path, data: bytes, temporary: Path) -> None:
    """Replace the content of `path` by `data` atomically."""
    try:
        with open_new(temporary, 0) as file:
            view = memoryview(data)
            while view:  # a write may be partial, for instance at a size limit; the next one then raises
                view = view[file.write(view) :]
        os.replace(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def synchronise(files: Iterable[Path]) -> None:
    """Have these files, and their names in their folders, on the disk before anything that follows."""
    files = list(files)
    for path in (*files, *sorted({file.parent for file in files})):
        try:
            number = os.open(path, WITHOUT_WAITING)
        except OSError:  # removed meanwhile, or a folder where folders cannot be opened
            continue
        try:
            os.fsync(number)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
                raise
        finally:
            os.close(number)


def write_node(folder: Path, node: Mapping[str, Any], temporary: Path) -> None:
    """Replace the metadata of the group or array in `folder`."""
    replace_file(folder / "zarr.json", json.dumps(node, allow_nan=False).encode(), temporary)


def plain(value: Any) -> Any:
    """`value` in JSON types: numpy scalars and arrays as numbers and lists, nan and inf as strings."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    return value
