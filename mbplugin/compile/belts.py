"""Binds the velocities of surfaces, as of conveyors, as functions of time."""

from __future__ import annotations

from mbplugin.compile.builder import Builder
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError
from mbplugin.model.contact import collides


def add_belts(build: Builder) -> None:
    """Bind `surface_velocity` of all shapes, in the order of their table. Raises SceneError."""
    for owner, where, shape in build.system.shapes():
        if shape.surface_velocity is None:
            build.draft.belts.append(0)
            continue
        key, functions = f"{where}.surface_velocity", []
        if not collides(owner, shape):
            mend = "moves nothing: the shape does not collide; give `collide = true`, or leave it out"
            raise SceneError(key, list(shape.surface_velocity), mend)
        for k, value in enumerate(shape.surface_velocity):
            expression = build.expression(value, f"{key}[{k}]")
            if expression.moving:
                mend = "may depend on time and inputs only, not on the motion"
                raise SceneError(f"{key}[{k}]", value, mend)
            functions.append(resolve(build, expression, f"{key}[{k}]"))
        build.draft.belts.append(build.draft.bind_all(functions))
