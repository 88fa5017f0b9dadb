"""Sentences on materials that touch nothing, and on shapes that touch without a material."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mbplugin.errors import listed
from mbplugin.model.contact import collides
from mbplugin.model.names import GROUND

if TYPE_CHECKING:
    from mbplugin.model.system import System

#: bodies that a sentence names
NAMED = 5


def idle_materials(system: System) -> list[str]:
    """A sentence on the materials of shapes that do not collide; nothing if there are none."""
    with_density = {material.name for material in system.materials if material.density is not None}
    idle = []
    for name, owner in owners(system):
        used = any(shape.material is None and collides(owner, shape) for shape in owner.shapes)
        if owner.material is not None and not used and owner.material not in with_density:
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
