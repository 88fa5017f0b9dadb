"""A rope over sheaves: circles of a radius r about z of its markers, in whose grooves it lies.

    Φ = l − Σ L − Σ r θ ≥ 0,  λ ≥ 0           over the parts of a rope between its markers, and its sheaves

Of a part from the circle a to b, n and t = z × n are the normal and tangent of a circle where the straight
rope leaves or touches it, y_a = x_a + r_a n_a and y_b these points, d = y_b − y_a, L = |d|, e = d/L. It is
tangent to both circles as seen along their axes:

    g_a = d·n_a = 0,   g_b = d·n_b = 0                              (`mbplugin.math.rope_path` solves them)
    ṅ = ω × n + α̇ t,   A α̇ = −b,   A = [d·t_a  r_b t_b·n_a; −r_a t_a·n_b  d·t_b]
    b_a = w·n_a + ω_a·(n_a × d),  b_b likewise,   w = ẏ_b − ẏ_a at α̇ = 0

The sheave has what the rope has passed of it, σ r α, in the sense σ = ±1 about z in which the rope runs. So

    ḟ = e·w + κ·α̇ = m·w + η_a ω_a·(n_a × d) + η_b ω_b·(n_b × d)
    κ_a = r_a (σ_a − e·t_a),  κ_b = −r_b (σ_b − e·t_b),   Aᵀ η = −κ,   m = e + η_a n_a + η_b n_b

κ is of second order in the angles by which the rope is bent sideways at the edge of a groove; without them
the sheave is pulled by λ along both tangents, whatever its own rotation. Derived here. The rate of these
coefficients along a motion gives γ and, along unit motions, the tangent; the conformance kit checks all.
"""

from __future__ import annotations

from math import atan2, nan, pi, sqrt
from typing import Annotated, NamedTuple

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import Entries, Numbers, axis, jit
from mbplugin.math.rope_path import CLOSE, ROUNDS, WINDOW, length, path
from mbplugin.math.vec3 import ZERO, add, cross, dot, norm, scale, sub
from mbplugin_joints.ropes import NOTHING, OVERSTRETCHED, Rope, RopeParameters, has_passed, with_length

TURN = 2.0 * pi
#: wrap above which the run ends [rad], and below which the rope has left its sheave
MOST, LEAST = np.radians(300.0), -1e-6
#: sine of the angle between the lines of centres below which `direction` has to be given
STRAIGHT = 1e-6


class Reeved(RopeParameters):
    """Parameters, with what follows from the markers."""

    signed: Annotated[Numbers, Entries("m")] = (0.0,)  # σ r of all markers, 0 of eyes and ends


class RopeOverSheaves(Rope):
    """A rope whose markers have a `radius`: what is on a sheave counts."""

    examples = ({"radius": [0.1]},)
    undefined = (
        "a marker has come within the radius of a sheave, where the rope has no tangent, or two sheaves "
        "touch, or a part of the rope has shrunk to nothing; or the taut rope has left a sheave, or touches "
        "more than 300° of it. Keep the bodies from there by `limits` of a joint or a `separator`, or let "
        "the rope run over a `capstan`, which it may leave"
    )

    @classmethod
    def variant(cls, params):
        return cls

    @classmethod
    def defaults(cls, params, markers):
        x, z = np.array([x for x, _ in markers]), np.array([R[:, 2] for _, R in markers])
        rho = signed_radii(params, x, z)
        ends, _, wraps = path(x, z, rho)
        for k in range(1, len(x) - 1):
            refuse_sheave(params, k, rho, ends, wraps)
        given = params.model_dump()
        if params.length is None:
            given["length"] = length(ends, wraps, rho)
        given = with_length(RopeParameters.model_validate(given), markers).model_dump()
        return Reeved.model_validate(given | {"signed": tuple(rho.tolist())})

    @classmethod
    def sheaves(cls, params):
        return params.signed

    @staticmethod
    def kernel(m, p, u, mem, active, phi, phi_t, G, gamma, slack):  # type: ignore[override]
        l, l_dot, l_dot_dot = u.length
        for k in range(6 * len(m)):
            G[k] = 0.0
        s, bias, n_in, least, most = 0.0, 0.0, ZERO, 0.0, 0.0
        for k in range(len(m) - 1):
            a, b, first, second = m[k], m[k + 1], p.signed[k], p.signed[k + 1]
            part = part_between(a, b, first, second)
            s += part.length
            if first != 0.0:
                theta = wrap(n_in, part.n_a, axis(a, 2), first)
                s += abs(first) * theta
                least, most = min(least, theta), max(most, theta)
            n_in = part.n_b
            if part.length > NOTHING * l:
                rate = rate_of(part, a.v, a.w, b.v, b.w)
                for i in range(3):
                    G[6 * k + i] += part.m[i]
                    G[6 * k + 3 + i] -= part.on_a[i]
                    G[6 * k + 6 + i] -= part.m[i]
                    G[6 * k + 9 + i] -= part.on_b[i]
                bias += dot(rate.m, sub(b.v, a.v)) + dot(rate.on_a, a.w) + dot(rate.on_b, b.w)
        phi[0] = slack[0] = l - s
        phi_t[0], gamma[0] = l_dot, bias - l_dot_dot
        taut = active[0] == 1 or phi[0] < -OVERSTRETCHED * l
        if most > MOST or (taut and (least < LEAST or has_passed(m, mem))):
            phi[0] = gamma[0] = nan

    @staticmethod
    def tangent(m, p, u, lam, K):  # type: ignore[override]
        for k in range(len(m) - 1):
            part = part_between(m[k], m[k + 1], p.signed[k], p.signed[k + 1])
            if part.length > NOTHING * u.length[0]:
                for j in range(12):
                    rate = rate_of(part, unit(j), unit(j - 3), unit(j - 6), unit(j - 9))
                    for i in range(3):
                        K[6 * k + i, 6 * k + j] -= lam[0] * rate.m[i]
                        K[6 * k + 3 + i, 6 * k + j] += lam[0] * rate.on_a[i]
                        K[6 * k + 6 + i, 6 * k + j] += lam[0] * rate.m[i]
                        K[6 * k + 9 + i, 6 * k + j] += lam[0] * rate.on_b[i]


class Part(NamedTuple):
    """A straight part of a rope, and what its length and that on its sheaves depend on."""

    length: float  # [m]
    e: tuple[float, float, float]  # from a to b
    d: tuple[float, float, float]  # [m]
    r_a: float  # radii [m]
    r_b: float
    n_a: tuple[float, float, float]  # normals and tangents of the circles; 0 at eyes
    n_b: tuple[float, float, float]
    t_a: tuple[float, float, float]
    t_b: tuple[float, float, float]
    inverse: tuple[float, float, float, float]  # of A [1/m]
    eta_a: float
    eta_b: float
    m: tuple[float, float, float]  # coefficients of ḟ: of v_b and −v_a
    on_a: tuple[float, float, float]  # of ω_a and ω_b [m]
    on_b: tuple[float, float, float]


class Rate(NamedTuple):
    """Rates of the coefficients of ḟ."""

    m: tuple[float, float, float]
    on_a: tuple[float, float, float]
    on_b: tuple[float, float, float]


@jit
def unit(j):
    """The unit vector j; 0 if there is none."""
    return (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)


@jit
def normal(d, z, rho, k):
    """The n across z with d·n = k, on the side of −σ z × d; 0 of an eye, NaN if there is none."""
    if rho == 0.0:
        return ZERO
    p = sub(d, scale(dot(d, z), z))
    squared = dot(p, p)
    if k * k > squared:
        return (nan, nan, nan)
    root = sqrt(squared - k * k) / squared
    return add(scale(k / squared, p), scale(root if rho < 0.0 else -root, cross(z, p)))


@jit
def normals(d, z_a, z_b, rho_a, rho_b):
    """n_a and n_b; d: from centre to centre."""
    r_a, r_b, c = abs(rho_a), abs(rho_b), 0.0
    if rho_a != 0.0 and rho_b != 0.0:
        m_a, m_b = cross(d, z_a), cross(d, z_b)
        c = dot(m_a, m_b) / sqrt(dot(m_a, m_a) * dot(m_b, m_b))
        c = c if (rho_a > 0.0) == (rho_b > 0.0) else -c
    n_a, n_b = normal(d, z_a, rho_a, r_a - r_b * c), normal(d, z_b, rho_b, r_a * c - r_b)
    if rho_a != 0.0 and rho_b != 0.0:
        for _ in range(ROUNDS):
            before, c = c, dot(n_a, n_b)
            if abs(c - before) < CLOSE:
                break
            n_a, n_b = normal(d, z_a, rho_a, r_a - r_b * c), normal(d, z_b, rho_b, r_a * c - r_b)
    return n_a, n_b


@jit
def wrap(n_in, n_out, z, rho):
    """The angle of a sheave that the rope touches [rad]."""
    sine = dot(z, cross(n_in, n_out))
    angle = atan2(sine if rho > 0.0 else -sine, dot(n_in, n_out))
    return angle + TURN if angle < -WINDOW else angle


@jit
def part_between(a, b, rho_a, rho_b):
    """The part of a rope between two markers with signed radii."""
    z_a, z_b = axis(a, 2), axis(b, 2)
    r_a, r_b = abs(rho_a), abs(rho_b)
    n_a, n_b = normals(sub(b.x, a.x), z_a, z_b, rho_a, rho_b)
    t_a, t_b = cross(z_a, n_a), cross(z_b, n_b)
    d = sub(add(b.x, scale(r_b, n_b)), add(a.x, scale(r_a, n_a)))
    length = norm(d)
    e = scale(1.0 / length, d) if length > 0.0 else ZERO
    aa = dot(d, t_a) if rho_a != 0.0 else 1.0
    bb = dot(d, t_b) if rho_b != 0.0 else 1.0
    ab, ba = r_b * dot(t_b, n_a), -r_a * dot(t_a, n_b)
    det = aa * bb - ab * ba
    inverse = (bb / det, -ab / det, -ba / det, aa / det)
    kappa_a, kappa_b = rho_a - r_a * dot(e, t_a), r_b * dot(e, t_b) - rho_b
    eta_a = -(inverse[0] * kappa_a + inverse[2] * kappa_b)
    eta_b = -(inverse[1] * kappa_a + inverse[3] * kappa_b)
    m = add(e, add(scale(eta_a, n_a), scale(eta_b, n_b)))
    # w = v_b + ω_b × r_b n_b − v_a − ω_a × r_a n_a
    on_a = sub(scale(eta_a, cross(n_a, d)), scale(r_a, cross(n_a, m)))
    on_b = add(scale(eta_b, cross(n_b, d)), scale(r_b, cross(n_b, m)))
    return Part(length, e, d, r_a, r_b, n_a, n_b, t_a, t_b, inverse, eta_a, eta_b, m, on_a, on_b)


@jit
def rate_of(of, v_a, w_a, v_b, w_b):
    """The rates of the coefficients of a part at these twists."""
    n_a, n_b, t_a, t_b, d, e = of.n_a, of.n_b, of.t_a, of.t_b, of.d, of.e
    w = sub(add(v_b, scale(of.r_b, cross(w_b, n_b))), add(v_a, scale(of.r_a, cross(w_a, n_a))))
    b_a, b_b = dot(w, n_a) + dot(w_a, cross(n_a, d)), dot(w, n_b) + dot(w_b, cross(n_b, d))
    alpha_a = -(of.inverse[0] * b_a + of.inverse[1] * b_b)
    alpha_b = -(of.inverse[2] * b_a + of.inverse[3] * b_b)
    n_a_dot, n_b_dot = add(cross(w_a, n_a), scale(alpha_a, t_a)), add(cross(w_b, n_b), scale(alpha_b, t_b))
    t_a_dot, t_b_dot = sub(cross(w_a, t_a), scale(alpha_a, n_a)), sub(cross(w_b, t_b), scale(alpha_b, n_b))
    d_dot = add(w, sub(scale(of.r_b * alpha_b, t_b), scale(of.r_a * alpha_a, t_a)))
    e_dot = scale(1.0 / of.length, sub(d_dot, scale(dot(e, d_dot), e)))
    # Aᵀ η = −κ
    aa, bb = dot(d_dot, t_a) + dot(d, t_a_dot), dot(d_dot, t_b) + dot(d, t_b_dot)
    ab = of.r_b * (dot(t_b_dot, n_a) + dot(t_b, n_a_dot))
    ba = -of.r_a * (dot(t_a_dot, n_b) + dot(t_a, n_b_dot))
    right_a = of.r_a * (dot(e_dot, t_a) + dot(e, t_a_dot)) - aa * of.eta_a - ba * of.eta_b
    right_b = -of.r_b * (dot(e_dot, t_b) + dot(e, t_b_dot)) - ab * of.eta_a - bb * of.eta_b
    eta_a = of.inverse[0] * right_a + of.inverse[2] * right_b
    eta_b = of.inverse[1] * right_a + of.inverse[3] * right_b
    of_a = add(scale(eta_a, n_a), scale(of.eta_a, n_a_dot))
    of_b = add(scale(eta_b, n_b), scale(of.eta_b, n_b_dot))
    m = add(e_dot, add(of_a, of_b))
    on_a = sub(
        add(cross(of_a, d), scale(of.eta_a, cross(n_a, d_dot))),
        scale(of.r_a, add(cross(n_a_dot, of.m), cross(n_a, m))),
    )
    on_b = add(
        add(cross(of_b, d), scale(of.eta_b, cross(n_b, d_dot))),
        scale(of.r_b, add(cross(n_b_dot, of.m), cross(n_b, m))),
    )
    return Rate(m, on_a, on_b)


def signed_radii(params, x, z):
    """(n,) σ r of the markers. Raises SceneError."""
    inner = len(x) - 2
    if len(params.radius) != inner:
        mend = f"has {len(params.radius)} entries for the {inner} markers between its ends; an eye has 0"
        raise SceneError("radius", list(params.radius), mend)
    rho = np.array([0.0, *params.radius, 0.0])
    if (rho < 0.0).any():
        raise SceneError("radius", list(params.radius), "must not be negative")
    if params.direction is not None and len(params.direction) != inner:
        mend = f"has {len(params.direction)} entries for the {inner} markers between the ends of the rope"
        raise SceneError("direction", list(params.direction), mend)
    for k in np.flatnonzero(rho):
        if params.direction is not None:
            rho[k] *= 1.0 if params.direction[k - 1] == "positive" else -1.0
            continue
        d, e = x[k] - x[k - 1], x[k + 1] - x[k]
        turn = np.cross(d, e) @ z[k] / max(np.linalg.norm(d) * np.linalg.norm(e), 1e-300)
        if abs(turn) < STRAIGHT:
            mend = f"the rope may run over marker {k} on either side: give a `direction` for each"
            raise SceneError("direction", mend=mend)
        rho[k] *= np.sign(turn)
    return rho


def refuse_sheave(params, k, rho, ends, wraps):
    """Raises SceneError where the rope has no path over the sheave of marker k, or not in its sense."""
    if not rho[k]:
        return
    if np.isnan(ends[k - 1 : k + 1]).any():
        mend = (
            f"the sheave of marker {k} has no tangent to a marker next to it, which is within its radius, or "
        )
        raise SceneError("radius", list(params.radius), f"{mend}whose sheave touches it; move them apart")
    if wraps[k] < LEAST or wraps[k] > MOST:
        touched = f"the rope touches {np.degrees(wraps[k] % TURN):.0f}° of the sheave of marker {k}"
        mend = f"{touched}; at most 300° are possible: give the other `direction`, or move the markers"
        raise SceneError("direction", mend=mend)
