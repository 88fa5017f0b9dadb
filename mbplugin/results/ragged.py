"""Lists whose length changes from frame to frame: all entries one after another, and where each frame stops.

`lists/<list>/stop` is a frame array; the entries of frame i are `stop[i - 1]` to `stop[i]`. The entries of a
frame are written before the frame is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.files import ArrayInfo, Damaged, array_info, chunk_name, demand, read_node
from mbplugin.results.files import encode, read_chunk
from mbplugin.results.layout import FIXED_SIZES, Described
from mbplugin.results.nodes import fill_value, make_array, make_group

#: entries in a chunk
CHUNK = 4096
Lists = Mapping[str, Mapping[str, Described]]


def make_lists(store: Path, lists: Lists) -> None:
    """The arrays of the lists, without entries; their groups hold the arrays `stop` already."""
    for name, arrays in lists.items():
        for key, array in arrays.items():
            shape = tuple(FIXED_SIZES[dim] for dim in array.dims)
            make_array(
                store / "lists" / name / key,
                (0, *shape),
                np.dtype(array.dtype),
                chunks=(CHUNK, *shape),
                dims=("entry", *array.dims),
                attributes=array.attributes,
            )


def make_groups(store: Path, lists: Lists) -> None:
    """The groups of the lists."""
    if lists:
        make_group(store / "lists")
    for name in lists:
        make_group(store / "lists" / name)


def entries_at(lists: Mapping[str, Any], i: int) -> dict[str, Any]:
    """The entries of frame i; lists: "lists/name/array" -> those of several frames, one after another, and
    "lists/name/stop" -> their number up to and including each.
    """
    found = {}
    for key, entries in lists.items():
        stop = lists[f"{key.rpartition('/')[0]}/stop"]
        if entries is not stop:
            found[key] = entries[stop[i - 1] if i > 0 else 0 : stop[i]]
    return found


class ListWriter:
    """Appends the entries of one list; `replace(path, data)` and `put_node(folder, node)` write files."""

    def __init__(
        self,
        folder: Path,
        arrays: list[str],
        replace: Callable[[Path, bytes], None],
        put_node: Callable[[Path, Mapping[str, Any]], None],
    ) -> None:
        self.folder, self.replace, self.put_node = folder, replace, put_node
        self.nodes = {key: read_node(folder / key) for key in arrays}
        for node in self.nodes.values():
            array_info(node)
        self.buffers = {key: self.blank(node) for key, node in self.nodes.items()}
        self.total = 0  # entries appended

    @staticmethod
    def blank(node: Mapping[str, Any]) -> np.ndarray:
        dtype = np.dtype(node["data_type"])
        return np.full((CHUNK, *node["shape"][1:]), fill_value(dtype), dtype)

    def append(self, entries: Mapping[str, np.ndarray]) -> int:
        """Append the entries of a frame; returns the new total. Raises ValueError for other shapes."""
        lengths = {len(entries[key]) for key in self.nodes}
        if len(lengths) != 1:
            raise ValueError(f"{self.folder.name}: arrays of different lengths: {sorted(lengths)}")
        (n,) = lengths
        done = 0
        while done < n:
            row = self.total % CHUNK
            count = min(CHUNK - row, n - done)
            for key, buffer in self.buffers.items():
                buffer[row : row + count] = entries[key][done : done + count]
            self.total, done = self.total + count, done + count
            if self.total % CHUNK == 0:
                self.write(self.total // CHUNK - 1)
                self.buffers = {key: self.blank(node) for key, node in self.nodes.items()}
        return self.total

    def write(self, index: int) -> None:
        """Write the buffers as chunk `index`, and make the arrays long enough."""
        for key, buffer in self.buffers.items():
            self.replace(self.folder / key / chunk_name(index, buffer.ndim), encode(buffer))
        if next(iter(self.nodes.values()))["shape"][0] < self.total:
            self.resize(max(CHUNK * (index + 1), 2 * self.total))

    def resize(self, length: int) -> None:
        for key, node in self.nodes.items():
            node["shape"][0] = length
            self.put_node(self.folder / key, node)

    def flush(self) -> None:
        """Write entries that are not on disk yet."""
        if self.total % CHUNK:
            self.write(self.total // CHUNK)

    def cut(self, total: int) -> None:
        """Keep the first `total` entries. Raises Damaged."""
        chunks = -(-next(iter(self.nodes.values()))["shape"][0] // CHUNK)
        index, row = divmod(total, CHUNK)
        for key, buffer in self.buffers.items():
            if row:
                kept = read_chunk(self.folder / key, index, buffer.shape, buffer.dtype)[:row]
                buffer[:row] = kept
            for later in range(index + bool(row), chunks):
                (self.folder / key / chunk_name(later, buffer.ndim)).unlink(missing_ok=True)
        self.total = total
        self.flush()

    def close(self) -> None:
        self.resize(self.total)


def entries_info(folder: Path, last: int) -> ArrayInfo:
    """The metadata of an array of a list, which holds entries up to `last`. Raises Damaged."""
    info = array_info(read_node(folder))
    fits = info.chunk[:1] == (CHUNK,) and info.shape[0] >= last
    demand(fits, f"zarr.json has fewer than {last} entries, or other chunks")
    return info


def check_entries(folder: Path, last: int, look: Callable[..., Any]) -> None:
    """Entries i < last: `look(folder, index, shape, dtype)` raises Damaged for a chunk."""
    info = entries_info(folder, last)
    for index in range(-(-last // CHUNK)):
        try:
            look(folder, index, info.chunk, info.dtype)
        except Damaged as reason:
            raise Damaged(f"chunk {index} {reason}") from None


def read_entries(folder: Path, first: int, last: int) -> np.ndarray:
    """Entries first <= i < last of an array of a list. Raises Damaged."""
    info = entries_info(folder, last)
    dtype, columns = info.dtype, info.shape[1:]
    parts = [
        read_chunk(folder, index, (CHUNK, *columns), dtype)
        for index in range(first // CHUNK, -(-last // CHUNK))
    ]
    start = first // CHUNK * CHUNK
    return np.concatenate([*parts, np.zeros((0, *columns), dtype)])[first - start : last - start]
