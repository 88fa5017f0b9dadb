"""Adds the inertias on joint coordinates: the key `armature` of joints, and those of motors on them.

    ½ a ṡ² of a coordinate s is the energy of a body with one velocity w = ṡ, a rotor: one row s − r = s₀ − r₀
    of the coordinate and the rotor's place, whose multiplier is the force a s̈ that the inertia exerts.

The mass matrix stays one of blocks of bodies, so that every solver, method and analysis has it. Rotors are no
bodies of the scene: results do not list them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.couplings import add_sum
from mbplugin.compile.draft import DraftBody, DraftRow
from mbplugin.compile.drawn import drawn_rate, drawn_value
from mbplugin.compile.force_places import coordinates_of
from mbplugin.compile.frames import Frame, plane_axes
from mbplugin.compile.joint_keys import by_coordinate
from mbplugin.compile.parameters import keys_of_kind, shared_key
from mbplugin.errors import SceneError, errors_at
from mbplugin.model import Joint
from mbplugin.model.expression import number
from mbplugin.model.mass import MassProperties
from mbplugin.model.table import validated

#: the body kind that the engine adds for them, and the measure that tells its place
ROTOR, PLACE = "rotor", "component_z"


@dataclass
class Armature:
    """The rotor of one coordinate."""

    key: str  # of the scene
    joint: Joint
    coordinate: str  # "": the only one
    value: Any  # as given
    body: DraftBody


def rotors(build: Builder) -> list[Armature]:
    """A rotor for each coordinate that has inertias, at rest in 0. Raises SceneError, PluginError."""
    joints = {joint.name: joint for joint in build.system.joints}
    found: dict[tuple[str, str], Armature] = {}
    for key, joint, coordinate, value in [*armatures_of_joints(build), *armatures_of_forces(build)]:
        if joint not in joints:
            continue  # the force is refused later
        names = [other for name, other in found if name == joint]
        # "" and the name of the only coordinate are one
        same = next((name for name in names if name == coordinate or "" in (name, coordinate)), None)
        if same is not None:
            before = found[joint, same]
            key, coordinate = before.key, same
            value = sum(number(one, build.system.parameters) for one in (before.value, value))
        body = rotor(build, key, joints[joint], coordinate, value)
        found[joint, coordinate] = Armature(key, joints[joint], coordinate, value, body)
    return list(found.values())


def armatures_of_forces(build: Builder) -> Iterator[tuple[str, str, str, float]]:
    """Key, joint, coordinate ("": the only one) and inertia of each force that has one. Raises SceneError,
    PluginError.
    """
    for k, force in enumerate(build.system.forces):
        kind = build.registry.force(force.type, f"force[{k}].type")
        if kind.inertia is None or force.joint is None:
            continue
        params = build.params(kind, keys_of_kind(kind, force), f"force[{k}]", type(force).keys())
        inertia = kind.inertia(params)
        if inertia:
            yield f"force[{k}]", str(force.joint), str(force.coordinate or ""), inertia


def armatures_of_joints(build: Builder) -> Iterator[tuple[str, str, str, Any]]:
    """The same of the key `armature` of joints, as given. Raises SceneError, PluginError."""
    for k, joint in enumerate(build.system.joints):
        if "armature" not in joint.model_fields_set:
            continue
        value = shared_key(build.registry.constraint(joint.type, f"joint[{k}].type"), joint, "armature")
        if value is None:
            continue
        key = f"joint[{k}].armature"
        given = value if isinstance(value, Mapping) else {"": value}
        for coordinate, inertia in given.items():
            yield (f"{key}.{coordinate}" if coordinate else key), str(joint.name), coordinate, inertia


def rotor(build: Builder, key: str, joint: Joint, coordinate: str, value: Any) -> DraftBody:
    """The body of an armature. Raises SceneError, PluginError."""
    kind = build.registry.body_kind(ROTOR, key)
    with errors_at(key, value):
        params = validated(kind.parameters, {"armature": value}, "", build.symbols)
    plane = plane_axes(build.system.scene.plane)
    plan = kind.plan(params, MassProperties(1.0, np.zeros(3), np.eye(3)), plane)
    zero = np.zeros(3)
    q, v = kind.coordinates(zero, np.eye(3), zero, zero, plan, plane)
    name = " ".join(filter(None, (joint.name, coordinate, "rotor")))
    return DraftBody(name, kind, plan, q, v, zero, np.eye(3))


def add_armatures(build: Builder) -> None:
    """Add the row of each rotor, when coordinates are known. Raises SceneError, PluginError."""
    for armature in build.armatures:
        add_armature(build, armature)


def add_armature(build: Builder, armature: Armature) -> None:
    """Add the row of one rotor, and give it the rate that its coordinate has in the scene."""
    joint = armature.joint
    names = coordinates_of(build, joint.name)
    if not names:
        mend = f'a joint of type "{joint.type}" has no coordinate that an inertia could act on'
        raise SceneError(armature.key, armature.value, mend)
    key, value = armature.key, armature.value
    if armature.coordinate:
        key, value = key.removesuffix(f".{armature.coordinate}"), {armature.coordinate: value}
    (coordinate,) = by_coordinate(value, names, key, "armature")
    original, measure, points = build.coordinate_measure[joint.name, coordinate]
    if measure.size:
        mend = f"{joint.name}.{coordinate} is the size of a motion, which takes no inertia"
        raise SceneError(armature.key, armature.value, mend)
    number = next(k for k, body in enumerate(build.bodies) if body is armature.body)
    ground = build.point(Frame(-1, np.zeros(3), np.eye(3)))
    place = build.registry.measure(PLACE, armature.key)
    poses = [build.draft.point_pose[point] for point in points]
    armature.body.v[0] = drawn_rate(measure, poses, [twist_of(build, point) for point in points])
    row = DraftRow(f"{joint.name} armature", f"inertia of {coordinate}", measure.unit, 0)
    terms = [(measure, list(points), 1.0, original), (place, [ground, armature.body.point], -1.0, -1)]
    add_sum(build, row, terms, drawn_value(measure, poses))
    build.names.rotors[number] = f"{joint.name}.{coordinate}"


def twist_of(build: Builder, point: int) -> np.ndarray[Any, Any]:
    """(6,) velocity and angular velocity of a point of the draft, as the scene gives those of its body."""
    number = build.draft.points[point][0]
    if number < 0:
        return np.zeros(6)
    body = build.system.body(build.bodies[number].name)
    w = np.array(body.angular_velocity, float)
    arm = np.asarray(build.draft.point_pose[point][0]) - build.bodies[number].x
    return np.concatenate([np.array(body.velocity, float) + np.cross(w, arm), w])
