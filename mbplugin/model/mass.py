"""Mass properties: mass, mass centre and inertia, their sum over several bodies, and formats of inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from mbplugin.errors import SceneError
from mbplugin.model.plane import NORMAL
from mbplugin.model.quantities import NUMBER_SCHEMA, array_schema, positive, validate_number, validate_numbers

Array = NDArray[np.float64]


class MassProperties(NamedTuple):
    """Mass properties, expressed in some frame."""

    mass: float  # [kg]
    center_of_mass: Array  # (3,) in the frame [m]
    inertia: Array  # (3, 3) about the mass centre, in the frame's axes [kg·m²]


def to_parent(properties: MassProperties, R: Array, p: Array) -> MassProperties:
    """`properties` expressed in the parent frame, where the frame has axes R (3, 3) and origin p (3,)."""
    mass, c, inertia = properties
    return MassProperties(mass, p + R @ c, R @ inertia @ R.T)


def combined(parts: Sequence[MassProperties]) -> MassProperties:
    """Sum over `parts`, all in one frame. Parallel-axis theorem: I = Σ Iᵢ + mᵢ (dᵢ·dᵢ 1 − dᵢ dᵢᵀ)."""
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center_of_mass for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        d = part.center_of_mass - center
        inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return MassProperties(float(mass), center, inertia)


ROUNDING = 1e-6  # relative; rounded input may violate the triangle inequality by this much

Moments = float | tuple[float, float, float] | tuple[tuple[float, float, float], ...]


def validate_inertia(value: Any, info: ValidationInfo) -> Moments:
    """A scalar, 3 principal moments or a symmetric 3x3 matrix [kg·m²]. Raises SceneError."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    what = "must be 3 principal moments or a 3x3 matrix (for a planar body one number)"
    if not isinstance(value, list | tuple):
        return float(positive(validate_number(value, info)))
    if not any(isinstance(row, list | tuple | np.ndarray) for row in value):
        moments = validate_numbers(value, info, 3, what=what)
        check_principal_moments(moments, value)
        return (moments[0], moments[1], moments[2])
    if len(value) != 3:
        raise SceneError(value=value, mend=what)
    rows = tuple(validate_numbers(row, info, 3, what=what) for row in value)
    matrix = np.array(rows)
    if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max():
        raise SceneError(value=value, mend="must be symmetric: I[0][1] = I[1][0] and so on")
    check_principal_moments(tuple(np.linalg.eigvalsh(0.5 * (matrix + matrix.T)).tolist()), value)
    return tuple((row[0], row[1], row[2]) for row in rows)


def check_principal_moments(moments: tuple[float, ...], value: Any) -> None:
    """Check that all are positive and none exceeds the sum of the others; `value` is for the message."""
    a, b, c = sorted(moments)
    if a == b == c == 0.0:
        mend = 'is that of a point mass, which does not rotate: give the body type = "point" and no `inertia`'
        raise SceneError(value=value, mend=mend)
    if a <= 1e-14 * abs(c):
        rod = "even a thin rod has a small moment about its axis"
        mend = f"no body has these principal moments: {a:g} is not greater than 0 ({rod})"
        raise SceneError(value=value, mend=mend)
    if c > (a + b) * (1.0 + ROUNDING):
        mend = f"no body has these principal moments: {c:g} > {a:g} + {b:g} (triangle inequality)"
        raise SceneError(value=value, mend=mend)


def inertia_matrix(moments: Moments, plane: str | None) -> NDArray[np.float64]:
    """(3, 3) [kg·m²]. A scalar is the moment about the plane's normal; the others are half of it (disc)."""
    if isinstance(moments, float):
        n = np.array(NORMAL[plane or "xy"])
        return 0.5 * moments * (np.eye(3) + np.outer(n, n))
    matrix = np.array(moments)
    return np.diag(matrix) if matrix.ndim == 1 else 0.5 * (matrix + matrix.T)


Inertia = Annotated[
    float
    | tuple[float, float, float]
    | tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]],
    BeforeValidator(validate_inertia),
    WithJsonSchema(
        {"anyOf": [*NUMBER_SCHEMA["anyOf"], array_schema(3, 3), array_schema(3, 3, array_schema(3, 3))]}
    ),
]
