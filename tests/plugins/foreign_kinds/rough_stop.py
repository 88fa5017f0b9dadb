"""A rough stop on the ground: b stays above a, along z of a, and rubs along x.

Φ₀ = ẑ·d ≥ 0, λ₀ ≥ 0;   s = x̂·ḋ = 0 with |λ₁| ≤ μ_s λ₀, else λ₁ = ∓μ λ₀       d = x_b − x_a, a at rest
"""

from __future__ import annotations

from mbplugin.interface import VELOCITY_LEVEL, ConstraintKind, NonNegative, Parameters, Pressed


class RoughStopParameters(Parameters):
    mu: NonNegative
    """Kinetic coefficient of friction."""
    mu_static: NonNegative
    """Static one."""


class RoughStop(ConstraintKind):
    name = "foreign_rough_stop"
    parameters = RoughStopParameters
    labels = ("gap", "slip")
    level = (0, VELOCITY_LEVEL)
    row_type = ("nonnegative", "box")
    bound_names = ("push", "friction")
    pressed = {1: Pressed(by=0)}

    @classmethod
    def bounds(cls, params):
        return -params.mu, params.mu

    @classmethod
    def static_bounds(cls, params):
        return -params.mu_static, params.mu_static

    @staticmethod
    def kernel(a, b, phi, G, gamma):
        phi[0] = phi[1] = gamma[0] = gamma[1] = 0.0
        for k in range(24):
            G[k] = 0.0
        for k in range(3):
            x, z = a.R[3 * k], a.R[3 * k + 2]
            phi[0] += z * (b.x[k] - a.x[k])
            G[k], G[6 + k], G[12 + k], G[18 + k] = -z, z, -x, x
