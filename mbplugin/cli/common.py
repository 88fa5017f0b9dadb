"""Shared by several commands: read a scene with changes, load plugins, print warnings."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

from mbplugin.cli.streams import print_warning
from mbplugin.errors import SceneError

if TYPE_CHECKING:
    from mbplugin.api import System
    from mbplugin.hooks.load import Plugin
    from mbplugin.hooks.registry import Registry


def read(scene: str, changes: list[str]) -> System:
    """The scene with `changes`, each "key=value". Raises SceneError."""
    from mbplugin.api import System

    warnings.showwarning = print_warning
    return System.from_file(scene, keys_and_values(changes, "stiffness=5 or solver.tolerance=1e-9"))


def keys_and_values(given: list[str], example: str) -> dict[str, str]:
    """Key -> value of texts "key=value". Raises SceneError."""
    values: dict[str, str] = {}
    for change in given:
        key, sign, value = change.partition("=")
        if not sign or not key.strip():
            raise SceneError("--set", change, f"write key=value, such as {example}")
        key = key.strip()
        if {key, key.removeprefix("parameters."), f"parameters.{key}"} & set(values):
            raise SceneError("--set", change, f"{key} is given twice; give it once")
        values[key] = value.strip()
    return values


def print_compilation(done: int, total: int, seconds: float, what: str) -> None:
    """One line on standard error, written over and over, while functions are compiled for the first time."""
    line = f"compiling, once on this machine: {done} of {total} functions, {seconds:.0f} s  {what}"
    print(f"\r{line:<100}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def loaded(no_plugin: list[str], strict: bool) -> tuple[Registry, list[Plugin]]:
    """The registry and all plugins, without the no_plugin ones. Raises PluginError."""
    from mbplugin.codegen.units import listeners
    from mbplugin.hooks.load import load_plugins

    warnings.showwarning = print_warning
    if sys.stderr.isatty() and not listeners:
        listeners.append(print_compilation)
    return load_plugins(no_plugin, strict or None)
