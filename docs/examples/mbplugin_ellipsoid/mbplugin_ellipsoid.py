"""Ellipsoids that collide: a support function, and a closed form with spheres.

shape = [{ type = "egg", a = 0.3, b = 0.2, c = 0.1 }]

x² / a² + y² / b² + z² / c² = 1
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from pydantic import Field

from mbplugin.interface import (
    MassProperties,
    Parameters,
    Positive,
    ShapeKind,
    hookimpl,
    internal,
    put_point,
    unit_sphere,
)
from mbplugin.math.vec3 import add, dot, norm, rotate, rotate_back, scale, sub


class EllipsoidKeys(Parameters):
    """Keys of a shape with type = "egg"."""

    a: Positive = Field(description="half axis along x [m]")
    b: Positive = Field(description="half axis along y [m]")
    c: Positive = Field(description="half axis along z [m]")


def farthest(e, d):
    """The point farthest along d: A² d / |A d| with the half axes on the diagonal of A."""
    p = (e.p[0] * d[0], e.p[1] * d[1], e.p[2] * d[2])
    s = norm(p)
    return (e.p[0] * p[0] / s, e.p[1] * p[1] / s, e.p[2] * p[2] / s), 0


@internal
def nearest(p, y):
    """The point of the surface nearest to y: components p² y / (p² + t) with the half axes p and the largest
    root t of Σ (p y / (p² + t))² = 1, by Newton's method from a start below it.
    """
    tiny = 1e-12 * min(p[0], p[1], p[2])
    y = (y[0] if y[0] != 0.0 else tiny, y[1] if y[1] != 0.0 else tiny, y[2] if y[2] != 0.0 else tiny)
    t = -1e300
    for k in range(3):
        t = max(t, p[k] * abs(y[k]) - p[k] * p[k])
    for _ in range(60):
        f, slope = -1.0, 0.0
        for k in range(3):
            q = p[k] * y[k] / (p[k] * p[k] + t)
            f += q * q
            slope -= 2.0 * q * q / (p[k] * p[k] + t)
        new = t - f / slope
        if not new > t:
            break
        t = new
    return (
        p[0] * p[0] * y[0] / (p[0] * p[0] + t),
        p[1] * p[1] * y[1] / (p[1] * p[1] + t),
        p[2] * p[2] * y[2] / (p[2] * p[2] + t),
    )


def with_sphere(points, e, s, margin):
    """The nearest points of an ellipsoid and a sphere."""
    x = nearest(e.p, rotate_back(e.R, sub(s.x, e.x)))
    n = (x[0] / e.p[0] ** 2, x[1] / e.p[1] ** 2, x[2] / e.p[2] ** 2)
    n = rotate(e.R, scale(1.0 / norm(n), n))
    on_a = add(e.x, rotate(e.R, x))
    gap = dot(n, sub(s.x, on_a)) - s.p[0]
    if not gap < margin:
        return 0
    return put_point(points, 0, on_a, add(on_a, scale(gap, n)), n, gap, 0)


class Ellipsoid(ShapeKind):
    """An ellipsoid with its axes along those of its frame."""

    name = "egg"
    parameters = EllipsoidKeys
    support = staticmethod(farthest)
    pairs = {"sphere": with_sphere}
    examples = ({"a": 0.3, "b": 0.2, "c": 0.1},)

    @classmethod
    def numbers(cls, keys: Any) -> tuple[float, float, float]:
        return (keys.a, keys.b, keys.c)

    @classmethod
    def radius(cls, keys: Any) -> float:
        return max(cls.numbers(keys))

    @classmethod
    def mass_properties(cls, keys: Any) -> MassProperties:
        x, y, z = (half * half / 5.0 for half in cls.numbers(keys))
        volume = 4.0 / 3.0 * pi * keys.a * keys.b * keys.c
        return MassProperties(volume, np.zeros(3), volume * np.diag([y + z, x + z, x + y]))

    @classmethod
    def surface(cls, keys: Any) -> Any:
        points, triangles = unit_sphere()
        return points * cls.numbers(keys), triangles


@hookimpl
def mbplugin_shapes(register: Any) -> None:
    register(Ellipsoid)
