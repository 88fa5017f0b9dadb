"""Writing a result while the run goes on.

Frames are collected in memory, one chunk of them at most, and written by `flush`: chunks first, then the
group
attribute `frames`, which is the commit marker. Killed anywhere in between, the store holds the frames of the
marker
before. A chunk that is not full yet is written again at the next flush, as a whole and atomically.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import StoreError
from mbplugin.results import checkpoint, creation
from mbplugin.results.files import (
    Damaged,
    chunk_name,
    encode,
    plain,
    read_chunk,
    read_node,
    replace_file,
    write_node,
)
from mbplugin.results.layout import FRAME_ARRAYS, chunk_frames, sizes
from mbplugin.results.nodes import fill_value

# a run is watched while it goes: what is older than this [s] is on disk
FLUSH_SECONDS = 1.0

# messages kept; a warning at every step shall not fill the memory
MESSAGES_KEPT = 10_000


class ResultWriter:
    """A new result at `path`, in place of an older result there.

    static:     "group/name" -> numpy array (becomes an array) or anything that JSON holds (becomes an
    attribute of the
                group). The lists `bodies/name`, `joints/name`, `coordinates/name`, `forces/name`,
                `states/name`, `lines/name`
                give the sizes. Meshes: `meshes/<mesh>/points` (n,3) [m], `meshes/<mesh>/triangles` (m,3),
                `meshes/shapes`.
    attributes: of the root group: scene text, plugins, whatever describes the run.
    capacity:   frames planned. The arrays have that length from the start and need not grow; what is not
    written yet
                reads as nan. More may be appended, and `close` cuts them to the frames there are.
    arrays:     keys of the frames; all of the layout by default.
    """

    path: Path
    chunk: int  # frames in a chunk
    _appended: int  # frames appended
    _first: int  # index of the first frame in the buffers
    _length: int  # frames that the arrays have room for
    _closed: bool

    def __init__(
        self,
        path: str | os.PathLike[str],
        static: Mapping[str, Any],
        attributes: Mapping[str, Any],
        *,
        capacity: int = 0,
        arrays: Iterable[str] | None = None,
    ) -> None:
        self._start(Path(path))
        keys = list(FRAME_ARRAYS) if arrays is None else list(arrays)
        if unknown := set(keys) - set(FRAME_ARRAYS):
            raise ValueError(f"the layout has no {sorted(unknown)}")
        size = sizes(static)
        shapes = {key: tuple(size[dim] for dim in FRAME_ARRAYS[key].dims) for key in keys}
        largest = max(int(np.prod(shapes[key])) * np.dtype(FRAME_ARRAYS[key].dtype).itemsize for key in keys)
        self.chunk = chunk_frames(largest, capacity)
        self._length = max(capacity, self.chunk)
        with self._writing("create the store"):
            new, old = self._beside("new"), self._beside("old")
            try:
                creation.make_room(self.path, new, old)
                creation.build(new, static, attributes, self._messages, shapes, self._length, self.chunk)
                creation.put_in_place(new, self.path, old)
            finally:
                shutil.rmtree(new, ignore_errors=True)
            self._open()

    @classmethod
    def reopen(cls, path: str | os.PathLike[str], frames: int, *, capacity: int = 0) -> ResultWriter:
        """Continues the result at `path` after its first `frames` frames; later frames and checkpoints go."""
        writer = cls.__new__(cls)
        writer._start(Path(path))
        with writer._writing("continue"):
            writer._open()
            writer._cut(frames, capacity)
        return writer

    # ---- what a run does ----

    @property
    def frames(self) -> int:
        """Frames appended."""
        return self._appended

    @property
    def committed(self) -> int:
        """Frames that are on disk and stay there whatever happens."""
        return int(self._root["attributes"]["frames"])

    def append(self, frame: Mapping[str, Any]) -> None:
        """Adds a frame: one array for each key, without the frame axis. Writes when a chunk is full or a
        second old.
        """
        self._refuse_after_failure()
        if self._appended - self._first == self.chunk:
            self.flush()
            self._first += self.chunk
            for buffer in self._buffers.values():
                buffer[:] = fill_value(buffer.dtype)
        row = self._appended - self._first
        for key, buffer in self._buffers.items():
            value = np.asarray(frame[key])
            if value.shape != buffer.shape[1:]:
                raise ValueError(f"frame: {key} has shape {value.shape}, {buffer.shape[1:]} expected")
            buffer[row] = value
        self._appended += 1
        if row + 1 == self.chunk or time.monotonic() - self._flushed_at > FLUSH_SECONDS:
            self.flush()

    def message(self, time: float | None, level: str, text: str) -> None:
        """Keeps a message; `time` [s] is None outside the time loop. On disk at the next flush."""
        if len(self._messages["text"]) < MESSAGES_KEPT:
            for name, value in (("time", time), ("level", level), ("text", text), ("frame", self._appended)):
                self._messages[name].append(plain(value))
        else:
            self._messages["dropped"] += 1
        self._messages_changed = True

    @property
    def said(self) -> list[tuple[str, str]]:
        """(level, text) of the messages kept so far."""
        return list(zip(self._messages["level"], self._messages["text"]))

    def flush(self) -> None:
        """Writes what is pending and commits it."""
        self._refuse_after_failure()
        with self._writing("write"):
            if self._appended > self._length:
                self._resize(max(2 * self._length, self._appended))
            if self._appended > self.committed:
                index = self._first // self.chunk
                for key, buffer in self._buffers.items():
                    if buffer.size:
                        self._replace(self.path / key / chunk_name(index, buffer.ndim), encode(buffer))
            if self._messages_changed:
                self._write_attributes("messages", self._messages)
                self._messages_changed = False
            if self._appended > self.committed:
                self._commit(frames=self._appended)
        self._flushed_at = time.monotonic()

    def checkpoint(self, arrays: Mapping[str, np.ndarray], attributes: Mapping[str, Any]) -> None:
        """Commits all frames, then stores `arrays` bit for bit and `attributes` (JSON) as the newest
        checkpoint.
        """
        self.flush()
        with self._writing("write a checkpoint"):
            checkpoint.write(self.path, arrays, attributes, self.committed, self._temporary)

    def close(self, complete: bool, attributes: Mapping[str, Any] | None = None) -> None:
        """Writes what is pending, cuts the arrays to their frames, sets `complete`, adds root `attributes`.

        After a failed write it does nothing: the store is as the last commit left it."""
        if self._failure is not None or self._closed:
            return
        self.flush()
        with self._writing("close"):
            if self._length != self._appended:
                self._resize(self._appended)
            self._commit(complete=complete, **plain(attributes or {}))
        self._closed = True

    # ---- inside ----

    def _start(self, path: Path) -> None:
        self.path = path
        self._temporary = self._beside("part")
        self._failure: StoreError | None = None
        self._closed = False
        self._flushed_at = time.monotonic()
        self._appended = 0
        self._first = 0
        self._root: dict[str, Any] = {"attributes": {"frames": 0}}
        self._nodes: dict[str, dict[str, Any]] = {}
        self._buffers: dict[str, np.ndarray] = {}
        self._messages: dict[str, Any] = {"time": [], "level": [], "text": [], "frame": [], "dropped": 0}
        self._messages_changed = False

    def _beside(self, what: str) -> Path:
        """A hidden path beside the store: never seen by its readers, and one rename away from its place."""
        return self.path.with_name(f".{self.path.name}.{what}")

    def _open(self) -> None:
        """Metadata and empty buffers of the store that is in place."""
        try:
            self._root = read_node(self.path)
            for key in self._root["attributes"]["frame_arrays"]:
                self._nodes[key] = read_node(self.path / key)
            self._messages = read_node(self.path / "messages")["attributes"]
        except (Damaged, KeyError) as reason:
            raise StoreError(f"{self.path}: damaged: {reason}; the run cannot be continued") from None
        self._length = max(node["shape"][0] for node in self._nodes.values())
        for key, node in self._nodes.items():
            self.chunk = node["chunk_grid"]["configuration"]["chunk_shape"][0]
            dtype = np.dtype(FRAME_ARRAYS[key].dtype)
            self._buffers[key] = np.full((self.chunk, *node["shape"][1:]), fill_value(dtype), dtype)

    def _cut(self, frames: int, capacity: int) -> None:
        """Keeps `frames` frames. The marker goes first: from then on nobody reads what is removed after it."""
        if not 0 <= frames <= self.committed:
            raise StoreError(
                f"{self.path}: holds {self.committed} frames; it cannot be continued after {frames}"
            )
        # what a kill left half written
        self._temporary.unlink(missing_ok=True)
        for left in (checkpoint.new_slot(self._temporary), checkpoint.old_slot(self._temporary)):
            shutil.rmtree(left, ignore_errors=True)
        held = -(-self._length // self.chunk)
        checkpoint.drop_after(self.path, frames, self._temporary)
        self._commit(frames=frames, complete=False)
        kept = sum(1 for frame in self._messages["frame"] if frame <= frames)
        for name in ("time", "level", "text", "frame"):
            del self._messages[name][kept:]
        self._write_attributes("messages", self._messages)

        self._appended = frames
        self._first = frames - frames % self.chunk
        index, row = divmod(frames, self.chunk)
        for key, buffer in self._buffers.items():
            if not buffer.size:
                continue
            folder = self.path / key
            if row:
                try:
                    buffer[:row] = read_chunk(folder, index, buffer.shape, buffer.dtype)[:row]
                except Damaged as reason:
                    lost = f"{key}: chunk {index} {reason}"
                    raise StoreError(
                        f"{self.path}: {lost}; continue from before frame {self._first}"
                    ) from None
                self._replace(folder / chunk_name(index, buffer.ndim), encode(buffer))
            for later in range(index + bool(row), held):
                (folder / chunk_name(later, buffer.ndim)).unlink(missing_ok=True)
        # all of them, also when the length is right: a kill while they grew leaves different lengths
        self._resize(max(capacity, self._first + self.chunk, frames))

    def _resize(self, length: int) -> None:
        """Gives all frame arrays `length` frames."""
        for key, node in self._nodes.items():
            node["shape"][0] = length
            write_node(self.path / key, node, self._temporary)
        self._length = length

    def _commit(self, **attributes: Any) -> None:
        self._root["attributes"] |= attributes
        write_node(self.path, self._root, self._temporary)

    def _write_attributes(self, group: str, attributes: Mapping[str, Any]) -> None:
        node = read_node(self.path / group) | {"attributes": attributes}
        write_node(self.path / group, node, self._temporary)

    def _replace(self, path: Path, data: bytes) -> None:
        replace_file(path, data, self._temporary)

    def _refuse_after_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        """Turns an OSError into the StoreError that says what is kept."""
        try:
            yield
        except OSError as error:
            kept = f"; the {self.committed} frames committed before are kept" if self.committed else ""
            self._failure = StoreError(f"{self.path}: cannot {what}: {reason(error)}{kept}")
            raise self._failure from error


def reason(error: OSError) -> str:
    """What the system says, with a mend where there is one."""
    text = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"{text} (make room, then continue with --resume)"
    return text
