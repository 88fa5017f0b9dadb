"""Reads a result, also while it is being written: exactly the committed frames."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.decoder.files import FORMAT, VERSION, ArrayInfo, Damaged, array_info, demand, read_node
from mbplugin.errors import StoreError
from mbplugin.results import checkpoint
from mbplugin.results.files import check_size, read_chunk
from mbplugin.results.layout import (
    FIXED_SIZES,
    GROUPS,
    NAMED_SIZES,
    NODES,
    frame_array,
    static_array,
    stress_points,
)
from mbplugin.results.ragged import check_entries, read_entries
from mbplugin.results.validity import check_group, check_root

#: groups that only some results have
IN_SOME = ("deformations", NODES)


class Message(NamedTuple):
    """A message of the run."""

    time: float | None  # [s]; None outside the time loop
    level: str
    text: str


class RawResult:
    """The store at `path`, in its state when this object was created.

    raw["bodies/position"] -> (frames, nb, 3); raw.names("bodies") -> list of str. Static arrays are read by
    key as well. Raises StoreError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise StoreError(f"{self.path}: no such result; give the folder that a run wrote")
        try:
            root = read_node(self.path)
        except Damaged as reason:
            raise StoreError(f"{self.path}: not a result, or damaged: {reason}") from None
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}") from error
        self.attributes: dict[str, Any] = root["attributes"]
        if self.attributes.get("format") != FORMAT:
            raise StoreError(f"{self.path}: a Zarr store, but not a result of mbplugin")
        version = self.attributes.get("version")
        if version != VERSION:
            mend = "use the mbplugin that wrote it, or run its scene again"
            raise StoreError(
                f"{self.path}: result format {version}, but this mbplugin reads format {VERSION}; {mend}"
            )
        try:
            check_root(self.attributes)
        except Damaged as reason:
            raise StoreError(f"{self.path}: damaged: {reason}") from None
        self.frames: int = self.attributes["frames"]
        self.complete: bool = self.attributes["complete"]
        self._nodes: dict[str, dict[str, Any]] = {}  # as read first
        self._infos: dict[str, ArrayInfo] = {}
        self._cached_chunks: dict[str, tuple[int, np.ndarray]] = {}  # the last chunk read of each array

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"RawResult({str(self.path)!r}): {self.frames} frames, {state}"

    @property
    def frame_arrays(self) -> list[str]:
        return list(self.attributes["frame_arrays"])

    @property
    def static_arrays(self) -> list[str]:
        return list(self.attributes["static_arrays"])

    def __contains__(self, key: object) -> bool:
        return key in self.frame_arrays or key in self.static_arrays

    def keys(self) -> list[str]:
        """Keys of all arrays, frame arrays first."""
        return [*self.frame_arrays, *self.static_arrays]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, key: str) -> np.ndarray:
        """The whole array `key`. Raises StoreError if it is damaged."""
        return self.read(key, 0, self.frames)

    def read(self, key: str, start: int, stop: int) -> np.ndarray:
        """Frames start <= i < stop of the array `key` (a static array: all of it)."""
        if key not in self:
            raise KeyError(f"{self.path} has no array {key!r}")
        try:
            info = self._info(key)
            if key in self.attributes["static_arrays"]:
                start, stop = 0, info.shape[0] if info.shape else 1
            else:
                stop = min(stop, self.frames)
                held = info.shape[0]
                demand(held >= stop, f"holds {held} frames, {self.frames} are committed")
            return self._rows(key, info, start, max(start, stop))
        except Damaged as reason:
            raise StoreError(f"{self.path}: {key}: damaged: {reason}") from None

    @property
    def time(self) -> np.ndarray:
        """(frames,) [s]"""
        return self["time"]

    def names(self, group: str) -> list[str]:
        """Names in the group, such as "bodies", "joints" or "lines", in the order of the arrays."""
        return list(self.attribute(f"{group}/name", [])) if self._has(group) else []

    def _has(self, group: str) -> bool:
        """Whether arrays of this group are stored; an analysis stores those of fewer groups than a run."""
        return any(key.startswith(f"{group}/") for key in self.keys())

    @property
    def lists(self) -> dict[str, list[str]]:
        """The lists whose length changes from frame to frame -> their arrays."""
        return dict(self.attributes.get("lists", {}))

    def offsets(self, name: str) -> np.ndarray:
        """(frames + 1,) of a list: the entries of frame i are offset[i] to offset[i + 1]."""
        return np.concatenate([[0], self[f"lists/{name}/stop"]])

    def entries(self, name: str, array: str, first: int = 0, last: int | None = None) -> np.ndarray:
        """Entries first <= i < last of an array of a list; default: of all frames. Raises StoreError."""
        if array not in self.lists.get(name, ()):
            raise KeyError(f"{self.path} has no array {array!r} in a list {name!r}")
        last = int(self.offsets(name)[-1]) if last is None else last
        try:
            demand(0 <= first <= last, f"has no entries {first} to {last}")
            return read_entries(self.path / "lists" / name / array, first, last)
        except Damaged as reason:
            raise StoreError(f"{self.path}: lists/{name}/{array}: damaged: {reason}") from None

    def attribute(self, key: str, default: Any = None) -> Any:
        """The attribute "group/name" from `static`; `default` if there is none."""
        group, _, name = key.rpartition("/")
        return self._node(group)["attributes"].get(name, default)

    def units(self, key: str) -> str:
        """Unit of the array `key`."""
        return str(self._node(key)["attributes"].get("units", ""))

    def words(self, key: str) -> list[str]:
        """What each whole number from 0 on means in the array `key`, such as the status of contacts; may be
        empty.
        """
        return list(self._node(key)["attributes"].get("words", []))

    def frame(self, index: int, keys: Iterable[str] | None = None) -> dict[str, np.ndarray]:
        """Frame `index`: key -> array without the frame axis, of all `keys` that there are; default: all."""
        wanted = self.frame_arrays if keys is None else [key for key in keys if key in self]
        return {key: self.read(key, index, index + 1)[0] for key in wanted}

    def each_frame(
        self, start: int = 0, stop: int | None = None, step: int = 1
    ) -> Iterator[dict[str, np.ndarray]]:
        """Frames start, start + step, ... below `stop`; holds one chunk in memory at a time."""
        stop = self.frames if stop is None else min(stop, self.frames)
        if self.frames == 0:
            return
        try:
            chunk = self._info("time").chunk[0]
        except Damaged as reason:
            raise StoreError(f"{self.path}: time: damaged: {reason}") from None
        for first in range(start - start % chunk, stop, chunk):
            last = min(first + chunk, stop)
            block = {key: self.read(key, first, last) for key in self.frame_arrays}
            for i in range(first, last):
                if i >= start and (i - start) % step == 0:
                    yield {key: array[i - first] for key, array in block.items()}

    def static(self) -> dict[str, Any]:
        """`static` as it was passed to the writer."""
        static: dict[str, Any] = {key: self[key] for key in self.static_arrays}
        for group in filter(self._has, (*GROUPS, *IN_SOME)):
            static |= {f"{group}/{name}": value for name, value in self._node(group)["attributes"].items()}
        return static

    @property
    def gravity(self) -> np.ndarray:
        """(3,) of the scene [m/s²]."""
        return np.array(self.attribute("forces/gravity", (0.0, 0.0, 0.0)), float)

    @property
    def messages(self) -> list[Message]:
        """All messages, in order of time."""
        kept = self._node("messages")["attributes"]
        if not kept:
            raise StoreError(f"{self.path}: messages: damaged: zarr.json has no messages")
        return [Message(*row) for row in zip(kept["time"], kept["level"], kept["text"])]

    def checkpoint(self) -> checkpoint.Checkpoint | None:
        """The newest undamaged checkpoint, or None."""
        return checkpoint.read(self.path, self.frames)

    def check(self, content: bool = True, frames: int | None = None, checkpoints: bool = True) -> list[str]:
        """Read everything up to a frame; returns one line for each damage (array, chunk, what is wrong).

        content False: only that each chunk is there and has its size; frames: default all; checkpoints:
        whether they are read too
        """
        frames = self.frames if frames is None else frames
        look = read_chunk if content else check_size
        damages = []
        for key in (*self.attributes["frame_arrays"], *self.attributes["static_arrays"]):
            try:
                info = self._info(key)
            except (Damaged, StoreError) as reason:
                damages.append(f"{key}: {str(reason).removeprefix(f'{self.path}: ')}")
                continue
            length, rows = info.shape[0] if info.shape else 1, (info.chunk or (1,))[0]
            if key in self.attributes["frame_arrays"]:
                if length < frames:
                    damages.append(f"{key}: holds {length} frames, {frames} are committed")
                length = min(length, frames)
            if 0 in info.shape[1:]:
                continue
            for index in range(-(-length // rows)):
                try:
                    look(self.path / key, index, info.chunk, info.dtype)
                except Damaged as reason:
                    first, last = index * rows, min((index + 1) * rows, length) - 1
                    damages.append(f"{key}: chunk {index} ({first} to {last}) {reason}")
        for name, arrays in self.lists.items():
            for array in arrays:
                try:
                    stop = int(self.read(f"lists/{name}/stop", frames - 1, frames)[0]) if frames else 0
                    check_entries(self.path / "lists" / name / array, stop, look)
                except Damaged as reason:
                    damages.append(f"lists/{name}/{array}: {reason}")
                except StoreError as reason:
                    damages.append(str(reason).removeprefix(f"{self.path}: "))
        if not content:
            return damages
        for group in (*GROUPS, *filter(self._has, IN_SOME)):
            try:
                check_group(group, read_node(self.path / group)["attributes"])
            except Damaged as reason:
                damages.append(f"{group}: {reason}")
        return damages + (checkpoint.damage(self.path) if checkpoints else [])

    def _node(self, key: str) -> dict[str, Any]:
        if key not in self._nodes:
            try:
                node = read_node(self.path / key)
                check_group(key, node["attributes"])
            except Damaged as reason:
                raise StoreError(f"{self.path}: {key}: damaged: {reason}") from None
            self._nodes[key] = node
        return self._nodes[key]

    def _info(self, key: str) -> ArrayInfo:
        """The metadata of an array, which fit the layout and the names. Raises Damaged, StoreError."""
        if key in self._infos:
            return self._infos[key]
        info = array_info(read_node(self.path / key))
        of_frames = key in self.attributes["frame_arrays"]
        array = frame_array(key) if of_frames else static_array(key)
        sizes = [None] if of_frames else []
        for dim in array.dims:
            names = NAMED_SIZES.get(dim)
            size = FIXED_SIZES.get(dim) if names is None else len(self.names(names.partition("/")[0]))
            if dim == "node" and key != "nodes/rest":
                size = self._info("nodes/rest").shape[0]
            if dim == "stress_point":
                size = stress_points(self.attribute("nodes/cells", ()))
            sizes.append(size)  # type: ignore[arg-type]
        fits = len(sizes) == len(info.shape) and all(size in (None, n) for size, n in zip(sizes, info.shape))
        fits = fits and info.dtype == np.dtype(array.dtype)
        demand(fits, "zarr.json has another shape or type than the layout")
        self._infos[key] = info
        return info

    def _rows(self, key: str, info: ArrayInfo, start: int, stop: int) -> np.ndarray:
        """Rows start <= i < stop of an array. Raises Damaged."""
        shape = (stop - start, *info.shape[1:]) if info.shape else ()
        if 0 in shape:
            return np.zeros(shape, info.dtype)
        if not info.shape:
            return read_chunk(self.path / key, 0, (), info.dtype)
        rows, first = info.chunk[0], start // info.chunk[0]
        parts = [self._chunk(key, info, index) for index in range(first, -(-stop // rows))]
        block = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return block[start - first * rows : stop - first * rows].copy()

    def _chunk(self, key: str, info: ArrayInfo, index: int) -> np.ndarray:
        """Chunk `index`; the last one of each array is cached, because frames are read one by one. Raises
        Damaged.
        """
        cached = self._cached_chunks.get(key)
        if cached is None or cached[0] != index:
            try:
                cached = index, read_chunk(self.path / key, index, info.chunk, info.dtype)
            except Damaged as reason:
                raise Damaged(f"chunk {index} {reason}") from None
            except OSError as reason:
                raise Damaged(f"chunk {index}: {reason.strerror}") from None
            self._cached_chunks[key] = cached
        return cached[1]
