"""A thin disc on a plane, rolling: down a slope, and in a steady circle while it leans.

In the circle, with the axis at the angle θ from the normal, precession Ω, spin ω₃ about the axis, moments A across and C about it:

    (C + m R²) ω₃ Ω sin θ − A Ω² sin θ cos θ + m g R cos θ = 0            (L̇ = c × F, F = m (a + g n))
"""

from __future__ import annotations

import numpy as np
import pytest
from derivatives import check_rows

MASS, RADIUS, GRAVITY = 1.5, 0.4, 9.81
ACROSS, ABOUT = 0.25 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2


def scene(centre, axis, velocity, w, gravity, plane=""):
    x = np.cross(axis, [0.3, 0.2, 0.9])
    return f"""
[scene]
gravity = {list(map(float, gravity))}
marker = [{{ name = "floor" }}]
[[body]]
name = "disc"
mass = {MASS}
inertia = [{ACROSS}, {ACROSS}, {ABOUT}]
position = {list(map(float, centre))}
orientation = {{ z = {list(map(float, axis))}, x = {list(map(float, x))} }}
velocity = {list(map(float, velocity))}
angular_velocity = {list(map(float, w))}
marker = [{{ name = "centre" }}]
[[joint]]
name = "rolls"
type = "foreign_rolling_disc"
a = "{plane or "ground.floor"}"
b = "disc.centre"
radius = {RADIUS}
[solver]
tolerance = 1e-10
end = 1.5
"""


def test_down_a_slope(runs):
    """ẍ = g sin α / (1 + C/(m R²)) = ⅔ g sin α."""
    slope = 0.3
    gravity = GRAVITY * np.array([np.sin(slope), 0, -np.cos(slope)])
    frames = runs.frames(scene([0, 0, RADIUS], [0, 1, 0], [0, 0, 0], [0, 0, 0], gravity), [0.7, 1.5])
    for t, frame in zip((0.7, 1.5), frames):
        np.testing.assert_allclose(frame["bodies/position"][0], [GRAVITY * np.sin(slope) * t * t / 3, 0, RADIUS], atol=1e-9)
        np.testing.assert_allclose(frame["bodies/angular_velocity"][0, 1], 2 / 3 * GRAVITY * np.sin(slope) * t / RADIUS, atol=1e-9)
        assert abs(float(frame["energy/balance"])) < 1e-9


def test_in_a_steady_circle(runs):
    lean, precession = 1.1, 2.0
    n = np.array([0, 0, 1.0])
    k = np.array([np.sin(lean), 0, np.cos(lean)])
    u = (n - np.cos(lean) * k) / np.sin(lean)
    t1 = np.cross(u, k)
    spin = (ACROSS * precession**2 * np.sin(lean) * np.cos(lean) - MASS * GRAVITY * RADIUS * np.cos(lean)) / (
        (ABOUT + MASS * RADIUS**2) * precession * np.sin(lean)
    )
    w = precession * np.sin(lean) * u + spin * k
    velocity = -RADIUS * spin * t1
    centre = RADIUS * u
    frames = runs.frames(scene(centre, k, velocity, w, [0, 0, -GRAVITY]), [0.5, 1.5])
    arm = np.cross(n, velocity) / precession
    for t, frame in zip((0.5, 1.5), frames):
        c, s = np.cos(precession * t), np.sin(precession * t)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
        # the circle's middle stays: x = middle + turned radius
        np.testing.assert_allclose(frame["bodies/position"][0], centre + arm - turn @ arm, atol=1e-8)
        np.testing.assert_allclose(frame["bodies/angular_velocity"][0], turn @ w, atol=1e-8)
        assert abs(float(frame["energy/balance"])) < 1e-8
        assert float(frame["constraints/drift_velocity"]) < 1e-12


@pytest.mark.parametrize("plane", ["", "table.top"])
def test_its_jacobian_and_bias_are_derivatives(runs, plane):
    text = scene([0.1, 0.2, 0.35], [0.5, 0.8, 0.3], [0, 0, 0], [0, 0, 0], [0, 0, -GRAVITY], plane)
    if plane:
        text += '[[body]]\nname = "table"\nmass = 3\ninertia = [1, 1.2, 0.9]\nposition = [0, 0, -0.2]\nmarker = [{ name = "top", position = [0, 0, 0.2] }]\n'
    check_rows(runs.prepare(text).problem, position_level=False)
