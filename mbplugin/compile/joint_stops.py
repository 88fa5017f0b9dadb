"""Adds the soft stops of joint coordinates: the keys `stop_stiffness` and `stop_damping` beside `limits`."""

from __future__ import annotations

import math

from mbplugin.compile.bounded import ends_of
from mbplugin.compile.builder import Builder
from mbplugin.compile.force_places import Place, coordinates_of
from mbplugin.compile.forces import add_force
from mbplugin.compile.joint_keys import given, within
from mbplugin.compile.joint_springs import force_name
from mbplugin.errors import SceneError
from mbplugin.model import Joint
from mbplugin.model.table import validated

#: the force element that the engine adds for each end
STOP = "joint_stop"


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
    limits, stiffness, damping, restitution = (
        given(build, joint, key, word) for word in ("limits", "stop_stiffness", "stop_damping", "restitution")
    )
    for name in damping:
        if name not in stiffness:
            mend = f"needs `stop_stiffness`: without it the limits of {joint.name}.{name} are hard"
            raise SceneError(f"{key}.stop_damping", joint.stop_damping, mend)
    several = len(coordinates_of(build, joint.name)) > 1
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
        low, high = ends_of(build, limits[name], f"{key}.limits")
        for what, end, side in (("lower_stop", low, -1), ("upper_stop", high, 1)):
            if math.isfinite(end):
                element = force_name(joint.name, name if several else "", what, used)
                keys = {"stiffness": k, "damping": c, "limit": end, "side": side}
                add_stop(build, joint.name, name, keys, element)


def add_stop(build: Builder, joint: str, coordinate: str, keys: dict[str, float], element: str) -> None:
    """Add the element of one limit. Raises PluginError."""
    kind = build.registry.force(STOP)
    number, measure, points = build.coordinate_measure[joint, coordinate]
    place = Place(list(points), [build.draft.always(number)], unit=measure.unit)
    add_force(build, element, kind, validated(kind.parameters, keys, element, build.symbols), place)
    build.names.forces.append((element, kind.name))
    build.forces_of.setdefault(("joint", joint), []).append(len(build.draft.forces) - 1)
