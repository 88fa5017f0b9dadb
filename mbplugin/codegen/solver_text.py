"""Source text of the wrappers of a solver's functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.math.jit import checks_bounds

#: arguments of a solver's functions, and the call of each
CALLS = {
    "begin_step": (("tables",), "author(tables)"),
    "try_step": (("tables", "h"), "author(tables, view(tables, Step).record[0].length)"),
}

TEXT = '''"""Written by mbplugin; private."""
from mbplugin.math.jit import internal as jit
from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.tables.groups import Step
{imports}

def batch(first, count, address):
    tables = table_at(address, 2 * TABLES)
    return CALL
'''

#: with MBPLUGIN_BOUNDS=1 it may raise IndexError, which would vanish
CHECKED = TEXT.replace(
    """def batch(first, count, address):
    tables = table_at(address, 2 * TABLES)
    return CALL
""",
    """@jit
def call(address):
    tables = table_at(address, 2 * TABLES)
    return CALL


def batch(first, count, address):
    try:
        return call(address)
    except Exception:
        return SOLVER_RAISED
""",
).replace("{imports}", "from mbplugin.tables.status import SOLVER_RAISED\n{imports}")


def solver_text(role: str, function: Callable[..., Any], owner: str) -> str:
    """Source text of the wrapper of `begin_step` or `try_step`. Raises PluginError for other arguments."""
    names, call = CALLS[role]
    asked = arguments(getattr(function, "py_func", function))
    if asked != names:
        raise PluginError(f"{owner}: {role} takes ({', '.join(names)}), not ({', '.join(asked)})")
    return (CHECKED if checks_bounds() else TEXT).replace("CALL", call)


@lru_cache(maxsize=256)
def arguments(function: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the arguments of a function."""
    return tuple(signature(function).parameters)
