"""A result in memory: a run writes it as it writes a store, and it is read as a store is, without files."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.files import FORMAT, VERSION
from mbplugin.results.files import plain
from mbplugin.results.layout import FRAME_ARRAYS, Described, frame_array, static_array
from mbplugin.results.ragged import Lists
from mbplugin.results.read import Message, RawResult

#: bytes of all frames up to which they are kept as they come; the arrays of later ones are made at once
SMALL = 50_000_000


class MemoryResult(RawResult):
    """Frames in memory, with the interface of `ResultWriter` for a run and that of `RawResult` for readers.

    names, meshes: parts of what `ResultWriter` takes as `static`, names by key; attributes: as there. Each is
    made when it is first read.
    lists, arrays: as for `ResultWriter`
    """

    def __init__(
        self,
        names: Mapping[str, Callable[[], Any]],
        meshes: Callable[[], Mapping[str, Any]],
        attributes: Callable[[], Mapping[str, Any]],
        lists: Lists,
        arrays: Sequence[str] = tuple(FRAME_ARRAYS),
    ) -> None:
        self.path = Path("(memory)")
        self._names, self._meshes, self._attributes, self._lists = names, meshes, attributes, lists
        self._arrays = list(arrays)
        self._blocks: list[Mapping[str, Any]] = []
        self._spans: list[slice] = []
        self._entries: dict[str, list[np.ndarray]] = {
            f"lists/{name}/{array}": [] for name, arrays in lists.items() for array in arrays
        }
        self._stops: dict[str, list[int]] = {name: [0] for name in lists}
        self._made: dict[str, np.ndarray] = {}
        self._named: dict[str, Any] = {}
        self._messages: list[Message] = []
        #: makers of messages, in order; all others come after them
        self._later: list[Callable[[], Sequence[tuple[float | None, str, str]]]] = []
        self._bytes = 0
        self.frames = 0
        self.complete = False

    # written by a run

    def append_frames(
        self, frames: Mapping[str, Any], start: int, stop: int, lists: Mapping[str, Any] | None = None
    ) -> None:
        """Append frames like `ResultWriter.append_frames`."""
        self._bytes += getattr(frames, "bytes", 0)
        self._blocks.append(dict(frames) if self._bytes > SMALL else frames)
        self._spans.append(slice(start, stop))
        self.frames += stop - start
        self._made.clear()
        given = lists or {}
        for name, stops in self._stops.items():
            ends = np.concatenate([[0], given[f"lists/{name}/stop"]])[start : stop + 1]
            for key in (f"lists/{name}/{array}" for array in self._lists[name]):
                self._entries[key].append(np.array(given[key][ends[0] : ends[-1]]))
            stops += (stops[-1] + ends[1:] - ends[0]).tolist()

    def messages_later(self, messages: Callable[[], Sequence[tuple[float | None, str, str]]]) -> None:
        """Add messages (time [s], or None outside the time loop; level; text) that are made when somebody
        reads them, or as soon as frames are not kept as they come.
        """
        self._later.append(messages)
        if self._bytes > SMALL:
            self.make_messages()

    def make_messages(self) -> None:
        """Make the messages that nobody has read yet."""
        while self._later:
            self._messages += [Message(*message) for message in self._later.pop(0)()]

    def snapshot(self) -> MemoryResult:
        """What there is now, which later frames and messages do not change."""
        self.make_messages()
        other = copy.copy(self)
        for name in ("_blocks", "_spans", "_messages"):
            setattr(other, name, list(getattr(self, name)))
        other._entries = {key: list(parts) for key, parts in self._entries.items()}
        other._stops = {name: list(stops) for name, stops in self._stops.items()}
        other._made, other._later = {}, []
        other.__dict__.pop("attributes", None)  # which count the frames
        return other

    # read as a store

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        return f"MemoryResult: {self.frames} frames, {state}"

    @functools.cached_property
    def attributes(self) -> dict[str, Any]:  # type: ignore[override]
        """Attributes of the root group."""
        return dict(self._attributes()) | {
            "format": FORMAT,
            "version": VERSION,
            "frames": self.frames,
            "complete": self.complete,
            "frame_arrays": self.frame_arrays,
            "static_arrays": self.static_arrays,
            "lists": self.lists,
        }

    @functools.cached_property
    def given(self) -> dict[str, Any]:
        """Static arrays, and attributes in JSON types."""
        names = {key: self.attribute(key) for key in self._names}
        return names | {key: stored(key, value) for key, value in self._meshes().items()}

    @property
    def frame_arrays(self) -> list[str]:
        return [*self._arrays, *(f"lists/{name}/stop" for name in self._lists)]

    @property
    def static_arrays(self) -> list[str]:
        return [key for key, value in self.given.items() if isinstance(value, np.ndarray)]

    def whole(self, key: str) -> np.ndarray:
        """The array itself, which stays."""
        if key not in self._made:
            self._made[key] = self.made(key)
        return self._made[key]

    def made(self, key: str) -> np.ndarray:
        """The array `key` of all blocks."""
        if key.startswith("lists/") and key.endswith("/stop"):
            return np.array(self._stops[key.split("/")[1]][1:], np.int64)
        if key in self._arrays and self._blocks:
            arrays = [np.asarray(block[key])[span] for block, span in zip(self._blocks, self._spans)]
            return np.concatenate(arrays).astype(np.dtype(frame_array(key).dtype), copy=False)
        value = self.given.get(key)
        if not isinstance(value, np.ndarray):
            raise KeyError(f"the result has no array {key!r}")
        return value

    def read(self, key: str, start: int, stop: int) -> np.ndarray:
        """Frames start <= i < stop of the array `key` (a static array: all of it)."""
        array = self.whole(key)
        return (array[start : min(stop, self.frames)] if key in self.frame_arrays else array).copy()

    @property
    def lists(self) -> dict[str, list[str]]:
        """The lists whose length changes from frame to frame -> their arrays."""
        return {name: list(arrays) for name, arrays in self._lists.items()}

    def entries(self, name: str, array: str, first: int = 0, last: int | None = None) -> np.ndarray:
        """Entries first <= i < last of an array of a list; default: of all frames."""
        parts = self._entries[f"lists/{name}/{array}"]
        return np.concatenate(parts)[first:last].astype(np.dtype(self._lists[name][array].dtype))

    @property
    def messages(self) -> list[Message]:
        """All messages, in order of time."""
        self.make_messages()
        return list(self._messages)

    def attribute(self, key: str, default: Any = None) -> Any:
        """The attribute "group/name" from `static`; `default` if there is none."""
        if key not in self._names:
            return self.given.get(key, default)
        if key not in self._named:
            self._named[key] = stored(key, self._names[key]())
        return self._named[key]

    def units(self, key: str) -> str:
        """Unit of the array `key`."""
        return self._described(key).units

    def words(self, key: str) -> list[str]:
        """What each whole number from 0 on means in the array `key`."""
        return list(self._described(key).words)

    def _described(self, key: str) -> Described:
        parts = key.split("/")
        if parts[0] == "lists" and parts[-1] != "stop":
            return self._lists[parts[1]][parts[2]]
        return static_array(key) if key in self.given else frame_array(key)

    def each_frame(
        self, start: int = 0, stop: int | None = None, step: int = 1
    ) -> Iterator[dict[str, np.ndarray]]:
        """Frames start, start + step, ... below `stop`."""
        stop = self.frames if stop is None else min(stop, self.frames)
        for i in range(start, stop, step):
            yield self.frame(i)

    def static(self) -> dict[str, Any]:
        """`static` as it was passed to the writer."""
        return dict(self.given)

    def checkpoint(self) -> None:
        """None: the run ended in this process."""

    def check(self, content: bool = True, frames: int | None = None, checkpoints: bool = True) -> list[str]:
        """No damages."""
        return []


def stored(key: str, value: Any) -> Any:
    """A static array or attribute as a store gives it back."""
    return value.astype(static_array(key).dtype) if isinstance(value, np.ndarray) else plain(value)
