"""Source files that the compiled code of a module can reach, found by following its imports.

Compiled code sees the globals of its module, so the imports at module level count, recursively. The standard
library and the engine's dependencies are left out: their versions are part of every fingerprint.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: packages that are represented by their versions
VERSIONED = frozenset(
    [
        "numpy",
        "scipy",
        "numba",
        "llvmlite",
        "pluggy",
        "pydantic",
        "pydantic_core",
        "typing_extensions",
        "zarr",
        "pyvista",
        "vtk",
        "vtkmodules",
        "trimesh",
        "matplotlib",
        "rich",
        "typer",
        "imageio",
        "pytest",
    ]
)
IMPORT = re.compile(
    r"^(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)|import[ \t]+([^\n]+))", re.MULTILINE
)
STANDARD = Path(sysconfig.get_paths()["stdlib"]).resolve()


def reachable(modules: Iterable[str]) -> tuple[Path, ...]:
    """Files of these modules and of all modules that they import, in the order of the modules' names:
    wherever they are, the same files make the same list.
    """
    files: dict[str, Path] = {}
    rest = list(modules)
    while rest:
        module = rest.pop()
        if module in files or module.partition(".")[0] in VERSIONED:
            continue
        file = file_of(module)
        if file is None:
            continue
        files[module] = file
        rest += imported(module, file)
    return tuple(dict.fromkeys(files[module] for module in sorted(files)))


@functools.cache
def file_of(module: str) -> Path | None:
    """The source file of a module; None if it is built in, in the standard library, or not found."""
    if module.partition(".")[0] in sys.stdlib_module_names:
        return None
    origin = getattr(sys.modules.get(module), "__file__", None)
    if origin is None:
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, AttributeError, ValueError):
            return None
        origin = spec.origin if spec is not None else None
    if origin is None or not os.path.isfile(origin):
        return None
    file = resolved(origin)
    standard = str(file).startswith(f"{STANDARD}{os.sep}")
    return None if standard and "site-packages" not in file.parts else file


def resolved(file: str) -> Path:
    """The path of a file without links."""
    folder, name = os.path.split(file)
    return Path(file).resolve() if os.path.islink(file) else resolved_folder(folder) / name


@functools.cache
def resolved_folder(folder: str) -> Path:
    return Path(folder).resolve()


@functools.cache
def imported(module: str, file: Path) -> list[str]:
    """Names of the modules that a file imports at module level."""
    if file.suffix != ".py":
        return []
    names: list[str] = []
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for source, members, plain in IMPORT.findall(file.read_text(encoding="utf-8", errors="replace")):
        if plain:
            names += [part.split()[0] for part in plain.partition("#")[0].split(",") if part.split()]
            continue
        source = absolute(source, package)
        names.append(source)
        for member in members.strip("()").replace("\n", " ").split(","):
            words = member.partition("#")[0].split()
            if words and words[0].isidentifier() and is_module(f"{source}.{words[0]}"):
                names.append(f"{source}.{words[0]}")
    return names


def absolute(name: str, package: str) -> str:
    """The absolute name of a module that may be given relative to `package`, with leading dots."""
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    parents = package.split(".")
    return ".".join([*parents[: len(parents) - dots + 1], *filter(None, [name.lstrip(".")])])


def is_module(name: str) -> bool:
    """Whether a submodule of that name exists, without importing it."""
    parent, _, last = name.rpartition(".")
    if parent.partition(".")[0] in VERSIONED or parent.partition(".")[0] in sys.stdlib_module_names:
        return False
    package = file_of(parent)
    if package is None or package.name != "__init__.py":
        return False
    entries = entries_of(package.parent)
    return f"{last}.py" in entries or (last in entries and (package.parent / last / "__init__.py").is_file())


@functools.cache
def entries_of(folder: Path) -> frozenset[str]:
    """The names of files and folders in a folder."""
    return frozenset(os.listdir(folder))


def import_path(function: Any) -> tuple[str, str] | None:
    """Module and qualified name by which another process can import the function; None if there is none."""
    module = sys.modules.get(function.__module__)
    if module is None or function.__module__ == "__main__" or not getattr(module, "__file__", None):
        return None
    target: Any = module
    for part in function.__qualname__.split("."):
        target = getattr(target, part, None)
    target = getattr(target, "py_func", target)
    try:
        importable = importlib.util.find_spec(function.__module__) is not None
    except (ImportError, ValueError):
        importable = False
    return (function.__module__, function.__qualname__) if target is function and importable else None
