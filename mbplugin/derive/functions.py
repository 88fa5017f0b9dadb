"""Derived functions as Python functions, and their texts, kept in the cache beside machine code.

A text depends on nothing but the author's function, what that reaches, the numbers of markers and rows, and
this room: the cache folder is named by their content, and the file by the values of the constants that these
functions read, which a data file or the environment may have given. So a stored text is taken as it is.
"""

from __future__ import annotations

import functools
import linecache
import re
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mbplugin.compiler.folder import cache_folder
from mbplugin.compiler.reach import import_path
from mbplugin.compiler.text_file import write_once
from mbplugin.derive import forces, kernels
from mbplugin.derive.author import TRACED, name_of, python_of
from mbplugin.derive.constants import hash_of_constants, imports_of
from mbplugin.derive.forces import ForceSource
from mbplugin.derive.graph import TraceError
from mbplugin.derive.kernels import LIST, Source, Text

ROLES: dict[str, Callable[[Any], Text]] = {
    "measure": kernels.measure_text,
    "constraint": kernels.constraint_text,
    "tangent": kernels.tangent_text,
    "accept": kernels.accept_text,
    "event": kernels.event_text,
    "force": forces.force_text,
    "force_on_measures": forces.force_on_measures_text,
    "force_tangent": forces.force_tangent_text,
    "force_on_measure_tangent": forces.force_on_measure_tangent_text,
}
HEAD = '''"""Derived by mbplugin from {owner}; private."""
from math import {math}
from mbplugin.interface.marker import axis
from mbplugin.derive.author import python_of
from mbplugin.math.jit import jit
from mbplugin.math.spline import spline, spline_third
'''
#: functions of `math` that texts may call
MATH = ", ".join((*TRACED, "copysign", "inf", "nan"))
LISTS = re.compile(f"^# {LIST.format(r'([0-9]+)', r'([a-zA-Z_0-9]+)')}$", re.MULTILINE)
#: modules that texts import, beside those of author's functions
MODULES = ("mbplugin.derive.author", "mbplugin.interface.marker", "mbplugin.math.jit", "mbplugin.math.spline")


@functools.cache
def derived(role: str, source: Source | ForceSource) -> Callable[..., Any]:
    """The kernel or tangent of an author's functions. Raises TraceError.

    Its attributes are `source`, its text, which is None if another process cannot import what it calls,
    `modules`, which the text imports, and `lists`: parameter with an entry for each part of a sum along
    markers -> number of markers of a part.
    """
    python = python_of(getattr(source, "phi", None) or source.functions[0])
    own = ("accept", "event")
    what = "tangent" if role.endswith("tangent") else role if role in own else "kernel"
    name = f"{name_of(python)}_{what}"
    if getattr(source, "along", None) is not None:
        name = f"{name}_{source.key}"
    text, known = text_of(role, source, name)
    space: dict[str, Any] = {"__name__": python.__module__, **known}
    file = f"<{role} of {getattr(python, '__qualname__', name)}>"
    exec(compile(text, file, "exec"), space)  # our own text
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    made = space[name]
    made.__module__, made.__doc__ = python.__module__, python.__doc__
    made.source = None if known else text
    made.lists = {each: int(window) for window, each in LISTS.findall(text)}
    made.modules = (*MODULES, *re.findall(r"^import (.+)$", text, re.MULTILINE))
    return made  # type: ignore[no-any-return]


def text_of(role: str, source: Source | ForceSource, name: str) -> tuple[str, dict[str, Any]]:
    """Text of a derived function, and the author's functions that it calls but cannot import."""
    functions = [python_of(function) for function in source.functions]
    file = None
    if all(isinstance(f, types.FunctionType) and import_path(f) is not None for f in functions):
        modules = dict.fromkeys([*(f.__module__ for f in functions), *imports_of(functions)])
        names = "_".join(function.__qualname__ for function in functions)
        stem = f"{names}_{role}_{source.key}_{hash_of_constants(functions)}"
        file = cache_folder("mbplugin.derive.functions", *modules) / "derived" / f"{stem}.py"
        with suppress(OSError, UnicodeDecodeError):
            return file.read_text(encoding="utf-8"), {}
    try:
        made = ROLES[role](source)
    except TraceError as error:
        names = " and ".join(map(name_of, functions))
        raise TraceError(str(error) if str(error).startswith(names) else f"{names}: {error}") from error
    imports = importable(made.known)
    owner = " and ".join(f"{f.__module__}.{getattr(f, '__qualname__', name_of(f))}" for f in functions)
    text = HEAD.format(owner=owner, math=MATH)
    for alias, (module, attribute) in (imports or {}).items():
        text += f"import {module}\n{alias} = jit(python_of({module}.{attribute}))\n"
    text += "".join(f"# {plan}\n" for plan in made.plans)
    text += "\n\n" + made.source.replace(f"def {made.name}(", f"def {name}(")
    if imports is None:
        return text, made.known
    if file is not None:
        with suppress(OSError):
            write_once(file, text)
    return text, {}


def importable(known: dict[str, Any]) -> dict[str, tuple[str, str]] | None:
    """Module and name of each function; None if there is one that another process cannot import."""
    paths = {name: import_path(python_of(function)) for name, function in known.items()}
    return None if None in paths.values() else paths  # type: ignore[return-value]
