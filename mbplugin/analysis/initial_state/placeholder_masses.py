"""Positions, velocities and kinematics need no masses: bodies that have none get some, and given velocities
are left out where they play no part.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from mbplugin.model import System

S = TypeVar("S", bound=System)


def with_masses(system: S) -> S:
    """The same system, in which bodies without mass weigh 1 kg, with the inertia of the mechanism's size."""
    places = np.array(
        [np.resize(body.position, 3) for body in system.bodies]
        + [np.resize(j.at, 3) for j in system.joints if j.at is not None]
        + [np.zeros(3)]
    )
    size = float(np.linalg.norm(places.max(axis=0) - places.min(axis=0))) or 1.0
    moment = 0.1 * size**2
    bodies = [
        body if body.has_mass else body.model_copy(update={"mass": 1.0, "inertia": (moment,) * 3})
        for body in system.bodies
    ]
    return system.model_copy(update={"bodies": bodies})


def at_rest(system: S) -> S:
    """The same system without given velocities of bodies."""
    bodies = [
        body.model_copy(update={"velocity": (0.0, 0.0, 0.0), "angular_velocity": (0.0, 0.0, 0.0)})
        for body in system.bodies
    ]
    for body in bodies:
        body.model_fields_set.difference_update({"velocity", "angular_velocity"})
    return system.model_copy(update={"bodies": bodies})
