"""A rod that lies on demand: each of its outputs can be made wrong by a parameter, so that it shows which of
them an analysis uses.
"""

from __future__ import annotations

from mbplugin.interface import ConstraintKind, Number, Parameters, Positive
from mbplugin.math.vec3 import dot, norm, scale, sub


class SpyParameters(Parameters):
    length: Positive
    phi: Number = 0.0
    G: Number = 0.0
    gamma: Number = 0.0
    phi_t: Number = 0.0
    """What is added to each output."""


class Spy(ConstraintKind):
    name = "foreign_spy"
    parameters = SpyParameters
    labels = ("distance",)

    @staticmethod
    def kernel(a, b, p, phi, G, gamma, phi_t):
        d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
        s = norm(d)
        u = scale(1.0 / s, d)
        rate = dot(u, d_dot)
        phi[0] = s - p.length + p.phi
        gamma[0] = -(dot(d_dot, d_dot) - rate * rate) / s + p.gamma
        phi_t[0] = p.phi_t
        for k in range(3):
            G[k], G[3 + k], G[6 + k], G[9 + k] = -u[k], 0.0, u[k], 0.0
        G[6] += p.G
