"""Orientation of a frame in its parent: input formats, and unit quaternions (w, x, y, z), frame to parent."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model.quantities import SMALLEST, Direction, Number, Vector, array_schema, validate_numbers
from mbplugin.model.table import Table

Quaternion = tuple[float, float, float, float]
IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def validate_quaternion(value: Any, info: ValidationInfo) -> tuple[float, ...]:
    result = validate_numbers(value, info, 4, what="must be a list of 4 numbers w, x, y, z")
    if max(map(abs, result)) < SMALLEST:
        raise SceneError(value=value, mend="must not be zero; the identity is [1, 0, 0, 0]")
    return result


class Orientation(Table):
    """One of: axis with angle; quaternion; euler with angles; z and x axes; for planar bodies angle alone."""

    axis: Direction | None = Field(
        default=None, description="rotation axis in the parent frame, of any length"
    )
    angle: Number | None = Field(
        default=None, description="rotation about `axis`, or about the normal of the plane [rad]"
    )
    angle_deg: Number | None = Field(default=None, description="the same angle in degrees [°]")
    quaternion: (
        Annotated[
            tuple[float, float, float, float],
            BeforeValidator(validate_quaternion),
            WithJsonSchema(array_schema(4, 4)),
        ]
        | None
    ) = Field(default=None, description="w, x, y, z; normalized on input")
    euler: str | None = Field(
        default=None,
        description='sequence of three rotations: upper case ("ZXZ") about the rotated axes, '
        'lower case ("zxz") about the axes of the parent',
    )
    angles: Vector | None = Field(default=None, description="the three angles of `euler` [rad]")
    angles_deg: Vector | None = Field(default=None, description="the three angles of `euler` in degrees [°]")
    z: Direction | None = Field(
        default=None, description="direction of the frame's z axis in the parent frame"
    )
    x: Direction | None = Field(
        default=None, description="direction of the frame's x axis; its component along `z` is removed"
    )

    @model_validator(mode="before")
    @classmethod
    def from_number(cls, data: Any) -> Any:
        """A bare number is an angle [rad] in the plane."""
        is_number = isinstance(data, int | float | str | np.number) and not isinstance(data, bool)
        return {"angle": data} if is_number else data

    @model_validator(mode="after")
    def check(self) -> Orientation:
        keys = self.keys_given()
        if keys not in CONVERSIONS:
            mend = (
                "must be one of {axis, angle} or {axis, angle_deg}, {quaternion}, {euler, angles} or "
                "{euler, angles_deg}, {z, x}, for planar bodies {angle} or {angle_deg}"
            )
            raise SceneError(mend=mend + (f", not {{{', '.join(keys)}}}" if keys else ""))
        if self.euler is not None:
            check_sequence(self.euler)
        if self.z is not None and self.x is not None:
            sine = np.linalg.norm(np.cross(self.z, self.x))
            if not sine > 1e-6 * math.hypot(*self.z) * math.hypot(*self.x):
                raise SceneError("x", list(self.x), "must not be parallel to z")
        return self

    def keys_given(self) -> tuple[str, ...]:
        """The keys that are given, in the order of the fields."""
        return tuple(key for key in type(self).model_fields if getattr(self, key) is not None)

    @property
    def in_plane(self) -> bool:
        """Whether only an angle is given: a rotation about the normal of the plane."""
        return self.axis is None and (self.angle is not None or self.angle_deg is not None)

    def to_quaternion(self, normal: tuple[float, float, float] | None = None) -> Quaternion:
        """w, x, y, z; `normal` is the rotation axis if only an angle is given. Raises SceneError."""
        return CONVERSIONS[self.keys_given()](self, normal)


def check_sequence(euler: str) -> None:
    """Check the rotation sequence of `euler`. Raises SceneError."""
    axes = euler.lower()
    same_case = euler in (axes, axes.upper())
    if len(axes) != 3 or set(axes) - set("xyz") or not same_case or axes[0] == axes[1] or axes[1] == axes[2]:
        mend = 'must be three axes, neighbours different, such as "ZXZ" (rotated axes) or "xyz" (parent axes)'
        raise SceneError("euler", euler, mend)


def from_angle(o: Orientation, normal: tuple[float, float, float] | None) -> Quaternion:
    axis = o.axis if o.axis is not None else normal
    if axis is None:
        raise SceneError("orientation", NOT_GIVEN, "an angle without `axis` is for planar bodies; add `axis`")
    angle = o.angle if o.angle is not None else math.radians(o.angle_deg or 0.0)
    return from_axis_angle(axis, angle)


def from_quaternion(o: Orientation, normal: object) -> Quaternion:
    assert o.quaternion is not None
    return normalized(o.quaternion)


def from_euler(o: Orientation, normal: object) -> Quaternion:
    assert o.euler is not None
    angles = o.angles if o.angles is not None else tuple(math.radians(a) for a in o.angles_deg or ())
    q = IDENTITY
    for letter, angle in zip(o.euler, angles):
        rotation = from_axis_angle(AXES[letter.lower()], angle)
        q = product(q, rotation) if letter.isupper() else product(rotation, q)
    return normalized(q)


def from_axes(o: Orientation, normal: object) -> Quaternion:
    z = np.array(o.z) / math.hypot(*(o.z or ()))
    y = np.cross(z, np.array(o.x))
    y /= np.linalg.norm(y)
    return from_matrix(np.column_stack([np.cross(y, z), y, z]))


#: by the keys that are given
CONVERSIONS: dict[tuple[str, ...], Callable[[Orientation, tuple[float, float, float] | None], Quaternion]] = {
    ("axis", "angle"): from_angle,
    ("axis", "angle_deg"): from_angle,
    ("angle",): from_angle,
    ("angle_deg",): from_angle,
    ("quaternion",): from_quaternion,
    ("euler", "angles"): from_euler,
    ("euler", "angles_deg"): from_euler,
    ("z", "x"): from_axes,
}


def from_axis_angle(axis: tuple[float, float, float], angle: float) -> Quaternion:
    """The rotation by `angle` [rad] about `axis`, which may have any length."""
    s = math.sin(0.5 * angle) / math.hypot(*axis)
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


def normalized(q: Quaternion) -> Quaternion:
    n = math.hypot(*q)
    return (q[0] / n, q[1] / n, q[2] / n, q[3] / n)


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """p q: the rotation q followed by p."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def matrix(q: Quaternion) -> NDArray[np.float64]:
    """(3, 3) rotation matrix of a unit quaternion; its columns are the frame's axes in the parent."""
    w, x, y, z = q
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def from_matrix(R: NDArray[np.float64]) -> Quaternion:
    """The quaternion, w ≥ 0, of a rotation matrix (3, 3)."""
    # in plain numbers, which cost a fifth of arrays of one row
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R.tolist()
    traces = (xx + yy + zz, xx, yy, zz)
    match traces.index(max(traces)):
        case 0:
            q = (1.0 + xx + yy + zz, zy - yz, xz - zx, yx - xy)
        case 1:
            q = (zy - yz, 1.0 + xx - yy - zz, yx + xy, xz + zx)
        case 2:
            q = (xz - zx, yx + xy, 1.0 + yy - zz - xx, zy + yz)
        case _:
            q = (yx - xy, xz + zx, zy + yz, 1.0 + zz - xx - yy)
    w, x, y, z = q
    size = math.copysign(math.sqrt(w * w + x * x + y * y + z * z), w if w != 0.0 else 1.0)
    return w / size, x / size, y / size, z / size


def from_matrices(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 4) quaternions, w ≥ 0, of rotation matrices (n, 3, 3), by Shepperd's method."""
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    wx, wy, wz = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, yz, zx = R[:, 1, 0] + R[:, 0, 1], R[:, 2, 1] + R[:, 1, 2], R[:, 0, 2] + R[:, 2, 0]
    candidates = np.array(
        [
            [1.0 + xx + yy + zz, wx, wy, wz],
            [wx, 1.0 + xx - yy - zz, xy, zx],
            [wy, xy, 1.0 + yy - zz - xx, yz],
            [wz, zx, yz, 1.0 + zz - xx - yy],
        ]
    )
    largest = np.argmax(np.array([xx + yy + zz, xx, yy, zz]), axis=0)
    q = candidates[largest, :, np.arange(len(R))]
    q = np.where(q[:, :1] < 0.0, -q, q)
    return q / np.sqrt((q * q).sum(axis=1, keepdims=True))
