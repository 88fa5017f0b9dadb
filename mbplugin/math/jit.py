"""Building blocks of compiled code.

numba's own cache checks only the file of the cached function, not the files of the functions that it calls.
`cache.py` names the folder of the cache so that it cannot go stale, `machine_code.py` checks what is in it.
"""

from __future__ import annotations

import itertools
import os
import types
from collections.abc import Callable
from typing import Any

import numba
from numba.core import bytecode, dispatcher

# numba numbers functions from 1 in each process, and symbols of machine code have that number. Closures of a
# factory that two processes have compiled and stored would be one symbol in a third that loads both, and one
# would be called for the other.
bytecode.FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(6), "big"))


def checks_bounds() -> bool:
    """Whether functions of plugins are compiled with checks of every index (MBPLUGIN_BOUNDS=1)."""
    return os.environ.get("MBPLUGIN_BOUNDS", "") not in ("", "0")


def of_engine(module: str) -> bool:
    return module.partition(".")[0] == "mbplugin"


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


def compiled(function: Callable[..., Any]) -> Any:
    """Like `internal`; a function that is compiled already is left as it is."""
    return function if isinstance(function, dispatcher.Dispatcher) else internal(function)


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

    # not at the top: machine code does not depend on how it is stored
    from mbplugin.math.cache import cache_folder
    from mbplugin.math.machine_code import in_cache

    def decorate(function: Callable[..., Any]) -> Any:
        folder = cache_folder(function.__module__)
        entry = in_cache(folder, lambda: numba.njit(error_model="numpy", cache=True, nogil=True)(function))
        entry.cache_folder, entry.argument_types = folder, (numba.int64[::1], *more)
        return entry

    return decorate
