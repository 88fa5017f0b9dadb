"""The sensors and drawings of a scene, with their keys checked by their kinds."""

from __future__ import annotations

from typing import Any

from mbplugin.errors import SceneError, did_you_mean
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.model.table import join_path, validated


def complete_tables(system: System, registry: Registry) -> None:
    """Give sensors and drawings the kinds of their types. Once is enough. Raises SceneError, PluginError."""
    for category, tables in (("sensor", system.sensors), ("drawing", system.drawings)):
        for k, table in enumerate(tables):
            if table.kind is None:
                complete(category, k, table, system, registry)


def complete(category: str, k: int, table: Any, system: System, registry: Registry) -> None:
    """Complete number k of its category. Raises SceneError, PluginError."""
    key, known = f"{category}[{k}]", type(table).keys()
    kind = registry.find(category, table.type, f"{key}.type")
    for name in table.raw if kind.parameters is None else ():
        hint = did_you_mean(name, known)
        raise SceneError(f"{key}.{name}", table.raw[name], f'unknown key of {category} "{kind.name}"{hint}')
    params = None
    if kind.parameters is not None:
        params = validated(kind.parameters, table.raw, key, system.symbols, known, system.folder)
    try:
        kind.check(params, system)
    except SceneError as error:
        path = join_path(key, [error.key] if error.key else [])
        raise SceneError(path, error.value, error.mend) from None
    table.complete(kind, params)
