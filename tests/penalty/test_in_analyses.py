"""Joints enforced by a law: springs in the analyses of forces, exact in those of geometry."""

from __future__ import annotations

import numpy as np
import pytest
from held import penalty
from refusals import has, stopped
from scene_text import body, joint, motion, solver, state
from small_systems import pendulum
from snapshots import same_message

import mbplugin as mb
from mbplugin.errors import PhysicsError

M, J, K, K_TURN, D, G = 2.0, (0.3, 0.2, 0.1), 5e3, 80.0, 12.0, 9.81


def block(damping=0.0, augment=False):
    """Text of a block on a fixed joint to the ground that is held by penalty."""
    law = penalty(stiffness=K, angular_stiffness=K_TURN, damping=damping, angular_damping=0, augment=augment)
    return body("block", mass=M, inertia=J) + joint("weld", "fixed", "ground", "block", enforce=law)


def analyze(text, what, **keys):
    return mb.System.from_text(text).analyze(what, **keys)


def test_a_weight_on_a_penalty_joint_sags_by_load_over_stiffness():
    report = analyze(block(), "static")
    assert report.position[0] == pytest.approx([0, 0, -M * G / K], abs=1e-12)
    assert report.reactions[0] == pytest.approx([0, 0, M * G, 0, 0, 0], abs=1e-9) and report.stable
    # least stiffness in unit masses: the smallest of k/m and k_θ/J
    assert report.stiffnesses == pytest.approx(sorted([K / M] * 3 + [K_TURN / j for j in J]), rel=1e-9)


def test_modes_of_a_penalty_joint_are_those_of_a_body_on_springs():
    modes = analyze(block(), "eigen")
    assert modes.frequencies == pytest.approx(
        np.sqrt(sorted([K / M] * 3 + [K_TURN / j for j in J])), rel=1e-9
    )
    damped = [mode for mode in analyze(block(D), "eigen").modes if mode.zeta > 1e-6]
    assert len(damped) == 3
    for mode in damped:
        assert (mode.omega, mode.zeta) == pytest.approx((np.sqrt(K / M), D / (2 * np.sqrt(K * M))), rel=1e-9)


def test_an_augmented_joint_is_closed_in_static_equilibrium():
    report = analyze(block(augment=True), "static")
    assert np.abs(report.position).max() < 1e-14
    assert report.reactions[0] == pytest.approx([0, 0, M * G, 0, 0, 0], abs=1e-9)


def test_a_run_comes_to_rest_in_the_equilibrium_of_static_analysis(runs):
    """Critically damped by the joint itself: after 2 s nothing moves."""
    text = block(damping=2 * np.sqrt(K * M))
    (frame,) = runs.frames(text + solver(end=2.0), [2.0])
    assert frame["bodies/position"][0, 2] == pytest.approx(analyze(text, "static").position[0, 2], abs=1e-9)


def crank(**keys):
    """Text of a driven crank; `keys` of its hinge."""
    return pendulum("crank", "pin", **keys) + motion("pin", angle="2*time + 0.3*sin(3*time)")


@pytest.mark.parametrize("what", ["kinematic", "inverse"])
def test_analyses_of_geometry_hold_them_exactly(what):
    """Without forces nothing deviates: the same as with the joint held by multipliers."""
    elastic = analyze(crank(enforce="penalty"), what, positions=20, end=1.0)
    exact = analyze(crank(), what, positions=20, end=1.0)
    for name in ("q", "v", "v_dot", "lam"):
        np.testing.assert_allclose(getattr(elastic.states, name), getattr(exact.states, name), atol=1e-11)
    (message,) = set(elastic.messages) - set(exact.messages)
    assert has(message, "pin")
    same_message(message)


@pytest.mark.parametrize("what", ["static", "eigen"])
def test_inner_states_without_rest_are_named(what):
    with stopped(PhysicsError, "sum"):
        analyze(block() + state("sum", "distance(block, ground)", start=0), what)
