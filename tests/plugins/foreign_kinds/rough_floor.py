"""A rough floor at a, normal to its z: b stays above it, and rubs in both directions of the plane.

Φ₀ = ẑ·d ≥ 0,  w = d/dt (x̂·d, ŷ·d)            d = x_b − x_a, axes of a
d/dt (n·d) = n·ḋ + ω·(n × d)
d²/dt² (n·d) = n·d̈ + ω̇·(n × d) + 2 (ω × n)·ḋ + (ω × (ω × n))·d
"""

from __future__ import annotations

from mbplugin.interface import VELOCITY_LEVEL, ConstraintKind, NonNegative, Parameters
from mbplugin.math.vec3 import cross, dot, sub


class RoughFloorParameters(Parameters):
    mu: NonNegative
    """Coefficient of friction, where it slips."""
    mu_static: NonNegative
    """The same where it sticks."""
    e: NonNegative = 0.0
    """Restitution."""


class RoughFloor(ConstraintKind):
    name = "foreign_rough_floor"
    parameters = RoughFloorParameters
    labels = ("gap", "slip along x", "slip along y")
    level = (0, VELOCITY_LEVEL, VELOCITY_LEVEL)
    row_type = "cone"
    examples = ({"mu": 0.3, "mu_static": 0.4},)

    @classmethod
    def friction(cls, params):
        return params.mu, params.mu_static

    @classmethod
    def restitution(cls, params):
        return params.e

    @staticmethod
    def kernel(a, b, phi, G, gamma):
        d, u = sub(b.x, a.x), sub(b.v, a.v)
        for r in range(3):
            i = (2, 0, 1)[r]
            n = (a.R[i], a.R[3 + i], a.R[6 + i])
            turning, arm = cross(a.w, n), cross(n, d)
            phi[r] = dot(n, d) if r == 0 else 0.0
            gamma[r] = -2.0 * dot(turning, u) - dot(cross(a.w, turning), d)
            for k in range(3):
                G[12 * r + k], G[12 * r + 3 + k], G[12 * r + 6 + k], G[12 * r + 9 + k] = (
                    -n[k],
                    arm[k],
                    n[k],
                    0.0,
                )
