"""Systems for analyses that need no masses (positions, velocities, kinematics), or no given velocities."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from mbplugin.model import System
from mbplugin.model.body import POINT

S = TypeVar("S", bound=System)


def massless(system: System) -> list[str]:
    """Names of the bodies without a mass."""
    return [str(body.name) for body in system.bodies if not body.has_mass]


def with_masses(system: S) -> S:
    """The system with a placeholder mass on each massless body: 1 kg, inertia of the mechanism's size."""
    points = np.array(
        [np.resize(body.position, 3) for body in system.bodies]
        + [np.resize(j.at, 3) for j in system.joints if j.at is not None]
        + [np.zeros(3)]
    )
    size = float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) or 1.0
    inertia = (0.1 * size**2,) * 3
    keys = lambda body: {"mass": 1.0} if body.type == POINT else {"mass": 1.0, "inertia": inertia}
    bodies = [body if body.has_mass else body.model_copy(update=keys(body)) for body in system.bodies]
    return system.with_bodies(bodies)


def at_rest(system: S) -> S:
    """The system without given velocities of bodies."""
    bodies = [
        body.model_copy(update={"velocity": (0.0, 0.0, 0.0), "angular_velocity": (0.0, 0.0, 0.0)})
        for body in system.bodies
    ]
    for body in bodies:
        body.model_fields_set.difference_update({"velocity", "angular_velocity"})
    return system.with_bodies(bodies)
