"""Writes a result during the run.

Frames are buffered in memory, at most one chunk of them, and written by `flush`: first the chunks, then the
group attribute `frames`, which is the commit marker. If the process is killed in between, the store holds
the frames committed before. A partly filled chunk is written again at the next flush, atomically.
Checkpoints, full chunks and the end of a run are synchronised with the disk, so that they survive a power
cut as well.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.files import Damaged, array_info, chunk_name, demand, read_node
from mbplugin.errors import StoreError
from mbplugin.results import checkpoint, creation
from mbplugin.results.files import encode, plain, read_chunk, replace_file, synchronise, write_node
from mbplugin.results.layout import FRAME_ARRAYS, IN_SOME, chunk_frames, frame_array, sizes
from mbplugin.results.nodes import fill_value
from mbplugin.results.ragged import Lists, ListWriter
from mbplugin.results.validity import check_group, check_root

FLUSH_SECONDS = 1.0  # frames older than this are on disk, for programs that watch a run
FULL = (errno.ENOSPC, errno.EDQUOT)
MESSAGES_KEPT = 10_000  # limit, because a warning at every step would fill the memory


class ResultWriter:
    """A new result at `path`; replaces an older result there. Raises StoreError.

    static:     "group/name" -> numpy array (stored as an array) or a JSON value (stored as an attribute of
                the group). The lists `bodies/name`, `joints/name`, `coordinates/name`, `forces/name`,
                `states/name`, `inputs/name` and `lines/name` define the sizes. Meshes:
                `meshes/<mesh>/points` (n,3) [m], `meshes/<mesh>/triangles` (m,3), `meshes/shapes`.
    attributes: of the root group, such as scene text and plugins.
    capacity:   planned number of frames. The arrays have that length from the start and need not grow; what
                is not written yet reads as nan. More frames may be appended; `close` truncates the arrays.
    arrays:     keys of the frame arrays; default: all of the layout.
    lists:      name -> array -> its description, of lists whose length changes from frame to frame. A frame
                has "lists/name/array" -> its entries.

    make_room:  called on a full disk, before what failed is written again; False if it cannot make any.
    """

    chunk: int  # frames in a chunk
    make_room: Callable[[], bool]
    _length: int  # allocated frames of the arrays
    _closed: bool

    def __init__(
        self,
        path: str | os.PathLike[str],
        static: Mapping[str, Any],
        attributes: Mapping[str, Any],
        *,
        capacity: int = 0,
        arrays: Iterable[str] | None = None,
        lists: Lists | None = None,
    ) -> None:
        self._start(Path(path))
        keys = list(FRAME_ARRAYS) if arrays is None else list(arrays)
        if unknown := set(keys) - set(FRAME_ARRAYS | IN_SOME):
            raise ValueError(
                f"the layout has no arrays {sorted(unknown)}; FRAME_ARRAYS and IN_SOME list them all"
            )
        size = sizes(static)
        lists = lists or {}
        keys += [f"lists/{name}/stop" for name in lists]
        shapes = {key: tuple(size[dim] for dim in frame_array(key).dims) for key in keys}
        largest = max(int(np.prod(shapes[key])) * np.dtype(frame_array(key).dtype).itemsize for key in keys)
        self.chunk = chunk_frames(largest, capacity)
        self._length = max(capacity, self.chunk)
        with self._writing("create the store"):
            new, old = self._beside("new"), self._beside("old")
            try:
                creation.make_room(self.path, new, old)
                creation.build(
                    new, static, attributes, self._messages, shapes, self._length, self.chunk, lists
                )
                creation.put_in_place(new, self.path, old)
                self._changed.update(self.path.rglob("*"))
            finally:
                with suppress(OSError):
                    creation.remove(new)
            self._open()

    @classmethod
    def reopen(cls, path: str | os.PathLike[str], frames: int, *, capacity: int = 0) -> ResultWriter:
        """Continue the result at `path` after its first `frames` frames.

        Later frames and checkpoints are removed. Raises StoreError.
        """
        writer = cls.__new__(cls)
        writer._start(Path(path))
        with writer._writing("continue"):
            writer._open()
            writer._cut(frames, capacity)
        return writer

    # ---- used by a run ----

    @property
    def frames(self) -> int:
        """Frames appended."""
        return self._appended

    @property
    def committed(self) -> int:
        """Frames on disk, which survive a kill."""
        return int(self._root["attributes"]["frames"])

    def append(self, frame: Mapping[str, Any]) -> None:
        """Append a frame: key -> array without the frame axis. Flushes a full chunk, or after a second."""
        lists = {
            key: frame[key]
            for name, one in self._lists.items()
            for key in (f"lists/{name}/{array}" for array in one.nodes)
        }
        for name, one in self._lists.items():
            lists[f"lists/{name}/stop"] = np.array([len(frame[f"lists/{name}/{next(iter(one.nodes))}"])])
        self.append_frames({key: np.asarray(frame[key])[None] for key in self._frame_keys}, 0, 1, lists)

    def append_frames(
        self, frames: Mapping[str, Any], start: int, stop: int, lists: Mapping[str, Any] | None = None
    ) -> None:
        """Append frames start <= i < stop of arrays (n, ...). lists: "lists/name/array" -> its entries in all
        n frames, one after another, and "lists/name/stop" (n,) -> their number up to and including each.
        """
        self._refuse_after_failure()
        arrays = {key: np.asarray(frames[key]) for key in self._frame_keys}
        for key, array in arrays.items():
            if array.shape[1:] != self._buffers[key].shape[1:]:
                expected = self._buffers[key].shape[1:]
                raise ValueError(f"frame: {key} has shape {array.shape[1:]}, {expected} expected")
        while start < stop:
            if self._appended - self._first == self.chunk:
                self.flush()
                with self._writing("write"):
                    self._synchronise()
                self._first += self.chunk
                for buffer in self._buffers.values():
                    buffer[:] = fill_value(buffer.dtype)
            row = self._appended - self._first
            count = min(self.chunk - row, stop - start)
            self._append_lists(lists or {}, start, start + count, row)
            for key, array in arrays.items():
                self._buffers[key][row : row + count] = array[start : start + count]
            self._appended += count
            start += count
            if row + count == self.chunk or time.monotonic() - self._flushed_at > FLUSH_SECONDS:
                self.flush()

    def _append_lists(self, lists: Mapping[str, Any], start: int, stop: int, row: int) -> None:
        """Append the entries of the frames start <= i < stop to the lists; `row`: of the first one."""
        with self._writing("write"):
            for name, one in self._lists.items():
                stops = lists[f"lists/{name}/stop"]
                first = int(stops[start - 1]) if start > 0 else 0
                of_list = {
                    key: np.asarray(lists[f"lists/{name}/{key}"])[first : int(stops[stop - 1])]
                    for key in one.nodes
                }
                before = one.total - first
                one.append(of_list)
                self._buffers[f"lists/{name}/stop"][row : row + stop - start] = before + stops[start:stop]

    @property
    def _frame_keys(self) -> list[str]:
        """Keys of the arrays that frames give."""
        return [key for key in self._buffers if not key.startswith("lists/")]

    def message(self, time: float | None, level: str, text: str) -> None:
        """Append a message; `time` [s] is None outside the time loop. Written at the next flush."""
        if len(self._messages["text"]) < MESSAGES_KEPT:
            for name, value in (("time", time), ("level", level), ("text", text), ("frame", self._appended)):
                self._messages[name].append(plain(value))
        else:
            self._messages["dropped"] += 1
        self._messages_changed = True

    @property
    def reported(self) -> list[tuple[str, str]]:
        """(level, text) of all messages so far."""
        return list(zip(self._messages["level"], self._messages["text"]))

    def flush(self) -> None:
        """Write and commit pending frames and messages."""
        self._refuse_after_failure()
        with self._writing("write"):
            if self._appended > self._length:
                self._resize(max(2 * self._length, self._appended))
            if self._appended > self.committed:
                for one in self._lists.values():
                    one.flush()
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
        """Commit all frames, then write a checkpoint: `arrays` bit for bit, `attributes` as JSON."""
        self.flush()
        with self._writing("write a checkpoint"):
            self._synchronise()
            write = checkpoint.write
            self._with_room(write, self.path, arrays, attributes, self.committed, self._temporary)

    def close(self, complete: bool, attributes: Mapping[str, Any] | None = None) -> None:
        """Flush, truncate the arrays to their frames, set `complete`, add root `attributes`.

        Does nothing after a failed write: the store stays as last committed.
        """
        if self._failure is not None or self._closed:
            return
        self.flush()
        with self._writing("close"):
            if self._length != self._appended:
                self._resize(self._appended)
            for one in self._lists.values():
                one.close()
            self._commit(complete=complete, **plain(attributes or {}))
            self._synchronise()
        self._closed = True

    # ---- internal ----

    def _start(self, path: Path) -> None:
        self.path = path
        self.make_room = lambda: False
        self._temporary = self._beside("part")
        self._failure: StoreError | None = None
        self._closed = False
        self._flushed_at = time.monotonic()
        self._appended: int = 0  # frames
        self._first: int = 0  # index of the first frame in the buffers
        self._root: dict[str, Any] = {"attributes": {"frames": 0}}
        self._nodes: dict[str, dict[str, Any]] = {}
        self._buffers: dict[str, np.ndarray] = {}
        self._lists: dict[str, ListWriter] = {}
        self._messages: dict[str, Any] = {"time": [], "level": [], "text": [], "frame": [], "dropped": 0}
        self._messages_changed = False
        self._changed: set[Path] = set()  # files not synchronised with the disk yet

    def _beside(self, what: str) -> Path:
        """A hidden path beside the store, on the same file system, so that a rename is atomic."""
        return self.path.with_name(f".{self.path.name}.{what}")

    def _open(self) -> None:
        """Read the metadata of the store and allocate empty buffers."""
        try:
            self._root = read_node(self.path)
            check_root(self._root["attributes"])
            for key in self._root["attributes"]["frame_arrays"]:
                self._nodes[key] = read_node(self.path / key)
            infos = {key: array_info(node) for key, node in self._nodes.items()}
            lengths = {info.chunk[0] for info in infos.values()}
            demand(len(lengths) == 1, "its arrays have chunks of different lengths")
            self._messages = read_node(self.path / "messages")["attributes"]
            check_group("messages", self._messages)
            self._read_lists()
        except Damaged as reason:
            raise StoreError(f"{self.path}: damaged: {reason}; the run cannot be continued") from None
        self._length = max(info.shape[0] for info in infos.values())
        for key, info in infos.items():
            self.chunk = info.chunk[0]
            dtype = np.dtype(frame_array(key).dtype)
            self._buffers[key] = np.full((self.chunk, *info.shape[1:]), fill_value(dtype), dtype)

    def _read_lists(self) -> None:
        """Open the lists. Raises Damaged."""
        for name, arrays in self._root["attributes"].get("lists", {}).items():
            folder = self.path / "lists" / name
            self._lists[name] = ListWriter(folder, arrays, self._replace, self._write_node)

    def _cut(self, frames: int, capacity: int) -> None:
        """Truncate to `frames` frames. The marker is written first, so that nobody reads removed frames."""
        if not 0 <= frames <= self.committed:
            raise StoreError(
                f"{self.path}: holds {self.committed} frames and cannot be continued after frame {frames}"
            )
        chunks = -(-self._length // self.chunk)
        checkpoint.drop_after(self.path, frames, self._temporary)
        self._root["attributes"].pop("summary", None)
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
            for later in range(index + bool(row), chunks):
                (folder / chunk_name(later, buffer.ndim)).unlink(missing_ok=True)
        for name, one in self._lists.items():
            stop = self._buffers[f"lists/{name}/stop"]
            try:
                one.cut(self._stop_before(name, frames, stop, row))
            except Damaged as reason:
                raise StoreError(f"{self.path}: lists/{name}: {reason}; run it again") from None
        # also if the length is right: a kill during a resize leaves arrays of different lengths
        self._resize(max(capacity, self._first + self.chunk, frames))

    def _stop_before(self, name: str, frames: int, stop: np.ndarray, row: int) -> int:
        """Entries of a list up to frame `frames`, from the buffer or the chunk before it. Raises Damaged."""
        if frames == 0 or row:
            return int(stop[row - 1]) if row else 0
        folder = self.path / "lists" / name / "stop"
        return int(read_chunk(folder, self._first // self.chunk - 1, stop.shape, stop.dtype)[-1])

    def _write_node(self, folder: Path, node: Mapping[str, Any]) -> None:
        self._with_room(write_node, folder, node, self._temporary)
        self._changed.add(folder / "zarr.json")

    def _synchronise(self) -> None:
        """Have all that was written so far on the disk."""
        synchronise(sorted(self._changed))
        self._changed.clear()

    def _resize(self, length: int) -> None:
        """Set the length of all frame arrays to `length` frames."""
        for key, node in self._nodes.items():
            node["shape"][0] = length
            self._write_node(self.path / key, node)
        self._length = length

    def _commit(self, **attributes: Any) -> None:
        self._root["attributes"] |= attributes
        self._write_node(self.path, self._root)

    def _write_attributes(self, group: str, attributes: Mapping[str, Any]) -> None:
        node = read_node(self.path / group) | {"attributes": attributes}
        self._write_node(self.path / group, node)

    def _replace(self, path: Path, data: bytes) -> None:
        self._with_room(replace_file, path, data, self._temporary)
        self._changed.add(path)

    def _with_room(self, write: Callable[..., None], *arguments: Any) -> None:
        """write(*arguments), again while the disk is full and room can be made."""
        while True:
            try:
                return write(*arguments)
            except OSError as error:
                if error.errno not in FULL or not self.make_room():
                    raise

    def _refuse_after_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        """Convert an OSError into a StoreError that says how many frames are safe."""
        try:
            yield
        except OSError as error:
            kept = f"; the {self.committed} frames committed before are kept" if self.committed else ""
            self._failure = StoreError(f"{self.path}: cannot {what}: {reason(error)}{kept}")
            raise self._failure from error


def reason(error: OSError) -> str:
    """The message of the operating system, with a remedy for a full disk."""
    text = error.strerror or str(error)
    if error.errno in (*FULL, errno.EFBIG):
        return f"{text} (make room, then continue with --resume)"
    return text
