"""Adds force elements to the draft, gravity first."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import NOWHERE, DraftElement, shape_of
from mbplugin.compile.force_on_faces import faces_of, node_points, refuse_faces
from mbplugin.compile.force_places import Place, place_on_coordinate, place_on_markers, poses_of
from mbplugin.compile.frames import Frame, on_body
from mbplugin.compile.lines import check_lines
from mbplugin.compile.parameters import keys_of_kind, shared_key, split
from mbplugin.compile.points import check_points
from mbplugin.compile.references import resolve
from mbplugin.errors import PluginError, SceneError, errors_at
from mbplugin.interface import ForceKind
from mbplugin.interface.derived import refuse_short_lists, tangent_along
from mbplugin.interface.outputs import state_names
from mbplugin.interface.tangent import tangent_of
from mbplugin.model import Force
from mbplugin.model.expression import Expression
from mbplugin.model.parser import IDENTIFIER
from mbplugin.model.references import Reference, Symbol
from mbplugin.model.table import validated
from mbplugin.problem.names import DefaultsInfo, WarningForce
from mbplugin.tables import tape
from mbplugin.tables.purposes import FORCE
from mbplugin.tables.records import ForceRecord

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
            add_force(build, f"gravity.{body.name}", kind, params, Place([record.point], []))
    for k, force in enumerate(system.forces):
        add_force_of_scene(build, k, force)


def add_force_of_scene(build: Builder, k: int, force: Force) -> None:
    """Add force number k of the scene. Raises SceneError, PluginError."""
    key, name = f"force[{k}]", str(force.name)
    kind = build.registry.force(force.type, f"{key}.type")
    own = names_of_reads(name, kind)
    symbols = {word: symbol for word, symbol in own.items() if word not in build.symbols}
    params = build.params(kind, keys_of_kind(kind, force), key, type(force).keys(), symbols)
    check_reads(build, params, own, key)
    if kind.on_faces:
        add_force_on_faces(build, force, kind, params, key)
        return
    refuse_faces(force, kind, key)
    place = place_on_coordinate(build, force, kind, params, key)
    if place is None:
        frames = force_frames(build, force, kind, key)
        check_lines(build, force, kind, frames, key)
        check_points(build, frames, key, name, kind.exerts_torque)
        poses = [(frame.x, frame.R) for frame in frames]
    else:
        poses = poses_of(build, place.points)
    given = params
    with errors_at(key):
        params = kind.defaults(params, poses)
        refuse_short_lists(kind, params, len(poses))
    if place is None:
        points = [build.point(frame) for frame in frames]
        place = place_on_markers(build, name, kind, points)
    for word, number in kind.reads.items():
        build.draft.numbers[own[word].program[0][1]] = place.measures[number]
    functions = resolved(build, params, key, jumps_smoothly(kind))
    add_force(build, name, kind, params, place, functions, dissipates(kind, force, functions, key))
    build.forces_of["force", name] = [len(build.draft.forces) - 1]
    if build.draft.elements[-1].interval > 0.0:
        build.names.sampled.append((key, name))
    build.add_lines(name, kind, place.points, params)
    if params is not given:
        build.names.defaults.append(DefaultsInfo(name, kind, given, params, tuple(place.points)))
    build.names.forces.append((name, kind.name))


def add_force_on_faces(build: Builder, force: Force, kind: type[ForceKind], params: Any, key: str) -> None:
    """Add a force of the scene on the faces of a body: an element for each face. Raises SceneError,
    PluginError.
    """
    name = str(force.name)
    body, faces = faces_of(build, force, kind, key)
    functions = resolved(build, params, key, jumps_smoothly(kind))
    counts = dissipates(kind, force, functions, key)
    first = build.draft.bind_all(list(functions.values()))
    points = node_points(build, body, faces)
    elements = len(build.draft.forces)
    for nodes in faces.nodes:
        with errors_at(key):
            further = kind.face_numbers(params, faces.points[nodes], faces.rule)
        place = Place([points[node] for node in nodes], [])
        add_force(build, name, kind, params, place, functions, counts, first, further)
        build.names.forces.append((name, kind.name))
    build.names.on_faces.add(name)
    build.forces_of["force", name] = list(range(elements, len(build.draft.forces)))


def resolved(build: Builder, params: Any, key: str, smooth: bool = False) -> dict[str, Expression]:
    """The functions of a force by their parameters, with references resolved; smooth: as for `resolve`.
    Raises SceneError.
    """
    return {
        parameter: resolve(build, function, f"{key}.{parameter}", smooth=smooth)
        for parameter, function in split(params)[2].items()
    }


def jumps_smoothly(kind: type[ForceKind]) -> bool:
    """Whether a jump of a function of such a force changes accelerations alone: it stores no energy, and has
    neither states nor events.
    """
    kernel = getattr(kind.kernel, "py_func", kind.kernel)
    return (
        kernel is not None
        and kind.potential is None
        and not (kind.states or kind.events)
        and "energy" not in signature(kernel).parameters
    )


def names_of_reads(name: str, kind: type[ForceKind]) -> dict[str, Symbol]:
    """Symbols that only the functions of this force may read: its own measures by the words of its kind.

    name: of the force
    """
    # without a dot, so that it is no coordinate of a joint
    return {word: Symbol([(tape.MEASURE, Reference("", (f"{word} of {name}",)))]) for word in kind.reads}


def check_reads(build: Builder, params: Any, own: Mapping[str, Symbol], key: str) -> None:
    """Raises SceneError if a function of a force has a word that means two things."""
    for word in own:
        if word not in build.symbols:
            continue
        for parameter, function in split(params)[2].items():
            if word in IDENTIFIER.findall(function.text):
                mend = (
                    f'"{word}" is a name of this scene, and in this key also the {word} of the force itself; '
                    "rename that of the scene"
                )
                raise SceneError(f"{key}.{parameter}", function.text, mend)


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
    if force.at is not None and all("." in reference for reference in references):
        mend = "markers say where it acts; leave it out, or name bodies instead of markers"
        raise SceneError(f"{key}.at", list(force.at), mend)
    at = np.array(force.at, float) if force.at is not None else None
    return [on_body(build.system, reference, build.index, at) for reference in references]


def dissipates(kind: type[ForceKind], force: Force, functions: Mapping[str, Expression], key: str) -> bool:
    """Whether the power of a force of the scene counts as dissipation. Raises SceneError."""
    value = shared_key(kind, force, "dissipative")
    if value is None:
        return kind.dissipates
    if not functions:
        counts = "dissipation" if kind.dissipates else "work"
        mend = f'is for kinds with expressions; that of "{kind.name}" counts as {counts}; leave it out'
        raise SceneError(f"{key}.dissipative", value, mend)
    if not isinstance(value, bool):
        raise SceneError(f"{key}.dissipative", value, "must be true or false")
    return value


def add_force(
    build: Builder,
    name: str,
    kind: type[ForceKind],
    params: Any,
    place: Place,
    functions: Mapping[str, Expression] | None = None,
    dissipates: bool | None = None,
    first_function: int | None = None,
    further: Mapping[str, Any] | None = None,
) -> None:
    """Add one element. Raises PluginError.

    functions: of its parameters, with references resolved
    dissipates: whether its power counts as dissipation, not as work; default as its kind says
    first_function: where they are bound already, for elements that share them
    further: lists and matrices that its functions get in `p` beside its parameters
    """
    if kind.kernel is None:
        raise PluginError(f'force element "{kind.name}" has no `kernel`; define one')
    layout, values, _ = split(params, further)
    functions = functions or {}
    draft = build.draft
    points, numbers = place.points, place.measures
    if first_function is None:
        first_function = draft.bind_all(list(functions.values()))
    number = len(draft.forces)
    draft.forces.append(ForceRecord(len(draft.force_points), len(points)))
    draft.force_points += points
    draft.dissipates.append(kind.dissipates if dissipates is None else dissipates)
    shape = shape_of(
        parameters=tuple(layout),
        functions=tuple(functions),
        markers=kind.markers,
        measures=len(numbers),
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
        NOWHERE._replace(
            first_function=first_function,
            force=number,
            measure=numbers[0] if numbers else 0,
            first_G=draft.measures[numbers[0]].first_J if numbers else 0,
        ),
        accept=kind.accept,
        event=kind.event,
        sample=kind.sample,
        interval=float(kind.sample_interval(params)) if kind.sample_interval is not None else 0.0,
        # a tangent by hand is that of the kind's own measures
        tangent=(None if place.of_joint else tangent_of(kind, "tangent", "kernel"))
        or tangent_along(kind, place.of),
    )
    build.place_inner(element, kind, name, place.unit)
    if element.interval > 0.0:
        element.count = draft.memory
        draft.memory += 1
    if kind.warning is not None:
        build.names.warning_forces.append(WarningForce(name, kind, params, element.record.first_memory))
    draft.elements.append(element)
