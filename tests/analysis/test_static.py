"""Static analysis: chains against the equilibrium of their rods and the catenary, springs, stability, and
bodies without an equilibrium.
"""

from __future__ import annotations

import numpy as np
import pytest
from refusals import stopped
from scene_text import NO_GRAVITY, body, force, hinge, joint, spring, table, torque
from scipy.optimize import brentq
from small import hanging_chain, rods_in_balance, system
from small_systems import pendulum

from mbplugin.errors import PhysicsError

LENGTH, SPAN, DENSITY, G = 1.0, 0.6, 2.0, 9.81


def catenary_sag() -> float:
    """Of y = a cosh(x/a) of this length over this span."""
    a = brentq(lambda a: 2 * a * np.sinh(SPAN / (2 * a)) - LENGTH, 0.05, 10, xtol=1e-15)
    return a * (np.cosh(SPAN / (2 * a)) - 1)


def test_a_chain_of_fifty_rods_hangs_in_the_equilibrium_of_its_rods():
    report = system(hanging_chain(50, LENGTH, SPAN)).analyze("static")
    exact, H = rods_in_balance(50, LENGTH, SPAN, DENSITY)
    assert np.abs(report.position[:, :2] - exact).max() < 1e-8
    weight = DENSITY * LENGTH * G
    np.testing.assert_allclose(report.reactions[0], [-H, weight / 2, 0, 0, 0, 0], atol=1e-8)
    np.testing.assert_allclose(report.reactions[-1], [H, weight / 2, 0, 0, 0, 0], atol=1e-8)
    assert report.stable and len(report.stiffnesses) == 48


def test_chains_of_more_rods_approach_the_catenary_as_one_over_n_squared():
    sag = catenary_sag()
    errors = []
    for n in (10, 20, 40, 80):
        report = system(hanging_chain(n, LENGTH, SPAN)).analyze("static")
        lowest = report.position[:, 1].min()
        # of an even number of rods the middle pin is the lowest point; its rods are straight
        R = report.states.q[0][3 * (n // 2) + 2]
        bottom = lowest - LENGTH / n / 2 * abs(np.sin(R))
        errors.append(abs(bottom + sag))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 2.0, atol=0.1)


def test_a_mass_on_a_spring_hangs_by_its_weight_over_the_stiffness():
    text = body("bob", mass=3.0, inertia=[1, 1, 1], position=[0, 0, -0.5])
    text += joint("guide", "translational", "ground", "bob", axis=[0, 0, 1])
    text += spring("ground", "bob", stiffness=700.0, length=0.4)
    report = system(text).analyze("static")
    assert report.position[0, 2] == pytest.approx(-0.4 - 3.0 * 9.81 / 700.0, abs=1e-12)
    assert report.stiffnesses[0] == pytest.approx(700.0 / 3.0, rel=1e-10)


def test_an_inverted_pendulum_is_unstable_and_falls_if_it_starts_beside_it():
    rod = lambda angle: pendulum(position=[0, 0, 0.5], start={"angle": angle})
    up = system(rod(0.0)).analyze("static")
    assert not up.stable and up.stiffnesses[0] == pytest.approx(-0.5 * 9.81 / 0.35, rel=1e-10)
    down = system(rod(0.05)).analyze("static")
    assert down.stable
    np.testing.assert_allclose(down.position[0], [0, 0, -0.5], atol=1e-9)


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e6])
def test_a_pendulum_held_out_has_no_stiffness_and_falls_to_its_rest(mass):
    rod = body("rod", mass=mass, inertia=[0.01 * mass, 0.1 * mass, 0.1 * mass], position=[0.5, 0, 0])
    report = system(rod + joint("pivot", "revolute", "ground", "rod", axis=[0, 1, 0])).analyze("static")
    np.testing.assert_allclose(report.position, [[0.0, 0.0, -0.5]], atol=1e-10)
    # m g l over the inertia about the pivot
    np.testing.assert_allclose(report.stiffnesses, G * 0.5 / (0.1 + 0.25), rtol=1e-12)


def test_a_pendulum_under_a_horizontal_force_hangs_along_the_resultant():
    """A constant horizontal force on a pendulum: tan θ = F / (m g)."""
    text = body("rod", mass=2.0, inertia=[0.1, 0.1, 0.1], position=[0, 0, -1])
    text += joint("pin", "ball", "ground", "rod", at=[0, 0, 0]) + force("rod", x=7.0, y=-3.0)
    report = system(text).analyze("static")
    pull = np.array([7.0, -3.0, -2.0 * 9.81])
    np.testing.assert_allclose(report.position[0], pull / np.linalg.norm(pull), atol=1e-10)
    np.testing.assert_allclose(report.reactions[0][:3], -pull, atol=1e-9)


def test_load_steps_lead_to_the_same_equilibrium():
    whole = system(hanging_chain(6, LENGTH, SPAN)).analyze("static")
    parts = system(hanging_chain(6, LENGTH, SPAN)).analyze("static", load_steps=8)
    assert {round(load, 9) for load, *_ in parts.steps} == {k / 8 for k in range(1, 9)}
    np.testing.assert_allclose(parts.position, whole.position, atol=1e-10)


def test_a_falling_body_has_no_equilibrium_and_is_named():
    text = body("stone", mass=1.0, inertia=[1, 1, 1])
    with stopped(PhysicsError, '"stone"', "9.81 N"):
        system(text).analyze("static")


def test_a_tilted_top_finds_the_equilibrium_below_its_point():
    """Three freedoms, one of which (about its axis) has no stiffness; K is not symmetric on the way."""
    for direction in ([1.0, 0.0, 0.0], [0.3, -0.5, 0.8], [-0.2, 0.9, 0.1]):
        place = 0.7 * np.array(direction) / np.linalg.norm(direction)
        text = body("top", mass=3.0, inertia=[0.4, 0.5, 0.8], position=place)
        report = system(text + joint("point", "ball", "ground", "top", at=[0, 0, 0])).analyze("static")
        np.testing.assert_allclose(report.position[0], [0, 0, -0.7], atol=1e-9)
        assert not report.stable and not report.unstable


def test_an_equilibrium_under_a_torque_without_a_potential():
    """Two hinged rods under a torque about a fixed axis: K has no symmetry where the torque acts on a ball
    joint; the moment is balanced by weight.
    """
    text = body("top", mass=2.0, inertia=[0.3, 0.4, 0.5], position=[0.1, 0.1, -0.6])
    text += joint("point", "ball", "ground", "top", at=[0, 0, 0]) + torque("top", x=2.5, y=-1.0)
    report = system(text).analyze("static")
    arm = report.position[0]
    np.testing.assert_allclose(np.cross(arm, [0, 0, -2.0 * 9.81])[:2], [-2.5, 1.0], atol=1e-9)


@pytest.mark.parametrize("load_steps", [1, 5])
@pytest.mark.parametrize("turns", [pytest.param(0.4, marks=pytest.mark.slow), 1.3, -2.6])
def test_an_equilibrium_may_be_several_turns_away(turns, load_steps):
    """A wheel on a torsion spring: τ = k θ, whatever the number of turns."""
    wheel = body("w", mass=1, inertia=[1, 1, 1]) + hinge("j", "ground", "w")
    spring = table("force", type="torsion_spring_damper", a="ground", b="w", stiffness=2)
    load = torque("w", z=2.0 * 2 * np.pi * turns)
    report = system(NO_GRAVITY + wheel + spring + load).analyze("static", load_steps=load_steps)
    assert report.stable and report.stiffnesses == pytest.approx([2.0], rel=1e-9)
    w, _, _, z = report.states.q[0, 3:]
    off = (2 * np.arctan2(z, w) - 2 * np.pi * turns + np.pi) % (2 * np.pi) - np.pi
    assert off == pytest.approx(0.0, abs=1e-9)
