"""Compilation with a cache that cannot go stale.

numba checks the file of the cached function and not the files of what it calls, so its cache is kept in a
folder whose name
is a hash of every source file that compiled code can reach (ours and our plugins'), of the versions of numba,
llvmlite, numpy and Python, and of the processor. A change anywhere opens a new folder; folders unused for a
month are removed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numba.cpython.hashing  # its symbols, which machine code may call
import numpy
from numba.core import caching, ccallback, config, dispatcher, entrypoints
from numba.core.runtime import rtsys

from mbplugin.math.reach import reachable

SECONDS_KEPT = 30 * 86400.0


def fingerprint(files: Iterable[Path]) -> str:
    """Hash of the contents of `files` and of everything else that decides what machine code comes out."""
    digest = hashlib.sha256()
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
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def processor() -> str:
    """Name of this processor as LLVM knows it."""
    from llvmlite import binding

    return str(binding.get_host_cpu_name())


def cache_root() -> Path:
    """`MBPLUGIN_CACHE`, or the user's cache folder."""
    chosen = os.environ.get("MBPLUGIN_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "mbplugin"


@functools.cache
def cache_folder(*modules: str) -> Path:
    """The folder of the compiled code of these modules, made on first use; old ones are pruned."""
    root = cache_root()
    folder = root / fingerprint(reachable(modules))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        prune(root)
    except OSError:
        import tempfile

        folder = Path(tempfile.mkdtemp(prefix="mbplugin-cache-"))
    return folder


@functools.cache
def prune(root: Path) -> None:
    """Remove what no run has used for `SECONDS_KEPT`."""
    oldest = time.time() - SECONDS_KEPT
    for folder in root.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


class Forgiving(caching.FunctionCache):
    """numba's cache, which may be damaged or have no room: then the code is made again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # numba refreshes its context first, which imports all that it can compile, and scipy: 0.2 s. What is
        # ready needs only the symbols that machine code may call; the compiler refreshes the context itself.
        entrypoints.init_all()
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # what a power cut leaves is no pickle, and raises anything
            with suppress(OSError):
                self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_once(
                f"{cache_root()}: machine code cannot be kept there: {error.strerror or error}; it is made again in every run. Make room, or set MBPLUGIN_CACHE"
            )


@functools.cache
def warn_once(text: str) -> None:
    warnings.warn(text, stacklevel=2)


def in_cache(folder: Path, decorate: Callable[[], Any]) -> Any:
    """Run a decoration with numba's cache pointed at `folder` (numba reads the setting when it decorates)."""
    before = config.CACHE_DIR, dispatcher.FunctionCache, ccallback.FunctionCache  # type: ignore[attr-defined]
    config.CACHE_DIR, dispatcher.FunctionCache, ccallback.FunctionCache = str(folder), Forgiving, Forgiving  # type: ignore[attr-defined,misc]
    try:
        return decorate()
    finally:
        config.CACHE_DIR, dispatcher.FunctionCache, ccallback.FunctionCache = before  # type: ignore[attr-defined,misc]


def jit(function: Callable[..., Any]) -> Any:
    """Compile a building block: no cache of its own, it is stored with the entry points that call it. Python
    can call it too.
    """
    return numba.njit(error_model="numpy")(function)


def internal(function: Callable[..., Any]) -> Any:
    """Compile a building block that only compiled code calls; called from Python it would crash.

    Without the wrappers for Python that `jit` makes, all of the engine compiles in four fifths of the time.
    """
    return numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload,unused-ignore]


def inlined(function: Callable[..., Any]) -> Any:
    """`internal`, put in the place of each call: for the body of a loop, where handing over groups of arrays
    would cost more than the work.
    """
    options = {
        "error_model": "numpy",
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": True,
    }
    return numba.njit(**options)(function)  # type: ignore[call-overload,unused-ignore]


def compiled_entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls: stored in the cache folder together with all that it calls."""
    return in_cache(
        cache_folder(function.__module__), lambda: numba.njit(error_model="numpy", cache=True)(function)
    )
