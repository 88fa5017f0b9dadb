"""A point on a curve. The arc length s of the nearest place is an inner unknown of the joint, and its
coordinate.

(r − c(s)) · c'(s) = 0                   r: the point of b, c: the curve, in axes of a
Φ = (e · (r − c), (t × e) · (r − c))     t: unit tangent, e: the side of the curve, normal to it
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.interface import (
    ConstraintKind,
    CurveTable,
    Measure,
    Number,
    OnMarker,
    Parameters,
    axis,
    guided,
    spline,
    where,
)
from mbplugin.math.vec3 import cross, dot, norm, sub

NAN = float("nan")
#: how far past an open end a curve still counts, in its length
END = 1e-6
#: most that a place moves in a step, in the length of its curve
STRIDE = 0.25
#: distances of two places that are equally near, in the size of the curve
EQUAL = 1e-6


def one_piece(y, z):
    """A curve for the conformance kit, along x: one cubic, since differences of tangents see the knots."""
    u, one, none = np.array([-6.0, 6.0]), np.ones(2), np.zeros(2)
    points, slopes, bends = (
        np.stack(each, axis=1)
        for each in ((u, y * u**2, z * u**3), (one, 2 * y * u, 3 * z * u**2), (none, 2 * y * one, 6 * z * u))
    )
    sides = np.stack([none, 0.1 * u, one], axis=1)
    return CurveTable("", "", u + 6.0, points, slopes, bends, sides, False)


def beyond(s, length, closed):
    """NaN past an open end, else 0."""
    return where(max(-s, s - length) * (1.0 - closed) > END * length, NAN, 0.0)


def far(s, start, moved, length):
    """NaN where a place has moved too far since the last step, so that a shorter step is taken: Newton's
    method may have gone to another place. moved: its way from the start to the last step
    """
    step = where(moved == 0.0, 0.0, s - start - moved)
    return where(abs(step) > STRIDE * length, NAN, 0.0)


def seen_from(a, b):
    """The point of b in axes of a."""
    d = sub(b.x, a.x)
    return dot(axis(a, 0), d), dot(axis(a, 1), d), dot(axis(a, 2), d)


def of_curve(p, s):
    """Point and derivative of the curve of `point_on_curve`, in axes of a."""
    x, y, z = spline(p.curve_x, s), spline(p.curve_y, s), spline(p.curve_z, s)
    return (x[0], y[0], z[0]), (x[1], y[1], z[1])


def place(a, b, p, s):
    """F: the point of b is normal to the curve at s."""
    c, t = of_curve(p, s)
    return dot(sub(seen_from(a, b), c), t)


def arc_length(a, b, p, s):
    """The place of the point of b on the curve of a, from its begin on."""
    return s


class PointOnCurveParameters(Parameters):
    curve: Annotated[CurveTable, OnMarker(0)]
    """The curve of a."""
    near: Number | None = None
    """Arc length near which the point is at t = 0; default: the nearest place of the whole curve [m]."""


class OnCurve(ConstraintKind):
    """A point of b on a curve of a, in space or in the plane."""

    name = "point_on_curve"
    parameters = PointOnCurveParameters
    unknowns = {"s": "near"}
    equations = staticmethod(place)
    coordinates = {"arc_length": Measure(phi=arc_length, unknowns={"s": "near"}, equations=place)}
    bearings = {"arc_length": guided()}
    at_mass_centres = True
    undefined = (
        "its point is past an open end of its curve, or in a centre of curvature; make the curve longer, or "
        "`closed`"
    )
    avoided = "move its bodies, name other markers, or choose a place by `near`"

    @classmethod
    def defaults(cls, params, markers):
        (x_a, R_a), (x_b, _) = markers
        curve, point = params.curve, R_a.T @ (x_b - x_a)
        if params.near is not None:
            return params.model_copy(update={"near": curve.refined(point, start_of(params.near, curve))})
        (distance, place), *others = curve.nearest(point)
        for other, second in others[:1]:
            if other - distance <= EQUAL * curve.size:
                first, last = sorted((place, second))
                mend = (
                    f"is as near to the point at s = {first:.4g} m as at s = {last:.4g} m "
                    f"({distance:.3g} m away); choose one of them by `near`"
                )
                raise SceneError("curve", curve.name, mend)
        return params.model_copy(update={"near": place})

    @classmethod
    def ends(cls, params):
        return {} if params.curve.closed else {"arc_length": (0.0, params.curve.length)}

    @classmethod
    def extent(cls, params):
        return params.curve.size


class PointOnCurve(OnCurve):
    """The point of b stays on a curve of a; b turns freely (2 rows; between planar bodies 1). Its coordinate
    `arc_length` is the place on the curve, which goes on counting on a closed one.
    """

    formula = r"""
\Phi = \left( e \cdot d, \; (t \times e) \cdot d \right), \quad d = r_b - c_a(s), \quad d \cdot t = 0
"""
    labels = ("sideways", "across")
    examples = ({"curve": one_piece(0.03, 0.002)},)

    @staticmethod
    def phi(a, b, p, s, mem):
        c, t = of_curve(p, s)
        e = spline(p.curve_side_x, s)[0], spline(p.curve_side_y, s)[0], spline(p.curve_side_z, s)[0]
        d = sub(seen_from(a, b), c)
        sideways = dot(e, d) + beyond(s, p.curve_length, p.curve_closed)
        sideways += far(s, p.near, mem[0], p.curve_length)
        return sideways, dot(cross(t, e), d) / norm(t)

    class Planar(OnCurve):
        """The same between planar bodies (1 row)."""

        formula = r"""
\Phi = \hat z_a \cdot (t \times d), \quad d = r_b - c_a(s), \quad d \cdot t = 0
"""
        labels = ("across",)
        examples = ({"curve": one_piece(0.03, 0.0)},)

        @staticmethod
        def phi(a, b, p, s, mem):
            c, t = of_curve(p, s)
            d = sub(seen_from(a, b), c)
            valid = beyond(s, p.curve_length, p.curve_closed) + far(s, p.near, mem[0], p.curve_length)
            return (t[0] * d[1] - t[1] * d[0]) / norm(t) + valid


def start_of(near, curve):
    """A given arc length. Raises SceneError if it is past an open end."""
    if not curve.closed and not 0.0 <= near <= curve.length:
        raise SceneError("near", near, f"must be from 0 to {curve.length:.6g} m, the length of the curve")
    return near
