"""Springs with dampers on the swing, and on the whole rotation, of a ball joint.

    swing      V = ½ k σ²,  cos σ = ẑ_a·ẑ_b               R = ½ c |w_⊥|²,   w_⊥ across ẑ_b
    rotation   V = ½ k φ²,  cos φ = ½ (tr(R_aᵀ R_b) − 1)   R = ½ c |w|²,     w = ω_b − ω_a

The torque of the second spring on b is −k φ n = −k θ with the rotation vector θ, as in a ball joint of
MuJoCo (documentation of MuJoCo, XML Reference, body/joint/stiffness). V is smooth at 0 and has a corner at π.
With g = σ/sin σ it is ½ k g² sin²σ; g is a smooth function of the cosine.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, NonNegative, Parameters, axis
from mbplugin.math.vec3 import dot, sub
from mbplugin_forces.relative_rotation import g_of_cosine


class BallSpringParameters(Parameters):
    stiffness: NonNegative = 0.0
    """Stiffness [N·m/rad]."""
    damping: NonNegative = 0.0
    """Damping [N·m·s/rad]."""


def energy(k, c):
    """½ k φ² of an angle with the cosine c."""
    g = g_of_cosine(c)
    return 0.5 * k * g * g * (1.0 - c) * (1.0 + c)


class SwingSpringDamper(ForceKind):
    """A spring against the angle between the z axes of a and b, and a damper against the motion of z of b as
    a sees it. The keys `stiffness` and `damping` of a ball joint's swing are one of these.
    """

    name = "swing_spring_damper"
    parameters = BallSpringParameters
    exerts_torque = True
    dissipates = True
    examples = ({"stiffness": 3.0, "damping": 0.4},)

    @staticmethod
    def potential(a, b, p):
        return energy(p.stiffness, dot(axis(a, 2), axis(b, 2)))

    @staticmethod
    def dissipation(a, b, p):
        w, z = sub(b.w, a.w), axis(b, 2)
        along = dot(w, z)
        return 0.5 * p.damping * (dot(w, w) - along * along)


class RotationSpringDamper(ForceKind):
    """A spring against the whole rotation from a to b, equally stiff about all axes, and such a damper. The
    keys `stiffness` and `damping` of a ball joint's rotation are one of these.
    """

    name = "rotation_spring_damper"
    parameters = BallSpringParameters
    exerts_torque = True
    dissipates = True
    examples = ({"stiffness": 3.0, "damping": 0.4},)

    @staticmethod
    def potential(a, b, p):
        trace = dot(axis(a, 0), axis(b, 0)) + dot(axis(a, 1), axis(b, 1)) + dot(axis(a, 2), axis(b, 2))
        return energy(p.stiffness, 0.5 * (trace - 1.0))

    @staticmethod
    def dissipation(a, b, p):
        w = sub(b.w, a.w)
        return 0.5 * p.damping * dot(w, w)
