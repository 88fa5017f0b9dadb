"""The elements of a system that a changed key does not reach: the changed system takes them as they are."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mbplugin.errors import SceneError
from mbplugin.model.body import PLANAR, Body
from mbplugin.model.expression import evaluate_parameters
from mbplugin.model.parser import IDENTIFIER
from mbplugin.model.system import System
from mbplugin.model.table import Table


def with_unchanged(data: dict[str, Any], system: System, paths: Sequence[str]) -> dict[str, Any]:
    """The tables `data` of a scene, which differ from those of `system` in the values at `paths`, with
    objects of `system` in the place of tables that have the same values. They need no validation.
    """
    try:
        values = evaluate_parameters(data.get("parameters", {}))
    except SceneError:
        return data
    # repr, since 0.0 == -0.0
    changed = frozenset(name for name in values if repr(values[name]) != repr(system.parameters[name]))
    reach = Reach(tuple(paths), changed)
    if reach("scene", data.get("scene")) or any(
        reach(f"material[{k}]", table) for k, table in enumerate(data.get("material", ()))
    ):
        return data  # bodies have the density of their material
    tables = dict(data)
    for name in ("scene", "solver", "output"):
        if name in data and not reach(name, data[name]):
            tables[name] = getattr(system, name)
    for name, elements in (("body", system.bodies), ("joint", system.joints), ("force", system.forces)):
        if name in data:
            pairs = enumerate(zip(data[name], elements))
            tables[name] = [reused(*pair, f"{name}[{k}]", reach) for k, pair in pairs]
    return tables


def reused(table: Any, element: Table, key: str, reach: Reach) -> Any:
    """The element, if the change does not reach its table; a body's table with the shapes that are so."""
    # a name that was not given depends on the other elements; planar vectors have become spatial ones
    if not isinstance(table, Mapping) or table.get("name") is None or getattr(element, "type", "") == PLANAR:
        return table
    if not reach(key, table):
        return element
    if isinstance(element, Body) and isinstance(shapes := table.get("shape"), list):
        pairs = enumerate(zip(shapes, element.shapes))
        return {**table, "shape": [t if reach(f"{key}.shape[{j}]", t) else s for j, (t, s) in pairs]}
    return table


@dataclass(frozen=True)
class Reach:
    """Reach of a change. paths: those of the changed values; parameters: those of another value."""

    paths: tuple[str, ...]
    parameters: frozenset[str]

    def __call__(self, key: str, value: Any) -> bool:
        """Whether it reaches the value at `key`: lies in it, or is mentioned there."""
        inside = any(path == key or path.startswith((f"{key}.", f"{key}[")) for path in self.paths)
        return inside or mentions(value, self.parameters)


def mentions(value: Any, names: frozenset[str]) -> bool:
    """Whether a text in a value of a scene has one of the words `names`."""
    if isinstance(value, float | int):
        return False
    if isinstance(value, str):
        return not names.isdisjoint(words(value))
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return False
    for item in value:
        if mentions(item, names):
            return True
    return False


@functools.lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """The words of an expression."""
    return frozenset(IDENTIFIER.findall(text))
