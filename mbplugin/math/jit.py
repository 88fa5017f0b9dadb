"""Compilation with a cache that cannot go stale.

numba checks only the file of the cached function, not the files of the functions that it calls. The cache
folder's name is therefore a hash of every source file that compiled code can reach (the engine's and the
plugins'), of the versions of numba, llvmlite, numpy and Python, and of the processor. Any change leads to a
new folder; folders unused for a month are removed.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
import types
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


def checks_bounds() -> bool:
    """Whether functions of plugins are compiled with checks of every index (MBPLUGIN_BOUNDS=1)."""
    return os.environ.get("MBPLUGIN_BOUNDS", "") not in ("", "0")


def of_engine(module: str) -> bool:
    return module.partition(".")[0] == "mbplugin"


def fingerprint(files: Iterable[Path], bounds: bool = False) -> str:
    """Hash of the contents of `files`, the versions of the compilers, the processor, and whether indices are
    checked.
    """
    digest = hashlib.sha256(b"bounds" if bounds else b"")
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
    """LLVM's name of this processor."""
    from llvmlite import binding

    return str(binding.get_host_cpu_name())


def cache_root() -> Path:
    """`MBPLUGIN_CACHE`, or the user's cache folder."""
    folder = os.environ.get("MBPLUGIN_CACHE")
    if folder:
        return Path(folder)
    if folder := os.environ.get("XDG_CACHE_HOME"):
        return Path(folder) / "mbplugin"
    try:
        return Path.home() / ".cache" / "mbplugin"
    except RuntimeError:  # neither HOME nor an entry for this user
        return Path(tempfile.gettempdir()) / f"mbplugin-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


@functools.cache
def cache_folder(*modules: str) -> Path:
    """The cache folder of these modules, created on first use; a temporary one if that fails."""
    root = cache_root()
    bounds = checks_bounds() and not all(map(of_engine, modules))
    folder = root / fingerprint(reachable(modules), bounds)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        prune(root)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="mbplugin-cache-"))
    return folder


@functools.cache
def prune(root: Path) -> None:
    """Remove cache folders unused for `SECONDS_KEPT`."""
    oldest = time.time() - SECONDS_KEPT
    for folder in root.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


class Forgiving(caching.FunctionCache):
    """numba's cache; if it is damaged or cannot be written, the code is compiled again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # numba refreshes its context first, which imports all that it can compile, and scipy: 0.2 s. What is
        # ready needs only the symbols that machine code may call; the compiler refreshes the context itself.
        entrypoints.init_all()
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # a damaged pickle can raise anything
            with suppress(OSError):
                self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_once(
                f"{cache_root()}: cannot store compiled code: {error.strerror or error}; every run compiles "
                "again. Free disk space, or set MBPLUGIN_CACHE to another folder"
            )


@functools.cache
def warn_once(text: str) -> None:
    warnings.warn(text, stacklevel=2)


def in_cache(folder: Path, decorate: Callable[[], Any]) -> Any:
    """Run `decorate` with numba's cache in `folder`; numba reads the setting when it decorates."""
    before = config.CACHE_DIR, dispatcher.FunctionCache, ccallback.FunctionCache  # type: ignore[attr-defined]
    config.CACHE_DIR, dispatcher.FunctionCache, ccallback.FunctionCache = str(folder), Forgiving, Forgiving  # type: ignore[attr-defined,misc]
    try:
        return decorate()
    finally:
        config.CACHE_DIR, dispatcher.FunctionCache, ccallback.FunctionCache = before  # type: ignore[attr-defined,misc]


def jit(function: Callable[..., Any]) -> Any:
    """Compile a function for compiled code and Python.

    It has no cache of its own; it is stored with the entry points that call it. With MBPLUGIN_BOUNDS=1 the
    indices of arrays are checked, except in the engine.
    """
    return numba.njit(**options_of(function))(function)  # type: ignore[call-overload,unused-ignore]


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Options of every compiled function."""
    if checks_bounds() and not of_engine(function.__module__):
        return {"error_model": "numpy", "boundscheck": True}
    return {"error_model": "numpy"}


def with_bounds(function: Callable[..., Any], made: dict[Any, Any] | None = None) -> Any:
    """Like `jit`, with checks of every index, also in the compiled functions of its module that it calls."""
    made = {} if made is None else made
    python = getattr(function, "py_func", function)
    if python not in made:
        called = {
            name: with_bounds(python.__globals__[name], made)
            for name in python.__code__.co_names
            if isinstance(python.__globals__.get(name), dispatcher.Dispatcher)
            and not of_engine(python.__globals__[name].__module__)
        }
        space = {**python.__globals__, **called}
        copy = types.FunctionType(
            python.__code__, space, python.__name__, python.__defaults__, python.__closure__
        )
        made[python] = numba.njit(error_model="numpy", boundscheck=True)(copy)
    return made[python]


def internal(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled code calls; a call from Python crashes.

    Without the Python wrappers of `jit` the engine compiles in four fifths of the time.
    """
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options_of(function)}
    return numba.njit(**options)(function)  # type: ignore[call-overload,unused-ignore]


def inlined(function: Callable[..., Any]) -> Any:
    """Like `internal`, but inlined; for loop bodies where passing groups of arrays dominates the cost."""
    options = {
        **options_of(function),
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": True,
    }
    return numba.njit(**options)(function)  # type: ignore[call-overload,unused-ignore]


def compiled_entry(*more: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that Python calls, with `tables` and arguments of the numba types `more`.

    It is stored in the cache folder together with all that it calls. It runs without the interpreter's lock,
    so that other threads go on meanwhile; callbacks in plain Python take the lock themselves.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        folder = cache_folder(function.__module__)
        entry = in_cache(folder, lambda: numba.njit(error_model="numpy", cache=True, nogil=True)(function))
        entry.cache_folder, entry.argument_types = folder, (numba.int64[::1], *more)
        return entry

    return decorate
