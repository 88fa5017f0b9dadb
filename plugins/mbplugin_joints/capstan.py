"""A rope over a drum with friction: capstan, bollard, band brake, belt.

In the plane normal to the axis z of the drum, with centre C and radius r, the rope runs from a along a
tangent of length l₁ to the point r n₁, round the drum by the angle θ, and from r n₂ along l₂ to b. Of an end
d = x − C, p = d − h z, ρ = |p|, e = p/ρ, and σ = ±1 is the sense about z of what runs from it to the drum:

    n = (r/ρ) e + σ (l/ρ) z × e,   l² = ρ² − r²,   w = σ z × n
    s = √(ℓ² + h²),  ℓ = l₁ + r θ + l₂,  h = h_b − h_a                the shortest path on a cylinder
    u₁ = c w₁ + k z,  u₂ = c w₂ − k z,  c = ℓ/s,  k = h/s             from the ends to the drum

With the tensions T_a and T_b = T_a e^{μ θ c} of what slips from a to b, the rows are

    Φ = L − s ≥ 0,                 λ₀ = (T_a + T_b)/2 ≥ 0
    slip = (u₁·v₁ − u₂·v₂)/2,      λ₁ = T_a − T_b,  |λ₁| ≤ 2 tanh(μ θ c/2) λ₀

v₁, v₂: velocities of the ends relative to the drum where the rope touches it. Derived here; e^{μθ} is the law
of Euler and Eytelwein. It is written by hand: both rows share what a strand is, and its Φ and ψ have not been
tried. The conformance kit checks G and γ, for which

    ṅ = α z × n − (n·ż) z,  ẇ = σ ż × n − σ α n,  α = σ (ḋ·n − h n·ż)/l,  θ̇ = σ₁ (α₂ − α₁)
"""

from __future__ import annotations

from math import acos, atan2, hypot, pi, sqrt, tanh
from typing import Literal, NamedTuple

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import VELOCITY_LEVEL, NonNegative, Number, Parameters, Positive, Pressed, axis, jit
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub
from mbplugin_joints.directions import OnDrum

TURN = 2.0 * pi


class CapstanParameters(Parameters):
    radius: Positive
    """Radius of the drum [m]."""
    friction: NonNegative = 0.0
    """Coefficient of friction between rope and drum where they slip."""
    friction_static: NonNegative | None = None
    """The same where they stick, at least as large; default equal."""
    length: Positive | None = None
    """Length of the rope [m]; default: that in the scene as written."""
    turns: NonNegative = 0.0
    """Whole turns of the rope round the drum beside the part of one that its ends show."""
    direction: Literal["positive", "negative"] | None = None
    """Sense about z of the drum in which the rope runs from the first marker to the second; default: that in
    which it touches less of the drum.
    """
    restitution: NonNegative = 0.0
    """Part of the speed with which the ends go back after a jerk, 0 to 1."""


class Wound(CapstanParameters):
    """Parameters, with what follows from the markers."""

    wrap: Number = 0.0  # angle of the rope on the drum at t = 0 [rad]
    sense: Number = 1.0  # 1 or −1 about z


class Capstan(OnDrum):
    """A rope from marker 0 to marker 1 over a drum of `radius`, whose axis is z of marker 2, with Coulomb
    friction: its path is no longer than `length`, and its tensions differ by a factor of up to exp(μ θ), θ
    being the angle of wrap (2 rows). The drum may turn. l₁, l₂ are the lengths of its free parts across the
    axis, h how far its ends are from each other along it, u₁, u₂ directions from the ends to the drum, v₁, v₂
    velocities of the ends relative to the drum where the rope touches it.
    """

    name = "capstan"
    formula = r"""
\Phi_0 = L - \sqrt{(l_1 + r \theta + l_2)^2 + h^2}, \quad c = (l_1 + r \theta + l_2) / (L - \Phi_0)
\dot \Phi_1 = \frac{1}{2} (u_1 \cdot v_1 - u_2 \cdot v_2)
\lambda_0 = \frac{1}{2} (T_a + T_b) \ge 0, \quad \lambda_1 = T_a - T_b
|\lambda_1| \le 2 \tanh \left( \frac{1}{2} \mu \theta c \right) \lambda_0
"""
    parameters = CapstanParameters
    markers = 3
    labels = ("length of the rope", "slip on the drum")
    level = (0, VELOCITY_LEVEL)
    row_type = ("nonnegative", "box")
    bound_names = ("tension", "friction")
    pressed = {1: Pressed(by=0, kinetic="grip", static="static_grip")}
    outputs = {"slack": "m", "wrap": "rad", "grip": "1", "static_grip": "1"}
    memory = 1
    examples = ({"radius": 0.1, "friction": 0.3},)
    lines = ((0, 2), (2, 1))
    singular = "an end on the surface of the drum"
    undefined = (
        "an end of the rope has come within the radius of the drum, where it has no tangent; keep it away by "
        "`limits` of a joint, or stop the run before"
    )

    @classmethod
    def defaults(cls, params, markers):
        static = params.friction if params.friction_static is None else params.friction_static
        if static < params.friction:
            mend = f"must be at least the kinetic friction, {params.friction:g}"
            raise SceneError("friction_static", params.friction_static, mend)
        if params.restitution > 1.0:
            raise SceneError("restitution", params.restitution, "must be from 0 to 1")
        if params.turns != int(params.turns):
            raise SceneError("turns", params.turns, "must be a whole number")
        _, R = markers[2]
        for k in (0, 1):
            d = R.T @ (markers[k][0] - markers[2][0])
            if (distance := float(np.hypot(d[0], d[1]))) <= params.radius:
                mend = (
                    f"marker {k} is {distance:.3g} m from the axis of the drum, within its radius, and has no"
                )
                raise SceneError("radius", params.radius, f"{mend} tangent; move it, or take a smaller drum")
        poses = [R.T @ (x - markers[2][0]) for x, _ in markers[:2]]
        senses = {"positive": (1.0,), "negative": (-1.0,), None: (1.0, -1.0)}[params.direction]
        wrap, sense = min((wrap_of(poses, params.radius, sense), sense) for sense in senses)
        wrap += TURN * params.turns
        tangents = sum(sqrt(x * x + y * y - params.radius**2) for x, y, _ in poses)
        drawn = float(np.hypot(tangents + params.radius * wrap, poses[1][2] - poses[0][2]))
        given = params.model_dump() | {"friction_static": static, "length": params.length or drawn}
        return Wound.model_construct(**given, wrap=wrap, sense=sense)

    @classmethod
    def refuse_outside(cls, params, by):
        needed = params.length + by
        mend = f"at t = 0 its path over the drum is {needed:.9g} m; it is shorter by {by:.3g} m: give a "
        raise SceneError(
            "length", params.length, f"{mend}`length` of at least that, or move its ends together"
        )

    @staticmethod
    def kernel(m, p, mem, phi, G, gamma, slack, wrap, grip, static_grip):
        one, two, theta, c, s = path(m[0], m[1], m[2], p.radius, p.sense, p.wrap + mem[0])
        phi[0] = slack[0] = p.length - s
        phi[1], wrap[0] = 0.0, max(theta, 0.0)
        grip[0] = 2.0 * tanh(0.5 * p.friction * wrap[0] * c)
        static_grip[0] = 2.0 * tanh(0.5 * p.friction_static * wrap[0] * c)
        gamma[0], gamma[1] = -one.bias - two.bias, 0.5 * (two.bias - one.bias)
        put(G, 0, one, two, 1.0, 1.0)
        put(G, 18, one, two, 0.5, -0.5)

    @staticmethod
    def accept(m, p, mem, mem_new):
        """The wrap, in whole turns too, beside that at the start."""
        _, _, theta, _, _ = path(m[0], m[1], m[2], p.radius, p.sense, p.wrap + mem[0])
        mem_new[0] = theta - p.wrap


def wrap_of(poses, radius, sense):
    """The angle of the drum that a rope touches in this sense, less than a turn [rad]; poses: ends (3,) in
    the axes of the drum.
    """
    (at_a, part_a), (at_b, part_b) = ((atan2(y, x), acos(radius / hypot(x, y))) for x, y, _ in poses)
    return (sense * (at_b - at_a) - part_a - part_b) % TURN


class Tangent(NamedTuple):
    """The tangent from an end to the drum, in the plane, and its rates."""

    length: float  # [m]
    length_dot: float
    h: float  # of the end, along z [m]
    h_dot: float
    n: tuple[float, float, float]  # normal of the drum where the tangent touches it
    n_dot: tuple[float, float, float]
    w: tuple[float, float, float]  # from the end to the drum
    w_dot: tuple[float, float, float]
    alpha: float  # rate of n about z [rad/s]


class Strand(NamedTuple):
    """A free part of the rope."""

    u: tuple[float, float, float]  # from its end to the drum
    arm: tuple[float, float, float]  # from the centre of the drum to where it touches it [m]
    bias: float  # rate of u·v, v relative to the drum there, without accelerations [m/s²]


@jit
def tangent(end, drum, z, z_dot, radius, sense):
    """sense: about z of a point that runs from the end to the drum and on."""
    d, d_dot = sub(end.x, drum.x), sub(end.v, drum.v)
    h = dot(d, z)
    p = sub(d, scale(h, z))
    rho = norm(p)
    length = sqrt(rho * rho - radius * radius)
    e = scale(1.0 / rho, p)
    n = add(scale(radius / rho, e), scale(sense * length / rho, cross(z, e)))
    w = scale(sense, cross(z, n))
    alpha = sense * (dot(d_dot, n) - h * dot(n, z_dot)) / length
    n_dot = sub(scale(alpha, cross(z, n)), scale(dot(n, z_dot), z))
    w_dot = scale(sense, sub(cross(z_dot, n), scale(alpha, n)))
    length_dot = -dot(d_dot, w) - dot(d, w_dot)
    return Tangent(length, length_dot, h, dot(d_dot, z) + dot(d, z_dot), n, n_dot, w, w_dot, alpha)


@jit
def strand(t, end, drum, z, z_dot, radius, c, c_dot, k, k_dot, q, q_dot):
    """The strand of a tangent whose path has the components c in the plane and k along z, with q = k/c."""
    u = add(scale(c, t.w), scale(k, z))
    turned = add(add(scale(c_dot, t.w), scale(c, t.w_dot)), add(scale(k_dot, z), scale(k, z_dot)))
    rise, rise_dot = t.h + t.length * q, t.h_dot + t.length_dot * q + t.length * q_dot
    arm = add(scale(radius, t.n), scale(rise, z))
    moved = add(scale(radius, t.n_dot), add(scale(rise_dot, z), scale(rise, z_dot)))
    slip = sub(sub(end.v, drum.v), cross(drum.w, arm))
    return Strand(u, arm, dot(turned, slip) - dot(u, cross(drum.w, moved)))


@jit
def path(a, b, drum, radius, sense, last):
    """Both strands, the angle of wrap, c and the length of the path. Off the drum, where the angle would
    be negative, the strands are one straight line.

    last: angle of wrap at the last step, from which whole turns are counted [rad]
    """
    z = axis(drum, 2)
    z_dot = cross(drum.w, z)
    one = tangent(a, drum, z, z_dot, radius, sense)
    two = tangent(b, drum, z, z_dot, radius, -sense)
    raw = atan2(sense * dot(z, cross(one.n, two.n)), dot(one.n, two.n))
    theta = raw + TURN * round((last - raw) / TURN)
    if theta <= 0.0:
        return straight(a, b, drum, theta)
    flat, h = one.length + radius * theta + two.length, two.h - one.h
    flat_dot = one.length_dot + radius * sense * (two.alpha - one.alpha) + two.length_dot
    h_dot = two.h_dot - one.h_dot
    s = sqrt(flat * flat + h * h)
    s_dot = (flat * flat_dot + h * h_dot) / s
    c, k, q = flat / s, h / s, h / flat
    c_dot, k_dot, q_dot = (flat_dot - c * s_dot) / s, (h_dot - k * s_dot) / s, (h_dot - q * flat_dot) / flat
    first = strand(one, a, drum, z, z_dot, radius, c, c_dot, k, k_dot, q, q_dot)
    second = strand(two, b, drum, z, z_dot, radius, c, c_dot, -k, -k_dot, -q, -q_dot)
    return first, second, theta, c, s


@jit
def straight(a, b, drum, theta):
    """Strands of a rope that does not touch the drum."""
    d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
    s = norm(d)
    e = scale(1.0 / s, d)
    turned = scale(1.0 / s, sub(d_dot, scale(dot(e, d_dot), e)))
    centre = (0.0, 0.0, 0.0)
    first = Strand(e, centre, dot(turned, sub(a.v, drum.v)))
    second = Strand(scale(-1.0, e), centre, -dot(turned, sub(b.v, drum.v)))
    return first, second, theta, 1.0, s


@jit
def put(G, column, one, two, first, second):
    """The row first · u_a·v₁ + second · u_b·v₂ of G, from its first column."""
    pull, moment = (
        add(scale(first, one.u), scale(second, two.u)),
        add(scale(first, cross(one.arm, one.u)), scale(second, cross(two.arm, two.u))),
    )
    for i in range(3):
        G[column + i], G[column + 3 + i] = first * one.u[i], 0.0
        G[column + 6 + i], G[column + 9 + i] = second * two.u[i], 0.0
        G[column + 12 + i], G[column + 15 + i] = -pull[i], -moment[i]
