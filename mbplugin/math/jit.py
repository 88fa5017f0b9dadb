"""Building blocks of compiled code: decorators.

`mbplugin/compiler` has what they rest on: how libraries of machine code are made, and where they are kept.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from inspect import signature
from typing import Any

import numba
from numba.extending import is_jitted

from mbplugin.compiler import functions
from mbplugin.compiler.bounds import checks_bounds, of_engine
from mbplugin.math.emitters.arrays import without_owner


def jit(python: Callable[..., Any]) -> Any:
    """Compile a function for compiled code and Python.

    It is stored with the entry points that call it. With MBPLUGIN_BOUNDS=1 the indices of arrays are checked,
    except in the engine.
    """
    return functions.function(python, internal(python), **options_of(python))


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
            if name in python.__globals__
            and is_jitted(python.__globals__[name])
            and not of_engine(python.__globals__[name].__module__)
        }
        space = {**python.__globals__, **called}
        copy = types.FunctionType(
            python.__code__, space, python.__name__, python.__defaults__, python.__closure__
        )
        made[python] = functions.function(copy, error_model="numpy", boundscheck=True)
    return made[python]


def internal(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled code calls; a call from Python crashes.

    Without the Python wrappers of `jit` the engine compiles in four fifths of the time.
    """
    return functions.internal(function, **options_of(function))


def compiled(function: Callable[..., Any]) -> Any:
    """Like `internal`; a function that is compiled already is left as it is."""
    return function if is_jitted(function) else internal(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Like `internal`, but inlined; for loop bodies where passing groups of arrays dominates the cost."""
    return functions.internal(function, forceinline=True, **options_of(function))


def compiled_entry(*more: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that Python calls, with `tables` and arguments of the numba types `more`.

    It is stored in the cache folder together with all that it calls. It runs without the interpreter's lock,
    so that other threads go on meanwhile; callbacks in plain Python take the lock themselves.
    """

    def decorate(python: Callable[..., Any]) -> Any:
        body = internal(python)
        made = functions.entry(of_tables(python, body), twin=body, error_model="numpy", nogil=True)
        made.argument_types = (numba.int64[::1], *more)
        return made

    return decorate


def of_tables(python: Callable[..., Any], body: Any) -> Callable[..., Any]:
    """`body` with the arguments of `python`; as in callbacks, references of `tables` are not counted."""
    names = ", ".join(list(signature(python).parameters)[1:])
    text = f"lambda tables, {names}: body(without_owner(tables), {names})"
    code = compile(text, python.__code__.co_filename, "eval").co_consts[0]
    space = {"body": body, "without_owner": without_owner, "__name__": python.__module__}
    call: Any = types.FunctionType(code, space, python.__name__)
    call.__qualname__, call.__doc__ = python.__qualname__, python.__doc__
    return call  # type: ignore[no-any-return]
