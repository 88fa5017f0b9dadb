"""A thin disc (axle: z of marker b, centre there) that rolls on the plane of marker a (normal: z of a)
without slipping; between planar bodies, on a line.

With n, k the two z axes, s = |n − (n·k) k| and u = (n − (n·k) k)/s = t × k, the lowest point of the rim is at
c = −R u from the centre, at r = x_b + c − x_a from a. Its material point moves relative to the plane with

    V = v_b + ω_b × c − v_a − ω_a × r          t = (k × n)/s,  l = n × t
    rolling      t·V = 0                       velocity level: not the rate of a function of positions
    side slip    l·V = 0                       velocity level
    height       n·r = 0                       position level; its rate is n·V, as the rim is tangential there

Between planar bodies the line is z of a, n = x of a, the axle y of b and c = −R n: rolling is z_a·V = 0,
height n·r = 0.
"""

from __future__ import annotations

from mbplugin.interface import (
    POSITION_LEVEL,
    VELOCITY_LEVEL,
    ConstraintKind,
    Measure,
    Parameters,
    Positive,
    axis,
)
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub
from mbplugin_joints.directions import along
from mbplugin_joints.measures import AngleAbout, Component

#: x, y: projection of the centre on the plane of a; heading: direction of the axle, from x of a; angle:
#: rotation of b about its axle, from where its x points up
COORDINATES: dict[str, Measure | str] = {
    "x": Component("x"),
    "y": Component("y"),
    "heading": AngleAbout("z", "x", shown_by="z"),
    "angle": AngleAbout("z", "x", of="b", shown_by="z"),
}


#: how to give plane and axle axes of their own
AXLE = (
    "the axle is z of the marker on b, and the plane's normal z of that on a; they must not be parallel, and "
    'bare names share one z. Name both, such as a = "ground.floor", b = "wheel.axle", with '
    'marker = [{ name = "axle", orientation = { axis = [1, 0, 0], angle_deg = 90 } }] for an axle along y'
)


class RollingParameters(Parameters):
    radius: Positive
    """Radius [m]."""


class Rolling(ConstraintKind):
    """Base of what rolls on a circle."""

    parameters = RollingParameters

    @classmethod
    def extent(cls, params) -> float:
        return params.radius


class DiscOnLine(Rolling):
    """A disc of radius R rolls on the line along z of a, on the side of x (2 rows)."""

    name = "rolling_disc"
    labels = ("rolling", "height")
    level = (VELOCITY_LEVEL, POSITION_LEVEL)
    coordinates = {"length": Component("z"), "angle": AngleAbout("y", "z")}
    formula = r"""
t \cdot V = 0, \quad \Phi_{height} = n \cdot r
V = v_b + \omega_b \times c - v_a - \omega_a \times r, \quad r = r_b + c - r_a, \quad c = -R n
t = \hat z_a, \quad n = \hat x_a
\gamma = -e \cdot (\omega_b \times \dot c - \omega_a \times \dot r) - \dot e \cdot V, \quad e = t, n
"""
    free_directions = ("rolling along z",)

    @staticmethod
    def psi(a, b, p):
        return dot(axis(a, 2), slip(a, b, below_centre(a, p.radius)))

    @staticmethod
    def phi(a, b, p):
        return dot(axis(a, 0), sub(b.x, a.x)) - p.radius


class WheelOnLine(Rolling):
    """A wheel of radius R rolls along z of a, on the side of x, its height held by something else (1 row)."""

    name = "wheel"
    labels = ("rolling",)
    level = VELOCITY_LEVEL
    coordinates = DiscOnLine.coordinates
    formula = r"""
t \cdot V = 0
V = v_b + \omega_b \times c - v_a - \omega_a \times r, \quad r = r_b + c - r_a, \quad c = -R \hat x_a
t = \hat z_a
\gamma = -e \cdot (\omega_b \times \dot c - \omega_a \times \dot r) - \dot e \cdot V, \quad e = t
"""
    free_directions = along("x")

    psi = DiscOnLine.psi


class RollingDisc(Rolling):
    """A disc of radius R rolls on a plane, and leans as it likes (3 rows); between planar bodies on a line (2
    rows).
    """

    name = "rolling_disc"
    Planar = DiscOnLine
    coordinates = COORDINATES
    formula = r"""
t \cdot V = 0, \quad l \cdot V = 0, \quad \Phi_{height} = n \cdot r
V = v_b + \omega_b \times c - v_a - \omega_a \times r, \quad r = r_b + c - r_a
c = -R \, \frac{n - (n \cdot k) k}{|n - (n \cdot k) k|}
t = \frac{k \times n}{|k \times n|}, \quad l = n \times t, \quad n = \hat z_a, \quad k = \hat z_b
\gamma = -e \cdot (\omega_b \times \dot c - \omega_a \times \dot r) - \dot e \cdot V, \quad e = t, l, n
"""
    labels = ("rolling", "side slip", "height")
    level = (VELOCITY_LEVEL, VELOCITY_LEVEL, POSITION_LEVEL)
    singular = "a disc that lies flat"
    avoided = AXLE

    @staticmethod
    def psi(a, b, p):
        t, c = rim(a, b, p.radius)
        V = slip(a, b, c)
        return dot(t, V), dot(cross(axis(a, 2), t), V)

    @staticmethod
    def phi(a, b, p):
        n, k = axis(a, 2), axis(b, 2)
        return dot(n, sub(b.x, a.x)) - p.radius * norm(cross(k, n))


class Wheel(Rolling):
    """A wheel of radius R whose height something else holds, such as a vehicle's frame: it rolls and does not
    slip sideways (2 rows); in the plane on a line (1 row).
    """

    name = "wheel"
    Planar = WheelOnLine
    coordinates = COORDINATES
    formula = r"""
t \cdot V = 0, \quad l \cdot V = 0
V = v_b + \omega_b \times c - v_a - \omega_a \times r, \quad r = r_b + c - r_a
c = -R \, \frac{n - (n \cdot k) k}{|n - (n \cdot k) k|}
t = \frac{k \times n}{|k \times n|}, \quad l = n \times t, \quad n = \hat z_a, \quad k = \hat z_b
\gamma = -e \cdot (\omega_b \times \dot c - \omega_a \times \dot r) - \dot e \cdot V, \quad e = t, l
"""
    labels = ("rolling", "side slip")
    level = VELOCITY_LEVEL
    singular = "a wheel that lies flat"
    avoided = AXLE

    psi = RollingDisc.psi


def below_centre(a, radius):
    """Vector from the centre to the lowest point of a disc on a line."""
    return scale(-radius, axis(a, 0))


def rim(a, b, radius):
    """t and the vector c = R k × t from the centre to the lowest point of the rim.

    As k × t, c has the error of R in its height, however little the disc leans; n − (n·k) k would be divided
    by s, with what is lost in it.
    """
    k = axis(b, 2)
    m = cross(k, axis(a, 2))
    t = scale(1.0 / norm(m), m)
    return t, scale(radius, cross(k, t))


def slip(a, b, c):
    """V of the material point of the rim at c from the centre, relative to the plane."""
    r = sub(add(b.x, c), a.x)
    return sub(add(b.v, cross(b.w, c)), add(a.v, cross(a.w, r)))
