"""Adds bodies and their mass centres to the draft."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from mbplugin.compile.armatures import rotors
from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBody
from mbplugin.compile.frames import Frame, plane_axes
from mbplugin.compile.nodal import nodal_body
from mbplugin.compile.parameters import names_argument
from mbplugin.errors import SceneError, errors_at
from mbplugin.interface.body import BodyPlan, deforms
from mbplugin.model.body import Body
from mbplugin.model.contact import Elastic, Surface
from mbplugin.model.mass import MassProperties
from mbplugin.model.system import System
from mbplugin.problem.names import DeformableBody
from mbplugin.tables.spec import Array


@functools.lru_cache(maxsize=1024)
def plan_by_mass(
    kind: Any, mass: float, center: bytes, inertia: bytes, plane: str, further: tuple[tuple[str, Any], ...]
) -> BodyPlan:
    """The plan of a kind without keys of its own, which follows from mass properties, plane and what its plan
    names further.
    """
    properties = MassProperties(mass, np.frombuffer(center), np.frombuffer(inertia).reshape(3, 3))
    return kind.plan(None, properties, plane_axes(plane), **dict(further))


def plan_of(kind: Any, params: Any, body: Body, system: System) -> BodyPlan:
    """The plan of a body; equal bodies of a kind without keys share one. Raises SceneError."""
    mass, plane = body.mass_properties(), system.scene.plane
    makers: dict[str, Callable[[], Any]] = {
        "volume": lambda: body.volume,
        "material": lambda: system.material_of(body),
        "content": lambda: body.content.data,
        "position": lambda: np.array(body.position, float),
        "axes": body.axes,
    }
    further = {name: make() for name, make in makers.items() if names_argument(kind.plan, name)}
    if kind.parameters is not None:
        return kind.plan(params, mass, plane_axes(plane), **further)
    # bytes, since 0.0 == -0.0
    center, inertia = (np.asarray(array, float).tobytes() for array in (mass.center_of_mass, mass.inertia))
    return plan_by_mass(kind, float(mass.mass), center, inertia, plane, tuple(further.items()))


def refuse_keys_of_material(kind: Any, raw: dict[str, Any], key: str) -> None:
    """Raises SceneError for a key of a material in a body."""
    of_kind = kind.parameters.model_fields if kind.parameters is not None else {}
    for name in raw:
        if name in of_kind:
            continue
        if name in Surface.model_fields:
            mend = "is a key of a [[material]], which the body names as `material`, or of a [[contact]]"
            raise SceneError(f"{key}.{name}", raw[name], mend)
        if name in Elastic.model_fields and kind.material_keys:
            mend = "is a key of a [[material]], which the body names as `material`"
            raise SceneError(f"{key}.{name}", raw[name], mend)


def add_bodies(build: Builder) -> None:
    """Add the bodies, sorted by kind so that a batch is a range. Raises SceneError.

    `names.body_index` maps the order of the scene to that of the tables.
    """
    system = build.system
    kinds = [build.registry.body_kind(body.type, f"body[{k}].type") for k, body in enumerate(system.bodies)]
    chosen = [getattr(body.content, "kind", None) for body in system.bodies]
    kinds = [own or kind for own, kind in zip(chosen, kinds)]
    build.armatures = rotors(build)
    of_scene = len(kinds)
    kinds += [armature.body.kind for armature in build.armatures]
    order = sorted(range(len(kinds)), key=lambda k: kinds[k].name)
    plane = plane_axes(system.scene.plane)
    for k in order:
        if k >= of_scene:
            build.bodies.append(build.armatures[k - of_scene].body)
            continue
        body, kind = system.bodies[k], kinds[k]
        refuse_keys_of_material(kind, body.raw, f"body[{k}]")
        params = build.params(kind, body.raw, f"body[{k}]", type(body).keys())
        body.mass_properties()  # its errors have their keys
        with errors_at(f"body[{k}]"):
            plan = plan_of(kind, params, body, system)
        R = body.axes()
        x, v = np.array(body.position, float), np.array(body.velocity, float)
        w = np.array(body.angular_velocity, float)
        q, qv = kind.coordinates(x, R, v, w, plan, plane)
        drafted = DraftBody(body.name, kind, plan, q, qv, x, R)
        drafted.check()
        off = float(plane[:, 2] @ (x + R @ plan.origin)) if kind.in_plane else 0.0
        if abs(off) > 1e-9:
            raise SceneError(
                f"body[{k}].position",
                list(body.position),
                "the mass centre of a planar body must lie in the scene's plane through the world origin, "
                f"and is {off:.3g} m off it; move the body, or its shapes where they give the mass centre",
            )
        build.bodies.append(drafted)
        build.index[body.name] = len(build.bodies) - 1
        if body.content is not None:
            build.names.remarks += body.content.remarks
    build.names.bodies = [body.name for body in system.bodies]
    build.names.body_index = [build.index[name] for name in build.names.bodies]
    named = {body.name: body for body in system.bodies}
    for number, record in enumerate(build.bodies):
        centre = record.x + record.R @ record.plan.origin
        own = record.kind.centre(record.plan) if record.kind.centre is not None else None
        record.point = build.point(Frame(number, centre, record.R), own)
        whole = named.get(record.name)
        if whole is not None and whole.surface_shapes:
            nodes = whole.content.surface
            record.nodes = [
                build.point(Frame(number, record.x + record.R @ x, record.R), r)
                for x, r in zip(nodes.points, nodes.records)
            ]
        if record.kind.stretches:
            record.stretch = stretch_points(build, number, centre)
    build.names.nodal = [
        nodal_body(build.bodies[build.index[body.name]], body.content.nodes, system.output.stress)
        for body in system.bodies
        if body.content is not None and body.content.nodes is not None
    ]
    build.names.deformable = [
        DeformableBody(k, one.x, one.R, functools.partial(one.kind.coordinates, plan=one.plan, plane=plane))
        for k, one in enumerate(build.bodies[index] for index in build.names.body_index)
        if deforms(one.kind, one.nv)
    ]
    build.names.stretches = [build.bodies[i].stretch for i in build.names.body_index]
    build.names.body_marker = [build.bodies[i].point for i in build.names.body_index]


def stretch_points(build: Builder, number: int, centre: Array) -> int:
    """Add three material points of a body, 1 m from its mass centre (3,) along the axes of its frame. Returns
    the first. They have the pose of the mass centre at t = 0, so that they do not count as its extent.
    """
    body = build.bodies[number]
    origin = body.plan.origin
    records = [body.kind.point(origin + axis, np.eye(3), body.plan) for axis in np.eye(3)]
    first, *_ = [build.draft.point(number, record, centre, body.R) for record in records]
    return first
