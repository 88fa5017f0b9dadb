"""Constraint functions of textbooks, as an author writes them: Φ of two, three or four markers."""

from __future__ import annotations

from math import acos, asin, atan2, cos, cosh, exp, hypot, log, sin, sqrt, tanh

from mbplugin.interface import axis
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub


def local(a, b):
    """Components of the vector from a to b along the axes of a."""
    d = sub(b.x, a.x)
    return dot(axis(a, 0), d), dot(axis(a, 1), d), dot(axis(a, 2), d)


def turned(a, b):
    """Angle of b about z of a."""
    return atan2(dot(axis(b, 0), axis(a, 1)), dot(axis(b, 0), axis(a, 0)))


def point_on_plane(a, b):
    return dot(axis(a, 2), sub(b.x, a.x)) - 0.1


def point_on_sphere(a, b):
    d = sub(b.x, a.x)
    return dot(d, d) - 0.25


def point_on_cylinder(a, b):
    x, y, _ = local(a, b)
    return hypot(x, y) - 0.3


def point_on_cone(a, b):
    x, y, z = local(a, b)
    return sqrt(x * x + y * y) - 0.7 * z


def point_on_torus(a, b):
    x, y, z = local(a, b)
    return hypot(hypot(x, y) - 0.5, z) - 0.1


def point_on_ellipsoid(a, b):
    x, y, z = local(a, b)
    return (x / 0.4) ** 2 + (y / 0.5) ** 2 + (z / 0.7) ** 2 - 1.0


def point_on_paraboloid(a, b):
    x, y, z = local(a, b)
    return z - 0.5 * (x * x + 2.0 * y * y)


def point_on_saddle(a, b):
    x, y, z = local(a, b)
    return z - x * y


def point_on_helicoid(a, b):
    x, y, z = local(a, b)
    return z - 0.2 * atan2(y, x)


def point_on_catenary(a, b):
    x, _, z = local(a, b)
    return z - 0.6 * cosh(x / 0.6)


def point_on_spiral(a, b):
    x, y, _ = local(a, b)
    return log(hypot(x, y)) - 0.15 * atan2(y, x)


def point_on_bump(a, b):
    x, y, z = local(a, b)
    return z - 0.3 * exp(-(x * x + y * y))


def point_on_step(a, b):
    x, _, z = local(a, b)
    return z - 0.2 * tanh(3.0 * x)


def point_in_box(a, b):
    return max(abs(c) for c in local(a, b)) - 0.4


def on_lemniscate(a, b):
    x, y, _ = local(a, b)
    return (x * x + y * y) ** 2 - 0.5 * (x * x - y * y)


def perpendicular_axes(a, b):
    return dot(axis(a, 0), axis(b, 1))


def axes_at_angle(a, b):
    return acos(0.9 * dot(axis(a, 2), axis(b, 2))) - 0.8


def swing(a, b):
    z, k = axis(a, 2), axis(b, 2)
    return atan2(norm(cross(z, k)), dot(z, k)) - 0.5


def line_to_point(a, b):
    return asin(0.5 * dot(axis(a, 0), scale(1.0 / norm(sub(b.x, a.x)), sub(b.x, a.x))))


def cardan(a, b):
    return dot(cross(axis(a, 2), axis(b, 2)), axis(a, 0))


def constant_velocity(a, b):
    """The twist of the frames about the sum of their axes."""
    return dot(axis(a, 0), axis(b, 1)) - dot(axis(a, 1), axis(b, 0))


def screw(a, b):
    return local(a, b)[2] - 0.05 * turned(a, b)


def rack_and_pinion(a, b):
    return local(a, b)[0] - 0.2 * turned(a, b)


def scotch_yoke(a, b):
    return local(a, b)[0] - 0.3 * sin(turned(a, b))


def eccentric(a, b):
    angle = turned(a, b)
    return local(a, b)[1] - 0.1 * cos(angle) - sqrt(0.25 - (0.1 * sin(angle)) ** 2)


def midpoint(m):
    a, b, c = m
    return dot(axis(b, 0), sub(b.x, scale(0.5, add(a.x, c.x))))


def ellipse_by_a_string(m):
    a, b, c = m
    return norm(sub(b.x, a.x)) + norm(sub(b.x, c.x)) - 2.0


def hyperbola(m):
    a, b, c = m
    return norm(sub(b.x, a.x)) - norm(sub(b.x, c.x)) - 0.3


def cassini(m):
    a, b, c = m
    return norm(sub(b.x, a.x)) * norm(sub(b.x, c.x)) - 0.6


def area(m):
    a, b, c = m
    return 0.5 * norm(cross(sub(b.x, a.x), sub(c.x, a.x))) - 0.2


def angle_at_the_middle(m):
    a, b, c = m
    u, v = sub(a.x, b.x), sub(c.x, b.x)
    return acos(0.99 * dot(u, v) / (norm(u) * norm(v))) - 1.0


def collinear(m):
    a, b, c = m
    return dot(cross(sub(b.x, a.x), sub(c.x, a.x)), axis(a, 2))


def volume(m):
    a, b, c, d = m
    return dot(cross(sub(b.x, a.x), sub(c.x, a.x)), sub(d.x, a.x)) / 6.0 - 0.1


def pantograph(m):
    a, b, c, d = m
    return norm(sub(b.x, a.x)) * norm(sub(d.x, c.x)) - norm(sub(c.x, b.x)) * norm(sub(a.x, d.x))


TWO = (
    *(point_on_plane, point_on_sphere, point_on_cylinder, point_on_cone, point_on_torus, point_on_ellipsoid),
    *(point_on_paraboloid, point_on_saddle, point_on_helicoid, point_on_catenary, point_on_spiral),
    *(point_on_bump, point_on_step, point_in_box, on_lemniscate, perpendicular_axes, axes_at_angle, swing),
    *(line_to_point, cardan, constant_velocity, screw, rack_and_pinion, scotch_yoke, eccentric),
)
THREE = (midpoint, ellipse_by_a_string, hyperbola, cassini, area, angle_at_the_middle, collinear)
FOUR = (volume, pantograph)
