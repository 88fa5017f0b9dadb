"""Adds the springs, dampers and soft stops of joint coordinates: force elements that the engine makes of the
keys `stiffness`, `damping` and `rest` of joints, and of `stop_stiffness` and `stop_damping` beside `limits`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mbplugin.compile.bounded import ends_of
from mbplugin.compile.builder import Builder
from mbplugin.compile.force_places import Place, coordinates_of, place_on_markers
from mbplugin.compile.forces import add_force
from mbplugin.compile.joint_keys import given, within
from mbplugin.errors import SceneError
from mbplugin.model import Joint
from mbplugin.model.expression import Expression
from mbplugin.model.table import validated

#: the keys of a spring
KEYS = ("stiffness", "damping", "rest")
#: the force elements for springs, and for each end of `limits` that yields
SPRING, STOP = "joint_spring_damper", "joint_stop"


def add_joint_springs(build: Builder) -> None:
    """Add an element for each coordinate that has one of the keys. Raises SceneError, PluginError."""
    used = {str(force.name) for force in build.system.forces}
    for k, joint in enumerate(build.system.joints):
        if not joint.model_fields_set.isdisjoint(KEYS):
            for coordinate, keys in springs_of(build, joint, f"joint[{k}]").items():
                name = force_name(build, joint.name, coordinate, "spring", used)
                add_joint_spring(build, f"joint[{k}]", joint, coordinate, keys, name)


def springs_of(build: Builder, joint: Joint, key: str) -> dict[str, dict[str, Any]]:
    """Coordinate -> the keys of its spring, as given. Raises SceneError."""
    springs: dict[str, dict[str, Any]] = {}
    for word in KEYS:
        for name, number in given(build, joint, key, word).items():
            springs.setdefault(name, {})[word] = number
    for name, keys in springs.items():
        if "stiffness" not in keys and "rest" in keys:
            mend = f"is the unloaded value of a spring, and {joint.name}.{name} has no `stiffness`"
            raise SceneError(f"{key}.rest", keys["rest"], mend)
    return {name: springs[name] for name in coordinates_of(build, joint.name) if name in springs}


def force_name(build: Builder, joint: str, coordinate: str, what: str, used: set[str]) -> str:
    """A name that no force has: of the joint, of its coordinate if it has several, and `what`. Adds it to
    `used`.
    """
    several = len(coordinates_of(build, joint)) > 1
    stem = "_".join((joint, coordinate, what) if several else (joint, what))
    name, number = stem, 2
    while name in used:
        name, number = f"{stem}_{number}", number + 1
    used.add(name)
    return name


def add_joint_spring(
    build: Builder, key: str, joint: Joint, coordinate: str, keys: dict[str, Any], name: str
) -> None:
    """Add the spring of one coordinate. Raises SceneError, PluginError."""
    _, measure, points = build.coordinate_measure[joint.name, coordinate]
    if measure.size and "rest" in keys:
        mend = f"{joint.name}.{coordinate} is the size of a motion, and at least 0; its spring rests at 0"
        raise SceneError(f"{key}.rest", keys["rest"], mend)
    kind = build.registry.force(measure.spring or SPRING, f"{key}.{next(iter(keys))}")
    try:
        params = validated(kind.parameters, keys, key, build.symbols)
    except SceneError as error:
        word = error.key.removeprefix(f"{key}.")
        where = f".{coordinate}" if isinstance(getattr(joint, word, None), Mapping) else ""
        raise SceneError(error.key + where, error.value, error.mend) from None
    if measure.spring:
        add_element(build, joint.name, kind, params, place_on_markers(build, name, kind, list(points)), name)
    else:
        add_on_coordinate(build, joint.name, coordinate, kind, params, name)


def add_on_coordinate(build: Builder, joint: str, coordinate: str, kind: Any, params: Any, name: str) -> None:
    """Add a force element on one coordinate. Raises PluginError."""
    number, measure, points = build.coordinate_measure[joint, coordinate]
    place = Place(list(points), [build.draft.always(number)], True, measure.unit, [measure])
    add_element(build, joint, kind, params, place, name)


def add_element(build: Builder, joint: str, kind: Any, params: Any, place: Place, name: str) -> None:
    """Add a force element of a joint. Raises PluginError."""
    add_force(build, name, kind, params, place)
    build.names.forces.append((name, kind.name))
    build.forces_of.setdefault(("joint", joint), []).append(len(build.draft.forces) - 1)


def add_joint_stops(build: Builder) -> None:
    """Add an element for each finite end of a coordinate with `stop_stiffness`. Raises SceneError,
    PluginError.
    """
    used = {info[0] for info in build.names.forces} | {str(force.name) for force in build.system.forces}
    for k, joint in enumerate(build.system.joints):
        if joint.stop_stiffness is not None or joint.stop_damping is not None:
            add_stops(build, joint, f"joint[{k}]", used)


def add_stops(build: Builder, joint: Joint, key: str, used: set[str]) -> None:
    """Add those of one joint. Raises SceneError, PluginError."""
    kind = build.registry.force(STOP)
    limits, stiffness, damping, restitution = (
        given(build, joint, key, word) for word in ("limits", "stop_stiffness", "stop_damping", "restitution")
    )
    for name in damping:
        if name not in stiffness:
            mend = f"needs `stop_stiffness`: without it the limits of {joint.name}.{name} are hard"
            raise SceneError(f"{key}.stop_damping", joint.stop_damping, mend)
    for name, value in stiffness.items():
        if name not in limits:
            mend = f"is that of stops at limits, and {joint.name}.{name} has no `limits`"
            raise SceneError(f"{key}.stop_stiffness", joint.stop_stiffness, mend)
        if name in restitution:
            mend = "is that of a hard limit; how a soft one rebounds follows from its `stop_damping`"
            raise SceneError(f"{key}.restitution", joint.restitution, mend)
        k = within(build, value, f"{key}.stop_stiffness")
        if k == 0.0:
            mend = "must be positive; leave it out for a hard limit"
            raise SceneError(f"{key}.stop_stiffness", value, mend)
        c = within(build, damping.get(name, 0.0), f"{key}.stop_damping")
        low, high = ends_of(build, joint, name, limits[name], f"{key}.limits")
        for end in (low, high):
            if isinstance(end, Expression):
                mend = "a stop with `stop_stiffness` stays where it is; give a number, or a hard limit"
                raise SceneError(f"{key}.limits", end.text, mend)
        for what, end, side in (("lower_stop", low, -1), ("upper_stop", high, 1)):
            if math.isfinite(end):
                element = force_name(build, joint.name, name, what, used)
                keys = {"stiffness": k, "damping": c, "limit": end, "side": side}
                params = validated(kind.parameters, keys, element, build.symbols)
                add_on_coordinate(build, joint.name, name, kind, params, element)
