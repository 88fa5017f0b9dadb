"""A spring and a damper between two markers.

    s = |x_b − x_a|,   f = −k (s − l) − c ṡ   along the line from a to b, on b
    V = ½ k (s − l)²,  dissipated power c ṡ²
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, NonNegative, Parameters
from mbplugin.math.vec3 import dot, norm, scale, sub


class SpringDamperParameters(Parameters):
    stiffness: NonNegative = 0.0
    """Stiffness [N/m]."""
    damping: NonNegative = 0.0
    """Damping [N·s/m]."""
    length: NonNegative | None = None
    """Free length [m]; default: the distance of the markers at t = 0."""


class SpringDamper(ForceKind):
    name = "spring_damper"
    parameters = SpringDamperParameters
    dissipates = True

    @classmethod
    def defaults(cls, own, markers):
        if own.length is not None:
            return own
        (xa, _), (xb, _) = markers
        return own.model_copy(update={"length": float(((xb - xa) ** 2).sum() ** 0.5)})

    @staticmethod
    def kernel(a, b, p, wrench, energy, power):
        d = sub(b.x, a.x)
        s = norm(d)
        # at s = 0 a spring of no free length has no direction and no force
        u = scale(1.0 / s if s > 0.0 else 0.0, d)
        s_dot = dot(u, sub(b.v, a.v))
        f = -p.stiffness * (s - p.length) - p.damping * s_dot
        for k in range(3):
            wrench[0, k], wrench[1, k] = -f * u[k], f * u[k]
            wrench[0, 3 + k], wrench[1, 3 + k] = 0.0, 0.0
        energy[0] = 0.5 * p.stiffness * (s - p.length) ** 2
        power[0] = -p.damping * s_dot * s_dot
