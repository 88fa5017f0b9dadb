"""Joints that a third party might write. With `barrel_cam`, b turns about z of a and is lifted along z by the
groove of a barrel.

    Φ = (x_a·d, y_a·d, z_a·d − f(θ), x_a·z_b, y_a·z_b),   d = x_b − x_a,   f = h (1 − cos θ)

Derived here; θ and its bias are those of the cam in `foreign_kinds`, which the kit checks by differences.
"""

from __future__ import annotations

from math import cos, sin

from foreign_kinds.cam import angle
from mbplugin_joints.measures import Angle, Component
from mbplugin_joints.shafts import Universal

from mbplugin.interface import ConstraintKind, Number, Parameters, axis, hookimpl
from mbplugin.math.vec3 import cross, dot, sub


class BarrelCamParameters(Parameters):
    height: Number
    """Half the lift [m]."""


class BarrelCam(ConstraintKind):
    name = "barrel_cam"
    parameters = BarrelCamParameters
    labels = ("translation along x", "translation along y", "lift", "tilt about x", "tilt about y")
    units = ("m", "m", "m", "rad", "rad")
    coordinates = {"length": Component("z"), "angle": Angle}

    @staticmethod
    def kernel(a, b, p, phi, G, gamma):
        theta, j, bias_theta = angle(a, b)
        d, u, z, w = sub(b.x, a.x), sub(b.v, a.v), axis(b, 2), sub(b.w, a.w)
        for k in range(60):
            G[k] = 0.0
        for r in range(3):
            n = axis(a, r)
            n1 = cross(a.w, n)
            phi[r], gamma[r] = dot(n, d), -2.0 * dot(n1, u) - dot(cross(a.w, n1), d)
            turned = cross(n, d)
            for k in range(3):
                G[12 * r + k], G[12 * r + 3 + k], G[12 * r + 6 + k] = -n[k], turned[k], n[k]
        slope, curvature = p.height * sin(theta), p.height * cos(theta)
        theta_dot = dot(j, w)
        phi[2] -= p.height * (1.0 - cos(theta))
        gamma[2] += slope * bias_theta + curvature * theta_dot * theta_dot
        for k in range(3):
            G[27 + k] += slope * j[k]
            G[33 + k] -= slope * j[k]
        for r in range(3, 5):
            n = axis(a, r - 3)
            n1, z1, turned = cross(a.w, n), cross(b.w, z), cross(n, z)
            phi[r] = dot(n, z)
            gamma[r] = -dot(cross(a.w, n1), z) - 2.0 * dot(n1, z1) - dot(n, cross(b.w, z1))
            for k in range(3):
                G[12 * r + 3 + k], G[12 * r + 9 + k] = turned[k], -turned[k]


class CoupledCross(Universal):
    """A Cardan joint whose two angles are equal."""

    name = "coupled_cross"
    labels = ("difference of the angles",)
    bearings = {}

    @classmethod
    def relation(cls, params):
        return [("angle_x", 1.0), ("angle_y", -1.0)]


class OtherCross(Universal):
    """A Cardan joint that names the angle about y of b first."""

    name = "other_cross"
    coordinates = dict(reversed(Universal.coordinates.items()))


@hookimpl
def mbplugin_constraint_types(register):
    register(BarrelCam)
    register(CoupledCross)
    register(OtherCross)
