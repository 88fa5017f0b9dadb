"""Curves as cubic splines over their arc length, with a normal direction that goes along.

    C(u), u in [u_0, u_n], smooth in between given breaks    samples, arc length s by Gauss's rule
    c(s)                                                     the spline through the samples over s
    error = max |C(u) - c(s(u))| halfway between samples     at most 1e-9 of the size, or it is refused

The side e(s) is normal to the curve and turns about it as little as possible: W. Wang, B. Juettler, D. Zheng
and Y. Liu, Computation of rotation minimizing frames, ACM Trans. Graph. 27 (2008), the double reflection. Of
a plane curve it is the normal of the plane; of a closed curve the angle that is left at its end is spread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbplugin.errors import SceneError
from mbplugin.math.spline import spline_numbers

Array = NDArray[np.float64]
#: largest distance of a curve and its spline, in the size of the curve
TOLERANCE = 1e-9
#: intervals at first between two breaks and altogether, and most of them
FIRST, FIRST_ALL, MOST = 8, 64, 32768
#: angle of neighbouring tangents from which on there is a cusp [rad]
CUSP = 0.5
#: size of a curve across a plane that is rounding, in its size
FLAT = 1e-10
#: Gauss's rule of five points on [0, 1]
GAUSS, WEIGHTS = ((part + shift) / 2.0 for part, shift in zip(np.polynomial.legendre.leggauss(5), (1.0, 0.0)))
AXES = "xyz"


@dataclass(frozen=True)
class CurveTable:
    """A curve as splines over its arc length."""

    name: str  # in the scene; "" of one that has none
    body: str  # body or marker in whose frame it is given; "": that of the element that has it
    s: Array  # (n,) arc lengths of the knots, from 0 [m]
    points: Array  # (n, 3) [m]
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
        return replace(self, points=(self.points - x) @ R, sides=self.sides @ R)

    def numbers(self) -> dict[str, Array]:
        """What kernels get, over the arc length: splines x, y, z of its points, and of its sides."""
        of = {axis: self.points[:, k] for k, axis in enumerate(AXES)}
        of |= {f"side_{axis}": self.sides[:, k] for k, axis in enumerate(AXES)}
        return {name: spline_numbers(self.s, column, self.ends) for name, column in of.items()}

    @cached_property
    def spline(self) -> Any:
        """SciPy's spline of its points."""
        return cubic(self.s, self.points, self.closed)

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


def between(knots: Array, pieces: int) -> Array:
    """The knots, and points that divide each interval into so many equal pieces."""
    shares = np.arange(pieces) / pieces
    inside = knots[:-1, None] + np.diff(knots)[:, None] * shares
    return np.append(inside.ravel(), knots[-1])


def fitted(
    function: Callable[[Array], Array], breaks: Sequence[float], closed: bool, parameter: str, key: str
) -> tuple[Array, Array, float]:
    """Arc lengths (n,), points (n, 3) and error of the spline of a curve. Raises SceneError at the key.

    function: points (n, 3) at parameters (n,); breaks: parameters between which it is smooth, the ends
    included; parameter: its name, for messages
    """
    knots = np.asarray(breaks, float)
    pieces = max(FIRST, -(-FIRST_ALL // (len(knots) - 1)))
    while True:
        u = between(knots, pieces)
        points = function(u)
        size = float(np.linalg.norm(np.ptp(points, axis=0)))
        if size == 0.0:
            raise SceneError(key, mend="is one point; a curve has a length")
        if closed:
            points[-1] = points[0]
        by_u = cubic(u, points, closed)
        steps = np.diff(u)
        half = lengths(by_u, u[:-1], steps / 2.0)
        whole = half + lengths(by_u, u[:-1] + steps / 2.0, steps / 2.0)
        s = np.concatenate([[0.0], np.cumsum(whole)])
        if (whole <= 1e-13 * s[-1]).any():
            at = u[int(np.argmin(whole))]
            raise SceneError(
                key, mend=f"stands still near {parameter} = {at:.6g}; its tangent is not defined"
            )
        off = np.linalg.norm(function(u[:-1] + steps / 2.0) - cubic(s, points, closed)(s[:-1] + half), axis=1)
        error = float(off.max()) / size
        if error <= TOLERANCE:
            check_cusps(u, s, points, closed, parameter, key)
            return s, points, error
        if 2 * pieces * (len(knots) - 1) > MOST:
            at = float(u[int(np.argmax(off))])
            mend = (
                f"is not smooth near {parameter} = {at:.6g}: the cubic spline through {len(u)} of its points "
                f"is {error:.1e} of its size off, more than {TOLERANCE:g}; a curve has no corner or cusp, so "
                "end it there, or begin another one"
            )
            raise SceneError(key, mend=mend)
        pieces *= 2


def check_cusps(u: Array, s: Array, points: Array, closed: bool, parameter: str, key: str) -> None:
    """Check that the tangent turns little from sample to sample. Raises SceneError at the key."""
    tangents = cubic(s, points, closed)(s, 1)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    turns = np.linalg.norm(np.diff(tangents, axis=0), axis=1)
    if (turns > CUSP).any():
        at = f"{parameter} = {u[int(np.argmax(turns))]:.6g}"
        mend = f"has a cusp near {at}; end it there, or begin another one"
        raise SceneError(key, mend=mend)


def lengths(curve: Any, first: Array, steps: Array) -> Array:
    """(n,) arc lengths of pieces from parameters `first` on."""
    u = first[:, None] + steps[:, None] * GAUSS
    speed = np.linalg.norm(curve(u, 1), axis=2)
    return np.asarray((speed @ WEIGHTS) * steps)


def sides_of(s: Array, points: Array, closed: bool) -> Array:
    """(n, 3) unit vectors normal to the curve, which turn about it as little as possible."""
    centred = points - points.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    if len(sizes) < 3 or sizes[2] <= FLAT * sizes[0]:
        return np.tile(plane_normal(directions, sizes), (len(s), 1))
    tangents = cubic(s, points, closed)(s, 1)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
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
