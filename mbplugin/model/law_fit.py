"""An expression of one variable as a spline of degree 5.

    f(x) given in [x_0, x_n]        equal intervals, twice as many until the spline is good
    p(x)                            f, f' and f'' at the ends of each interval

In an interval the derivatives are those of the polynomial of degree 8 through its nine Chebyshev points (L.
N. Trefethen, Spectral Methods in MATLAB, 2000, chapter 6). A polynomial up to degree 5 is found exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbplugin.errors import SceneError
from mbplugin.math.spline import numbers_of_pieces
from mbplugin.model.curve_fit import hermite, polynomial
from mbplugin.model.evaluation import values_of

Array = NDArray[np.float64]
#: largest error of the spline between its knots, in the largest value
TOLERANCE = 1e-9
#: intervals at first, and most of them
FIRST, MOST = 1, 1024
DEGREE = 8


def numbers_of(text: str, first: float, last: float, symbols: Mapping[str, Any]) -> Array:
    """The numbers of a spline through an expression of `x` in [first, last]. Raises SceneError.

    symbols: parameters and splines of the scene
    """
    n = FIRST
    while n <= MOST:
        knots = np.linspace(first, last, n + 1)
        middle, half = 0.5 * (knots[:-1] + knots[1:]), 0.5 * (last - first) / n
        samples = middle[:, None] + half * NODES
        values = values_of(text, "x", samples.ravel(), symbols).reshape(samples.shape)
        slopes = values @ DERIVATIVE.T / half
        bends = slopes @ DERIVATIVE.T / half
        pieces = hermite(np.diff(knots), *(ends(each)[:, None] for each in (values, slopes, bends)))
        found = polynomial(pieces, (samples - knots[:-1, None])[..., None].swapaxes(0, 1), 0)[..., 0].T
        if np.abs(found - values).max() <= TOLERANCE * np.abs(values).max():
            return numbers_of_pieces(knots, pieces[..., 0], False)
        n *= 2
    mend = (
        f"has a kink or a jump between x = {first:g} and {last:g}; give points in the place of an expression"
    )
    raise SceneError("y", text, mend)


def ends(values: Array) -> Array:
    """(n + 1,) values at the knots from those in each interval (n, DEGREE + 1): of two the mean."""
    return np.concatenate([values[:1, 0], 0.5 * (values[:-1, -1] + values[1:, 0]), values[-1:, -1]])


def chebyshev() -> tuple[Array, Array]:
    """Points in [−1, 1], growing, and the matrix of the derivatives there."""
    x = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
    weights = np.r_[2.0, np.ones(DEGREE - 1), 2.0] * (-1.0) ** np.arange(DEGREE + 1)
    D = np.outer(weights, 1.0 / weights) / (x[:, None] - x + np.eye(DEGREE + 1))
    return x, D - np.diag(D.sum(axis=1))


NODES, DERIVATIVE = chebyshev()
