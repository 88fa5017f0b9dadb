"""Private names of numba are used in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from child import ROOT

#: where these names may be used
INSIDE = ("mbplugin/compiler/numba_names.py", "mbplugin/math/emitters/")
PRIVATE = ("numba.core", "numba.np", "numba.cpython", "llvmlite.ir")


def imported(text: str) -> Iterator[str]:
    """The full names that a source imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def modules() -> dict[str, Path]:
    """Source files of the engine and the plugins by their path from the root."""
    found = [path for part in ("mbplugin", "plugins") for path in (ROOT / part).rglob("*.py")]
    return {path.relative_to(ROOT).as_posix(): path for path in found}


def test_one_place_knows_numbas_inside():
    files = modules()
    assert len(files) > 500 and files.keys() >= {INSIDE[0]}
    used = {
        file: [n for n in imported(path.read_text()) if n.startswith(PRIVATE)] for file, path in files.items()
    }
    assert any(names for file, names in used.items() if file.startswith(INSIDE))
    assert {file: names for file, names in used.items() if names and not file.startswith(INSIDE)} == {}
