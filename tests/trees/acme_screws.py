"""A screw whose thread becomes finer along its axis, by a kernel of its own.

    Φ = (x_a·d, y_a·d, x_a·z_b, y_a·z_b, θ − t h − c h²),   d = r_b − r_a,   h = z_a·d

without full turns in the last row; θ is the angle of b about z of a. Derived here.
"""

from __future__ import annotations

from math import atan2, pi

from mbplugin_joints.measures import Angle, Component

from mbplugin.interface import ConstraintKind, Number, Parameters, axis, hookimpl
from mbplugin.math.vec3 import add, cross, dot, scale, sub


class VariableScrewParameters(Parameters):
    turn: Number
    """Angle per travel where both origins meet [rad/m]."""
    growth: Number
    """Half of its change along the axis [rad/m²]."""


class VariableScrew(ConstraintKind):
    """A screw of variable pitch."""

    name = "variable_screw"
    parameters = VariableScrewParameters
    labels = ("translation along x", "translation along y", "tilt about x", "tilt about y", "thread")
    units = ("m", "m", "rad", "rad", "rad")
    coordinates = {"length": Component("z"), "angle": Angle}

    @staticmethod
    def kernel(a, b, p, phi, G, gamma):
        for k in range(60):
            G[k] = 0.0
        d, u, w = sub(b.x, a.x), sub(b.v, a.v), sub(b.w, a.w)
        z = axis(b, 2)
        z_1 = cross(b.w, z)
        for r in range(2):
            n = axis(a, r)
            n_1 = cross(a.w, n)
            n_2, at_d, at_z = cross(a.w, n_1), cross(n, d), cross(n, z)
            phi[r], gamma[r] = dot(n, d), -2.0 * dot(n_1, u) - dot(n_2, d)
            phi[2 + r] = dot(n, z)
            gamma[2 + r] = -dot(n_2, z) - 2.0 * dot(n_1, z_1) - dot(n, cross(b.w, z_1))
            for k in range(3):
                G[12 * r + k], G[12 * r + 3 + k], G[12 * r + 6 + k] = -n[k], at_d[k], n[k]
                G[24 + 12 * r + 3 + k], G[24 + 12 * r + 9 + k] = at_z[k], -at_z[k]
        n = axis(a, 2)
        n_1, at_d = cross(a.w, n), cross(n, d)
        h, h_1 = dot(n, d), dot(n_1, d) + dot(n, u)
        slope = p.turn + 2.0 * p.growth * h
        # θ̇ = j·ω
        x, y, turned = axis(a, 0), axis(a, 1), axis(b, 0)
        c, s = dot(turned, x), dot(turned, y)
        along_c, along_s, r2 = cross(turned, x), cross(turned, y), c * c + s * s
        j = scale(1.0 / r2, sub(scale(c, along_s), scale(s, along_c)))
        turned_1 = cross(b.w, turned)
        c_1, s_1 = dot(w, along_c), dot(w, along_s)
        c_2 = dot(w, add(cross(turned_1, x), cross(turned, cross(a.w, x))))
        s_2 = dot(w, add(cross(turned_1, y), cross(turned, cross(a.w, y))))
        rate = (c * s_1 - s * c_1) / r2
        theta_2 = (c * s_2 - s * c_2 - 2.0 * rate * (c * c_1 + s * s_1)) / r2
        turns = atan2(s, c) - p.turn * h - p.growth * h * h
        phi[4] = turns - 2.0 * pi * round(turns / (2.0 * pi))
        h_2 = dot(cross(a.w, n_1), d) + 2.0 * dot(n_1, u)
        gamma[4] = slope * h_2 + 2.0 * p.growth * h_1 * h_1 - theta_2
        for k in range(3):
            G[48 + k], G[54 + k] = slope * n[k], -slope * n[k]
            G[51 + k], G[57 + k] = -j[k] - slope * at_d[k], j[k]


@hookimpl
def mbplugin_constraint_types(register):
    register(VariableScrew)
