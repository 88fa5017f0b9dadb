"""A torsion spring and damper about the z axis of marker a.

    θ of b against a, counted over full turns;   τ = −k (θ − θ₀) − c θ̇ on b;   V = ½ k (θ − θ₀)²,  dissipated
    power c θ̇²

The wrenches are Jᵀ τ with the Jacobian of the registered measure `angle`, so that their power is τ θ̇
exactly.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, NonNegative, Number, Parameters


class TorsionParameters(Parameters):
    stiffness: NonNegative = 0.0
    """Stiffness [N·m/rad]."""
    damping: NonNegative = 0.0
    """Damping [N·m·s/rad]."""
    angle: Number = 0.0
    """Angle at which the spring is free [rad]."""


class TorsionSpringDamper(ForceKind):
    name = "torsion_spring_damper"
    parameters = TorsionParameters
    measures = ("angle",)
    dissipates = True

    @staticmethod
    def kernel(p, s, s_dot, J, wrench, energy, power):
        torque = -p.stiffness * (s[0] - p.angle) - p.damping * s_dot[0]
        for m in range(2):
            for k in range(6):
                wrench[m, k] = torque * J[6 * m + k]
        energy[0] = 0.5 * p.stiffness * (s[0] - p.angle) ** 2
        power[0] = -p.damping * s_dot[0] * s_dot[0]
