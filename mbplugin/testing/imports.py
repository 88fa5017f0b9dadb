"""Check that a plugin imports only the public packages of the engine."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from typing import Any

from mbplugin.testing.report import Checks

#: packages of the engine that plugins may import
OPEN = ("interface", "stepping", "matrix", "math", "errors")
#: names of `mbplugin` that commands and analyses may import: `from mbplugin import System, load`
PUBLIC = ("System", "Result", "load")


def import_checks(checks: Checks, things: list[Any]) -> None:
    """One check for all source files of the packages in which the offered things are defined."""
    roots = {str(thing.__module__).partition(".")[0] for thing in things if hasattr(thing, "__module__")}
    roots -= {"mbplugin"}  # values, such as tableaus
    wrong = [text for root in sorted(roots) for file in source_files(root) for text in inner_imports(file)]
    note = f"{'; '.join(wrong)}: import from mbplugin.{', mbplugin.'.join(OPEN)}"
    checks.fact("imports only public packages of the engine", not wrong, note)


def source_files(root: str) -> list[Path]:
    """Python files of a top-level module or package, without its tests."""
    spec = importlib.util.find_spec(root)
    if spec is None or spec.origin is None:
        return []
    if not spec.submodule_search_locations:
        return [Path(spec.origin)]
    folder = Path(spec.origin).parent
    return [p for p in sorted(folder.rglob("*.py")) if not {"tests", "test"} & {*p.relative_to(folder).parts}]


def inner_imports(file: Path) -> list[str]:
    """Imports in one file of private modules of the engine."""
    inner = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            several = node.module == "mbplugin"
            modules = [f"mbplugin.{alias.name}" for alias in node.names] if several else [node.module]
        else:
            continue
        for module in modules:
            parts = module.split(".")
            if parts[0] == "mbplugin" and (len(parts) == 1 or parts[1] not in (*OPEN, *PUBLIC)):
                inner.append(f"{file.name}:{node.lineno} imports {module}")
    return inner
