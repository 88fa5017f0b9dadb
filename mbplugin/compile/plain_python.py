"""Functions of plugins in plain Python, without the compiled functions that they call."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from numba.extending import is_jitted


@functools.lru_cache(maxsize=1024)
def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in plain Python, and so all compiled functions that it calls: one call takes
    microseconds and compiles nothing.
    """
    return plain_copy(function, {})


def plain_copy(function: Any, made: dict[Any, Any]) -> Any:
    """Copy of a function in plain Python; made: function -> its copy, of those that call each other."""
    python = getattr(function, "py_func", function)
    if not isinstance(python, types.FunctionType):
        return function
    if python not in made:
        copy = types.FunctionType(
            python.__code__,
            dict(python.__globals__),
            python.__name__,
            python.__defaults__,
            plain_cells(python.__closure__, made),
        )
        copy.__kwdefaults__ = python.__kwdefaults__
        made[python] = copy
        names = python.__code__.co_names
        for name in names:
            if name in python.__globals__:
                copy.__globals__[name] = plain_value(python.__globals__[name], names, made)
    return made[python]


def plain_value(value: Any, names: tuple[str, ...], made: dict[Any, Any]) -> Any:
    """Value of a global name in plain Python; names: those in the code, for modules, such as `vec3` of
    `vec3.dot`.
    """
    if is_jitted(value):
        return plain_copy(value, made)
    if isinstance(value, types.ModuleType):
        entries = vars(value)
        jitted = [name for name in names if name in entries and is_jitted(entries[name])]
        if jitted:
            copies = {name: plain_copy(entries[name], made) for name in jitted}
            return types.SimpleNamespace(**{**entries, **copies})
    return value


def plain_cells(cells: Any, made: dict[Any, Any]) -> Any:
    """The cells of a closure, with compiled functions in plain Python."""
    if cells is None:
        return None
    return tuple(
        types.CellType(plain_copy(cell.cell_contents, made)) if is_jitted(cell.cell_contents) else cell
        for cell in cells
    )
