"""Derived kernels and tangents against those that are written by hand, at random poses."""

from __future__ import annotations

import joints_by_hand
import measures_by_hand
import numpy as np
import pytest
from mbplugin_joints import measures, rolling

from mbplugin.interface.marker import Marker

POSES = 20
PAIRS = {
    "distance": (measures.Distance, measures_by_hand.Distance),
    "separation": (measures.Separation, measures_by_hand.Separation),
    "component": (measures.Component("y"), measures_by_hand.Component("y")),
    "dot": (measures.Dot("x", "z"), measures_by_hand.Dot("x", "z")),
    "turn": (measures.Turn, measures_by_hand.Turn),
    "twist": (measures.Twist, measures_by_hand.Twist),
    "angle": (measures.Angle, measures_by_hand.Angle),
    "angle of b": (measures.AngleAbout("y", "z", of="b"), measures_by_hand.AngleAbout("y", "z", of="b")),
}


class Settings:
    """`p` of a measure or kind."""

    def __init__(self, values):
        vars(self).update(values)


def markers(random, n=2):
    """Markers at random poses and twists."""
    made = []
    for _ in range(n):
        R, _ = np.linalg.qr(random.normal(size=(3, 3)))
        R *= np.sign(np.linalg.det(R))
        x, v, w = random.normal(size=(3, 3))
        made.append(Marker(*(tuple(map(float, each)) for each in (x, R.ravel(), v, w))))
    return made


def called(function, **given):
    """Call a kernel with those of the arguments that it has; returns the written ones."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    function(*(given[name] for name in names))


def of_rows(function, rows, p, m):
    """Φ or value, G or J, and −γ or bias of a kernel."""
    value, G, bias = np.full(rows, np.nan), np.full((rows, 6 * len(m)), np.nan), np.full(rows, np.nan)
    given = {"value": value, "J": G.ravel(), "bias": bias, "phi": value, "G": G.ravel(), "gamma": bias}
    called(function, a=m[0], b=m[1], m=tuple(m), p=p, t=0.3, phi_t=np.empty(rows), **given)
    return np.concatenate([value, G.ravel(), bias])


def tangent_of(function, lam, p, m):
    K = np.zeros((6 * len(m), 6 * len(m)))
    called(function, a=m[0], b=m[1], m=tuple(m), p=p, lam=lam, K=K)
    return K


def close(found, right, tolerance=1e-13):
    np.testing.assert_allclose(found, right, rtol=tolerance, atol=tolerance * (1 + np.abs(right).max()))


@pytest.mark.parametrize("name", PAIRS)
def test_measures(name):
    random = np.random.default_rng(1)
    derived, by_hand = PAIRS[name]
    p = Settings(derived.settings)
    for _ in range(POSES):
        m, lam = markers(random), random.normal(size=derived.rows)
        close(of_rows(derived.kernel, derived.rows, p, m), of_rows(by_hand.kernel, derived.rows, p, m))
        if by_hand.tangent is not None:
            close(tangent_of(derived.tangent, lam, p, m), tangent_of(by_hand.tangent, lam, p, m))


@pytest.mark.parametrize("name", ["RollingDisc", "Wheel", "DiscOnLine", "WheelOnLine"])
def test_rows_of_velocities(name):
    """G and γ; the height of a disc that is tangential to its plane has the rate n·V."""
    random = np.random.default_rng(2)
    derived, by_hand = getattr(rolling, name), getattr(joints_by_hand, name)
    p, rows = Settings({"radius": 0.4}), len(derived.labels)
    for _ in range(POSES):
        m = markers(random)
        if "OnLine" in name:  # between planar bodies
            m = [flat(random), flat(random)]
        found, right = (of_rows(kind.kernel, rows, p, m) for kind in (derived, by_hand))
        velocity_rows = np.flatnonzero(np.atleast_1d(derived.level)) if rows > 1 else [0]
        assert np.isnan(right[:rows]).sum() in (0, rows)
        G, H = (each[rows:-rows].reshape(rows, -1) for each in (found, right))
        close(G, H)
        close(found[-rows:], right[-rows:])
        close(np.nan_to_num(found[:rows]), np.nan_to_num(right[:rows]))
        assert len(velocity_rows) > 0


def flat(random):
    """A marker of a planar body whose z lies in the plane xy and whose y is the normal."""
    angle = random.uniform(-3, 3)
    x, z = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([np.sin(angle), -np.cos(angle), 0.0])
    R = np.column_stack([x, [0.0, 0.0, 1.0], z])
    position, v = (np.append(random.normal(size=2), 0.0) for _ in range(2))
    w = np.array([0.0, 0.0, random.normal()])
    return Marker(*(tuple(map(float, each)) for each in (position, R.ravel(), v, w)))
