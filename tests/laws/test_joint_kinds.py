"""Fixed joints and rods, in space and in the plane, against rigid bodies and pendulums."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, solver
from scipy.special import ellipk
from small_systems import planar_pair

TWO = (
    body("a", mass=1.0, inertia=[0.1, 0.2, 0.25], position=[0.5, 0, 0], angular_velocity=[0.4, -0.3, 0.5])
    + body("b", mass=2.0, inertia=[0.3, 0.2, 0.4], position=[1.5, 0.4, 0.2])
    + joint("weld", "fixed", "a", "b", at=[1, 0.2, 0.1])
    + solver(tolerance=1e-10, end=1.0)
)


def test_two_welded_bodies_fall_and_turn_as_one(runs):
    frames = runs.frames(TWO, [0.0, 0.5, 1.0])
    centre = [(f["bodies/position"][0] + 2 * f["bodies/position"][1]) / 3 for f in frames]
    velocity = (frames[0]["bodies/velocity"][0] + 2 * frames[0]["bodies/velocity"][1]) / 3
    for t, x in zip((0.5, 1.0), centre[1:]):
        np.testing.assert_allclose(
            x, centre[0] + velocity * t + 0.5 * np.array([0, 0, -9.81]) * t * t, atol=1e-9
        )
    for f in frames:
        np.testing.assert_allclose(
            f["bodies/angular_velocity"][0], f["bodies/angular_velocity"][1], atol=1e-10
        )
        assert abs(float(f["energy/balance"])) < 1e-8
    assert runs.prepare(TWO).rank.dof == 6


def bob(x, z):
    """Text of a ball of 3 kg at (x, 0, z) on a rod from the origin."""
    return (
        body("bob", mass=3.0, inertia=[0.1, 0.1, 0.1], position=[x, 0, z], marker=[{"name": "middle"}])
        + joint("link", "rod", "ground", "bob.middle", at=[0, 0, 0])
        + solver(tolerance=1e-10, end=10.0)
    )


def test_a_rod_holds_a_pendulum_at_its_length(runs):
    """A ball on a rod: force m (v²/L + g cos θ) along the rod, the multiplier itself; a pull is negative, for
    z runs from the pivot to the ball.
    """
    for f in runs.frames(bob(x=2.0, z=0.0), [0.0, 0.4, 1.0]):
        x, v = f["bodies/position"][0], f["bodies/velocity"][0]
        assert np.linalg.norm(x) == pytest.approx(2.0, abs=1e-12)
        tension = 3.0 * (v @ v / 2.0 + 9.81 * -x[2] / 2.0)
        np.testing.assert_allclose(f["joints/local_force"][0], [0, 0, -tension], atol=1e-8)


@pytest.mark.parametrize("amplitude", [0.2, 1.5, 3.0])
def test_a_ball_on_a_rod_returns_after_the_period_of_a_pendulum(runs, amplitude):
    """T = 4 √(L/g) K(sin²(θ₀/2))."""
    period = 4.0 * np.sqrt(2.0 / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
    start, half, whole = runs.frames(
        bob(x=2 * np.sin(amplitude), z=-2 * np.cos(amplitude)), [0.0, period / 2, period]
    )
    np.testing.assert_allclose(
        half["bodies/position"][0], start["bodies/position"][0] * [-1, 1, 1], atol=1e-7
    )
    np.testing.assert_allclose(whole["bodies/position"][0], start["bodies/position"][0], atol=1e-7)


@pytest.mark.parametrize(("kind", "dof"), [("pin", 4), ("translational", 4), ("fixed", 3)])
@pytest.mark.parametrize("plane", ["xy", "xz"])
def test_planar_joints_remove_two_or_three_freedoms(runs, kind, dof, plane):
    along = [0, 1, 0] if plane == "xy" else [0, 0, 1]
    axis = along if kind == "translational" else None
    scene = planar_pair(kind, plane, axis, spin=0.7) + solver(end=1.0, tolerance=1e-10)
    prepared = runs.prepare(scene)
    assert (prepared.rank.dof, prepared.rank.rank) == (dof, 6 - dof)
    frames = runs.frames(scene, [0.0, 1.0])
    assert abs(float(frames[-1]["energy/balance"])) < 1e-9
    momentum = [f["bodies/velocity"][0] + 2 * f["bodies/velocity"][1] for f in frames]
    np.testing.assert_allclose(momentum[1], momentum[0], atol=1e-10)
    if kind == "pin":
        return
    np.testing.assert_allclose(
        frames[-1]["bodies/angular_velocity"][0], frames[-1]["bodies/angular_velocity"][1], atol=1e-10
    )
