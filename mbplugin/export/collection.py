"""A `.pvd` index and its frames, readable at any time: a frame is complete before the index names it."""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from mbplugin.errors import StoreError
from mbplugin.results.files import open_new
from mbplugin.results.folder import claim, refuse_foreign
from mbplugin.results.store import reason

HEAD = (
    b'<?xml version="1.0"?>\n'
    b'<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n'
    b"<Collection>\n"
)
TAIL = b"</Collection>\n</VTKFile>\n"

OURS = re.compile(r"frame_(\d{6,})\.vt[pu]")
INDEX_SECONDS = 1.0  # between two writes of the index, which grows with the frames


def file_name(frame: int, suffix: str = "vtp") -> str:
    return f"frame_{frame:06d}.{suffix}"


class Collection:
    """`folder/name.pvd` and `folder/name/frame_000000.vtp`, ...

    times:  of the existing frames to keep [s]; later frames of an older run are removed.
    suffix: of the files

    Raises StoreError.
    """

    def __init__(self, folder: Path, name: str, times: Iterable[float] = (), suffix: str = "vtp") -> None:
        self.suffix = suffix
        self.index = folder / f"{name}.pvd"
        self.folder = folder / name
        self._folder = str(self.folder)
        self.failure: StoreError | None = None  # why the series cannot go on
        self._pending: list[bytes] = []
        self.frames = 0
        try:
            ours = (name, self.index.name, self._temporary(self.index).name)
            refuse_foreign(folder, *ours)
            self.folder.mkdir(parents=True, exist_ok=True)
            claim(folder, *ours)
            # the index first, so that it never names a removed frame
            with open_new(self._temporary(self.index)) as file:
                file.write(HEAD)
                for t in times:
                    file.write(self._line(t))
                    self.frames += 1
                file.write(TAIL)
            os.replace(self._temporary(self.index), self.index)
            for path in self.folder.glob("frame_*.vt[pu]"):
                number = OURS.fullmatch(path.name)
                if number is not None and int(number[1]) >= self.frames:
                    path.unlink()
        except OSError as error:
            raise self._fail(error) from error
        self._written_at = time.monotonic()

    def path(self, frame: int) -> Path:
        """File of frame number `frame`."""
        return self.folder / file_name(frame, self.suffix)

    def append(self, t: float, data: bytes) -> None:
        """Write the next frame, of time `t` [s]; write the index if it is older than a second."""
        self.write(self.frames, data)
        self._pending.append(self._line(t))
        self.frames += 1
        if time.monotonic() - self._written_at > INDEX_SECONDS:
            self.flush()

    def write(self, frame: int, data: bytes) -> None:
        """Write the file of one frame, or replace it."""
        if self.failure is not None:
            raise self.failure
        # texts, since paths take as long as the file
        name = file_name(frame, self.suffix)
        path, temporary = (os.path.join(self._folder, text) for text in (name, f".{name}.part"))
        try:
            with open_new(temporary, 0) as file:
                view = memoryview(data)
                while view:
                    view = view[file.write(view) :]
            os.replace(temporary, path)
        except OSError as error:
            raise self._fail(error) from error

    def flush(self) -> None:
        """Append the pending frames to the index."""
        if not self._pending or self.failure is not None:
            return
        try:
            with open(self.index, "rb") as old, open_new(self._temporary(self.index)) as new:
                shutil.copyfileobj(old, new)
                new.seek(-len(TAIL), os.SEEK_END)
                new.write(b"".join(self._pending) + TAIL)
            os.replace(self._temporary(self.index), self.index)
        except OSError as error:
            raise self._fail(error) from error
        self._pending.clear()
        self._written_at = time.monotonic()

    def make_room(self, first: int) -> None:
        """Remove the frames from number `first` on, for a full disk; the series can then not go on."""
        named = self.frames - len(self._pending)
        if first < named:
            self._cut_index(first)
        for frame in range(first, self.frames):
            with suppress(OSError):
                self.path(frame).unlink()
        del self._pending[max(0, first - named) :]
        self.frames = min(first, self.frames)
        if self.failure is None:
            self._fail(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    def _cut_index(self, frames: int) -> None:
        """Let the index name its first `frames` frames, in its place since there is no room beside it."""
        with suppress(OSError), open(self.index, "r+b") as file:
            lines = file.read().splitlines(keepends=True)
            file.seek(sum(map(len, lines[: HEAD.count(b"\n") + frames])))
            file.write(TAIL)
            file.truncate()

    def _line(self, t: float) -> bytes:
        file = f"{self.folder.name}/{file_name(self.frames, self.suffix)}"
        return f'<DataSet timestep="{float(t)!r}" part="0" file="{file}"/>\n'.encode()

    @staticmethod
    def _temporary(path: Path) -> Path:
        return path.with_name(f".{path.name}.part")

    def _fail(self, error: OSError) -> StoreError:
        for path in (self.index, self.path(self.frames)):
            with suppress(OSError):
                self._temporary(path).unlink()
        kept = f"; the {self.frames} frames written before are kept" if self.frames else ""
        self.failure = StoreError(f"{self.index}: cannot write frame {self.frames}: {reason(error)}{kept}")
        return self.failure
