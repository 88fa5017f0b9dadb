"""The plane of planar bodies: "xy" with normal z, or "xz" with normal x × z = −y."""

from __future__ import annotations

from typing import Literal

Plane = Literal["xy", "xz"]
AXES: dict[str, tuple[int, int]] = {"xy": (0, 1), "xz": (0, 2)}
NORMAL: dict[str, tuple[float, float, float]] = {"xy": (0.0, 0.0, 1.0), "xz": (0.0, -1.0, 0.0)}


def completed(v: tuple[float, ...], plane: str) -> tuple[float, float, float]:
    """The world vector of one that may have only its two components in the plane."""
    if len(v) == 3:
        return (v[0], v[1], v[2])
    full = [0.0, 0.0, 0.0]
    for axis, component in zip(AXES[plane], v):
        full[axis] = component
    return (full[0], full[1], full[2])


def along_normal(rate: float, plane: str) -> tuple[float, float, float]:
    """The vector of a rate [rad/s] about the normal."""
    x, y, z = NORMAL[plane]
    return (rate * x, rate * y, rate * z)


def out_of_plane(v: tuple[float, ...], plane: str) -> float:
    """The component of v along the normal."""
    return sum(a * b for a, b in zip(v, NORMAL[plane]))
