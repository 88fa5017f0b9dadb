"""Uniform gravity on the mass centre of one body:  f = m g,  V = −m g·x."""

from __future__ import annotations

from mbplugin.interface import ForceKind, Parameters, Positive, Vector
from mbplugin.math.vec3 import dot


class GravityParameters(Parameters):
    mass: Positive
    """Mass [kg]."""
    acceleration: Vector
    """Acceleration of free fall [m/s²]."""


class Gravity(ForceKind):
    """The engine adds one for each body with a mass if `[scene] gravity` is not zero."""

    name = "gravity"
    parameters = GravityParameters
    markers = 1

    @staticmethod
    def kernel(a, p, wrench, energy):
        g = p.acceleration
        wrench[0, 0], wrench[0, 1], wrench[0, 2] = p.mass * g[0], p.mass * g[1], p.mass * g[2]
        wrench[0, 3], wrench[0, 4], wrench[0, 5] = 0.0, 0.0, 0.0
        energy[0] = -p.mass * dot(g, a.x)

    @staticmethod
    def tangent(K):
        """The force does not depend on the position: K = 0."""
