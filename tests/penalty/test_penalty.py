"""Rows enforced by stiffness and damping: rest, motion, energy, reactions."""

from __future__ import annotations

import numpy as np
import pytest
from held import MASS, G, mass, open_mass, penalty
from scene_text import force, motion, torque

W = MASS * G


def at_rest(runs, enforce: object, t: float = 3.0):
    return runs.frames(mass(enforce), [t])[0]


def test_a_mass_at_rest_sags_by_load_over_stiffness(runs):
    frame = at_rest(runs, penalty(stiffness=2e4, damping=200))
    assert frame["bodies/position"][0, 2] == pytest.approx(-W / 2e4, rel=1e-8)
    np.testing.assert_allclose(frame["joints/force"][0], [0, 0, W], atol=1e-8 * W)


@pytest.mark.parametrize("k", [1e2, 1e3, 1e4, 1e5, 1e6, 1e7])
def test_the_deviation_falls_as_one_over_the_stiffness(runs, k):
    frame = at_rest(runs, penalty(stiffness=k, damping_ratio=0.7), 25.0 / np.sqrt(k / MASS))
    assert frame["bodies/position"][0, 2] * k == pytest.approx(-W, rel=1e-6)


def test_an_undamped_mass_swings_about_its_sag_with_the_frequency_of_k_and_m(runs):
    k = 5e3
    omega, t = np.sqrt(k / MASS), np.linspace(0.01, 1.0, 34)
    frames = runs.frames(
        mass(penalty(stiffness=k, damping=0, angular_damping=0), how={"tolerance": 1e-12}), t
    )
    z = np.array([frame["bodies/position"][0, 2] for frame in frames])
    assert omega * t[-1] > 7 * 2 * np.pi
    np.testing.assert_allclose(z, -W / k * (1.0 - np.cos(omega * t)), atol=1e-8 * W / k * 10)
    for frame in frames:
        assert abs(float(frame["energy/balance"])) < 1e-10 * W * W / k * 100


def test_the_energy_that_a_falling_mass_loses_until_it_rests_is_dissipated(runs):
    """m g s − ½ k s² = ½ m g s, s = m g / k."""
    k = 1e4
    frame = at_rest(runs, penalty(stiffness=k, damping=150))
    assert float(frame["energy/dissipated"]) == pytest.approx(0.5 * W * W / k, rel=1e-8)
    # of the penalty ½ k s²; of gravity −m g s
    assert float(frame["energy/potential"]) == pytest.approx(-0.5 * W * W / k, rel=1e-8)
    assert abs(float(frame["energy/balance"])) < 1e-10


def test_a_turned_body_gets_the_torque_of_the_angular_stiffness(runs):
    turned = torque("mass", z=0.004)
    text = mass(penalty(angular_stiffness=40, angular_damping=2, stiffness=1e4), turned, gravity=0)
    frame = runs.frames(text, [8.0])[0]
    _, _, _, z = frame["bodies/orientation"][0]
    # the row of a fixed joint is the sine of the angle
    assert np.sin(2.0 * np.arcsin(z)) == pytest.approx(0.004 / 40 / np.cos(2.0 * np.arcsin(z)), rel=1e-8)
    assert frame["joints/torque"][0, 2] == pytest.approx(-0.004, rel=1e-8)


def test_a_row_may_have_parameters_of_its_own(runs):
    frame = at_rest(
        runs, penalty(stiffness=1e5, damping=200, direction={"translation along world z": {"stiffness": 2e3}})
    )
    assert frame["bodies/position"][0, 2] == pytest.approx(-W / 2e3, rel=1e-8)


def test_an_open_joint_begins_with_the_load_of_its_deviation(runs):
    apart = lambda assemble: open_mass(penalty(stiffness=3e3, damping=0, assemble=assemble), gravity=0)
    frame = runs.frames(apart(False), [0.0, 0.1])[0]
    np.testing.assert_allclose(frame["bodies/acceleration"][0], [3e3 * 0.01 / MASS, 0, 0], atol=1e-12)
    closed = runs.frames(apart(True), [0.0, 0.1])[0]
    np.testing.assert_allclose(closed["bodies/position"][0], [0.01, 0, 0], atol=1e-12)


def test_a_driven_penalty_takes_its_work_from_the_drive(runs):
    text = mass(penalty(stiffness=4e3, damping=30), kind="foreign_lift", height="0.1*sin(3*time)")
    for frame in runs.frames(text, [0.3, 1.0, 2.0]):
        assert abs(float(frame["energy/balance"])) < 1e-8
    assert abs(float(frame["energy/work"])) > 0.1


def test_a_row_at_velocity_level_is_held_by_damping_alone(runs):
    """m v̇ = F − d v."""
    F, d = 3.0, 5.0
    text = mass(penalty(damping=d), force("mass", x=F), kind="foreign_no_speed", gravity=0)
    for t, frame in zip((0.2, 1.0, 3.0), runs.frames(text, [0.2, 1.0, 3.0])):
        assert frame["bodies/velocity"][0, 0] == pytest.approx(
            F / d * (1.0 - np.exp(-d * t / MASS)), rel=1e-9
        )
        assert abs(float(frame["energy/balance"])) < 1e-9


def test_a_coupling_of_joints_can_be_held_by_penalty(runs):
    from test_coupler import C, J, T, coupled_wheels

    acceleration = (T - C * (C @ (T / J)) / (C @ (C / J))) / J
    k = 1e5
    text = coupled_wheels(enforce=penalty(angular_stiffness=k, damping_ratio=1))
    prepared = runs.prepare(text)
    assert prepared.rank.dof == 3
    frame = runs.frames(text, [2.0])[0]
    # at rest in the moving row: k Σ c θ = −λ, λ = −Σ c T/J / Σ c²/J
    assert C @ frame["coordinates/value"] == pytest.approx(C @ (T / J) / (C @ (C / J)) / k, rel=1e-6)
    np.testing.assert_allclose(frame["coordinates/speed"], acceleration * 2.0, atol=1e-4)


def test_a_motion_drives_a_joint_that_is_held_by_penalty(runs):
    driven = motion("held", angle="0.3*sin(4*time)")
    text = mass(penalty(stiffness=1e5, angular_stiffness=1e3), driven, kind="revolute", axis=[0, 0, 1])
    frame = runs.frames(text, [1.0])[0]
    assert frame["coordinates/value"][0] == pytest.approx(0.3 * np.sin(4.0), abs=1e-10)
    assert frame["coordinates/drive"][0] == pytest.approx(0.04 * -0.3 * 16 * np.sin(4.0), abs=1e-6)


def test_a_mass_rests_in_the_closed_form_of_a_third_party_law(runs):
    k = 1e7
    frame = at_rest(runs, {"type": "foreign_cubic", "stiffness": k, "damping": 150})
    assert frame["bodies/position"][0, 2] == pytest.approx(-((W / k) ** (1 / 3)), rel=1e-8)
    assert abs(float(frame["energy/balance"])) < 1e-9
    assert float(frame["energy/potential"]) == pytest.approx(
        0.25 * k * (W / k) ** (4 / 3) - W * (W / k) ** (1 / 3), rel=1e-7
    )
