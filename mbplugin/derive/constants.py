"""Constants that functions read from their modules, such as numbers of a data file or of the environment.

The text of a derived function holds their values, so they are part of its name in the cache.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import os
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from mbplugin.compiler.reach import VERSIONED
from mbplugin.derive.author import names_in, python_of

#: packages whose constants are those of their files or versions
FIXED = VERSIONED | sys.stdlib_module_names | {"mbplugin"}
#: names by which a function reads the environment
OF_ENVIRONMENT = {"environ", "getenv"}
#: how deep constants are followed into objects and collections
MAX_DEPTH = 6


def hash_of_constants(functions: list[Any]) -> str:
    """Hash of the values of all globals, captured variables and defaults that functions read, and of those of
    the functions that they call.
    """
    digest, seen = hashlib.sha256(), set[int]()
    for text in (text for function in functions for text in described(function, seen, 0)):
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()[:12]


def described(value: Any, seen: set[int], depth: int) -> Iterator[str]:
    """Texts of the numbers that a value consists of."""
    python = python_of(value)
    if isinstance(python, types.FunctionType):
        yield from of_function(python, seen)
    elif isinstance(python, (int, float, complex, str, bytes, type(None))):
        yield repr(python)
    elif isinstance(python, types.MethodType):
        yield from of_all((python.__func__, python.__self__), seen, depth)
    elif isinstance(python, functools.partial):
        yield from of_all((python.func, python.args, python.keywords), seen, depth)
    elif isinstance(python, types.ModuleType | type) or is_fixed(python):
        return
    elif hasattr(python, "tobytes"):
        yield f"{python.shape} {python.dtype} {hashlib.sha256(python.tobytes()).hexdigest()}"
    elif depth < MAX_DEPTH and id(python) not in seen:
        seen.add(id(python))
        yield from of_all(parts_of(python), seen, depth + 1)


def of_all(values: Iterable[Any], seen: set[int], depth: int) -> Iterator[str]:
    for each in values:
        yield from described(each, seen, depth)


def parts_of(value: Any) -> list[Any]:
    """Entries of a collection, or attributes of an object."""
    if isinstance(value, dict):
        return [each for item in value.items() for each in item]
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    return list(getattr(value, "__dict__", {}).values())


def is_fixed(value: Any) -> bool:
    """Whether a value is of a package whose constants do not change, and is no number of it."""
    package = (getattr(value, "__module__", None) or "").partition(".")[0]
    return package in FIXED and not hasattr(value, "tobytes")


def imports_of(functions: list[Any]) -> list[str]:
    """Modules that functions import while they are called, as no fingerprint of their files has these."""
    codes = [python_of(function).__code__ for function in functions]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    steps = (step for code in codes for step in dis.get_instructions(code))
    return sorted({str(step.argval) for step in steps if step.opname == "IMPORT_NAME"})


def of_function(python: Any, seen: set[int]) -> Iterator[str]:
    if id(python) in seen or is_fixed(python):
        return
    seen.add(id(python))
    names = names_in(python.__code__)
    if names & OF_ENVIRONMENT:
        yield repr(sorted(os.environ.items()))
    cells = [cell.cell_contents for cell in python.__closure__ or ()]
    for value in (*cells, *(python.__defaults__ or ()), *(python.__kwdefaults__ or {}).values()):
        yield from described(value, seen, 0)
    for name in sorted(names & python.__globals__.keys()):
        value = python.__globals__[name]
        yield name
        if isinstance(value, types.ModuleType):
            yield from of_attributes(value, names, seen) if not is_fixed_module(value) else ()
        elif isinstance(value, type):
            yield from of_attributes(value, names, seen) if not is_fixed(value) else ()
        else:
            yield from described(value, seen, 0)


def is_fixed_module(module: types.ModuleType) -> bool:
    return module.__name__.partition(".")[0] in FIXED


def of_attributes(owner: Any, names: set[str], seen: set[int]) -> Iterator[str]:
    """Attributes of a module or class that a function names."""
    for name in sorted(names):
        value = getattr(owner, name, None)
        if value is not None and not isinstance(value, types.ModuleType):
            yield name
            yield from described(value, seen, 0)
