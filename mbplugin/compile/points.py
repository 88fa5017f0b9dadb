"""Points that do not rotate: joints and forces act at the mass centres of point masses, and not on their
rotation, nor on that of a single node.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.frames import Frame
from mbplugin.errors import SceneError, errors_at

#: distance from the mass centre [m], relative to the positions, that is rounding
ROUNDING = 1e-12
#: what a marker needs that has axes
THREE_NODES = "take a marker of three nodes or more that are not in line"


def check_points(
    build: Builder, frames: Sequence[Frame], key: str, name: str, exerts_torque: bool = False
) -> None:
    """Raises SceneError if a joint or force acts on a point mass away from its mass centre, or turns it."""
    for frame in frames:
        if frame.body < 0:
            continue
        body = build.bodies[frame.body]
        if body.kind.parts:
            check_turning(build, frame, key, name, exerts_torque)
            continue
        if body.kind.rotates:
            continue
        if exerts_torque:
            what = f'exerts a torque on "{body.name}", which is a point mass and does not rotate'
            raise SceneError(key, name, f'{what}; give it an inertia and type = "spatial"')
        centre = body.x + body.R @ body.plan.origin
        distance = float(np.linalg.norm(frame.x - centre))
        if distance > ROUNDING * (1.0 + float(np.abs(centre).max())):
            raise SceneError(
                key,
                name,
                f'acts {distance:.3g} m from the mass centre of "{body.name}", which is a point mass and '
                f"does not rotate; act at {centre.tolist()} (`at`, or a marker there), or give the body an "
                'inertia and type = "spatial"',
            )


def check_turning(build: Builder, frame: Frame, key: str, name: str, exerts_torque: bool) -> None:
    """Raises SceneError if a joint or force cannot act on a point of a body with parts."""
    body = build.bodies[frame.body]
    with errors_at(key, name):
        record = build.point_record(frame)
    if exerts_torque and body.kind.turns is not None and not body.kind.turns(record):
        what = f'exerts a torque on "{body.name}" at a marker without axes of its own'
        raise SceneError(key, name, f"{what}; {THREE_NODES}")
