"""A torsion spring and damper about the z axis of marker a.

    τ = −k (θ − θ₀) − c θ̇                       on b;  θ: rotation of b relative to a, full turns counted
    V = ½ k (θ − θ₀)²,  dissipated power c θ̇²

The wrenches are Jᵀ τ with the Jacobian of the registered measure `angle`, so that their power is exactly τ θ̇.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, NonNegative, Number, Parameters


class TorsionParameters(Parameters):
    stiffness: NonNegative = 0.0
    """Stiffness [N·m/rad]."""
    damping: NonNegative = 0.0
    """Damping [N·m·s/rad]."""
    angle: Number = 0.0
    """Angle of the unloaded spring [rad]."""


class TorsionSpringDamper(ForceKind):
    name = "torsion_spring_damper"
    exerts_torque = True
    parameters = TorsionParameters
    measures = ("angle",)
    dissipates = True
    outputs = {"torque": "N m", "angle": "rad", "speed": "rad/s"}  # τ, θ and θ̇

    @staticmethod
    def potential(p, s):
        return 0.5 * p.stiffness * (s[0] - p.angle) ** 2

    @staticmethod
    def dissipation(p, s_dot):
        return 0.5 * p.damping * s_dot[0] ** 2

    @staticmethod
    def output_values(p, s, s_dot):
        return -p.stiffness * (s[0] - p.angle) - p.damping * s_dot[0], s[0], s_dot[0]
