"""Isometries of a scene, under which it moves alike: a mirror image, rotated axes, a frame that moves.

A vector is either polar (a position, a velocity, a force) or axial (an angular velocity, an axis of a hinge).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

Array = Any


def rotation(q: Array) -> Array:
    """(3, 3) of the quaternion w, x, y, z, of any length."""
    w, x, y, z = np.array(q, float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def product(p: Array, q: Array) -> Array:
    """The quaternion of the rotation by q, then by p."""
    v = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *v])


@dataclass(frozen=True)
class Image:
    """x ↦ Q x, v ↦ Q v + `drift`, with Q the reflection y ↦ −y if `mirrored`, then the rotation `turn`."""

    mirrored: bool = False
    turn: Array | None = None  # quaternion w, x, y, z
    drift: Array = (0.0, 0.0, 0.0)  # velocity of the scene in the frame of the image [m/s]

    @cached_property
    def Q(self) -> Array:
        """(3, 3)"""
        reflection = np.diag([1.0, -1.0 if self.mirrored else 1.0, 1.0])
        return reflection if self.turn is None else rotation(self.turn) @ reflection

    def mirror(self) -> Image:
        return replace(self, mirrored=not self.mirrored)

    @property
    def side(self) -> float:
        """det Q"""
        return -1.0 if self.mirrored else 1.0

    def numbers(self, a: Array) -> list[float]:
        """Micrometres, so that a scene can be read; full digits in rotated axes."""
        digits = 17 if self.turn is not None else 6
        return [round(float(x), digits) + 0.0 for x in np.ravel(a)]

    def polar(self, a: Array) -> list[float]:
        return self.numbers(self.Q @ np.array(a, float))

    def velocity(self, a: Array) -> list[float]:
        return self.numbers(self.Q @ np.array(a, float) + np.array(self.drift))

    def axial(self, a: Array) -> list[float]:
        return self.numbers(self.side * self.Q @ np.array(a, float))

    def quaternion(self, q: Array) -> list[float]:
        """Of axes, which are mirrored with what they belong to."""
        reflected = np.array(q, float) * ([1, -1, 1, -1] if self.mirrored else 1)
        if self.turn is None:
            return self.numbers(reflected)
        return self.numbers(product(np.array(self.turn, float), reflected))

    def shape(self, shape: dict[str, Any]) -> dict[str, Any]:
        """A shape of a body, in the axes of the body: they rotate with it and are mirrored."""
        image = Image(self.mirrored)
        found = dict(shape)
        if "position" in found:
            found["position"] = image.polar(found["position"])
        if "orientation" in found:
            found["orientation"] = {"quaternion": image.quaternion(found["orientation"]["quaternion"])}
        if "points" in found:
            found["points"] = [image.polar(point) for point in found["points"]]
        return found

    def shape_of_ground(self, shape: dict[str, Any]) -> dict[str, Any]:
        found = self.shape(shape)
        if self.turn is not None:
            found["position"] = self.polar(shape.get("position", np.zeros(3)))
            orientation = shape.get("orientation", {"quaternion": [1.0, 0.0, 0.0, 0.0]})
            found["orientation"] = {"quaternion": self.quaternion(orientation["quaternion"])}
        return found


SAME = Image()
