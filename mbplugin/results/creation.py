"""A new store: built in a hidden folder next to its path and renamed when complete."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.files import FORMAT, VERSION, Damaged, chunk_name, read_node
from mbplugin.errors import StoreError
from mbplugin.results.files import encode
from mbplugin.results.layout import GROUPS, NODES, Described, frame_array, static_array
from mbplugin.results.nodes import make_array, make_group
from mbplugin.results.ragged import Lists, make_groups, make_lists


def make_room(path: Path, new: Path, old: Path) -> None:
    """Create the parent folder of `path` and remove what a killed process left there.

    Raises StoreError if `path` exists and is not an older result.
    """
    if os.path.lexists(path) and not replaceable(path):
        raise StoreError(f"{path}: exists and is not an mbplugin result; remove it or choose another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in (new, old):
        if os.path.lexists(left):
            if not left_by_us(left):
                raise StoreError(f"{left}: is in the way and is not of mbplugin; move it")
            remove(left)


def replaceable(path: Path) -> bool:
    """Whether `path` is an older result or an empty folder."""
    if not path.is_dir() or path.is_symlink():
        return False
    try:
        return read_node(path).get("attributes", {}).get("format") == FORMAT
    except Damaged:
        return not any(path.iterdir())


def left_by_us(path: Path) -> bool:
    """Whether `path` is a store, or the beginning of one that a killed process left."""
    if path.is_symlink() or not path.is_dir():
        return False
    return replaceable(path) or [entry.name for entry in path.iterdir()] == ["zarr.json"]


def put_in_place(new: Path, path: Path, old: Path) -> None:
    """Rename the store `new` to `path`; an older one is first renamed to `old`, then removed."""
    if path.exists():
        os.rename(path, old)
    os.rename(new, path)
    if old.exists():
        remove(old)


def remove(path: Path) -> None:
    """Remove a store, what says that it is one last: a kill leaves nothing that nobody knows."""
    for entry in path.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != "zarr.json":
            entry.unlink()
    (path / "zarr.json").unlink(missing_ok=True)
    path.rmdir()


def build(
    folder: Path,
    static: Mapping[str, Any],
    attributes: Mapping[str, Any],
    messages: Mapping[str, Any],
    shapes: Mapping[str, tuple[int, ...]],
    length: int,
    chunk: int,
    lists: Lists,
) -> None:
    """Write a new store into `folder`.

    static, attributes: as in `ResultWriter`
    shapes:             key of each frame array -> its shape without the frame axis
    length, chunk:      frames of each frame array, and frames in a chunk
    lists:              arrays of the lists
    """
    arrays = {key: value for key, value in static.items() if isinstance(value, np.ndarray)}
    groups = [*GROUPS, *([NODES] if any(key.startswith(f"{NODES}/") for key in static) else [])]
    texts: dict[str, dict[str, Any]] = {group: {} for group in groups}
    for key, value in static.items():
        if key not in arrays:
            group, name = key.split("/")
            texts.setdefault(group, {})[name] = value
    texts["messages"] = dict(messages)
    params = {
        "format": FORMAT,
        "version": VERSION,
        "frames": 0,
        "complete": False,
        "frame_arrays": list(shapes),
        "static_arrays": list(arrays),
        "lists": {name: list(of_list) for name, of_list in lists.items()},
    }
    make_group(folder, dict(attributes) | params)
    for name, of_group in texts.items():
        make_group(folder / name, of_group)
    make_group(folder / "checkpoint")
    make_groups(folder, lists)
    for key, shape in shapes.items():
        add(folder, key, frame_array(key), (length, *shape), chunks=(chunk, *shape), of_frames=True)
    make_lists(folder, lists)
    for key, value in arrays.items():
        data = value.astype(static_array(key).dtype)
        add(folder, key, static_array(key), data.shape, chunks=data.shape)
        if data.size:
            (folder / key / chunk_name(0, data.ndim)).write_bytes(encode(data))


def add(
    store: Path,
    key: str,
    array: Described,
    shape: tuple[int, ...],
    *,
    chunks: tuple[int, ...],
    of_frames: bool = False,
) -> None:
    """Create the array `key` of the layout in its group; create the group if it does not exist."""
    folder = store / key
    if not folder.parent.exists():
        make_group(folder.parent)
    dims = ("frame", *array.dims) if of_frames else array.dims
    make_array(folder, shape, np.dtype(array.dtype), chunks=chunks, dims=dims, attributes=array.attributes)
