"""Adds bodies and their mass centres to the draft."""

from __future__ import annotations

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBody
from mbplugin.compile.frames import Frame, plane_axes
from mbplugin.errors import SceneError


def add_bodies(build: Builder) -> None:
    """Add the bodies, sorted by kind so that a batch is a range. Raises SceneError.

    `names.body_index` maps the order of the scene to that of the tables.
    """
    system = build.system
    kinds = [build.registry.body_kind(body.type, f"body[{k}].type") for k, body in enumerate(system.bodies)]
    order = sorted(range(len(kinds)), key=lambda k: kinds[k].name)
    plane = plane_axes(system.scene.plane)
    for k in order:
        body, kind = system.bodies[k], kinds[k]
        params = build.params(kind, body.raw, f"body[{k}]", type(body).keys())
        plan = kind.plan(params, body.mass_properties(), plane)
        R = body.axes()
        x, v = np.array(body.position, float), np.array(body.velocity, float)
        w = np.array(body.angular_velocity, float)
        q, qv = kind.coordinates(x, R, v, w, plan, plane)
        drafted = DraftBody(body.name, kind, plan, q, qv, x, R)
        drafted.check()
        if kind.in_plane and abs(plane[:, 2] @ (x + R @ plan.origin)) > 1e-9:
            raise SceneError(
                f"body[{k}].position",
                list(body.position),
                "the mass centre of a planar body must lie in the scene's plane through the world origin",
            )
        build.bodies.append(drafted)
        build.index[body.name] = len(build.bodies) - 1
    build.names.bodies = [body.name for body in system.bodies]
    build.names.body_index = [build.index[name] for name in build.names.bodies]
    for number, record in enumerate(build.bodies):
        centre = record.x + record.R @ record.plan.origin
        own = record.kind.centre(record.plan) if record.kind.centre is not None else None
        record.point = build.point(Frame(number, centre, record.R), own)
    build.names.body_marker = [build.bodies[i].point for i in build.names.body_index]
