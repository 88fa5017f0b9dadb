"""Cylinders, cones and ellipsoids, exactly round: their support functions and supporting faces.

A cylinder is a cone with two equal radii. Of a cone whose side falls by k = (R − r) / L the normals of the
side are (radial, axial) = (1, k) / √(1 + k²), and the ball of radius R √(1 + k²) about the point of the axis
k R below the rim of radius R touches the side there. Derived here.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from mbplugin.interface import ShapeKind, inlined, internal, put_corner, put_rim
from mbplugin.math.vec3 import scale

#: points of a rim that are corners of its face
RIM_POINTS = 8
#: sine of the angle between a direction and the axis from which the lowest point of a rim is one; below it
#: the points stay where they are on the body
LEVEL = 1e-10
HALF = sqrt(0.5)


@inlined
def sideways(d):
    """The unit vector across z that is nearest to d."""
    s = sqrt(d[0] * d[0] + d[1] * d[1])
    return (d[0] / s, d[1] / s, 0.0) if s > 0.0 else (1.0, 0.0, 0.0)


@inlined
def rim_point(d, radius, z):
    """The point of a circle about z that is farthest along d."""
    n = sideways(d)
    return (radius * n[0], radius * n[1], z)


@internal
def cap(face, d, radius, z, side):
    """The flat end of a cone at this z; side: 1 of the upper end, −1 of the lower one. The points of its rim
    begin with the one that is farthest along d.
    """
    x, y = d[0], d[1]
    s = sqrt(x * x + y * y)
    level = s <= LEVEL * abs(d[2])
    x, y = (1.0, 0.0) if level else (x / s, y / s)
    name = (2 * RIM_POINTS if level else 0) + (RIM_POINTS if side > 0.0 else 0)
    put_rim(face, (0.0, 0.0, z), radius)
    for k in range(RIM_POINTS):
        put_corner(face, k, (radius * x, radius * y, z), 0.0, name + k)
        x, y = HALF * (x - side * y), HALF * (y + side * x)
    return RIM_POINTS, (0.0, 0.0, side)


@internal
def cone_face(face, d, low, high, length):
    """The end or the side of a cone with radius `low` below and `high` above that is nearest to d."""
    k = (low - high) / length
    c = 1.0 / sqrt(1.0 + k * k)
    radial = sqrt(d[0] * d[0] + d[1] * d[1])
    along_side = c * (radial + k * d[2])
    if d[2] > along_side and high > 0.0:
        return cap(face, d, high, 0.5 * length, 1.0)
    if -d[2] > along_side:
        return cap(face, d, low, -0.5 * length, -1.0)
    put_corner(face, 0, (0.0, 0.0, -0.5 * length - k * low), low / c, 4 * RIM_POINTS)
    put_corner(face, 1, (0.0, 0.0, 0.5 * length - k * high), high / c, 4 * RIM_POINTS + 1)
    n = sideways(d)
    return 2, (c * n[0], c * n[1], c * k)


def rim_of_cylinder(a, d):
    up = d[2] > 0.0
    return rim_point(d, a.p[0], 0.5 * a.p[1] if up else -0.5 * a.p[1]), 1 if up else 0


def face_of_cylinder(face, a, d):
    return cone_face(face, d, a.p[0], a.p[0], a.p[1])


def rim_of_cone(a, d):
    radial = sqrt(d[0] * d[0] + d[1] * d[1])
    up = radial * a.p[2] + 0.5 * a.p[1] * d[2] > radial * a.p[0] - 0.5 * a.p[1] * d[2]
    radius, z = (a.p[2], 0.5 * a.p[1]) if up else (a.p[0], -0.5 * a.p[1])
    return rim_point(d, radius, z), 1 if up else 0


def face_of_cone(face, a, d):
    return cone_face(face, d, a.p[0], a.p[2], a.p[1])


def point_of_ellipsoid(a, d):
    x, y, z = a.p[0] * d[0], a.p[1] * d[1], a.p[2] * d[2]
    p = scale(1.0 / sqrt(x * x + y * y + z * z), (x, y, z))
    return (a.p[0] * p[0], a.p[1] * p[1], a.p[2] * p[2]), 0


class CylinderKind(ShapeKind):
    """A cylinder: lines of its side and points of its rims touch."""

    name = "cylinder"
    examples = ({"radius": 0.2, "length": 0.3},)
    support = staticmethod(rim_of_cylinder)
    face = staticmethod(face_of_cylinder)

    @classmethod
    def radius(cls, keys: Any) -> float:
        return sqrt(keys.radius**2 + 0.25 * keys.length**2)

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return float(min(2.0 * keys.radius, keys.length))


class ConeKind(ShapeKind):
    """A cone, or a part of one between two circles: lines of its side and points of its rims touch."""

    name = "cone"
    examples = ({"radius": 0.2, "length": 0.3}, {"radius": 0.1, "top_radius": 0.2, "length": 0.3})
    support = staticmethod(rim_of_cone)
    face = staticmethod(face_of_cone)

    @classmethod
    def radius(cls, keys: Any) -> float:
        return sqrt(max(keys.radius, keys.top_radius) ** 2 + 0.25 * keys.length**2)

    @classmethod
    def thickness(cls, keys: Any) -> float:
        # between its ends, and from its side to the rim opposite of it
        widest = max(keys.radius, keys.top_radius)
        slope = (keys.radius - keys.top_radius) / keys.length
        return float(min(keys.length, 2.0 * widest / sqrt(1.0 + slope * slope)))


class EllipsoidKind(ShapeKind):
    """An ellipsoid."""

    name = "ellipsoid"
    examples = ({"radii": [0.3, 0.2, 0.1]},)
    support = staticmethod(point_of_ellipsoid)

    @classmethod
    def radius(cls, keys: Any) -> float:
        return float(max(keys.radii))

    @classmethod
    def thickness(cls, keys: Any) -> float:
        return 2.0 * float(min(keys.radii))


ROUND_SHAPES = (CylinderKind, ConeKind, EllipsoidKind)
