"""Ownership of a result folder: a marker file names what was written there, and a lock keeps a second run
out.

Only names in the marker are replaced or removed. A file of somebody else in the place of one of ours stops
the run before anything is written, and so does a link, which could lead anywhere.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mbplugin.decoder.files import Damaged, read_regular
from mbplugin.errors import StoreError, writing
from mbplugin.results.files import replace_file

MARKER, LOCK = ".mbplugin", ".mbplugin.lock"
FORMAT = "mbplugin folder"
#: longest wait for the entry of a run that has just taken the lock [s]
MOMENT = 2.0
#: names beside a store that a kill can leave
TEMPORARY = (".result.zarr.part", ".result.zarr.new", ".result.zarr.old", ".result.mbr.part")
#: what a run writes, without the ParaView series
STORE = ("result.zarr", "result.mbr", *TEMPORARY)
MESSAGES = ("messages.txt", ".messages.txt.part")


def read_marker(folder: Path) -> dict[str, Any]:
    """What the marker of `folder` says: `files`, `scene` and `holder`; empty if there is none. Raises
    StoreError if it is not ours.
    """
    file = folder / MARKER
    try:
        if not os.path.lexists(file):
            return {"files": [], "scene": "", "holder": {}}
        if file.is_symlink():
            raise StoreError(f"{file}: is a link, which is not followed; remove it, or choose another folder")
        marker = json.loads(read_regular(file))
        files = marker["files"]
        if marker["format"] == FORMAT and all(isinstance(name, str) for name in files):
            scene, holder = marker.get("scene"), marker.get("holder")
            return {
                "files": list(files),
                "scene": scene if isinstance(scene, str) else "",
                "holder": holder if isinstance(holder, dict) else {},
            }
    except (Damaged, OSError, ValueError, TypeError, KeyError, RecursionError):
        pass
    raise StoreError(
        f"{file}: does not say what in this folder is of mbplugin; choose another folder, or remove this "
        "file and the results beside it"
    )


def claim(folder: Path, *names: str, **entries: Any) -> None:
    """Note in the marker that these files and folders are ours, and further entries. Raises StoreError if
    one of them exists and is not.
    """
    marker = read_marker(folder)
    refuse_foreign(folder, *names)
    files = marker["files"] + [name for name in names if name not in marker["files"]]
    after = marker | entries | {"format": FORMAT, "files": files}
    if after == marker | {"format": FORMAT}:
        return
    with writing(folder / MARKER):
        replace_file(folder / MARKER, json.dumps(after, indent=1).encode(), folder / f"{MARKER}.part")


def refuse_foreign(folder: Path, *names: str) -> None:
    """Raises StoreError if one of the names exists in `folder` and was not written by mbplugin."""
    present = [name for name in names if os.path.lexists(folder / name)]
    # read after that: a run that begins meanwhile names its files before it writes them
    files = read_marker(folder)["files"]
    for name in present:
        path = folder / name
        if path.is_symlink():
            raise StoreError(f"{path}: is a link, which is not followed; remove it, or choose another folder")
        if name not in files and not recognized(path):
            raise StoreError(
                f"{path}: exists and was not written by mbplugin; move it, or choose another folder with -o"
            )


def recognized(path: Path) -> bool:
    """Whether a path that no marker names may be replaced: a store, its index, or an empty folder."""
    from mbplugin.decoder.files import FORMAT as OF_RESULT
    from mbplugin.results.creation import replaceable

    if path.is_dir():
        return replaceable(path)
    if path.name != "result.mbr":
        return False
    with suppress(Damaged, OSError, ValueError, TypeError, KeyError, RecursionError):
        return bool(json.loads(read_regular(path))["format"] == OF_RESULT)
    return False


def make_folder(folder: Path) -> None:
    """Make the folder of a result. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be made: {error.strerror or error}") from None


@contextmanager
def locked(folder: Path, *names: str, scene: str = "") -> Iterator[None]:
    """Make the folder, claim these names in it and keep other runs out of it meanwhile.

    scene: path of the scene file, if it is known

    The operating system releases the lock of a process that dies. Raises StoreError if another run holds
    it, with process, host and time, or if a name is not ours.
    """
    refuse_foreign(folder, *names)
    make_folder(folder)
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise StoreError(f"{folder}: {holder_text(holder_of(folder))}") from None
    except (OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK):
            raise StoreError(f"{folder / LOCK}: cannot be locked: {error.strerror or error}") from None
        claim(folder, *names)
        yield  # a file system without locks
        return
    try:
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        holder = {"process": os.getpid(), "host": socket.gethostname(), "since": since}
        claim(folder, *names, holder=holder, **({"scene": str(Path(scene).resolve())} if scene else {}))
        yield
    finally:
        lock.release()


def holder_of(folder: Path) -> dict[str, Any]:
    """Process, host and time of the run that holds the lock, which it writes as soon as it has the lock: for
    up to `MOMENT`, waits for an entry that is not of an earlier run.
    """
    end = time.monotonic() + MOMENT
    while True:
        holder: dict[str, Any] = read_marker(folder)["holder"]
        if may_run(holder) or time.monotonic() > end:
            return holder
        time.sleep(0.01)


def may_run(holder: dict[str, Any]) -> bool:
    """Whether the process of an entry exists; one of another host may."""
    process = holder.get("process")
    if not isinstance(process, int) or os.name != "posix" or holder.get("host") != socket.gethostname():
        return bool(holder)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # of another user
    return True


def holder_text(holder: dict[str, Any]) -> str:
    """The message about a folder that another run holds."""
    who = "another run"
    if {"process", "host", "since"} <= holder.keys():
        who = f"process {holder['process']} on {holder['host']}, since {holder['since']},"
    return f"{who} writes its result here; wait for its end, or choose another folder with -o"


def refuse_scene_of_another_file(folder: Path, scene: str) -> None:
    """Raises StoreError if `folder` holds the result of another scene file, which still exists."""
    other = read_marker(folder)["scene"]
    if not scene or not other or not os.path.exists(other):
        return
    if not os.path.exists(scene) or not os.path.samefile(scene, other):
        raise StoreError(
            f"{folder}: holds the result of {other}, a scene of the same name; choose another folder with -o"
        )
