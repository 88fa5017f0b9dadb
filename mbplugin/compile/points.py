"""Bodies that do not rotate: joints and forces act at their mass centres, and not on their rotation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.frames import Frame
from mbplugin.errors import SceneError

#: distance from the mass centre [m], relative to the positions, that is rounding
ROUNDING = 1e-12


def check_points(
    build: Builder, frames: Sequence[Frame], key: str, name: str, exerts_torque: bool = False
) -> None:
    """Raises SceneError if a joint or force acts on a point mass away from its mass centre, or turns it."""
    for frame in frames:
        if frame.body < 0 or build.bodies[frame.body].kind.rotates:
            continue
        body = build.bodies[frame.body]
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
