"""Remarks on what is valid in a scene and may not be meant: angles in degrees, meshes in millimetres,
materials that touch nothing or deform nothing, and shapes that touch without a material.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from mbplugin.errors import listed
from mbplugin.model.contact import collides
from mbplugin.model.names import GROUND
from mbplugin.model.shape import Mesh, OtherShape

if TYPE_CHECKING:
    from mbplugin.model.system import System

#: larger angles get a remark [rad]: they are valid, since angles count full turns
LARGE_ANGLE = 2.0 * pi
#: a mesh of a body without `scale` gets a remark if it is so many times as large as everything else (the
#: ground: so many times), or larger than so many metres where nothing else has a size
RATIO, RATIO_OF_GROUND, METRES = 100.0, 1000.0, 300.0
#: bodies that a sentence names
NAMED = 5


def large_angles(system: System) -> list[str]:
    """A line for each angle of more than one turn in an orientation or a `start`."""
    lines = []
    for key, angle in angles_of(system):
        if abs(angle) > LARGE_ANGLE:
            remark = f"{key} = {angle:.6g} rad is {angle / LARGE_ANGLE:.3g} turns"
            lines.append(f"{remark}; if degrees are meant, use `{key.rpartition('.')[2]}_deg`")
    return lines


def angles_of(system: System) -> Iterator[tuple[str, float]]:
    """(key, angle [rad]) of all angles that are given in radians."""
    frames: list[tuple[str, Any]] = [
        (f"scene.marker[{k}]", marker) for k, marker in enumerate(system.scene.markers)
    ]
    frames += [(f"scene.shape[{k}]", shape) for k, shape in enumerate(system.scene.shapes)]
    for k, body in enumerate(system.bodies):
        frames.append((f"body[{k}]", body))
        frames += [(f"body[{k}].marker[{n}]", marker) for n, marker in enumerate(body.markers)]
    for key, frame in frames:
        orientation = frame.orientation
        if orientation is not None and orientation.angle is not None:
            yield f"{key}.orientation.angle", orientation.angle
        if orientation is not None and orientation.angles is not None:
            yield f"{key}.orientation.angles", max(orientation.angles, key=abs)
    for k, joint in enumerate(system.joints):
        if joint.start is not None and joint.start.angle is not None:
            yield f"joint[{k}].start.angle", joint.start.angle


def large_meshes(system: System) -> list[str]:
    """A line for each mesh file without `scale` that is far too large. Raises SceneError."""
    meshes = list(unscaled(system))
    if not meshes:
        return []
    rest = size_without(system, {id(shape) for _, shape, _ in meshes})
    lines, sizes = [], {}
    for key, shape, ratio in meshes:
        if shape.file not in sizes:
            sizes[shape.file] = float(np.ptp(shape.surface()[0], axis=0).max())
        size = sizes[shape.file]
        if size > (ratio * rest if rest > 0.0 else METRES):
            other = f"everything else is within {rest:.3g} m" if rest > 0.0 else "a body of this size is rare"
            lines.append(
                f'{key}.file = "{shape.file}" is {size:.4g} m large, but {other}; if the file is in '
                f"millimetres, add scale = 0.001 (scale = 1 says that it is in metres)"
            )
    return lines


def unscaled(system: System) -> Iterator[tuple[str, Mesh, float]]:
    """(key, shape, accepted ratio) of all meshes without `scale`."""
    for owner, key, shape in system.shapes():
        if isinstance(shape, Mesh) and "scale" not in shape.model_fields_set:
            yield key, shape, RATIO_OF_GROUND if owner is system.scene else RATIO


def size_without(system: System, left_out: set[int]) -> float:
    """Largest extent of all positions and lengths, without planes and the shapes with these ids [m]."""
    lengths: list[float] = [0.0]
    points: list[Any] = []
    owners: list[Any] = [system.scene, *system.bodies]
    for owner in owners:
        place = np.array(getattr(owner, "position", (0.0, 0.0, 0.0)), float)
        points.append(place)
        points += [place + marker.position for marker in owner.markers]
        for shape in owner.shapes:
            if id(shape) in left_out or shape.type == "plane":
                continue
            points.append(place + shape.position)
            by_numbers = not isinstance(shape, Mesh | OtherShape)
            scaled = np.array([shape.numbers()]) if by_numbers else shape.surface()[0]
            lengths.append(float(np.abs(scaled).max()))
    elements: list[Any] = [*system.joints, *system.forces]
    points += [np.array(element.at) for element in elements if element.at is not None]
    return max(float(np.ptp(np.array(points), axis=0).max()), *lengths)


def idle_materials(system: System) -> list[str]:
    """A sentence on the materials of shapes that do not collide; nothing if there are none."""
    # densities are used, and on elastic keys there are remarks of their own
    used_by_body = {m.name for m in system.materials if m.density is not None or m.elastic_keys}
    idle = []
    for name, owner in owners(system):
        used = any(shape.material is None and collides(owner, shape) for shape in owner.shapes)
        if owner.material is not None and not used and owner.material not in used_by_body:
            idle.append(f"{called(name)} ({owner.material})")
        idle += [
            f"{called(name)}, shape[{n}] ({shape.material})"
            for n, shape in enumerate(owner.shapes)
            if shape.material is not None and not collides(owner, shape)
        ]
    if not idle:
        return []
    named = listed(idle, NAMED)
    return [f"materials of what does not collide: {named}; `collide = true` lets shapes collide"]


def idle_contacts(system: System) -> list[str]:
    """A line for each `[[contact]]` of a body, or of the ground, that does not collide."""
    idle = {
        name
        for name, owner in owners(system)
        if not (owner.collide or any(collides(owner, shape) for shape in owner.shapes))
    }
    lines = []
    for k, pair in enumerate(system.contacts):
        names = [called(name) for name in dict.fromkeys((pair.a, pair.b)) if name in idle]
        if pair.collide and names:
            does = "does" if len(names) == 1 else "do"
            lines.append(
                f"contact[{k}] has no effect: {listed(names)} {does} not collide; add `collide = true`"
            )
    return lines


def unused_elasticity(system: System, used: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for each material with elastic keys that no body uses.

    used: elastic keys that each body takes from its material, by the body's name
    """
    lines = []
    for material in system.materials:
        bodies = [body.name for body in system.bodies if body.material == material.name]
        taken = {key for name in bodies for key in used.get(name, ())}
        idle = [f"`{key}`" for key in material.elastic_keys if key not in taken]
        if idle:
            have = "has" if len(idle) == 1 else "have"
            where = f"on {listed(bodies, NAMED)}" if bodies else "since no body is of it"
            lines.append(f'material "{material.name}": {listed(idle)} {have} no effect {where}')
    return lines


def nothing_to_touch(system: System) -> list[str]:
    """A sentence on a scene in which shapes of one body alone, or of the ground alone, collide; nothing if it
    is another.
    """
    colliding = [
        name
        for name, owner in owners(system)
        if any(collides(owner, shape) for shape in (*owner.shapes, *getattr(owner, "surface_shapes", [])))
    ]
    if len(colliding) != 1 or not system.scene.contacts:
        return []
    return [
        f"only shapes of {called(colliding[0])} collide, so nothing can touch; `collide = true` of a "
        "[[body]], or of [scene] for the ground, lets their shapes collide"
    ]


def bare_surfaces(system: System) -> list[str]:
    """A sentence on the bodies that collide without a material, and no `[[contact]]` names; nothing if there
    are none.
    """
    ruled = {name for contact in system.contacts if contact.collide for name in (contact.a, contact.b)}
    bare = [
        called(name)
        for name, owner in owners(system)
        if name not in ruled
        and any(collides(owner, shape) and not (shape.material or owner.material) for shape in owner.shapes)
    ]
    if not bare:
        return []
    return [
        f"collide without a material, which means without friction and rebound: {listed(bare, NAMED)}; "
        "`material` names a [[material]]"
    ]


def owners(system: System) -> Iterator[tuple[str, Any]]:
    """(name, body or scene) of everything that has shapes."""
    yield GROUND, system.scene
    yield from ((body.name, body) for body in system.bodies)


def called(name: str) -> str:
    return "the ground" if name == GROUND else f'"{name}"'
