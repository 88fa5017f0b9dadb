"""Measures whose kernels and tangents are written by hand, for comparison with derived ones."""

from __future__ import annotations

from math import atan2

from mbplugin.interface import Measure, axis, jit
from mbplugin.math.patch import add_between, add_cross, add_cross_cross
from mbplugin.math.vec3 import ZERO_MATRIX, add, add_outer, cross, dot, norm, scale, sub


@jit
def line(a, b):
    """Distance s, direction u from a to b, and bias of s̈."""
    d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
    s = norm(d)
    u = scale(1.0 / s, d)
    s_dot = dot(u, d_dot)
    return s, u, (dot(d_dot, d_dot) - s_dot * s_dot) / s


def distance_kernel(a, b, value, J, bias):
    value[0], u, bias[0] = line(a, b)
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = -u[k], 0.0, u[k], 0.0


def distance_tangent(a, b, lam, K):
    """−∂(λ u)/∂d of the force λ u on b, and its opposite on a."""
    s, u, _ = line(a, b)
    add_between(K, 0, 6, -lam[0] / s, lam[0] / s, u, u)


Distance = Measure(distance_kernel, tangent=distance_tangent)


def separation_kernel(a, b, value, J, bias):
    for r in range(3):
        value[r] = b.x[r] - a.x[r]
        for k in range(12):
            J[12 * r + k] = 0.0
        J[12 * r + r], J[12 * r + 6 + r] = -1.0, 1.0
        bias[r] = 0.0


def separation_tangent(K):
    """J is constant: K = 0."""


Separation = Measure(separation_kernel, rows=3, tangent=separation_tangent)


def component_kernel(a, b, p, value, J, bias):
    n = axis(a, p.i)
    d, d_dot = sub(b.x, a.x), sub(b.v, a.v)
    c = cross(n, d)
    value[0] = dot(n, d)
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = -n[k], c[k], n[k], 0.0
    n1 = cross(a.w, n)
    bias[0] = 2.0 * dot(n1, d_dot) + dot(cross(a.w, n1), d)


def component_tangent(a, b, p, lam, K):
    n, d = axis(a, p.i), sub(b.x, a.x)
    add_cross(K, 0, 3, -lam[0], n)
    add_cross(K, 6, 3, lam[0], n)
    add_cross(K, 3, 0, lam[0], n)
    add_cross(K, 3, 6, -lam[0], n)
    add_cross_cross(K, 3, 3, -lam[0], d, n)


def Component(i: str) -> Measure:
    """Displacement [m] of b from a along axis `i` of a."""
    return Measure(component_kernel, {"i": AXES.index(i)}, tangent=component_tangent)


@jit
def dot_of_axes(a, b, n, e):
    """s, c and the bias of an axis n of a and an axis e of b."""
    n1, e1 = cross(a.w, n), cross(b.w, e)
    bias = dot(cross(a.w, n1), e) + 2.0 * dot(n1, e1) + dot(n, cross(b.w, e1))
    return dot(n, e), cross(n, e), bias


def dot_kernel(a, b, p, value, J, bias):
    value[0], c, bias[0] = dot_of_axes(a, b, axis(a, p.i), axis(b, p.j))
    for k in range(3):
        J[k], J[3 + k], J[6 + k], J[9 + k] = 0.0, c[k], 0.0, -c[k]


@jit
def put_dots_tangent(S, K):
    """The tangent of Σ load n·e by S = Σ load n eᵀ: −T and Tᵀ on a, T and −Tᵀ on b with T = S − (tr S) 1."""
    trace = S[0] + S[4] + S[8]
    for r in range(3):
        for c in range(3):
            T, transposed = S[3 * r + c], S[3 * c + r]
            if r == c:
                T, transposed = T - trace, transposed - trace
            K[3 + r, 3 + c], K[3 + r, 9 + c] = -T, transposed
            K[9 + r, 3 + c], K[9 + r, 9 + c] = T, -transposed


def dot_tangent(a, b, p, lam, K):
    put_dots_tangent(add_outer(ZERO_MATRIX, lam[0], axis(a, p.i), axis(b, p.j)), K)


AXES = "xyz"


def Dot(i: str, j: str) -> Measure:
    """Axis `i` of a times axis `j` of b; near zero, their deviation from a right angle [rad]."""
    return Measure(dot_kernel, {"i": AXES.index(i), "j": AXES.index(j)}, unit="rad", tangent=dot_tangent)


@jit
def put_component(a, b, i, j, r, value, J, bias):
    """(a_j·b_i − a_i·b_j) / 2 into row r."""
    value[r], bias[r] = 0.0, 0.0
    for k in range(12):
        J[12 * r + k] = 0.0
    for sign, n, e in ((0.5, axis(a, j), axis(b, i)), (-0.5, axis(a, i), axis(b, j))):
        s, c, bias_of_one = dot_of_axes(a, b, n, e)
        value[r] += sign * s
        bias[r] += sign * bias_of_one
        for k in range(3):
            J[12 * r + 3 + k] += sign * c[k]
            J[12 * r + 9 + k] -= sign * c[k]


def turn_kernel(a, b, value, J, bias):
    for r in range(3):
        put_component(a, b, (r + 1) % 3, (r + 2) % 3, r, value, J, bias)


def turn_tangent(a, b, lam, K):
    S = ZERO_MATRIX
    for r in range(3):
        i, j = (r + 1) % 3, (r + 2) % 3
        S = add_outer(S, 0.5 * lam[r], axis(a, j), axis(b, i))
        S = add_outer(S, -0.5 * lam[r], axis(a, i), axis(b, j))
    put_dots_tangent(S, K)


Turn = Measure(turn_kernel, rows=3, unit="rad", tangent=turn_tangent)


def twist_kernel(a, b, value, J, bias):
    put_component(a, b, 0, 1, 0, value, J, bias)


def twist_tangent(a, b, lam, K):
    S = add_outer(ZERO_MATRIX, 0.5 * lam[0], axis(a, 1), axis(b, 0))
    put_dots_tangent(add_outer(S, -0.5 * lam[0], axis(a, 0), axis(b, 1)), K)


Twist = Measure(twist_kernel, unit="rad", tangent=twist_tangent)


def angle_kernel(a, b, p, value, J, bias):
    seen_from, sign = (a, 1.0) if p.side == 0 else (b, -1.0)
    seen = b if p.side == 0 else a
    i, k, e = axis(seen_from, p.i), axis(seen_from, p.k), axis(seen, p.e)
    j = cross(k, i)
    along, c, s = dot(e, k), dot(e, i), dot(e, j)
    rho2 = c * c + s * s
    value[0] = sign * atan2(s, c)
    w = sub(seen.w, seen_from.w)
    flat = add(scale(c, i), scale(s, j))
    g = sub(k, scale(along / rho2, flat))
    for n in range(3):
        J[n], J[3 + n], J[6 + n], J[9 + n] = 0.0, -g[n], 0.0, g[n]
    # relative to `seen_from`: ė = w × e, and its axes are constant
    e1 = cross(w, e)
    along1, c1, s1 = dot(e1, k), dot(e1, i), dot(e1, j)
    flat1 = add(scale(c1, i), scale(s1, j))
    ratio1 = (along1 * rho2 - along * 2.0 * (c * c1 + s * s1)) / (rho2 * rho2)
    g1 = scale(-1.0, add(scale(ratio1, flat), scale(along / rho2, flat1)))
    bias[0] = sign * (dot(g1, w) + dot(g, cross(w, seen_from.w)))


def AngleAbout(k: str, i: str, of: str = "a", shown_by: str = "") -> Measure:
    """Angle [rad] of b about axis `k` of marker `of`, full turns counted.

    It is measured between axis `i` of that marker and axis `shown_by` (default `i`) of the other, from the
    axis of a to the axis of b.
    """
    e = shown_by or i
    return Measure(
        angle_kernel,
        {"k": AXES.index(k), "i": AXES.index(i), "e": AXES.index(e), "side": "ab".index(of)},
        unit="rad",
        wraps=True,
    )


Angle = AngleAbout("z", "x")
