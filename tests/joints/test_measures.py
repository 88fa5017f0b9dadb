"""Jacobian and bias of every measure against differences of its value along a motion of both markers."""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_joints.measures import Angle, AngleAbout, Component, Distance, Dot, Separation, Turn, Twist
from scipy.linalg import expm

from mbplugin.interface import Marker

MEASURES = {
    "angle": Angle,
    "component": Component("x"),
    "distance": Distance,
    "dot": Dot("x", "z"),
    "separation": Separation,
    "turn": Turn,
    "twist": Twist,
}
MEASURES |= {
    f"angle about {k}, {i}, of {of}": AngleAbout(k, i, of)
    for k, i, of in (("x", "y", "a"), ("y", "x", "b"), ("y", "z", "a"))
}
MEASURES |= {
    "heading of an axle": AngleAbout("z", "x", shown_by="z"),
    "angle about an axle": AngleAbout("z", "x", of="b", shown_by="z"),
}


def cross_matrix(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


class Motion:
    """A marker with x(t) quadratic and R(t) = exp(α t²/2 + ω t) R₀ to second order about t = 0."""

    def __init__(self, rng):
        self.x, self.v, self.a, self.w, self.alpha = rng.normal(size=(5, 3))
        self.R = np.linalg.qr(rng.normal(size=(3, 3)))[0]

    def at(self, t):
        R = expm(cross_matrix(self.w * t + 0.5 * self.alpha * t * t)) @ self.R
        # ω(t) = ω + α t + O(t²) for this path
        return Marker(
            tuple(self.x + self.v * t + 0.5 * self.a * t * t),
            tuple(R.ravel()),
            tuple(self.v + self.a * t),
            tuple(self.w + self.alpha * t),
        )


class Settings:
    def __init__(self, values):
        self.__dict__.update(values)


def evaluate(measure, a, b):
    rows = measure.rows
    value, J, bias = np.zeros(rows), np.zeros(rows * 12), np.zeros(rows)
    given = {"a": a, "b": b, "p": Settings(measure.settings), "value": value, "J": J, "bias": bias}
    names = measure.kernel.__code__.co_varnames[: measure.kernel.__code__.co_argcount]
    measure.kernel(**{name: given[name] for name in names})
    return value, J.reshape(rows, 12), bias


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("seed", range(5))
def test_derivatives_agree_with_differences(name, seed):
    measure, rng = MEASURES[name], np.random.default_rng(seed)
    a, b = Motion(rng), Motion(rng)
    value = lambda t: evaluate(measure, a.at(t), b.at(t))[0]
    _, J, bias = evaluate(measure, a.at(0.0), b.at(0.0))
    twist = np.concatenate([a.v, a.w, b.v, b.w])
    rate = np.concatenate([a.a, a.alpha, b.a, b.alpha])
    h = 1e-4
    first = (value(-2 * h) - 8 * value(-h) + 8 * value(h) - value(2 * h)) / (12 * h)
    second = (-value(-2 * h) + 16 * value(-h) - 30 * value(0) + 16 * value(h) - value(2 * h)) / (12 * h * h)
    scale = 1.0 + np.abs(second).max()
    np.testing.assert_allclose(J @ twist, first, atol=1e-9 * scale)
    np.testing.assert_allclose(J @ rate + bias, second, atol=1e-6 * scale)
