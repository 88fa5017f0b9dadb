"""Building blocks of compiled code.

numba's own cache checks only the file of the cached function, not the files of the functions that it calls.
`cache.py` names the folder of the cache so that it cannot go stale, `machine_code.py` checks what is in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def jit(function: Callable[..., Any]) -> Any:
    """Compile a function for compiled code and Python.

    It has no cache of its own; it is stored with the entry points that call it.
    """
    return numba.njit(error_model="numpy")(function)


def internal(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled code calls; a call from Python crashes.

    Without the Python wrappers of `jit` the engine compiles in four fifths of the time.
    """
    return numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)  # type: ignore[call-overload,unused-ignore]


def inlined(function: Callable[..., Any]) -> Any:
    """Like `internal`, but inlined; for loop bodies where passing groups of arrays dominates the cost."""
    options = {
        "error_model": "numpy",
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": True,
    }
    return numba.njit(**options)(function)  # type: ignore[call-overload,unused-ignore]


def compiled_entry(*more: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that Python calls, with `tables` and arguments of the numba types `more`.

    It is stored in the cache folder together with all that it calls.
    """

    # not at the top: machine code does not depend on how it is stored
    from mbplugin.math.cache import cache_folder
    from mbplugin.math.machine_code import in_cache

    def decorate(function: Callable[..., Any]) -> Any:
        folder = cache_folder(function.__module__)
        entry = in_cache(folder, lambda: numba.njit(error_model="numpy", cache=True)(function))
        entry.cache_folder, entry.argument_types = folder, (numba.int64[::1], *more)
        return entry

    return decorate
