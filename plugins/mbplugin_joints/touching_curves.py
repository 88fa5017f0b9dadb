"""A curve that touches another one in their plane. The arc lengths of the places are inner unknowns.

(c₁' × c₂') · n = 0,   d · c₁' = 0       d = c₂ − c₁
Φ = ± d · (t₁ × n)                       + where a is on the left of its curve, seen against n
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import (
    VELOCITY_LEVEL,
    ConstraintKind,
    CurveTable,
    Measure,
    NonNegative,
    Number,
    OnMarker,
    Parameters,
    Pressed,
    Vector,
    axis,
    spline,
)
from mbplugin.math.vec3 import add, cross, dot, norm, scale, sub
from mbplugin_joints.curves import EQUAL, beyond, far

#: starts of the search for places where curves touch, on each of them; its steps; a residual that is none
STARTS, STEPS, RESIDUAL = 48, 40, 1e-9
#: step of this search in the length of a curve that is rounding
STILL = 1e-14


class CurveOnCurveParameters(Parameters):
    curve_a: Annotated[CurveTable, OnMarker(0)]
    """The curve of a."""
    curve_b: Annotated[CurveTable, OnMarker(1)]
    """The curve of b."""
    rolling: bool = False
    """Whether the curves roll on each other without slip."""
    unilateral: bool = False
    """Whether they may leave each other, and only press."""
    restitution: Number = 0.0
    """Part of the speed with which they rebound, where they are unilateral."""
    friction: NonNegative | None = None
    """Coefficient of dry friction where they slip; the force between them presses."""
    friction_static: NonNegative | None = None
    """The same where they stick, at least as large; default `friction`."""
    near_a: Number | None = None
    """Arc length of a near which they touch at t = 0; default: where they are nearest [m]."""
    near_b: Number | None = None
    """Arc length of b near which they touch at t = 0 [m]."""
    normal: Vector | None = None
    """Normal of their plane, in axes of a; default: that of the curves."""
    outside: Number | None = None
    """1 where the material of a is on the left of its curve, seen against the normal, -1 on its right;
    default: inside of a closed curve."""


def few_pieces(x, y):
    """An oval for the conformance kit: few pieces, since differences of tangents see the knots."""
    angle = np.linspace(0.0, 2.0 * np.pi, 7)
    angle[-1] = 0.0
    cos, sin, none = np.cos(angle), np.sin(angle), 0.0 * angle
    scale = 2.0 / (x + y)
    points, slopes, bends = (
        factor * np.stack([along * x, across * y, none], axis=1)
        for factor, along, across in ((1.0, cos, sin), (scale, -sin, cos), (scale**2, -cos, -sin))
    )
    sides = np.tile([0.0, 0.0, 1.0], (len(angle), 1))
    s = 0.5 * (x + y) * np.linspace(0.0, 2.0 * np.pi, 7)
    return CurveTable("", "", s, points, slopes, bends, sides, True)


def points_of_both(a, b, p, s1, s2):
    """Points of both curves and their derivatives, in world axes."""
    x, y, z = spline(p.curve_a_x, s1), spline(p.curve_a_y, s1), spline(p.curve_a_z, s1)
    u, v, w = spline(p.curve_b_x, s2), spline(p.curve_b_y, s2), spline(p.curve_b_z, s2)
    c1, t1 = add(a.x, in_world(a, x[0], y[0], z[0])), in_world(a, x[1], y[1], z[1])
    c2, t2 = add(b.x, in_world(b, u[0], v[0], w[0])), in_world(b, u[1], v[1], w[1])
    return c1, t1, c2, t2


def in_world(m, x, y, z):
    """A vector in axes of a marker, in world axes."""
    return add(add(scale(x, axis(m, 0)), scale(y, axis(m, 1))), scale(z, axis(m, 2)))


def parallel(a, b, p, s1, s2):
    """F: the tangents are parallel, and the distance is normal to them."""
    c1, t1, c2, t2 = points_of_both(a, b, p, s1, s2)
    n = in_world(a, p.normal[0], p.normal[1], p.normal[2])
    return dot(cross(t1, t2), n), dot(sub(c2, c1), t1)


def arc_length_a(a, b, p, s1, s2):
    """The place on the curve of a."""
    return s1


def arc_length_b(a, b, p, s1, s2):
    """The place on the curve of b."""
    return s2


def slip(a, b, p, s1, s2):
    """The velocity with which b slips along the curve of a, of both where that is: so it is in balance."""
    c1, t1, _, _ = points_of_both(a, b, p, s1, s2)
    of_a = add(a.v, cross(a.w, sub(c1, a.x)))
    of_b = add(b.v, cross(b.w, sub(c1, b.x)))
    return dot(t1, sub(of_b, of_a)) / norm(t1)


OVALS = {"curve_a": few_pieces(4.0, 3.0), "curve_b": few_pieces(2.0, 2.5), "normal": [0, 0, 1]}
UNKNOWNS = {"s1": "near_a", "s2": "near_b"}


class CurveOnCurve(ConstraintKind):
    """A curve of b touches a curve of a in their plane, as a follower a cam (1 row). With `rolling` they do
    not slip (2 rows), with `unilateral` they may leave each other, with `friction` they rub. Coordinates: the
    arc lengths at which they touch. Output: their gap.
    """

    name = "curve_on_curve"
    parameters = CurveOnCurveParameters
    formula = r"""
\Phi = d \cdot (t_a \times n), \quad d = c_b(s_b) - c_a(s_a), \quad d \cdot t_a = 0, \quad t_a \times t_b = 0
"""
    labels = ("gap",)
    unknowns = UNKNOWNS
    equations = staticmethod(parallel)
    coordinates = {
        "arc_length_a": Measure(
            phi=arc_length_a, unknowns=UNKNOWNS, equations=parallel, range="curve_a_length"
        ),
        "arc_length_b": Measure(
            phi=arc_length_b, unknowns=UNKNOWNS, equations=parallel, range="curve_b_length"
        ),
    }
    outputs = {"gap": "m"}
    undefined = "its curves touch past an open end, or have the same curvature; make the open one longer"
    avoided = "move its bodies, or choose a place by `near_a` and `near_b`"
    examples = (
        OVALS,
        {**OVALS, "rolling": True},
        {**OVALS, "friction": 0.3},
        {**OVALS, "unilateral": True},
        {**OVALS, "unilateral": True, "friction": 0.3, "friction_static": 0.4},
    )

    @staticmethod
    def phi(a, b, p, s1, s2, mem):
        c1, t1, c2, _ = points_of_both(a, b, p, s1, s2)
        n = in_world(a, p.normal[0], p.normal[1], p.normal[2])
        gap = p.outside * dot(sub(c2, c1), cross(t1, n)) / norm(t1)
        gap += beyond(s1, p.curve_a_length, p.curve_a_closed) + far(s1, p.near_a, mem[0], p.curve_a_length)
        gap += beyond(s2, p.curve_b_length, p.curve_b_closed) + far(s2, p.near_b, mem[1], p.curve_b_length)
        return gap

    @staticmethod
    def output_values(a, b, p, s1, s2):
        c1, t1, c2, _ = points_of_both(a, b, p, s1, s2)
        n = in_world(a, p.normal[0], p.normal[1], p.normal[2])
        return p.outside * dot(sub(c2, c1), cross(t1, n)) / norm(t1)

    @classmethod
    def variant(cls, params):
        if params.rolling and params.unilateral:
            mend = "is for curves that stay together; leave `rolling` or `unilateral` out"
            raise SceneError("rolling", True, mend)
        if not 0.0 <= params.restitution <= 1.0:
            raise SceneError("restitution", params.restitution, "must be from 0 to 1")
        if params.restitution and not params.unilateral:
            mend = "is for curves that may leave each other; add `unilateral = true`, or leave it out"
            raise SceneError("restitution", params.restitution, mend)
        check_friction(params)
        if params.unilateral:
            return UnilateralCurves if params.friction is None else UnilateralCurvesThatRub
        if params.friction is not None:
            return CurvesThatRub
        return RollingCurves if params.rolling else cls

    @classmethod
    def defaults(cls, params, markers):
        normal = plane_of(params, markers)
        starts = places_of_both(params, markers, normal)
        changed = params.model_copy(
            update={"normal": tuple(normal.tolist()), "near_a": starts[0], "near_b": starts[1]}
        )
        outside = params.outside if params.outside is not None else outside_of(changed, markers)
        return changed.model_copy(update={"outside": float(np.sign(outside))})

    @classmethod
    def ends(cls, params):
        curves = {"arc_length_a": params.curve_a, "arc_length_b": params.curve_b}
        return {name: (0.0, curve.length) for name, curve in curves.items() if not curve.closed}

    @classmethod
    def bounds(cls, params):
        return -(params.friction or 0.0), params.friction or 0.0

    @classmethod
    def static_bounds(cls, params):
        most = params.friction if params.friction_static is None else params.friction_static
        return -(most or 0.0), most or 0.0

    @classmethod
    def extent(cls, params):
        return max(params.curve_a.size, params.curve_b.size)


class RollingCurves(CurveOnCurve):
    """`curve_on_curve` without slip."""

    labels = ("gap", "rolling")  # type: ignore[assignment]
    level = (0, VELOCITY_LEVEL)

    psi = staticmethod(slip)


class CurvesThatRub(CurveOnCurve):
    """`curve_on_curve` with dry friction: the size of the force between them presses, as in a groove."""

    labels = ("gap", "slip")  # type: ignore[assignment]
    level = (0, VELOCITY_LEVEL)
    row_type = ("equality", "box")
    bound_names = ("gap", "friction")
    pressed = {1: Pressed(by=0)}
    psi = staticmethod(slip)


class UnilateralCurves(CurveOnCurve):
    """`curve_on_curve` that may open."""

    row_type = "nonnegative"
    bound_names = ("push",)
    ranges = {"s1": "curve_a_length", "s2": "curve_b_length"}


class UnilateralCurvesThatRub(UnilateralCurves):
    """`curve_on_curve` that may open, with dry friction where it is closed."""

    labels = ("gap", "slip")  # type: ignore[assignment]
    level = (0, VELOCITY_LEVEL)
    row_type = ("nonnegative", "box")  # type: ignore[assignment]
    bound_names = ("push", "friction")  # type: ignore[assignment]
    pressed = {1: Pressed(by=0)}
    psi = staticmethod(slip)


def check_friction(params):
    """Raises SceneError for keys of friction that do not fit."""
    kinetic, static = params.friction, params.friction_static
    if kinetic is None and static is not None:
        raise SceneError("friction_static", static, "needs `friction`, the coefficient where they slip")
    if kinetic is not None and params.rolling:
        raise SceneError("friction", kinetic, "is for curves that slip; leave it or `rolling` out")
    if static is not None and static < kinetic:
        raise SceneError("friction_static", static, f"must be at least the kinetic friction, {kinetic:g}")


def plane_of(params, markers):
    """The normal of the plane of both curves, (3,) in axes of a. Raises SceneError."""
    (_, R_a), (_, R_b) = markers
    if params.normal is not None:
        return np.array(params.normal) / np.linalg.norm(params.normal)
    normals = {}
    for key, turn in (("curve_a", np.eye(3)), ("curve_b", R_a.T @ R_b)):
        curve = getattr(params, key)
        if np.abs(curve.sides - curve.sides[0]).max() > RESIDUAL:
            raise SceneError(key, curve.name, "is no curve in a plane")
        tangents = curve.spline(curve.s, 1)
        if np.abs(tangents - tangents[0]).max() > RESIDUAL:  # not straight
            normals[key] = turn @ curve.sides[0]
    if not normals:
        raise SceneError(
            "curve_b", params.curve_b.name, "is straight, as the other one; one has to be curved"
        )
    first, *second = normals.values()
    if second and np.linalg.norm(np.cross(first, second[0])) > RESIDUAL:
        what = "is not in the plane of the other curve as the scene is written"
        raise SceneError("curve_b", params.curve_b.name, what)
    return first


def both_at(params, markers, s1, s2, order):
    """Derivatives (..., 3) of this order of both curves, in world axes; points for order 0."""
    found = []
    for curve, s, (x, R) in zip((params.curve_a, params.curve_b), (s1, s2), markers):
        found.append(curve.spline(s, order) @ R.T + (x if order == 0 else 0.0))
    return found


def places_of_both(params, markers, normal):
    """Arc lengths at which the curves touch, or are nearest: by Newton's method from many pairs of places, or
    from the given ones. Raises SceneError.
    """
    curves = (params.curve_a, params.curve_b)
    n = markers[0][1] @ normal
    grids = []
    for curve, near in zip(curves, (params.near_a, params.near_b)):
        grids.append(np.linspace(0.0, curve.length, STARTS) if near is None else np.array([near]))
    s1, s2 = (grid.ravel() for grid in np.meshgrid(*grids))
    moving = np.arange(len(s1))
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            F, slopes = residual(params, markers, s1[moving], s2[moving], n)
            determinant = slopes[0][0] * slopes[1][1] - slopes[0][1] * slopes[1][0]
            step1 = (F[0] * slopes[1][1] - F[1] * slopes[0][1]) / determinant
            step2 = (F[1] * slopes[0][0] - F[0] * slopes[1][0]) / determinant
            most = np.maximum(np.abs(step1) / curves[0].length, np.abs(step2) / curves[1].length)
            share = np.minimum(1.0, 0.1 / np.maximum(most, 1e-300))
            s1[moving] -= share * step1
            s2[moving] -= share * step2
            moving = moving[most > STILL]  # nan has none to go on
        F, _ = residual(params, markers, s1, s2, n)
    size = max(curve.size for curve in curves)
    good = np.isfinite(s1) & np.isfinite(s2) & (np.abs(F[0]) < RESIDUAL) & (np.abs(F[1]) < RESIDUAL * size)
    for curve, s in zip(curves, (s1, s2)):
        good &= curve.closed | ((s >= 0.0) & (s <= curve.length))
    if not good.any():
        mend = "the curves have no place where they are parallel; move the bodies or make the open one longer"
        raise SceneError("curve_b", params.curve_b.name, mend)
    s1, s2 = ((s[good] % c.length if c.closed else s[good]) for c, s in zip(curves, (s1, s2)))
    c1, c2 = both_at(params, markers, s1, s2, 0)
    distance = np.linalg.norm(c2 - c1, axis=1)
    best = int(np.argmin(distance))
    for k in np.flatnonzero(distance - distance[best] <= EQUAL * size):
        apart = max(c.apart(float(s[k]), float(s[best])) / c.length for c, s in zip(curves, (s1, s2)))
        if apart > 1e-3:
            mend = (
                f"is as near to the other one at s = {s2[best]:.4g} m as at s = {s2[k]:.4g} m, where that is "
                f"at {s1[best]:.4g} and {s1[k]:.4g} m; choose one of them by `near_a` and `near_b`"
            )
            raise SceneError("curve_b", params.curve_b.name, mend)
    return float(s1[best]), float(s2[best])


def residual(params, markers, s1, s2, n):
    """F (2) and its derivatives by s1 and s2 for many pairs of places."""
    (c1, c2), (t1, t2), (k1, k2) = (both_at(params, markers, s1, s2, order) for order in range(3))
    inner = lambda one, other: np.sum(one * other, axis=-1)
    d = c2 - c1
    F = inner(np.cross(t1, t2), n), inner(d, t1)
    by_s1 = inner(np.cross(k1, t2), n), inner(d, k1) - inner(t1, t1)
    by_s2 = inner(np.cross(t1, k2), n), inner(t2, t1)
    return F, ((by_s1[0], by_s2[0]), (by_s1[1], by_s2[1]))


def outside_of(params, markers):
    """The sign of t × n that points out of a at the start."""
    (_, R_a), (_, R_b) = markers
    n = R_a @ np.array(params.normal)
    (c1, c2), (t1, t2) = (both_at(params, markers, params.near_a, params.near_b, k) for k in range(2))
    out = np.cross(t1, n)
    if params.curve_a.closed:
        return turning_of(params.curve_a, R_a, n)
    if params.curve_b.closed:
        return -np.sign(turning_of(params.curve_b, R_b, n) * (np.cross(t2, n) @ out))
    gap = (c2 - c1) @ out
    return gap if abs(gap) > EQUAL * params.curve_a.size else 1.0


def turning_of(curve, R, n):
    """1 for a closed curve that runs counterclockwise about n, else -1."""
    points = curve.points @ R.T
    return np.sign(np.sum(np.cross(points[:-1], points[1:]) @ n))
