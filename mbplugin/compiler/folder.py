"""The folder of machine code: where it is, who may write there, and when it goes.

A folder is named by a hash of the names of the modules whose functions it holds, and a hash of every source
file that these can reach, of the versions of numba, llvmlite, numpy and Python, and of the processor. Any
change leads to a new folder.

Machine code is run as it is found, so a folder is used only if it is this user's and nobody else can write
there. The first that fits is taken: `MBPLUGIN_CACHE`, the user's cache folder, a folder of this user among
the temporary ones, and a new temporary one.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import llvmlite
import numba
import numpy

from mbplugin.compiler.bounds import checks_bounds, of_engine
from mbplugin.compiler.numba_names import MISSING
from mbplugin.compiler.reach import reachable

#: beginning of each file of machine code; another number for another content
FORMAT = b"mbplugin machine code 3\n"
#: time since the last use after which a folder goes: any, and one that the same modules have replaced
SECONDS_KEPT, SECONDS_REPLACED = 30 * 86400.0, 3 * 86400.0
#: names of folders, and what is in them
NAME = re.compile(r"([0-9a-f]{8})-[0-9a-f]{20}|[0-9a-f]{20}")
CONTENT = re.compile(r"units|kernels|derived|.*_[0-9a-f]{40}")


def fingerprint(files: Iterable[Path], bounds: bool = False) -> str:
    """Hash of the contents of `files`, the versions of the compilers and how they are used, the processor,
    and whether indices are checked.
    """
    digest = hashlib.sha256(FORMAT + (b"bounds" if bounds else b"") + (b"plain" if MISSING else b""))
    for version in (
        numba.__version__,
        llvmlite.__version__,
        numpy.__version__,
        sys.version,
        platform.machine(),
        processor(),
    ):
        digest.update(version.encode() + b"\0")
    for file in files:
        status = file.stat()
        digest.update(file.name.encode() + b"\0" + content_hash(file, status.st_mtime_ns, status.st_size))
    return digest.hexdigest()[:20]


@functools.cache
def content_hash(file: Path, changed: int, size: int) -> bytes:
    """Hash of a file that was changed last at this time [ns]; most files are reached from many modules."""
    return hashlib.sha256(file.read_bytes()).digest()


@functools.cache
def processor() -> str:
    """The processor that numba compiles for: LLVM's name of this one, unless NUMBA_CPU_NAME and
    NUMBA_CPU_FEATURES choose another.
    """
    from llvmlite import binding

    chosen = vars(numba.config)
    return f"{chosen.get('CPU_NAME') or binding.get_host_cpu_name()} {chosen.get('CPU_FEATURES') or ''}"


def candidates() -> Iterator[Path]:
    """Folders for machine code, the preferred one first."""
    if folder := os.environ.get("MBPLUGIN_CACHE"):
        yield Path(folder).absolute()
    with suppress(RuntimeError):  # no home folder
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        yield Path(base).absolute() / "mbplugin"
    user = os.geteuid() if hasattr(os, "geteuid") else os.environ.get("USERNAME", "user")
    with suppress(OSError):  # no temporary folder
        yield Path(tempfile.gettempdir()) / f"mbplugin-{user}"


@functools.cache
def cache_folder(*modules: str) -> Path:
    """The cache folder of these modules, created on first use."""
    kind = hashlib.sha256("\0".join(modules).encode()).hexdigest()[:8]
    bounds = checks_bounds() and not all(map(of_engine, modules))
    name = f"{kind}-{fingerprint(reachable(modules), bounds)}"
    refused = ""
    for root in candidates():
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = root / name
            if (why := unsafe(root)) is None:
                folder.mkdir(mode=0o700, exist_ok=True)
                why = unsafe(folder)
        except OSError as error:
            why = error.strerror or str(error)
        if why is None:
            with suppress(OSError):  # read-only
                os.utime(folder)
                prune(root, kind)
            break
        refused = refused or f"{root}: {why}; it is not used for machine code"
    else:
        folder = new_root() / name
        folder.mkdir(mode=0o700, exist_ok=True)
    if refused:
        warn_once(f"{refused}, {folder.parent} is used instead")
    return folder


@functools.cache
def new_root() -> Path:
    """A new temporary folder of this process."""
    return Path(tempfile.mkdtemp(prefix="mbplugin-cache-"))


def unsafe(folder: Path) -> str | None:
    """Why machine code of this folder is not run; None if it is ours and nobody else can write there."""
    if not hasattr(os, "geteuid"):
        return None
    return unsafe_status(folder.stat(), folder)


def unsafe_status(status: os.stat_result, path: Path) -> str | None:
    """Verdict as by `unsafe`, of a file or folder with this status."""
    if status.st_uid != os.geteuid():
        return f"belongs to another user (number {status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others can write there (chmod go-w {path})"
    return None


def prune(root: Path, kind: str) -> None:
    """Remove folders that nobody has used for `SECONDS_KEPT`, and those of the same modules that another has
    replaced after `SECONDS_REPLACED`. A process that still needs one compiles again.
    """
    for folder, of, age in unused(root):
        if age < (SECONDS_REPLACED if of in (kind, None) else SECONDS_KEPT) or not folder.exists():
            continue
        if unsafe(folder) is None and all(CONTENT.fullmatch(entry.name) for entry in folder.iterdir()):
            # moved first: nobody finds half of it
            going = root / f"{folder.name}.{os.getpid()}"
            folder.rename(going)
            shutil.rmtree(going, ignore_errors=True)


@functools.cache
def unused(root: Path) -> list[tuple[Path, str | None, float]]:
    """Folders that nobody has used for `SECONDS_REPLACED`, the hash of their modules, and since when [s]."""
    now, found = time.time(), []
    with os.scandir(root) as entries:
        for entry in entries:
            name = NAME.fullmatch(entry.name)
            if name is not None and entry.is_dir(follow_symlinks=False):
                age = now - entry.stat(follow_symlinks=False).st_mtime
                if age > SECONDS_REPLACED:
                    found.append((Path(entry.path), name[1], age))
    return found


@functools.cache
def warn_once(text: str) -> None:
    warnings.warn(text, stacklevel=2)
