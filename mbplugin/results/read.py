"""Reads a result, also while it is being written: exactly the committed frames."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import StoreError
from mbplugin.results import checkpoint
from mbplugin.results.files import Damaged, chunk_name, read_chunk, read_node
from mbplugin.results.layout import FORMAT, VERSION
from mbplugin.results.ragged import read_entries

#: groups that the first stores do not have -> an array of them
NOT_IN_ALL = {"lines": "lines/ends", "outputs": "outputs/value"}
REQUIRED = ("frames", "complete", "frame_arrays", "static_arrays")


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
        self.attributes: dict[str, Any] = root.get("attributes", {})
        if self.attributes.get("format") != FORMAT:
            raise StoreError(f"{self.path}: a Zarr store, but not a result of mbplugin")
        version = self.attributes.get("version")
        if version != VERSION:
            raise StoreError(
                f"{self.path}: result format {version}, but this mbplugin reads format {VERSION}; update it"
            )
        if missing := [name for name in REQUIRED if name not in self.attributes]:
            raise StoreError(f"{self.path}: damaged: zarr.json has no attribute {missing[0]!r}")
        self.frames: int = self.attributes["frames"]
        self.complete: bool = self.attributes["complete"]
        self._group: Any = None

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"RawResult({str(self.path)!r}): {self.frames} frames, {state}"

    def __contains__(self, key: object) -> bool:
        return key in self.attributes["frame_arrays"] or key in self.attributes["static_arrays"]

    def keys(self) -> list[str]:
        """Keys of all arrays, frame arrays first."""
        return [*self.attributes["frame_arrays"], *self.attributes["static_arrays"]]

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
            if self._group is None:
                import zarr

                self._group = zarr.open_group(str(self.path), mode="r")
            array = self._group[key]
        except (KeyError, ValueError, TypeError, OSError) as reason:
            raise StoreError(f"{self.path}: {key}: damaged: {_first_line(reason)}") from reason
        if key in self.attributes["static_arrays"]:
            start, stop = 0, array.shape[0] if array.ndim else 1
        stop = min(stop, self.frames) if key in self.attributes["frame_arrays"] else stop
        # zarr reads a missing chunk as nan
        if missing := [
            i for i in self._chunks(array, start, stop) if not self._chunk_file(key, array, i).exists()
        ]:
            raise StoreError(f"{self.path}: {key}: damaged: chunk {missing[0]} is missing")
        try:
            return np.asarray(array[start:stop] if array.ndim else array[()])
        except (ValueError, OSError) as reason:
            raise StoreError(f"{self.path}: {key}: damaged: {_first_line(reason)}") from reason

    @property
    def time(self) -> np.ndarray:
        """(frames,) [s]"""
        return self["time"]

    def names(self, group: str) -> list[str]:
        """Names in the group, such as "bodies", "joints" or "lines", in the order of the arrays."""
        first_array = NOT_IN_ALL.get(group)
        return list(self.attribute(f"{group}/name", [])) if first_array is None or first_array in self else []

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
            return read_entries(self.path / "lists" / name / array, first, last)
        except Damaged as reason:
            raise StoreError(f"{self.path}: lists/{name}/{array}: damaged: {reason}") from None

    def attribute(self, key: str, default: Any = None) -> Any:
        """The attribute "group/name" from `static`; `default` if there is none."""
        group, _, name = key.rpartition("/")
        return self._node(group)["attributes"].get(name, default)

    def units(self, key: str) -> str:
        """Unit of the array `key`."""
        return str(self._node(key)["attributes"]["units"])

    def frame(self, index: int) -> dict[str, np.ndarray]:
        """Frame `index`: key -> array without the frame axis."""
        return {key: self.read(key, index, index + 1)[0] for key in self.attributes["frame_arrays"]}

    def each_frame(
        self, start: int = 0, stop: int | None = None, step: int = 1
    ) -> Iterator[dict[str, np.ndarray]]:
        """Frames start, start + step, ... below `stop`; holds one chunk in memory at a time."""
        stop = self.frames if stop is None else min(stop, self.frames)
        if self.frames == 0:
            return
        chunk = self._node("time")["chunk_grid"]["configuration"]["chunk_shape"][0]
        for first in range(start - start % chunk, stop, chunk):
            last = min(first + chunk, stop)
            block = {key: self.read(key, first, last) for key in self.attributes["frame_arrays"]}
            for i in range(first, last):
                if i >= start and (i - start) % step == 0:
                    yield {key: array[i - first] for key, array in block.items()}

    def static(self) -> dict[str, Any]:
        """`static` as it was passed to the writer."""
        static: dict[str, Any] = {key: self[key] for key in self.attributes["static_arrays"]}
        for group in (
            "bodies",
            "joints",
            "coordinates",
            "forces",
            "states",
            *(group for group, array in NOT_IN_ALL.items() if array in self),
            "meshes",
        ):
            static |= {f"{group}/{name}": value for name, value in self._node(group)["attributes"].items()}
        return static

    @property
    def messages(self) -> list[Message]:
        """All messages, in order of time."""
        kept = self._node("messages")["attributes"]
        return [Message(*row) for row in zip(kept["time"], kept["level"], kept["text"])]

    def checkpoint(self) -> checkpoint.Checkpoint | None:
        """The newest undamaged checkpoint, or None."""
        return checkpoint.read(self.path, self.frames)

    def check(self) -> list[str]:
        """Read everything; returns one line for each damage (array, chunk, what is wrong)."""
        damages = []
        for key in self.keys():
            try:
                node = read_node(self.path / key)
                shape = node["shape"]
                chunks = node["chunk_grid"]["configuration"]["chunk_shape"]
                dtype = np.dtype(node["data_type"]).newbyteorder("<")
            except Damaged as reason:
                damages.append(f"{key}: {reason}")
                continue
            except (KeyError, TypeError) as reason:
                damages.append(f"{key}: zarr.json is incomplete: {reason}")
                continue
            length = shape[0]
            if key in self.attributes["frame_arrays"]:
                length = self.frames
                if shape[0] < self.frames:
                    damages.append(f"{key}: holds {shape[0]} frames, {self.frames} are committed")
            if 0 in shape[1:]:
                continue
            for index in range(-(-length // chunks[0])):
                try:
                    read_chunk(self.path / key, index, chunks, dtype)
                except (Damaged, OSError) as reason:
                    first, last = index * chunks[0], min((index + 1) * chunks[0], length) - 1
                    damages.append(f"{key}: chunk {index} ({first} to {last}) {reason}")
        for name, arrays in self.lists.items():
            for array in arrays:
                try:
                    self.entries(name, array)
                except StoreError as reason:
                    damages.append(str(reason).removeprefix(f"{self.path}: "))
        for group in ("bodies", "joints", "coordinates", "forces", "states", "meshes", "messages"):
            try:
                read_node(self.path / group)
            except Damaged as reason:
                damages.append(f"{group}: {reason}")
        return damages + checkpoint.damage(self.path)

    def _node(self, key: str) -> dict[str, Any]:
        try:
            return read_node(self.path / key)
        except Damaged as reason:
            raise StoreError(f"{self.path}: {key}: damaged: {reason}") from None

    def _chunks(self, array: Any, start: int, stop: int) -> range:
        """Indices of the chunks that hold frames start <= i < stop."""
        if stop <= start or 0 in array.shape:
            return range(0)
        chunk = array.chunks[0] if array.ndim else 1
        return range(start // chunk, -(-stop // chunk))

    def _chunk_file(self, key: str, array: Any, index: int) -> Path:
        return self.path / key / chunk_name(index, array.ndim)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
