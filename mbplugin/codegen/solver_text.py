"""Source text of the wrappers of a solver's functions, and of a method's kernel.

An exception in them would vanish: at the end of a callback nobody receives it. It becomes a status.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from inspect import signature
from typing import Any

from mbplugin.errors import PluginError

#: role -> arguments, call, and what is returned for an exception
CALLS = {
    "begin_step": (("tables",), "author(tables)", "SOLVER_RAISED"),
    "try_step": (("tables", "h"), "author(tables, view(tables, Step).record[0].length)", "SOLVER_RAISED"),
    "part": (("tables", "number"), "author(tables, first)", "SOLVER_RAISED"),
    "kernel": (("first", "count", "address"), "author(first, count, address)", "-SOLVER_RAISED"),
}

TEXT = '''"""Written by mbplugin; private."""
from mbplugin.math.jit import compiled as jit, internal
from mbplugin.kernels.view import TABLES, table_at, view
from mbplugin.tables.groups import Step
from mbplugin.tables.status import SOLVER_RAISED
{imports}

@internal
def call(first, count, address):
    tables = table_at(address, 2 * TABLES)
    return CALL


def batch(first, count, address):
    try:
        return call(first, count, address)
    except Exception:
        return RAISED
'''


def solver_text(role: str, function: Callable[..., Any], owner: str) -> str:
    """Source text of the wrapper of a function of a solver, or of a method's `kernel`. Raises PluginError for
    other arguments.
    """
    names, call, status = CALLS[role]
    asked = arguments(getattr(function, "py_func", function))
    if asked != names:
        raise PluginError(f"{owner}: {role} takes ({', '.join(names)}), not ({', '.join(asked)})")
    return TEXT.replace("return CALL", f"return {call}").replace("return RAISED", f"return {status}")


def part_text(functions: Sequence[str]) -> str:
    """Source text of the wrapper of a part that `make` makes from functions of these names."""
    _, call, status = CALLS["part"]
    made = f"author = jit(make({', '.join(functions)}))\n"
    text = TEXT.replace("{imports}\n", "{imports}\n" + made)
    return text.replace("return CALL", f"return {call}").replace("return RAISED", f"return {status}")


@lru_cache(maxsize=256)
def arguments(function: Callable[..., Any]) -> tuple[str, ...]:
    """Names of the arguments of a function."""
    return tuple(signature(function).parameters)
