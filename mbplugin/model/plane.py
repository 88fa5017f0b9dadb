"""Plane of planar bodies: "xy" with normal z, or "xz" with normal x × z = −y."""

from __future__ import annotations

from typing import Literal

Plane = Literal["xy", "xz"]
AXES: dict[str, tuple[int, int]] = {"xy": (0, 1), "xz": (0, 2)}  # indices of e₁ and e₂
NORMAL: dict[str, tuple[float, float, float]] = {"xy": (0.0, 0.0, 1.0), "xz": (0.0, -1.0, 0.0)}


def to_spatial(v: tuple[float, ...], plane: str) -> tuple[float, float, float]:
    """`v` as a world vector; two components are taken as those in the plane."""
    if len(v) == 3:
        return (v[0], v[1], v[2])
    spatial = [0.0, 0.0, 0.0]
    for axis, component in zip(AXES[plane], v):
        spatial[axis] = component
    return (spatial[0], spatial[1], spatial[2])


def along_normal(rate: float, plane: str) -> tuple[float, float, float]:
    """Angular velocity (3,) [rad/s] for a rate about the normal."""
    x, y, z = NORMAL[plane]
    return (rate * x, rate * y, rate * z)


def out_of_plane(v: tuple[float, ...], plane: str) -> float:
    """Component of `v` along the normal."""
    return sum(a * b for a, b in zip(v, NORMAL[plane]))
