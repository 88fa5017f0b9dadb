"""A rolling disc of a third party: down a slope, and in a steady circle while it leans."""

from __future__ import annotations

import numpy as np
import pytest
from derivatives import check_rows
from discs import GRAVITY, RADIUS, SteadyCircle, disc
from scene_text import body

KIND = "foreign_rolling_disc"


def test_down_a_slope(runs):
    """ẍ = g sin α / (1 + C/(m R²)) = ⅔ g sin α."""
    slope = 0.3
    gravity = GRAVITY * np.array([np.sin(slope), 0, -np.cos(slope)])
    frames = runs.frames(disc([0, 0, RADIUS], [0, 1, 0], [0, 0, 0], [0, 0, 0], gravity, KIND), [0.7, 1.5])
    for t, frame in zip((0.7, 1.5), frames):
        np.testing.assert_allclose(
            frame["bodies/position"][0], [GRAVITY * np.sin(slope) * t * t / 3, 0, RADIUS], atol=1e-9
        )
        np.testing.assert_allclose(
            frame["bodies/angular_velocity"][0, 1], 2 / 3 * GRAVITY * np.sin(slope) * t / RADIUS, atol=1e-9
        )
        assert abs(float(frame["energy/balance"])) < 1e-9


def test_in_a_steady_circle(runs):
    circle = SteadyCircle(lean=1.1, precession=2.0)
    for t, frame in zip((0.5, 1.5), runs.frames(circle.scene(KIND), [0.5, 1.5])):
        np.testing.assert_allclose(frame["bodies/position"][0], circle.place(t), atol=1e-8)
        np.testing.assert_allclose(frame["bodies/angular_velocity"][0], circle.turn(t) @ circle.w, atol=1e-8)
        assert abs(float(frame["energy/balance"])) < 1e-8
        assert float(frame["constraints/drift_velocity"]) < 1e-12


@pytest.mark.parametrize("plane", ["ground.floor", "table.top"])
def test_its_jacobian_and_bias_are_derivatives(runs, plane):
    text = disc([0.1, 0.2, 0.35], [0.5, 0.8, 0.3], [0, 0, 0], [0, 0, 0], [0, 0, -GRAVITY], KIND, plane=plane)
    if plane == "table.top":
        text += body(
            "table",
            mass=3,
            inertia=[1, 1.2, 0.9],
            position=[0, 0, -0.2],
            marker=[{"name": "top", "position": [0, 0, 0.2]}],
        )
    check_rows(runs.prepare(text).problem, position_level=False)
