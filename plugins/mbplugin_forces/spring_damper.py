"""A spring and a damper between two markers.

    s = |x_b − x_a|,   f = −k (s − l) − c ṡ   along the line from a to b, on b
    V = ½ k (s − l)²,  dissipated power c ṡ²

With d = x_b − x_a, u = d/s and P = (1 − u uᵀ)/s = ∂u/∂d, where ṡ = u·ḋ and so ∂ṡ/∂d = P ḋ, the force f u on b
has the tangents

    −∂(f u)/∂d = k u uᵀ + c u (P ḋ)ᵀ − f P,   −∂(f u)/∂ḋ = c u uᵀ

Where the markers pass each other, f turns round at once unless l = 0. The motion goes on to the other side:
it is the limit of those that pass by at a distance, since f is bounded. It is written by hand, as V and R
have no derivatives where its ends meet.
"""

from __future__ import annotations

from mbplugin.interface import ForceKind, NonNegative, Parameters, jit
from mbplugin.math.patch import add_between
from mbplugin.math.vec3 import cross, dot, norm, scale, sub
from mbplugin_forces.ends import ROUNDING_OF_POSITIONS, refuse_coincident

#: distance at which markers pass each other, of the free length and of their distance in that step, up to
#: which they meet
MEETING_DISTANCE = 1e-3
#: places in the memory: d and the time of the last step, and the time at which the markers first met, or 0
TIME, MET = 3, 4


class SpringDamperParameters(Parameters):
    stiffness: NonNegative = 0.0
    """Stiffness [N/m]."""
    damping: NonNegative = 0.0
    """Damping [N·s/m]."""
    length: NonNegative | None = None
    """Free length [m]; default: the distance of the markers in the scene as written."""


class SpringDamper(ForceKind):
    name = "spring_damper"
    parameters = SpringDamperParameters
    dissipates = True
    lines = ((0, 1),)
    outputs = {"force": "N", "length": "m", "speed": "m/s"}  # f, s and ṡ
    memory = 5

    @classmethod
    def look(cls, params):
        return "coil" if params.stiffness > 0.0 else "dashpot"

    @classmethod
    def defaults(cls, params, markers):
        if params.length is not None:
            if params.stiffness > 0.0 and params.length > 0.0:
                refuse_coincident(markers, "length", params.length, "; a free length of 0 needs no direction")
            return params
        (xa, _), (xb, _) = markers
        return params.model_copy(update={"length": float(((xb - xa) ** 2).sum() ** 0.5)})

    @staticmethod
    def kernel(a, b, p, wrench, energy, power, force, length, speed):
        d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
        s = norm(d)
        if has_direction(a, b, s):
            u = scale(1.0 / s, d)
            s_dot = dot(u, d_dot)
            f = -p.stiffness * (s - p.length) - p.damping * s_dot
        else:
            # the line turns to ḋ: −c ḋ is the limit from both sides, and the mean of the spring's is 0
            s_dot = norm(d_dot)
            u = scale(1.0 / s_dot if s_dot > 0.0 else 0.0, d_dot)
            f = -p.damping * s_dot
        for k in range(3):
            wrench[0, k], wrench[1, k] = -f * u[k], f * u[k]
            wrench[0, 3 + k], wrench[1, 3 + k] = 0.0, 0.0
        energy[0] = 0.5 * p.stiffness * (s - p.length) ** 2
        power[0] = -p.damping * s_dot * s_dot
        force[0], length[0], speed[0] = f, s, s_dot

    @staticmethod
    def accept(a, b, p, t, mem, mem_new):
        d, before = sub(b.x, a.x), (mem[0], mem[1], mem[2])
        s, s_before = norm(d), norm(before)
        for k in range(3):
            mem_new[k] = d[k]
        mem_new[TIME], mem_new[MET] = t, mem[MET]
        if mem[MET] > 0.0 or p.stiffness * p.length == 0.0 or s_before == 0.0 or dot(before, d) > 0.0:
            return
        # distance from the chord of the step
        passed = norm(cross(before, d)) / norm(sub(d, before))
        if passed <= MEETING_DISTANCE * min(p.length, max(s, s_before)):
            mem_new[MET] = mem[TIME] + (t - mem[TIME]) * s_before / (s_before + s)

    @classmethod
    def warning(cls, params, memory):
        if memory[MET] == 0.0:
            return None
        force, length = params.stiffness * params.length, params.length
        text = (
            f"its ends meet, where a spring of free length {length:.4g} m has no direction: its force of "
            f"{force:.4g} N turns round at once. Keep its ends apart, such as by `limits` of a joint, or "
            "give it length = 0"
        )
        return memory[MET], text

    @staticmethod
    def tangent(a, b, p, K, D):
        d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
        s = norm(d)
        if not has_direction(a, b, s):
            # a spring of zero free length exerts k d, also at s = 0; others have no tangent there
            add_between(K, 0, 6, p.stiffness, 0.0, d, d)
            add_between(D, 0, 6, p.damping, 0.0, d, d)
            return
        u = scale(1.0 / s, d)
        s_dot = dot(u, d_dot)
        f = -p.stiffness * (s - p.length) - p.damping * s_dot
        add_between(K, 0, 6, -f / s, p.stiffness + f / s, u, u)
        add_between(K, 0, 6, 0.0, p.damping / s, u, sub(d_dot, scale(s_dot, u)))
        add_between(D, 0, 6, 0.0, p.damping, u, u)


@jit
def has_direction(a, b, s):
    """Whether the distance s of the markers is more than rounding, so that their line has a direction."""
    size = 0.0
    for k in range(3):
        size += abs(a.x[k]) + abs(b.x[k])
    return s > ROUNDING_OF_POSITIONS * size
