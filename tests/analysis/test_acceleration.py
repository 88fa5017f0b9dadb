"""Acceleration analysis against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import NO_GRAVITY, motion
from small import system
from small_systems import pendulum

#: about the hinge, J + m c² = 1.02 kg m²
ROD = {"position": [0.6, 0, 0], "mass": 2.0, "inertia": [0.02, 0.3, 0.3]}


def test_a_rod_released_from_the_horizontal():
    """α = m g c / (J + m c²) and a reaction of m (g − α c) at the hinge."""
    report = system(pendulum(**ROD)).analyze("acceleration")
    alpha = 2.0 * 9.81 * 0.6 / (0.3 + 2.0 * 0.36)
    np.testing.assert_allclose(report.angular_acceleration, [[0, alpha, 0]], atol=1e-12)
    np.testing.assert_allclose(report.acceleration, [[0, 0, -0.6 * alpha]], atol=1e-12)
    np.testing.assert_allclose(report.reactions, [[0, 0, 2.0 * (9.81 - 0.6 * alpha), 0, 0, 0]], atol=1e-12)
    assert (report.rows, report.rank, report.dof) == (5, 5, 1) and max(report.residuals) < 1e-13


def test_the_reaction_of_a_rotating_rod_is_the_centripetal_force():
    text = NO_GRAVITY + pendulum(**ROD, start={"speed": 3.0})
    report = system(text).analyze("acceleration")
    np.testing.assert_allclose(report.reactions[0, :3], [-2.0 * 9.0 * 0.6, 0, 0], atol=1e-12)


def test_a_motion_given_as_an_acceleration():
    text = NO_GRAVITY + pendulum(**ROD, start={"speed": 3.0})
    report = system(text + motion("pivot", angle_acceleration="5 + time")).analyze("acceleration")
    assert report.angular_acceleration[0, 1] == pytest.approx(5.0, abs=1e-12)
    assert report.states.v[0][4] == pytest.approx(3.0, abs=1e-12)
