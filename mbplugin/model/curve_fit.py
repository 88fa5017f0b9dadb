"""Curves as splines of degree 5 over their arc length, with a normal direction that goes along.

    C(u), u in [u_0, u_n], smooth in between given breaks    samples, arc length s by a rule of nine points
    c(s)                                                     C, C' and C'' over s at the ends of each interval
    error = max |C(u) - c(s(u))| halfway between samples     at most 1e-9 of the size, or it is refused

In an interval C is the polynomial of degree 8 through its nine Chebyshev points, from which its derivatives
are taken: those by the arc length are t = C'/|C'| and (C'' - (C''.t) t)/|C'|^2.

The side e(s) is normal to the curve and turns about it as little as possible: W. Wang, B. Juettler, D. Zheng
and Y. Liu, Computation of rotation minimizing frames, ACM Trans. Graph. 27 (2008), the double reflection. Of
a plane curve it is the normal of the plane; of a closed curve the angle that is left at its end is spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbplugin.errors import SceneError
from mbplugin.math.spline import numbers_of_pieces, spline_numbers

Array = NDArray[np.float64]
#: largest distance of a curve and its spline, in the size of the curve
TOLERANCE = 1e-9
#: difference of second derivatives, times the size, at which they are good, and the part of it before, with
#: half as many samples, that shows that more will help
TOLERANCE_OF_BENDS, BETTER = 1e-8, 0.25
#: intervals at first between two breaks and altogether, and most of them
FIRST, FIRST_ALL, MOST = 4, 32, 8192
#: speed of the parameter that is none, in the largest one
STILL = 1e-9
#: angle of neighbouring tangents from which on there is a cusp [rad]
CUSP = 0.5
#: size of a curve across a plane that is rounding, in its size
FLAT = 1e-10
AXES = "xyz"


@dataclass(frozen=True)
class CurveTable:
    """A curve as splines over its arc length."""

    name: str  # in the scene; "" of one that has none
    body: str  # body or marker in whose frame it is given; "": that of the element that has it
    s: Array  # (n,) arc lengths of the knots, from 0 [m]
    points: Array  # (n, 3) [m]
    slopes: Array  # (n, 3) first derivatives
    bends: Array  # (n, 3) second derivatives [1/m]
    sides: Array  # (n, 3) unit vectors normal to it
    closed: bool  # whether its end is joined to its begin
    error: float = 0.0  # of the spline, in the size of the curve

    @property
    def length(self) -> float:
        """Its arc length [m]."""
        return float(self.s[-1])

    @property
    def size(self) -> float:
        """The diagonal of the box around it [m]."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))

    @property
    def ends(self) -> str:
        """End conditions of its splines, as SciPy has them."""
        return "periodic" if self.closed else "not-a-knot"

    def placed(self, x: Array, R: Array) -> CurveTable:
        """The same curve in another frame: its axes are the columns of R (3, 3) and its origin is x (3,) [m],
        in the frame of this one.
        """
        turned = {name: getattr(self, name) @ R for name in ("slopes", "bends", "sides")}
        return replace(self, points=(self.points - x) @ R, **turned)

    def numbers(self) -> dict[str, Array]:
        """What kernels get, over the arc length: splines x, y, z of its points, and of its sides."""
        of = {
            axis: numbers_of_pieces(self.s, self.pieces[..., k], self.closed) for k, axis in enumerate(AXES)
        }
        of |= {
            f"side_{axis}": spline_numbers(self.s, self.sides[:, k], self.ends) for k, axis in enumerate(AXES)
        }
        return of

    @cached_property
    def pieces(self) -> Array:
        """(6, n - 1, 3) coefficients of its pieces by powers of the arc length from their begin."""
        return hermite(np.diff(self.s), self.points, self.slopes, self.bends)

    def spline(self, s: Any, order: int = 0) -> Array:
        """(..., 3) points at arc lengths, or their derivatives of this order up to 3."""
        s = np.asarray(s, float)
        s = s % self.length if self.closed else s
        k = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2)
        return polynomial(self.pieces[:, k], (s - self.s[k])[..., None], order)

    def nearest(self, point: Array) -> list[tuple[float, float]]:
        """(distance, arc length) of the places that are nearer to a point (3,) than those beside them, the
        nearest first [m].
        """
        pieces = max(1, -(-FIRST_ALL // (len(self.s) - 1)))
        s = between(self.s, pieces)
        d = np.linalg.norm(self.spline(s) - point, axis=1)
        if self.closed:
            low = (d[:-1] <= np.roll(d[:-1], 1)) & (d[:-1] <= d[1:])
        else:
            padded = np.concatenate([[np.inf], d, [np.inf]])
            low = (d <= padded[:-2]) & (d <= padded[2:])
        found: list[tuple[float, float]] = []
        for k in np.flatnonzero(low).tolist():
            place = self.refined(point, float(s[k]))
            step = float(s[min(k + 1, len(s) - 1)] - s[max(k - 1, 0)])
            if not any(self.apart(place, other) <= step for _, other in found):
                found.append((float(np.linalg.norm(self.spline(place) - point)), place))
        return sorted(found)

    def refined(self, point: Array, s: float) -> float:
        """The place near s where the curve is normal to the direction to a point, by Newton's method."""
        for _ in range(50):
            d, t, c = self.spline(s) - point, self.spline(s, 1), self.spline(s, 2)
            slope = float(t @ t + d @ c)
            step = float(d @ t) / slope if slope > 0.0 else 0.0
            new = s - step if self.closed else min(max(s - step, 0.0), self.length)
            if abs(new - s) <= 1e-15 * self.length:
                break
            s = new
        return s % self.length if self.closed else s

    def apart(self, one: float, other: float) -> float:
        """Distance of two places along the curve [m]."""
        d = abs(one - other)
        return min(d, self.length - d) if self.closed else d


def cubic(s: Array, points: Array, closed: bool) -> Any:
    """SciPy's cubic spline; the first point of a closed curve is its last one."""
    # scipy takes a fifth of a second to import, and few scenes have splines
    from scipy.interpolate import CubicSpline

    return CubicSpline(s, points, bc_type="periodic" if closed else "not-a-knot")


def hermite(h: Array, points: Array, slopes: Array, bends: Array) -> Array:
    """(6, n - 1, 3) coefficients of the polynomials of degree 5 that have given points, first and second
    derivatives (n, 3) at the ends of intervals of the lengths h (n - 1,).
    """
    h = h[:, None]
    a, b, c = points[:-1], slopes[:-1], bends[:-1] / 2.0
    p = (points[1:] - a - h * (b + h * c)) / h**3
    q = (slopes[1:] - b - 2.0 * h * c) / h**2
    r = (bends[1:] / 2.0 - c) / h
    higher = 10.0 * p - 4.0 * q + r, (7.0 * q - 15.0 * p - 2.0 * r) / h, (6.0 * p - 3.0 * q + r) / h**2
    return np.stack([a, b, c, *higher])


def polynomial(coefficients: Array, u: Array, order: int) -> Array:
    """Values or derivatives of polynomials at u; coefficients: (6, ...), the constants first."""
    total = np.zeros(np.broadcast(coefficients[0], u).shape)
    for k in range(len(coefficients) - 1, order - 1, -1):
        total = total * u + coefficients[k] * perm(k, order)
    return total


def between(knots: Array, pieces: int) -> Array:
    """The knots, and points that divide each interval into so many equal pieces."""
    shares = np.arange(pieces) / pieces
    inside = knots[:-1, None] + np.diff(knots)[:, None] * shares
    return np.append(inside.ravel(), knots[-1])


def fitted(
    function: Callable[[Array], Array], breaks: Sequence[float], closed: bool, parameter: str, key: str
) -> tuple[Array, Array, Array, Array, float]:
    """Arc lengths (n,), points, first and second derivatives (n, 3) by them, and error of the spline of a
    curve. Raises SceneError at the key.

    function: points (n, 3) at parameters (n,); breaks: parameters between which it is smooth, the ends
    included; parameter: its name, for messages
    """
    knots = np.asarray(breaks, float)
    pieces, miss = max(FIRST, -(-FIRST_ALL // (len(knots) - 1))), np.inf
    while True:
        u = between(knots, pieces)
        steps = np.diff(u)
        values = function((u[:-1, None] + steps[:, None] * NODES).ravel()).reshape(len(steps), -1, 3)
        size = float(np.linalg.norm(np.ptp(values.reshape(-1, 3), axis=0)))
        if size == 0.0:
            raise SceneError(key, mend="is one point; a curve has a length")
        first = SLOPE @ values / steps[:, None, None]
        second = SLOPE @ first / steps[:, None, None]
        speed = np.linalg.norm(first, axis=2)
        if not (speed > STILL * speed.max()).all():
            at = float((u[:-1, None] + steps[:, None] * NODES).ravel()[int(np.argmin(speed))])
            mend = f"stands still near {parameter} = {at:.6g}; its tangent is not defined"
            raise SceneError(key, mend=mend)
        whole, half = steps * (speed @ WHOLE), steps * (speed @ HALF)
        s = np.concatenate([[0.0], np.cumsum(whole)])
        slopes = first / speed[..., None]
        along = np.sum(second * slopes, axis=2)[..., None]
        bends = (second - along * slopes) / speed[..., None] ** 2
        of_knots = [ends_of(array, closed) for array in (values, slopes, bends)]
        found, middle = hermite(whole, *of_knots), len(NODES) // 2
        off = np.linalg.norm(polynomial(found, half[:, None], 0) - values[:, middle], axis=1)
        bent = np.linalg.norm(polynomial(found, half[:, None], 2) - bends[:, middle], axis=1)
        error = float(off.max()) / size
        if error <= TOLERANCE:
            check_cusps(u, of_knots[1], parameter, key)
            # second derivatives get no better where third ones jump, or at rounding
            before, miss = miss, float(bent.max()) * size
            if miss <= TOLERANCE_OF_BENDS or miss > BETTER * before or 2 * (len(s) - 1) > MOST:
                return s, of_knots[0], of_knots[1], of_knots[2], error
        elif 2 * (len(s) - 1) > MOST:
            at = float(u[int(np.argmax(off))])
            mend = (
                f"is not smooth near {parameter} = {at:.6g}: the spline through {len(u)} of its points "
                f"is {error:.1e} of its size off, more than {TOLERANCE:g}; a curve has no corner or cusp, so "
                "end it there, or begin another one"
            )
            raise SceneError(key, mend=mend)
        pieces *= 2


def ends_of(values: Array, closed: bool) -> Array:
    """(n, 3) values at the ends of intervals from those at the nodes (n - 1, nodes, 3) of each."""
    return np.concatenate([values[:, 0], values[:1, 0] if closed else values[-1:, -1]])


def nodes_of(degree: int) -> tuple[Any, ...]:
    """Chebyshev's points on [0, 1], the matrix of derivatives of the polynomial through them (J.-P. Berrut &
    L. N. Trefethen, SIAM Rev. 46 (2004)), and weights of its integrals to 1 and to 1/2.
    """
    k = np.arange(degree + 1)
    x = 0.5 - 0.5 * np.cos(np.pi * k / degree)
    weights: Any = (-1.0) ** k * np.where((k == 0) | (k == degree), 0.5, 1.0)
    apart = x[:, None] - x[None, :] + np.eye(degree + 1)
    slope: Any = weights[None, :] / weights[:, None] / apart
    np.fill_diagonal(slope, 0.0)
    np.fill_diagonal(slope, -slope.sum(axis=1))
    powers = np.vander(x, increasing=True)
    integrals = [np.linalg.solve(powers.T, end ** (k + 1) / (k + 1)) for end in (1.0, 0.5)]
    return x, slope, *integrals


NODES, SLOPE, WHOLE, HALF = nodes_of(8)


def check_cusps(u: Array, tangents: Array, parameter: str, key: str) -> None:
    """Check that the tangent turns little from sample to sample. Raises SceneError at the key."""
    turns = np.linalg.norm(np.diff(tangents, axis=0), axis=1)
    if (turns > CUSP).any():
        at = f"{parameter} = {u[int(np.argmax(turns))]:.6g}"
        mend = f"has a cusp near {at}; end it there, or begin another one"
        raise SceneError(key, mend=mend)


def sides_of(s: Array, points: Array, tangents: Array, closed: bool) -> Array:
    """(n, 3) unit vectors normal to the curve, which turn about it as little as possible."""
    centred = points - points.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    if len(sizes) < 3 or sizes[2] <= FLAT * sizes[0]:
        return np.tile(plane_normal(directions, sizes), (len(s), 1))
    side = normal_to(tangents[0])
    sides = [side]
    for k in range(len(s) - 1):
        v = points[k + 1] - points[k]
        c = v @ v
        reflected = side - 2.0 / c * (v @ side) * v
        tangent = tangents[k] - 2.0 / c * (v @ tangents[k]) * v
        w = tangents[k + 1] - tangent
        d = w @ w
        side = reflected if d == 0.0 else reflected - 2.0 / d * (w @ reflected) * w
        sides.append(side)
    found = np.array(sides)
    if closed:
        angle = np.arctan2(np.cross(found[-1], found[0]) @ tangents[0], found[-1] @ found[0])
        turn = angle * s / s[-1]
        found = np.cos(turn)[:, None] * found + np.sin(turn)[:, None] * np.cross(tangents, found)
        found[-1] = found[0]
    return found


def plane_normal(directions: Array, sizes: Array) -> Array:
    """The normal of a plane curve; of a straight one any normal. Its largest component is positive."""
    if sizes[1] <= FLAT * sizes[0]:
        return normal_to(directions[0])
    n = np.cross(directions[0], directions[1])
    n[np.abs(n) < FLAT] = 0.0
    n /= np.linalg.norm(n)
    return np.asarray(n if n[int(np.argmax(np.abs(n)))] > 0.0 else -n)


def normal_to(direction: Array) -> Array:
    """A unit vector normal to a direction."""
    other = np.zeros(3)
    other[int(np.argmin(np.abs(direction)))] = 1.0
    n = np.cross(direction, other)
    return np.asarray(n / np.linalg.norm(n))
