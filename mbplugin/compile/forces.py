"""Adds force elements to the draft, gravity first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftElement, shape_of
from mbplugin.compile.frames import Frame, on_body
from mbplugin.compile.friction import is_friction
from mbplugin.compile.parameters import split
from mbplugin.compile.points import check_points
from mbplugin.compile.references import resolve
from mbplugin.errors import PluginError, SceneError
from mbplugin.interface import ForceKind
from mbplugin.interface.outputs import state_names
from mbplugin.interface.tangent import tangent_of
from mbplugin.model import Force
from mbplugin.model.expression import Expression
from mbplugin.model.table import validated
from mbplugin.tables.purposes import FORCE, MEASURE
from mbplugin.tables.records import DISSIPATION, FRICTION, WORK

#: the force element that the engine adds for `[scene] gravity`
GRAVITY = "gravity"


def add_forces(build: Builder) -> None:
    """Add gravity and the force elements of the scene. Raises SceneError, PluginError."""
    system = build.system
    if any(system.scene.gravity):
        kind = build.registry.force(GRAVITY)
        for body in system.bodies:
            record = build.bodies[build.index[body.name]]
            mass = body.mass_properties().mass
            params = validated(
                kind.parameters, {"mass": mass, "acceleration": list(system.scene.gravity)}, "scene.gravity"
            )
            add_force(build, f"gravity.{body.name}", kind, params, [record.point])
    for k, force in enumerate(system.forces):
        kind = build.registry.force(force.type, f"force[{k}].type")
        params = build.params(kind, force.raw, f"force[{k}]", type(force).keys())
        frames = force_frames(build, force, kind, f"force[{k}]")
        check_points(build, frames, f"force[{k}]", str(force.name), kind.exerts_torque)
        params = kind.defaults(params, [(frame.x, frame.R) for frame in frames])
        functions = {
            name: resolve(build, function, f"force[{k}].{name}")
            for name, function in split(params)[2].items()
        }
        points = [build.point(frame) for frame in frames]
        add_force(build, str(force.name), kind, params, points, functions)
        build.add_lines(str(force.name), kind, points)
        build.names.forces.append((str(force.name), kind.name))


def force_frames(build: Builder, force: Force, kind: type[ForceKind], key: str) -> list[Frame]:
    """Frames of a force's markers. Raises SceneError."""
    references = force.markers or tuple(r for r in (force.a, force.b, force.body) if r is not None)
    if kind.markers is not None and len(references) != kind.markers:
        keys = {1: "`body`", 2: "`a` and `b`"}.get(kind.markers, f"{kind.markers} `markers`")
        plural = "s" * (kind.markers != 1)
        raise SceneError(
            key,
            force.name,
            f'type "{kind.name}" acts on {kind.markers} marker{plural}, not {len(references)}; give {keys}',
        )
    at = np.array(force.at, float) if force.at is not None else None
    return [on_body(build.system, reference, build.index, at) for reference in references]


def dissipation(kind: type[ForceKind], functions: Mapping[str, Expression]) -> int:
    """How the power of an element counts."""
    varying = [function for function in functions.values() if function.constant != 0.0]
    if kind.forces_are_functions and varying and all(map(is_friction, varying)):
        return FRICTION
    return DISSIPATION if kind.dissipates else WORK


def add_force(
    build: Builder,
    name: str,
    kind: type[ForceKind],
    params: Any,
    points: list[int],
    functions: Mapping[str, Expression] | None = None,
) -> None:
    """Add one element. Raises PluginError.

    functions: of its parameters, with references resolved
    """
    if kind.kernel is None:
        raise PluginError(f'force element "{kind.name}" has no `kernel`; define one')
    layout, values, _ = split(params)
    functions = functions or {}
    draft = build.draft
    measures = [build.measure(m, kind) for m in kind.measures]
    numbers = [build.add_measure(name, measure, points, MEASURE) for measure in measures]
    number = len(draft.wrench_slots)
    draft.wrench_slots.append((len(draft.force_points), len(points)))
    draft.force_points += points
    draft.dissipates.append(dissipation(kind, functions))
    shape = shape_of(
        parameters=tuple(layout),
        functions=tuple(functions),
        markers=kind.markers,
        measures=len(measures),
        states=len(state_names(kind.states)),
        outputs=tuple(kind.outputs),
        memory=kind.memory,
        events=kind.events,
    )
    element = DraftElement(
        FORCE,
        "force",
        kind.kernel,
        shape,
        f'force element "{kind.name}"',
        name,
        points,
        values,
        first_function=draft.bind_all(list(functions.values())),
        force=number,
        measure=numbers[0] if numbers else 0,
        first_G=draft.measures[numbers[0]].first_J if numbers else 0,
        accept=kind.accept,
        event=kind.event,
        tangent=tangent_of(kind, "tangent", "kernel"),
    )
    build.place_inner(element, kind, name)
    draft.elements.append(element)
