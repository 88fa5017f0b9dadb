"""Joints whose kernels are written by hand, for comparison with derived ones."""

from __future__ import annotations

from math import nan

from mbplugin_joints.directions import along
from mbplugin_joints.measures import AngleAbout, Component
from mbplugin_joints.measures.distance import line
from mbplugin_joints.pulley import Pulley as DerivedPulley

from mbplugin.interface import (
    POSITION_LEVEL,
    VELOCITY_LEVEL,
    ConstraintKind,
    Measure,
    Parameters,
    Positive,
    axis,
    jit,
)
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub

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
    free_directions = ("rolling along z",)

    @staticmethod
    def kernel(a, b, p, phi, G, gamma):
        n, along_line = axis(a, 0), axis(a, 2)
        c = scale(-p.radius, n)
        c1 = cross(a.w, c)
        phi[0], phi[1] = 0.0, dot(n, sub(add(b.x, c), a.x))
        contact_row(a, b, along_line, cross(a.w, along_line), c, c1, 0, G, gamma)
        contact_row(a, b, n, cross(a.w, n), c, c1, 1, G, gamma)


class WheelOnLine(Rolling):
    """A wheel of radius R rolls along z of a, on the side of x, its height held by something else (1 row)."""

    name = "wheel"
    labels = ("rolling",)
    level = VELOCITY_LEVEL
    coordinates = DiscOnLine.coordinates
    free_directions = along("x")

    @staticmethod
    def kernel(a, b, p, G, gamma):
        along_line = axis(a, 2)
        c = scale(-p.radius, axis(a, 0))
        contact_row(a, b, along_line, cross(a.w, along_line), c, cross(a.w, c), 0, G, gamma)


class RollingDisc(Rolling):
    """A disc of radius R rolls on a plane, and leans as it likes (3 rows); between planar bodies on a line (2
    rows).
    """

    name = "rolling_disc"
    Planar = DiscOnLine
    coordinates = COORDINATES
    labels = ("rolling", "side slip", "height")
    level = (VELOCITY_LEVEL, VELOCITY_LEVEL, POSITION_LEVEL)
    singular = "a disc that lies flat"
    avoided = AXLE

    @staticmethod
    def kernel(a, b, p, phi, G, gamma):
        n, k = axis(a, 2), axis(b, 2)
        t, t1, c, c1 = rim(a, b, n, k, p.radius)
        n1 = cross(a.w, n)
        phi[0], phi[1], phi[2] = 0.0, 0.0, dot(n, sub(add(b.x, c), a.x))
        contact_row(a, b, t, t1, c, c1, 0, G, gamma)
        contact_row(a, b, cross(n, t), add(cross(n1, t), cross(n, t1)), c, c1, 1, G, gamma)
        contact_row(a, b, n, n1, c, c1, 2, G, gamma)


class Wheel(Rolling):
    """A wheel of radius R whose height something else holds, such as a vehicle's frame: it rolls and does not
    slip sideways (2 rows); in the plane on a line (1 row).
    """

    name = "wheel"
    Planar = WheelOnLine
    coordinates = COORDINATES
    labels = ("rolling", "side slip")
    level = VELOCITY_LEVEL
    singular = "a wheel that lies flat"
    avoided = AXLE

    @staticmethod
    def kernel(a, b, p, G, gamma):
        n, k = axis(a, 2), axis(b, 2)
        t, t1, c, c1 = rim(a, b, n, k, p.radius)
        contact_row(a, b, t, t1, c, c1, 0, G, gamma)
        contact_row(a, b, cross(n, t), add(cross(cross(a.w, n), t), cross(n, t1)), c, c1, 1, G, gamma)


@jit
def rim(a, b, n, k, radius):
    """t, ṫ, and the vector c = R k × t from the centre to the lowest point of the rim, with ċ.

    As k × t, c has the error of R in its height, however little the disc leans; n − (n·k) k would be divided
    by s, with what is lost in it.
    """
    n1, k1 = cross(a.w, n), cross(b.w, k)
    m, m1 = cross(k, n), add(cross(k1, n), cross(k, n1))
    s = norm(m)
    t = scale(1.0 / s, m)
    t1 = scale(1.0 / s, sub(m1, scale(dot(t, m1), t)))
    c = scale(radius, cross(k, t))
    c1 = scale(radius, add(cross(k1, t), cross(k, t1)))
    return t, t1, c, c1


@jit
def contact_row(a, b, e, e1, c, c1, row, G, gamma):
    """The row e·V of G over the twists of both markers, and its γ."""
    r, r1 = sub(add(b.x, c), a.x), sub(add(b.v, c1), a.v)
    V = sub(add(b.v, cross(b.w, c)), add(a.v, cross(a.w, r)))
    # e·(ω × r) = (r × e)·ω
    on_a, on_b = cross(r, e), cross(c, e)
    for i in range(3):
        G[12 * row + i], G[12 * row + 3 + i] = -e[i], -on_a[i]
        G[12 * row + 6 + i], G[12 * row + 9 + i] = e[i], on_b[i]
    gamma[row] = -dot(e, sub(cross(b.w, c1), cross(a.w, r1))) - dot(e1, V)


class Pulley(DerivedPulley):
    """L₁ + ratio · L₂ = length; L̈ = e·u̇ + (u·u − L̇²)/L of a leg."""

    @staticmethod
    def kernel(m, p, mem, phi, G, gamma):
        phi[0], gamma[0] = -p.length, 0.0
        add_leg(m[0], m[1], 1.0, 0, phi, G, gamma)
        add_leg(m[2], m[3], p.ratio, 12, phi, G, gamma)
        for k in range(2):
            d = sub(m[2 * k + 1].x, m[2 * k].x)
            if dot(d, (mem[3 * k], mem[3 * k + 1], mem[3 * k + 2])) < 0.0:
                phi[0] = gamma[0] = nan


@jit
def add_leg(start, end, factor, column, phi, G, gamma):
    """Add factor · L of the leg from `start` to `end`; `column`: its first column of G."""
    length, e, bias = line(start, end)
    phi[0] += factor * length
    gamma[0] -= factor * bias
    for k in range(3):
        pull = factor * e[k]
        G[column + k], G[column + 3 + k] = -pull, 0.0
        G[column + 6 + k], G[column + 9 + k] = pull, 0.0
