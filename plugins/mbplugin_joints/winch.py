"""A rope that a drum winds up.

In the plane normal to the axis z of the drum, with centre C and radius r, the rope runs from the load along a
tangent of length l to the point r n and round the drum, in the sense σ = ±1 about z, up to a point A of the
drum itself. With d = x − C, h = d·z, p = d − h z, ρ = |p| and e = p/ρ

    n = (r/ρ) e + σ (l/ρ) z × e,   l² = ρ² − r²
    Φ = L − r θ − √(l² + h²) ≥ 0,  λ ≥ 0

θ is the angle from n to A, with all turns: it follows the axis x of the drum. λ is the tension; what is wound
up does not slip along the drum. Derived here.
"""

from __future__ import annotations

from math import atan2, cos, nan, sin, sqrt
from typing import Literal

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import NonNegative, Number, Parameters, Positive, axis, jit
from mbplugin.math.vec3 import add, cross, dot, scale, sub
from mbplugin_joints.directions import OnDrum

TURN = 2.0 * np.pi


class WinchParameters(Parameters):
    radius: Positive
    """Radius of the drum, or of its layers [m]."""
    turns: NonNegative = 10.0
    """Turns of the rope on the drum in the scene as written; the run ends where all of them are paid out."""
    length: Positive | None = None
    """Length of the rope, with what is on the drum [m]; default: that in the scene as written."""
    direction: Literal["positive", "negative"] = "positive"
    """Sense about z in which the rope runs from the load onto the drum, and in which the drum winds it up."""
    restitution: NonNegative = 0.0
    """Part of the speed with which the load goes back after a jerk, 0 to 1."""


class Wound(WinchParameters):
    """Parameters, with what follows from the markers."""

    sense: Number = 1.0  # 1 or −1 about z
    slack: Number = 0.0  # of the rope at t = 0 [m]
    free: Number = 0.0  # and length of its free part [m]
    wrap: Number = 0.0  # angle of the rope on the drum then [rad]
    start: Number = 0.0  # and the angle from its axis x to n, in the other sense [rad]


class Winch(OnDrum):
    """A rope from marker 0, its load, to a drum of `radius` about z of marker 1, which winds it up as it
    turns: free and wound rope are no longer than `length` L (1 row). It only pulls, λ ≥ 0. l is its free part
    across the axis, h along it, θ the angle of what is wound up.
    """

    name = "winch"
    formula = r"""
\Phi = L - r \theta - \sqrt{l^2 + h^2} \ge 0, \quad l^2 = \rho^2 - r^2
\dot\theta = \sigma \, (\omega_b \cdot z - \dot n \cdot (z \times n))
"""
    parameters = WinchParameters
    labels = ("length of the rope",)
    row_type = "nonnegative"
    bound_names = ("tension",)
    outputs = {"slack": "m", "wrap": "rad"}
    memory = 3
    examples = ({"radius": 0.1},)
    lines = ((0, 1),)
    singular = "a load on the surface of the drum"
    undefined = (
        "the load has come within the radius of the drum, where its rope has no tangent, or all its `turns` "
        "are paid out; keep it away by `limits` of a joint, or stop the run before"
    )

    @classmethod
    def defaults(cls, params, markers):
        if params.restitution > 1.0:
            raise SceneError("restitution", params.restitution, "must be from 0 to 1")
        (x, _), (centre, R) = markers
        d = R.T @ (x - centre)
        rho = float(np.hypot(d[0], d[1]))
        if rho <= params.radius:
            mend = f"the load is {rho:.3g} m from the axis of the drum, within its radius; move it out"
            raise SceneError("radius", params.radius, mend)
        sense = 1.0 if params.direction == "positive" else -1.0
        wrap = TURN * params.turns
        angle = np.arctan2(d[1], d[0]) + sense * np.arccos(params.radius / rho)
        free = sqrt(rho * rho - params.radius**2 + d[2] * d[2])
        drawn = free + params.radius * wrap
        given = params.model_dump() | {"length": params.length or drawn}
        slack = given["length"] - drawn
        start = -sense * float(angle)
        return Wound.model_construct(**given, sense=sense, slack=slack, free=free, wrap=wrap, start=start)

    @classmethod
    def refuse_outside(cls, params, by):
        needed = params.length + by
        mend = f"at t = 0 its path and its turns are {needed:.9g} m; it is shorter by {by:.3g} m: give a "
        raise SceneError("length", params.length, f"{mend}`length` of at least that, or fewer `turns`")

    @staticmethod
    def phi(a, b, p, mem, t):
        return free_length(a, b, p, mem, t)

    @staticmethod
    def output_values(a, b, p, mem, t):
        return free_length(a, b, p, mem, t), p.wrap + wound_up(a, b, p, mem, t)

    @staticmethod
    def accept(a, b, p, mem, t, mem_new):
        """The angle that is wound up, beside that at the start, its rate, and the time."""
        mem_new[0] = wound_up(a, b, p, mem, t)
        z, d = axis(b, 2), sub(a.x, b.x)
        across = sub(d, scale(dot(d, z), z))
        round_axis = dot(cross(z, across), sub(a.v, b.v)) / dot(across, across)
        mem_new[1], mem_new[2] = p.sense * (dot(b.w, z) - round_axis), t


@jit
def free_length(a, b, p, mem, t):
    """What the rope is longer than its path [m]."""
    wound, d = wound_up(a, b, p, mem, t), sub(a.x, b.x)
    if wound < -p.wrap:
        return nan
    # of lengths that grow from none, for the sake of rounding
    return p.slack - p.radius * wound - (sqrt(dot(d, d) - p.radius * p.radius) - p.free)


@jit
def wound_up(a, b, p, mem, t):
    """The angle that is wound up beside that at the start [rad], with its turns: that next to what the last
    step and its rate lead one to expect.
    """
    z, d = axis(b, 2), sub(a.x, b.x)
    across = sub(d, scale(dot(d, z), z))
    squared = dot(across, across)
    length = sqrt(squared - p.radius * p.radius)
    n = add(scale(p.radius / squared, across), scale(p.sense * length / squared, cross(z, across)))
    c, s = dot(n, axis(b, 0)), -p.sense * dot(n, axis(b, 1))
    expected = mem[0] + mem[1] * (t - mem[2])
    near = p.start + expected
    return expected + atan2(s * cos(near) - c * sin(near), c * cos(near) + s * sin(near))
