"""Derived J, bias and K of 34 constraint functions of textbooks against derivatives with 40 digits.

Markers move steadily, x(t) = x + v t and R(t) = e^{t ω×} R; the function of poses is evaluated by mpmath.
"""

from __future__ import annotations

import types

import mpmath
import numpy as np
import pytest
import textbook
from test_against_hand import Settings, markers, of_rows, tangent_of

from mbplugin.interface import Measure
from mbplugin.interface.marker import Marker
from mbplugin.math import vec3

CASES = [(f, n) for n, group in ((2, textbook.TWO), (3, textbook.THREE), (4, textbook.FOUR)) for f in group]
#: the same functions for numbers of many digits
NAMES = ("acos", "asin", "atan2", "cos", "cosh", "exp", "hypot", "log", "sin", "sqrt", "tanh")
MATH = {name: getattr(mpmath, name) for name in NAMES}
MATH["norm"] = lambda a: mpmath.sqrt(sum(c * c for c in a))
MATH["axis"] = lambda m, k: (m.R[k], m.R[3 + k], m.R[6 + k])
VECTORS = {name: getattr(vec3, name).py_func for name in ("add", "cross", "dot", "scale", "sub")}


def with_many_digits(function):
    """A copy of a function of the textbook for numbers of mpmath."""
    space = {**vars(textbook), **MATH, **VECTORS}
    for name in ("local", "turned"):
        space[name] = types.FunctionType(getattr(textbook, name).__code__, space)
    return types.FunctionType(function.__code__, space)


def moved(m, twist, t):
    """A marker that moved with the twist (v, ω) for the time t."""
    v, w = ([mpmath.mpf(float(c)) for c in part] for part in (twist[:3], twist[3:]))
    angle = mpmath.sqrt(sum(c * c for c in w)) * t
    R = mpmath.matrix(3, 3)
    for k in range(9):
        R[k // 3, k % 3] = mpmath.mpf(m.R[k])
    if angle != 0:
        K = mpmath.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) * (t / angle)
        R = (mpmath.eye(3) + mpmath.sin(angle) * K + (1 - mpmath.cos(angle)) * K * K) * R
    x = tuple(mpmath.mpf(c) + u * t for c, u in zip(m.x, v))
    return Marker(x, tuple(R[k // 3, k % 3] for k in range(9)), m.v, m.w)


def value(function, m, twists, t):
    here = [moved(marker, twist, t) for marker, twist in zip(m, twists)]
    exact = with_many_digits(function)
    return exact(here) if function.__code__.co_varnames[0] == "m" else exact(*here)


def derivative(function, m, twists, order):
    with mpmath.workdps(40):
        return float(mpmath.diff(lambda t: value(function, m, twists, t), 0, order))


@pytest.mark.parametrize(("function", "n"), CASES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_derivatives_of_textbook_functions(function, n):
    random = np.random.default_rng(7)
    measure, p = Measure(phi=function, markers=n), Settings({})
    m = markers(random, n)
    found = of_rows(measure.kernel, 1, p, m)
    J, bias = found[1:-1], found[-1]
    twists = [np.array([*marker.v, *marker.w]) for marker in m]
    close = lambda a, b: a == pytest.approx(b, rel=1e-12, abs=1e-12)
    assert close(found[0], float(value(function, m, [np.zeros(6)] * n, mpmath.mpf(0))))
    assert close(J @ np.concatenate(twists), derivative(function, m, twists, 1))
    assert close(bias, derivative(function, m, twists, 2))
    # K = −∂(Jᵀ λ)/∂(displacement), along one displacement d of all markers: e·K d = −d/dt of e·J
    K = tangent_of(measure.tangent, [1.0], p, m)
    for d, e in random.normal(size=(2, 2, 6 * n)):
        rows = [of_rows(measure.kernel, 1, p, moved_floats(m, d, h))[1:-1] for h in (1e-5, -1e-5)]
        slope = (rows[0] - rows[1]) / 2e-5
        assert e @ K @ d == pytest.approx(-e @ slope, rel=1e-6, abs=1e-7)


def moved_floats(m, d, t):
    """Markers after the displacement t d."""
    parts = np.asarray(d).reshape(len(m), 6)
    there = [moved(marker, part, mpmath.mpf(t)) for marker, part in zip(m, parts)]
    return [Marker(tuple(map(float, k.x)), tuple(map(float, k.R)), k.v, k.w) for k in there]
