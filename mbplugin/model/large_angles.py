"""Angles that look like degrees where radians are meant. They are legal, for angles count full turns, and so
they are only told.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbplugin.model.system import System

#: from here on [rad] an angle is told
LARGE = 2.0 * pi


def told(system: System) -> list[str]:
    """A line for each angle of more than a turn in an orientation or a `start`."""
    return [
        f"{key} = {angle:.6g} rad is {angle / (2.0 * pi):.3g} turns; were degrees meant, it is `{key.rpartition('.')[2]}_deg`"
        for key, angle in angles(system)
        if abs(angle) > LARGE
    ]


def angles(system: System) -> Iterator[tuple[str, float]]:
    """(key, angle [rad]) as they are written in radians."""
    placed: list[tuple[str, Any]] = [
        (f"scene.marker[{k}]", marker) for k, marker in enumerate(system.scene.markers)
    ]
    for k, body in enumerate(system.bodies):
        placed += [
            (f"body[{k}]", body),
            *((f"body[{k}].marker[{n}]", marker) for n, marker in enumerate(body.markers)),
        ]
    for key, frame in placed:
        given = frame.orientation
        if given is not None and given.angle is not None:
            yield f"{key}.orientation.angle", given.angle
        if given is not None and given.angles is not None:
            yield f"{key}.orientation.angles", max(given.angles, key=abs)
    for k, joint in enumerate(system.joints):
        if joint.start is not None and joint.start.angle is not None:
            yield f"joint[{k}].start.angle", joint.start.angle
