"""Elements that store numbers of their own: friction by bristles, a rail, a law that tells its stretch."""

from __future__ import annotations

from math import cos, sin

from mbplugin.interface import ConstraintKind, EnforcementKind, ForceKind, Number, Parameters, Positive


class BristlesParameters(Parameters):
    stiffness: Positive
    """Stiffness of the bristles [N/m]."""
    friction: Positive
    """Force of sliding [N]."""


class Bristles(ForceKind):
    """LuGre friction along x (as `foreign_lugre`), and a phase that turns; its outputs are the slip, and the
    part of the force of sliding.
    """

    name = "foreign_bristles"
    parameters = BristlesParameters
    examples = ({"stiffness": 50.0, "friction": 3.0},)
    dissipates = True
    markers = 1
    states = {"deflection": "m", "phase": "rad"}
    outputs = {"slip": "m/s", "saturation": "1"}

    @staticmethod
    def kernel(a, p, x, wrench, x_dot, energy, power, slip, saturation):
        v = a.v[0]
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = -p.stiffness * x[0]
        bent = p.stiffness * abs(v) * x[0] / p.friction
        x_dot[0], x_dot[1] = v - bent, 2.0
        energy[0] = 0.5 * p.stiffness * x[0] * x[0]
        power[0] = -p.stiffness * x[0] * bent
        slip[0] = bent
        saturation[0] = p.stiffness * abs(x[0]) / p.friction


class RailParameters(Parameters):
    slope: Number = 0.0
    """Angle of the rail about y [rad]."""


class Rail(ConstraintKind):
    """b stays in the inclined plane through a: n·(x_b − x_a) = 0; its output is the place along the rail."""

    name = "foreign_rail"
    parameters = RailParameters
    labels = ("across the rail",)
    outputs = {"place": "m"}

    @staticmethod
    def kernel(a, b, p, phi, G, gamma, place):
        s, c = sin(p.slope), cos(p.slope)
        dx, dz = b.x[0] - a.x[0], b.x[2] - a.x[2]
        phi[0], gamma[0] = -s * dx + c * dz, 0.0
        for k in range(12):
            G[k] = 0.0
        G[0], G[2], G[6], G[8] = s, -c, -s, c
        place[0] = c * dx + s * dz


class TellingParameters(Parameters):
    stiffness: Positive = 1e4
    """[N/m] or [N·m/rad]."""


class Telling(EnforcementKind):
    """A spring along each row that tells how far it is stretched."""

    name = "foreign_telling"
    parameters = TellingParameters
    examples = ({"stiffness": 1e4},)
    values = ("stiffness",)
    outputs = {"stretch": "m"}

    @staticmethod
    def kernel(p, phi, load, energy, power, stretch):
        load[0] = -p.stiffness * phi
        energy[0], power[0] = 0.5 * p.stiffness * phi * phi, 0.0
        stretch[0] = abs(phi)
