"""Splines of degree 5 or less as one array of numbers, which compiled functions evaluate.

    [n, period, x_0 ... x_{n-1}, c_0 ... c_{n-2}]      period: 0 of a spline that does not repeat

Piece k is a + b u + c u² + d u³ + e u⁴ + f u⁵ with u = x − x_k; its seven numbers are a to f and the integral
from x_0 to x_k. Those of a scene are cubic; curves have all powers. Outside x_0 ... x_{n-1} a spline goes on
as a straight line, or repeats with its period.
"""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np

from mbplugin.math.jit import jit

#: numbers of each piece
OF_PIECE = 7
#: names of end conditions, as scipy's CubicSpline has them
ENDS = ("not-a-knot", "natural", "clamped", "periodic")

Array = np.ndarray[Any, Any]


def spline_numbers(x: Array, y: Array, ends: str) -> Array:
    """The numbers of the interpolating cubic; x (n,) increasing, y (n,)."""
    # scipy takes a fifth of a second to import, and few scenes have splines
    from scipy.interpolate import CubicSpline

    x, y = np.asarray(x, float), np.asarray(y, float)
    return numbers_of_pieces(x, CubicSpline(x, y, bc_type=ends).c[::-1], ends == "periodic")


def numbers_of_pieces(x: Array, pieces: Array, periodic: bool) -> Array:
    """The numbers of a spline with knots x (n,); pieces: (4 or 6, n − 1) coefficients a, b, ... of each."""
    powers = np.zeros((6, len(x) - 1))
    powers[: len(pieces)] = pieces
    a, b, c, d, e, f = powers
    u = np.diff(x)
    areas = u * (a + u * (b / 2 + u * (c / 3 + u * (d / 4 + u * (e / 5 + u * f / 6)))))
    before = np.concatenate([[0.0], np.cumsum(areas)])
    period = x[-1] - x[0] if periodic else 0.0
    # the last piece has no end of its own: one more row holds the integral over all
    rows = np.stack([*(np.append(part, 0.0) for part in powers), before], axis=1)
    return np.concatenate([[len(x), period], x, rows.ravel()])


@jit
def place(f, x):
    """(k, u, turns, beyond): the piece, the place in it, whole periods before x, and how far x is outside."""
    n, period = int(f[0]), f[1]
    first, last = f[2], f[1 + n]
    wraps, beyond = 0.0, 0.0
    if period > 0.0:
        wraps = floor((x - first) / period)
        x = min(max(x - wraps * period, first), last)
    elif x < first:
        x, beyond = first, x - first
    elif x > last:
        x, beyond = last, x - last
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if f[2 + middle] <= x:
            low = middle
        else:
            high = middle
    return low, x - f[2 + low], wraps, beyond


@jit
def spline(f, x):
    """(value, first, second derivative) at x of the spline with the numbers f."""
    k, u, _, beyond = place(f, x)
    i = 2 + int(f[0]) + OF_PIECE * k
    a, b, c, d, e, g = f[i], f[i + 1], f[i + 2], f[i + 3], f[i + 4], f[i + 5]
    value = a + u * (b + u * (c + u * (d + u * (e + u * g))))
    slope = b + u * (2.0 * c + u * (3.0 * d + u * (4.0 * e + u * 5.0 * g)))
    curvature = 2.0 * c + u * (6.0 * d + u * (12.0 * e + u * 20.0 * g)) if beyond == 0.0 else 0.0
    return value + slope * beyond, slope, curvature


@jit
def spline_third(f, x):
    """Third derivative at x, which jumps from piece to piece."""
    k, u, _, beyond = place(f, x)
    i = 2 + int(f[0]) + OF_PIECE * k
    return 6.0 * f[i + 3] + u * (24.0 * f[i + 4] + u * 60.0 * f[i + 5]) if beyond == 0.0 else 0.0


@jit
def spline_integral(f, x):
    """The integral of the spline with the numbers f from its first abscissa to x."""
    n = int(f[0])
    k, u, wraps, beyond = place(f, x)
    i = 2 + n + OF_PIECE * k
    a, b, c, d, e, g = f[i], f[i + 1], f[i + 2], f[i + 3], f[i + 4], f[i + 5]
    inside = u * (a + u * (b / 2.0 + u * (c / 3.0 + u * (d / 4.0 + u * (e / 5.0 + u * g / 6.0)))))
    value = a + u * (b + u * (c + u * (d + u * (e + u * g))))
    slope = b + u * (2.0 * c + u * (3.0 * d + u * (4.0 * e + u * 5.0 * g)))
    whole = f[1 + n + OF_PIECE * n]
    return f[i + 6] + inside + wraps * whole + beyond * (value + slope * beyond / 2.0)
