"""Orientation of a frame in its parent, as people write it, and as a unit quaternion (w, x, y, z), frame to
parent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model.quantities import Direction, Number, Vector, array_schema, numbers
from mbplugin.model.table import Table

Quaternion = tuple[float, float, float, float]
IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def four_numbers(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    result = numbers(value, info, 4, what="must be a list of 4 numbers w, x, y, z")
    if not any(result):
        raise SceneError(value=value, mend="must not be zero; [1, 0, 0, 0] is no rotation")
    return result


class Orientation(Table):
    """One of: axis with angle; quaternion; euler with angles; z and x axes; for planar bodies angle alone."""

    axis: Direction | None = Field(
        default=None, description="axis of one rotation, in the parent's axes; any length"
    )
    angle: Number | None = Field(
        default=None, description="angle about `axis`, or about the plane's normal [rad]"
    )
    angle_deg: Number | None = Field(default=None, description="the same in degrees [°]")
    quaternion: (
        Annotated[
            tuple[float, float, float, float],
            BeforeValidator(four_numbers),
            WithJsonSchema(array_schema(4, 4)),
        ]
        | None
    ) = Field(default=None, description="w, x, y, z; made unit")
    euler: str | None = Field(
        default=None,
        description='order of three rotations: "ZXZ", capitals, each about the axes as turned so far; "zxz", small, '
        "each about the parent's axes",
    )
    angles: Vector | None = Field(default=None, description="the three angles of `euler` [rad]")
    angles_deg: Vector | None = Field(default=None, description="the three angles of `euler` in degrees [°]")
    z: Direction | None = Field(
        default=None, description="direction of the frame's z axis in the parent's axes"
    )
    x: Direction | None = Field(
        default=None, description="direction of the frame's x axis; its part along `z` is taken away"
    )

    @model_validator(mode="before")
    @classmethod
    def from_angle(cls, data: Any) -> Any:
        """A number alone is an angle [rad] in the plane."""
        return (
            {"angle": data}
            if isinstance(data, int | float | str | np.number) and not isinstance(data, bool)
            else data
        )

    @model_validator(mode="after")
    def one_way(self) -> Orientation:
        given = tuple(key for key in type(self).model_fields if getattr(self, key) is not None)
        if given not in WAYS:
            ways = (
                "{axis, angle} or {axis, angle_deg}, {quaternion}, {euler, angles} or {euler, angles_deg}, {z, x}, "
                "in a plane {angle} or {angle_deg}"
            )
            raise SceneError(
                mend=f"an orientation is one of {ways}" + (f", not {{{', '.join(given)}}}" if given else "")
            )
        if self.euler is not None:
            order = self.euler.lower()
            same_case = self.euler in (order, order.upper())
            if (
                len(order) != 3
                or set(order) - set("xyz")
                or not same_case
                or order[0] == order[1]
                or order[1] == order[2]
            ):
                mend = 'must be three axes, no two neighbours equal, such as "ZXZ" (turned axes) or "xyz" (parent\'s axes)'
                raise SceneError("euler", self.euler, mend)
        if (
            self.z is not None
            and self.x is not None
            and not np.linalg.norm(np.cross(self.z, self.x))
            > 1e-6 * math.hypot(*self.z) * math.hypot(*self.x)
        ):
            raise SceneError("x", list(self.x), "must not be parallel to z")
        return self

    @property
    def in_plane(self) -> bool:
        """An angle alone: about the normal of the plane."""
        return self.axis is None and (self.angle is not None or self.angle_deg is not None)

    def to_quaternion(self, normal: tuple[float, float, float] | None = None) -> Quaternion:
        """w, x, y, z; `normal` is the axis of an angle alone."""
        given = tuple(key for key in type(self).model_fields if getattr(self, key) is not None)
        return WAYS[given](self, normal)


def about(o: Orientation, normal: tuple[float, float, float] | None) -> Quaternion:
    axis = o.axis if o.axis is not None else normal
    if axis is None:
        raise SceneError(
            "orientation", NOT_GIVEN, "an angle without `axis` is for planar bodies; give the axis too"
        )
    angle = o.angle if o.angle is not None else math.radians(o.angle_deg or 0.0)
    return turned(axis, angle)


def as_given(o: Orientation, normal: object) -> Quaternion:
    assert o.quaternion is not None
    return unit(o.quaternion)


def from_euler(o: Orientation, normal: object) -> Quaternion:
    assert o.euler is not None
    angles = o.angles if o.angles is not None else tuple(math.radians(a) for a in o.angles_deg or ())
    q = IDENTITY
    for letter, angle in zip(o.euler, angles):
        turn = turned(AXES[letter.lower()], angle)
        q = product(q, turn) if letter.isupper() else product(turn, q)
    return unit(q)


def from_axes(o: Orientation, normal: object) -> Quaternion:
    z = np.array(o.z) / math.hypot(*(o.z or ()))
    y = np.cross(z, np.array(o.x))
    y /= np.linalg.norm(y)
    return from_matrix(np.column_stack([np.cross(y, z), y, z]))


WAYS: dict[tuple[str, ...], Callable[[Orientation, tuple[float, float, float] | None], Quaternion]] = {
    ("axis", "angle"): about,
    ("axis", "angle_deg"): about,
    ("angle",): about,
    ("angle_deg",): about,
    ("quaternion",): as_given,
    ("euler", "angles"): from_euler,
    ("euler", "angles_deg"): from_euler,
    ("z", "x"): from_axes,
}


def turned(axis: tuple[float, float, float], angle: float) -> Quaternion:
    """The quaternion of a turn by `angle` [rad] about `axis`."""
    s = math.sin(0.5 * angle) / math.hypot(*axis)
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


def unit(q: Quaternion) -> Quaternion:
    n = math.hypot(*q)
    return (q[0] / n, q[1] / n, q[2] / n, q[3] / n)


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """p q: first q, then p."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def matrix(q: Quaternion) -> NDArray[np.float64]:
    """(3, 3) rotation matrix of a unit quaternion; columns are the frame's axes in the parent."""
    w, x, y, z = q
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def from_matrix(R: NDArray[np.float64]) -> Quaternion:
    """The quaternion of a rotation matrix, w ≥ 0."""
    w, x, y, z = from_matrices(R[None])[0].tolist()
    return w, x, y, z


def from_matrices(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 4) quaternions of (n, 3, 3) rotation matrices, each by its largest component (Shepperd's method), w
    ≥ 0.
    """
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    wx, wy, wz = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, yz, zx = R[:, 1, 0] + R[:, 0, 1], R[:, 2, 1] + R[:, 1, 2], R[:, 0, 2] + R[:, 2, 0]
    ways = np.array(
        [
            [1.0 + xx + yy + zz, wx, wy, wz],
            [wx, 1.0 + xx - yy - zz, xy, zx],
            [wy, xy, 1.0 + yy - zz - xx, yz],
            [wz, zx, yz, 1.0 + zz - xx - yy],
        ]
    )
    largest = np.argmax(np.array([xx + yy + zz, xx, yy, zz]), axis=0)
    q = ways[largest, :, np.arange(len(R))]
    q = np.where(q[:, :1] < 0.0, -q, q)
    return q / np.sqrt((q * q).sum(axis=1, keepdims=True))
