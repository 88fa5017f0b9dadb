"""What several commands share: reading a scene with changes, loading plugins, one line per warning."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from mbplugin.api import System
from mbplugin.errors import SceneError
from mbplugin.hooks.load import Found, load_plugins
from mbplugin.hooks.registry import Registry


def one_line(
    message: Any, category: Any, filename: Any, lineno: Any, file: Any = None, line: Any = None
) -> None:
    print(f"warning: {message}", file=sys.stderr)


def read(scene: str, changes: list[str]) -> System:
    """The scene with `key=value` changes. Raises SceneError."""
    warnings.showwarning = one_line
    given = {}
    for change in changes:
        key, sign, value = change.partition("=")
        if not sign or not key.strip():
            raise SceneError("--set", change, "write key=value, such as stiffness=5 or solver.tolerance=1e-9")
        given[key.strip()] = value.strip()
    return System.from_file(scene, given)


def loaded(disabled: list[str], strict: bool) -> tuple[Registry, list[Found]]:
    warnings.showwarning = one_line
    return load_plugins(disabled, strict or None)


def used(found: list[Found]) -> list[dict[str, str]]:
    return [
        {"name": f.name, "distribution": f.distribution, "version": f.version}
        for f in found
        if f.state == "loaded"
    ]
