"""Names of free directions of joints, frames for their reactions, and the base of lines between points."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.interface import ConstraintKind

#: how to avoid two markers at one point
APART = 'name a marker on each body, such as "ground.axle" and "ball.rim", or move them apart'


def along(axes: str) -> tuple[str, ...]:
    return tuple(f"translation along {i}" for i in axes)


def about(axes: str) -> tuple[str, ...]:
    return tuple(f"rotation about {i}" for i in axes)


def with_z(z: Any) -> tuple[Any, Any]:
    """Axes of a reaction with z along the given vector: (3, 3) columns x, y, z, for force and torque; that of
    the world for zero.
    """
    length = np.linalg.norm(z)
    z = z / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return both(x, z)


def both(x: Any, z: Any) -> tuple[Any, Any]:
    """Axes of a reaction from its x and z, for force and torque."""
    frame = np.column_stack([x, np.cross(z, x), z])
    return frame, frame


class BetweenPoints(ConstraintKind):
    """Base of what acts along the line between two markers, from a to b; its z is along this line."""

    free_directions = (*along("xy"), *about("xyz"))
    singular = "no length"
    avoided = APART
    at_mass_centres = True
    lines = ((0, 1),)

    @classmethod
    def axes(cls, markers):
        return with_z(markers[1][0] - markers[0][0])


class OnDrum(ConstraintKind):
    """Base of ropes that run round a drum about z of their last marker, with the parameters `radius` and
    `sense`, 1 or −1 about z.
    """

    at_mass_centres = True
    memory_acts = False

    @classmethod
    def axes(cls, markers):
        """Axes of the drum."""
        return markers[-1][1], markers[-1][1]

    @classmethod
    def drum(cls, params):
        return params.sense * params.radius

    @classmethod
    def extent(cls, params):
        return params.radius


def half_a_turn(markers: Any) -> str:
    """The message on frames that are half a turn apart; "" if they are not."""
    (_, A), (_, B) = markers[0], markers[-1]
    return (
        "its frames are half a turn apart, which satisfies it as well as parallel ones do; correct the "
        "orientation of a body or marker if they should be parallel"
        if np.trace(A.T @ B) < 0.0
        else ""
    )


def antiparallel(markers: Any) -> str:
    """The message on antiparallel z axes; "" if they are not."""
    (_, A), (_, B) = markers[0], markers[-1]
    return (
        "its z axes are antiparallel, which satisfies it as well as parallel ones do"
        if A[:, 2] @ B[:, 2] < 0.0
        else ""
    )
