"""The kinds of shapes: those of plugins get their keys checked, and all that collide how they touch."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.errors import PluginError, SceneError, suggestion
from mbplugin.hooks.registry import Registry
from mbplugin.model import Body, System
from mbplugin.model.contact import touches
from mbplugin.model.section import PLANAR, section_of
from mbplugin.model.shape import ENGINE_SHAPES, OtherShape, SurfaceFaces, SurfaceNode
from mbplugin.model.table import validated


def complete_shapes(system: System, registry: Registry) -> None:
    """Give shapes the kinds of their types. Once is enough. Raises SceneError, PluginError."""
    system.check_ground()
    place_sections(system)
    for owner, key, shape in system.shapes():
        if isinstance(owner, Body):
            body_key = key.partition(".")[0]
            shape._stretched = registry.body_kind(owner.type, f"{body_key}.type").stretches
        if shape.kind is not None:
            continue
        if isinstance(shape, OtherShape):
            if shape.type not in registry.names("shape") or not registry.shape(shape.type).written:
                raise unknown_type(shape, key, registry)
            kind = registry.shape(shape.type, f"{key}.type")
            if kind.parameters is None:
                what = "it needs `parameters`, the class of its keys: the engine has no shape of this name"
                raise PluginError(f'shape "{kind.name}": {what}')
            known = type(shape).keys()
            keys = validated(kind.parameters, shape.raw, key, system.symbols, known, system.folder)
            shape.complete(kind, keys)
            check_numbers(shape, key)
        elif isinstance(shape, SurfaceFaces):
            if shape.type in registry.names("shape"):  # else nodes touch alone
                shape._kind = registry.shape(shape.type)
        elif not registry.names("shape"):
            continue
        elif isinstance(shape, SurfaceNode) and shape.contact_type not in registry.names("shape"):
            shape._of_faces, shape._kind = False, registry.shape(shape.type)
        elif touches(owner, shape):
            if shape.contact_type not in registry.names("shape"):
                raise does_not_collide(shape, key, registry)
            shape._kind = registry.shape(shape.contact_type)


def place_sections(system: System) -> None:
    """Tell shapes of planar bodies and of the ground in which plane they touch, if planar bodies collide."""
    moving = {
        owner.type == PLANAR
        for owner, _, shape in system.shapes()
        if owner is not system.scene and touches(owner, shape)
    }
    for owner, _, shape in system.shapes():
        in_plane = owner is system.scene or owner.type == PLANAR
        cut = in_plane and True in moving and touches(owner, shape)
        shape._section = section_of(owner, shape, system.scene.plane, len(moving) == 1) if cut else None


def unknown_type(shape: OtherShape, key: str, registry: Registry) -> SceneError:
    """For a type that neither the engine nor a plugin knows."""
    named = [name for name in registry.names("shape") if registry.shape(name).written]
    known = [*ENGINE_SHAPES, *(name for name in named if name not in ENGINE_SHAPES)]
    what = f"unknown type{suggestion(shape.type, known)}{registry.not_loaded}"
    return SceneError(f"{key}.type", shape.type, what)


def check_numbers(shape: OtherShape, key: str) -> None:
    """Raises PluginError if a kind makes no numbers of the keys."""
    radius = shape.kind.radius(shape.keys_of_kind)
    for what, values in (("numbers", shape.numbers()), ("radius", (radius,))):
        if not np.isfinite(values).all():
            raise PluginError(f'shape "{shape.type}": `{what}` of {key} is {values}, not finite')
    if shape.kind.bounded and not radius > 0.0:
        raise PluginError(f'shape "{shape.type}": `radius` of {key} is {radius}, not above 0')


def does_not_collide(shape: Any, key: str, registry: Registry) -> SceneError:
    """For a shape whose type no plugin lets touch others."""
    kinds = [registry.shape(name) for name in registry.names("shape")]
    known = ", ".join(f'"{kind.name}"' for kind in kinds if kind.bounded and kind.written)
    what = f"a {shape.type} does not collide; give `collide = false` here and further shapes that do: {known}"
    owner = key.rpartition(".shape")[0]
    return SceneError(f"{owner if shape.collide is None else key}.collide", True, what)
