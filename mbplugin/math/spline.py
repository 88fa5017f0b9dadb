"""Cubic splines as one array of numbers, which compiled functions evaluate.

    [n, period, x_0 ... x_{n-1}, c_0 ... c_{n-2}]      period: 0 of a spline that does not repeat

Piece k is a + b u + c u² + d u³ with u = x − x_k; its five numbers are a, b, c, d and the integral from x_0
to x_k. Outside x_0 ... x_{n-1} a spline goes on as a straight line, or repeats with its period.
"""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np

from mbplugin.math.jit import jit

#: numbers of each piece
OF_PIECE = 5
#: names of end conditions, as scipy's CubicSpline has them
ENDS = ("not-a-knot", "natural", "clamped", "periodic")

Array = np.ndarray[Any, Any]


def spline_numbers(x: Array, y: Array, ends: str) -> Array:
    """The numbers of the interpolating cubic; x (n,) increasing, y (n,)."""
    # scipy takes a fifth of a second to import, and few scenes have splines
    from scipy.interpolate import CubicSpline

    x, y = np.asarray(x, float), np.asarray(y, float)
    a, b, c, d = CubicSpline(x, y, bc_type=ends).c[::-1]
    u = np.diff(x)
    areas = u * (a + u * (b / 2 + u * (c / 3 + u * d / 4)))
    before = np.concatenate([[0.0], np.cumsum(areas)])
    period = x[-1] - x[0] if ends == "periodic" else 0.0
    # the last piece has no end of its own: one more row holds the integral over all
    pieces = np.stack([*(np.append(part, 0.0) for part in (a, b, c, d)), before], axis=1)
    return np.concatenate([[len(x), period], x, pieces.ravel()])


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
    a, b, c, d = f[i], f[i + 1], f[i + 2], f[i + 3]
    slope = b + u * (2.0 * c + u * 3.0 * d)
    curvature = 2.0 * c + 6.0 * d * u if beyond == 0.0 else 0.0
    return a + u * (b + u * (c + u * d)) + slope * beyond, slope, curvature


@jit
def spline_third(f, x):
    """Third derivative at x, which jumps from piece to piece."""
    k, _, _, beyond = place(f, x)
    return 6.0 * f[2 + int(f[0]) + OF_PIECE * k + 3] if beyond == 0.0 else 0.0


@jit
def spline_integral(f, x):
    """The integral of the spline with the numbers f from its first abscissa to x."""
    n = int(f[0])
    k, u, wraps, beyond = place(f, x)
    i = 2 + n + OF_PIECE * k
    a, b, c, d = f[i], f[i + 1], f[i + 2], f[i + 3]
    inside = f[i + 4] + u * (a + u * (b / 2.0 + u * (c / 3.0 + u * d / 4.0)))
    value = a + u * (b + u * (c + u * d))
    slope = b + u * (2.0 * c + u * 3.0 * d)
    return inside + wraps * f[6 + n + OF_PIECE * (n - 1)] + beyond * (value + slope * beyond / 2.0)
