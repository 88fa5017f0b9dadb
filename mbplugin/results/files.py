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

from mbplugin.decoder.files import (
    CHECKSUM_BYTES,
    WITHOUT_WAITING,
    Damaged,
    chunk_bytes,
    chunk_name,
    demand,
    read_regular,
)


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
