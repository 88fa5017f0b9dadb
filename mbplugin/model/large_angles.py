"""Remarks on angles that may be degrees given as radians. They are valid, since angles count full turns."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbplugin.model.system import System

LARGE = 2.0 * pi  # larger angles get a remark [rad]


def remarks(system: System) -> list[str]:
    """A line for each angle of more than one turn in an orientation or a `start`."""
    lines = []
    for key, angle in angles(system):
        if abs(angle) > LARGE:
            turns = f"{key} = {angle:.6g} rad is {angle / LARGE:.3g} turns"
            lines.append(f"{turns}; if degrees are meant, use `{key.rpartition('.')[2]}_deg`")
    return lines


def angles(system: System) -> Iterator[tuple[str, float]]:
    """(key, angle [rad]) of all angles that are given in radians."""
    frames: list[tuple[str, Any]] = [
        (f"scene.marker[{k}]", marker) for k, marker in enumerate(system.scene.markers)
    ]
    frames += [(f"scene.shape[{k}]", shape) for k, shape in enumerate(system.scene.shapes)]
    for k, body in enumerate(system.bodies):
        frames.append((f"body[{k}]", body))
        frames += [(f"body[{k}].marker[{n}]", marker) for n, marker in enumerate(body.markers)]
    for key, frame in frames:
        orientation = frame.orientation
        if orientation is not None and orientation.angle is not None:
            yield f"{key}.orientation.angle", orientation.angle
        if orientation is not None and orientation.angles is not None:
            yield f"{key}.orientation.angles", max(orientation.angles, key=abs)
    for k, joint in enumerate(system.joints):
        if joint.start is not None and joint.start.angle is not None:
            yield f"joint[{k}].start.angle", joint.start.angle
