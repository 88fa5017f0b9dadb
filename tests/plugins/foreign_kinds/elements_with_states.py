"""Elements whose energy lies in an inner state: a Maxwell element, and LuGre friction."""

from __future__ import annotations

from mbplugin.interface import ForceKind, Parameters, Positive
from mbplugin.math.vec3 import dot, norm, scale, sub


class MaxwellParameters(Parameters):
    stiffness: Positive
    """Stiffness of the spring [N/m]."""
    damping: Positive
    """Damping of the damper behind it [N s/m]."""


class Maxwell(ForceKind):
    """A spring and a damper in series along the line between two markers; x is the length of the spring's
    stretch.

    The force is F = k x, and the stretch changes with ẋ = ṡ − k x / c.
    """

    name = "foreign_maxwell"
    parameters = MaxwellParameters
    examples = ({"stiffness": 20.0, "damping": 5.0},)
    dissipates = True
    states = 1
    lines = ((0, 1),)

    @classmethod
    def look(cls, params):
        return "coil"

    @staticmethod
    def kernel(a, b, p, x, wrench, x_dot, energy, power):
        d = sub(b.x, a.x)
        u = scale(1.0 / norm(d), d)
        s_dot = dot(u, sub(b.v, a.v))
        force = p.stiffness * x[0]
        for k in range(3):
            wrench[0, k], wrench[1, k] = force * u[k], -force * u[k]
            wrench[0, 3 + k] = wrench[1, 3 + k] = 0.0
        x_dot[0] = s_dot - force / p.damping
        energy[0] = 0.5 * p.stiffness * x[0] * x[0]
        power[0] = -force * force / p.damping


class LuGreParameters(Parameters):
    stiffness: Positive
    """Stiffness of the bristles [N/m]."""
    friction: Positive
    """Force of sliding [N]."""


class LuGre(ForceKind):
    """Friction along x on one body by bristles of deflection z, without damping of their own (C. Canudas de
    Wit, H. Olsson, K. J. Åström, P. Lischinsky, IEEE Transactions on Automatic Control 40 (1995) 419-425,
    equations 1 to 3).

    F = −σ z, ż = v − σ |v| z / F_c; F_c |v| z² σ² / F_c² is dissipated.
    """

    name = "foreign_lugre"
    parameters = LuGreParameters
    examples = ({"stiffness": 50.0, "friction": 3.0},)
    dissipates = True
    markers = 1
    states = 1

    @staticmethod
    def kernel(a, p, x, wrench, x_dot, energy, power):
        v = a.v[0]
        for k in range(6):
            wrench[0, k] = 0.0
        wrench[0, 0] = -p.stiffness * x[0]
        bent = p.stiffness * abs(v) * x[0] / p.friction
        x_dot[0] = v - bent
        energy[0] = 0.5 * p.stiffness * x[0] * x[0]
        power[0] = -p.stiffness * x[0] * bent
