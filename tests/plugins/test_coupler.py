"""Three wheels on parallel axes whose turns are coupled: J_i θ̈_i = T_i + c_i λ, Σ c_i θ̈_i = 0."""

from __future__ import annotations

import numpy as np
from scene_text import NO_GRAVITY, body, joint, solver, table, torque

J = np.array([0.5, 0.8, 1.1])
C = np.array([2.0, -1.0, 0.5])
T = np.array([3.0, 0.5, -0.7])


def coupled_wheels(**keys):
    """Text of three wheels under torques, and what couples them; `keys` of the coupling."""
    wheels = "".join(
        body(f"wheel{i}", mass=2.0, inertia=[1.0, 1.0, J[i]], position=[i, 0, 0])
        + joint(f"axle{i}", "revolute", "ground", f"wheel{i}", at=[i, 0, 0], axis=[0, 0, 1])
        + torque(f"wheel{i}", z=T[i])
        for i in range(3)
    )
    axles = ["axle0", "axle1", "axle2"]
    gears = table("joint", name="gears", type="foreign_coupler", joints=axles, ratios=C, **keys)
    return wheels + gears + solver(tolerance=1e-9, end=6.0)


def test_three_coupled_wheels_turn_as_the_formula_says_over_many_turns(runs):
    prepared = runs.prepare(coupled_wheels())
    assert prepared.rank.dof == 2
    acceleration = (T - C * (C @ (T / J)) / (C @ (C / J))) / J
    frames = runs.frames(coupled_wheels(), [0.0, 2.0, 6.0])
    for t, frame in zip((0.0, 2.0, 6.0), frames):
        np.testing.assert_allclose(frame["coordinates/value"], 0.5 * acceleration * t * t, atol=1e-8)
        np.testing.assert_allclose(frame["coordinates/speed"], acceleration * t, atol=1e-8)
        assert abs(float(frame["energy/balance"])) < 1e-8
    assert np.abs(frames[-1]["coordinates/value"]).max() > 2 * 2 * np.pi


def rotor():
    """Text of two beads on rails of a rotor whose lengths are coupled."""
    beads = [([0.4, 0.1, 0.1], [1, 0.3, 0.5], 0.5), ([-0.1, 0.5, -0.2], [0.2, 1, -0.4], 1.25)]
    rails = "".join(
        body(f"bead{i}", mass=0.5 + 0.4 * i, inertia=[0.01, 0.012, 0.015], position=at)
        + joint(f"rail{i}", "translational", "rotor", f"bead{i}", at=at, axis=axis, start={"speed": speed})
        for i, (at, axis, speed) in enumerate(beads)
    )
    coupling = {"coordinate": "length", "joints": ["rail0", "rail1"], "ratios": [2.5, -1.0]}
    return (
        NO_GRAVITY
        + body("rotor", mass=3.0, inertia=[0.5, 0.6, 0.8])
        + joint("axle", "revolute", "ground", "rotor", axis=[0.1, 0.2, 1.0], start={"speed": 2.0})
        + rails
        + table("joint", name="chain", type="foreign_coupler", **coupling)
        + solver(tolerance=1e-11, end=1.0)
    )


def test_coupled_sliders_on_a_rotor_accelerate_as_their_velocities_change(runs):
    """2.5 s₀ = s₁. The rails turn, so that the lengths have a bias: s |ω × n|² each."""
    dt = 1e-3
    at = [0.5 + k * dt for k in (-2, -1, 0, 1, 2)]
    frames = runs.frames(rotor(), [0.0, *at])[1:]
    for frame in frames:
        s = frame["coordinates/value"]
        assert abs(2.5 * s[1] - s[2]) < 1e-11 and abs(s[1]) > 0.1
        assert abs(float(frame["energy/balance"])) < 1e-8
    v = [frame["bodies/velocity"] for frame in frames]
    change = (8 * (v[3] - v[1]) - (v[4] - v[0])) / (12 * dt)
    np.testing.assert_allclose(frames[2]["bodies/acceleration"], change, atol=1e-6 * np.abs(change).max())
