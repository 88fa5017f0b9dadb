"""Keys of joints that act on coordinates, as given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from mbplugin.compile.builder import Builder
from mbplugin.compile.force_places import coordinates_of
from mbplugin.compile.parameters import shared_key
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError, errors_at, listed, suggestion
from mbplugin.model import Joint
from mbplugin.model.expression import number


def given(build: Builder, joint: Joint, key: str, word: str) -> dict[str, Any]:
    """Coordinate -> value of a key, as given. Raises SceneError."""
    value = shared_key(build.registry.constraint(joint.type), joint, word)
    if value is None:
        return {}
    names = coordinates_of(build, joint.name)
    if not names:
        mend = f'a joint of type "{joint.type}" has no coordinate that it could act on'
        raise SceneError(f"{key}.{word}", value, mend)
    return by_coordinate(value, names, f"{key}.{word}", word)


def by_coordinate(value: Any, names: list[str], key: str, word: str) -> dict[str, Any]:
    """Coordinate -> value of a key: a table, or that of the only coordinate. Raises SceneError."""
    if not isinstance(value, Mapping):
        if len(names) > 1:
            example = f"{word} = {{ {names[0]} = ... }}"
            mend = f"this joint has the coordinates {listed(names)}; give a table by their names: {example}"
            raise SceneError(key, value, mend)
        return {names[0]: value}
    for name in value:
        if name not in names:
            mend = f"this joint has no such coordinate{suggestion(str(name), names)}"
            raise SceneError(f"{key}.{name}", value[name], mend)
    return dict(value)


class Commanded(NamedTuple):
    """A number of a scene, or the function that gives it in a run."""

    value: float
    function: int | None = None


def commanded(build: Builder, value: Any, key: str, most: float = math.inf) -> Commanded:
    """A number from 0 to `most`, or an expression of time, inputs and the motion. Raises SceneError."""
    expression = build.expression(value, key) if isinstance(value, str) else None
    if expression is None or expression.constant is not None:
        return Commanded(within(build, value, key, most))
    if expression.after_solve:
        mend = "may depend on time, inputs, states and the motion, not on accelerations or reactions"
        raise SceneError(key, value, mend)
    return Commanded(0.0, build.draft.bind(resolve(build, expression, key)))


def within(build: Builder, value: Any, key: str, most: float = math.inf) -> float:
    """A number from 0 to `most`. Raises SceneError."""
    with errors_at(key, value):
        result = number(value, build.system.parameters)
        if not 0.0 <= result <= most:
            raise SceneError(
                mend="must not be negative" if most == math.inf else f"must be from 0 to {most:g}"
            )
    return result
