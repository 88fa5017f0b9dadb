"""Adds the springs and dampers of joint coordinates: the keys `stiffness`, `damping` and `rest` of joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbplugin.compile.builder import Builder
from mbplugin.compile.force_places import Place, coordinates_of
from mbplugin.compile.forces import add_force
from mbplugin.compile.parameters import shared_key
from mbplugin.errors import SceneError, listed, suggestion
from mbplugin.model import Joint
from mbplugin.model.table import validated

#: the keys of a spring
KEYS = ("stiffness", "damping", "rest")
#: the force element that the engine adds for them
SPRING = "joint_spring_damper"


def add_joint_springs(build: Builder) -> None:
    """Add an element for each coordinate that has one of the keys. Raises SceneError, PluginError."""
    used = {str(force.name) for force in build.system.forces}
    for k, joint in enumerate(build.system.joints):
        if not joint.model_fields_set.isdisjoint(KEYS):
            for coordinate, keys in springs_of(build, joint, f"joint[{k}]").items():
                several = len(coordinates_of(build, joint.name)) > 1
                name = force_name(joint.name, coordinate if several else "", "spring", used)
                add_joint_spring(build, f"joint[{k}]", joint, coordinate, keys, name)


def springs_of(build: Builder, joint: Joint, key: str) -> dict[str, dict[str, Any]]:
    """Coordinate -> the keys of its spring, as given. Raises SceneError."""
    kind = build.registry.constraint(joint.type)
    names = coordinates_of(build, joint.name)
    springs: dict[str, dict[str, Any]] = {}
    for word in KEYS:
        value = shared_key(kind, joint, word)
        if value is None:
            continue
        if not names:
            mend = f'a joint of type "{joint.type}" has no coordinate that a spring could act on'
            raise SceneError(f"{key}.{word}", value, mend)
        for name, number in by_coordinate(value, names, f"{key}.{word}", word).items():
            springs.setdefault(name, {})[word] = number
    for name, keys in springs.items():
        if "stiffness" not in keys and "rest" in keys:
            mend = f"is the unloaded value of a spring, and {joint.name}.{name} has no `stiffness`"
            raise SceneError(f"{key}.rest", keys["rest"], mend)
    return {name: springs[name] for name in names if name in springs}


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


def force_name(joint: str, coordinate: str, what: str, used: set[str]) -> str:
    """A name that no force has: of the joint and its coordinate, "" if it has one only. Adds it to `used`."""
    stem = "_".join(part for part in (joint, coordinate, what) if part)
    name, number = stem, 2
    while name in used:
        name, number = f"{stem}_{number}", number + 1
    used.add(name)
    return name


def add_joint_spring(
    build: Builder, key: str, joint: Joint, coordinate: str, keys: dict[str, Any], name: str
) -> None:
    """Add the spring of one coordinate. Raises SceneError, PluginError."""
    kind = build.registry.force(SPRING, f"{key}.{next(iter(keys))}")
    try:
        params = validated(kind.parameters, keys, key, build.symbols)
    except SceneError as error:
        word = error.key.removeprefix(f"{key}.")
        where = f".{coordinate}" if isinstance(getattr(joint, word, None), Mapping) else ""
        raise SceneError(error.key + where, error.value, error.mend) from None
    number, measure, points = build.coordinate_measure[joint.name, coordinate]
    place = Place(list(points), [build.draft.always(number)], unit=measure.unit)
    add_force(build, name, kind, params, place)
    build.names.forces.append((name, kind.name))
    build.forces_of.setdefault(("joint", joint.name), []).append(len(build.draft.forces) - 1)
