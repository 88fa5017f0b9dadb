"""Three ways to the constraint forces, redundancy, reactions and energy."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, force, joint, motion, solver, spring, table
from small_systems import chain

from mbplugin.tables.groups import State

DOOR = body(
    "door",
    mass=8.0,
    inertia=[0.9, 0.3, 0.6],
    position=[0.4, 0.1, 0],
    orientation={"axis": [1, 2, 3], "angle_deg": 20},
) + joint("hinge_low", "revolute", "ground", "door", at=[0, 0, -0.8], axis=[0, 0, 1], start={"speed": 1.5})
SECOND_HINGE = joint("hinge_top", "revolute", "ground", "door", at=[0, 0, 0.8], axis=[0, 0, 1])
CHAIN = chain(4)
SPRING = spring("ground", "b2", stiffness=30.0, damping=0.5)


def reference(problem):
    """The whole augmented system by numpy, least squares where rows repeat."""
    state = problem[State]
    t, q, v = float(state.time[0]), state.q.copy(), state.v.copy()
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    K = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    return np.linalg.lstsq(K, np.concatenate([h, gamma]), rcond=1e-12)[0][: len(h)], M, G


@pytest.mark.parametrize(
    "scene",
    [CHAIN, CHAIN + SPRING, DOOR, DOOR + SECOND_HINGE],
    ids=["chain", "chain and spring", "door", "two hinges"],
)
def test_three_methods_and_numpy_find_one_acceleration(runs, scene):
    found = []
    for method in ("constraint_force", "kkt", "newton_euler"):
        frame = runs.frames(scene + solver(method=method, end=0.2), [0.0, 0.2])[-1]
        found.append(
            np.concatenate(
                [frame["bodies/acceleration"].ravel(), frame["bodies/angular_acceleration"].ravel()]
            )
        )
    scale = np.abs(found[0]).max()
    np.testing.assert_allclose(found[1], found[0], atol=1e-11 * scale)
    np.testing.assert_allclose(found[2], found[0], atol=1e-11 * scale)


def test_accelerations_at_the_start_are_those_of_the_dense_system(runs):
    prepared = runs.prepare(CHAIN + SPRING)
    v_dot, _, _ = reference(prepared.problem)
    prepared.start(1.0).show(0.0)
    from mbplugin.tables.groups import Rates

    np.testing.assert_allclose(prepared.problem[Rates].v_dot, v_dot, atol=1e-10 * np.abs(v_dot).max())


def test_two_hinges_share_what_one_carries(runs):
    one = runs.frames(DOOR + solver(end=0.5), [0.0, 0.5])[-1]
    two = runs.frames(DOOR + SECOND_HINGE + solver(end=0.5), [0.0, 0.5])[-1]
    np.testing.assert_allclose(two["bodies/position"], one["bodies/position"], atol=1e-9)
    np.testing.assert_allclose(two["bodies/acceleration"], one["bodies/acceleration"], atol=1e-7)
    # the vertical load is shared equally: nothing tells the hinges apart along z
    np.testing.assert_allclose(two["joints/force"][:, 2], 0.5 * one["joints/force"][0, 2], rtol=1e-5)
    np.testing.assert_allclose(two["joints/force"].sum(axis=0), one["joints/force"][0], rtol=1e-7)


def test_rank_of_two_hinges_is_that_of_one(runs):
    report = runs.prepare(DOOR + SECOND_HINGE).rank
    assert (report.rows, report.rank, report.dof) == (10, 5, 1)
    assert (report.determined < 2).any()


def test_a_hinge_exerts_no_torque_about_its_axis(runs):
    for frame in runs.frames(DOOR + solver(end=0.5), np.linspace(0.0, 0.5, 6)):
        torque = frame["joints/torque"][0]
        assert abs(torque[2]) <= 1e-13 * max(1.0, np.abs(torque).max(), np.abs(frame["joints/force"]).max())


@pytest.mark.parametrize("pull", [1.0, 1e6])
def test_constraints_hold_as_exactly_under_a_large_load_as_under_a_small_one(runs, pull):
    """A stiff joint would give by load over stiffness; here 1 N and 1e6 N leave the same rounding."""
    load = force("door", x=pull, z=-2 * pull)
    frames = runs.frames(DOOR + load + solver(end=0.05), [0.0, 0.02, 0.05])
    assert max(float(f["constraints/drift_position"]) for f in frames) < 1e-12
    assert np.abs(frames[-1]["joints/force"][0][2]) == pytest.approx(8.0 * 9.81 + 2 * pull, rel=1e-9)


def test_the_energy_lost_is_dissipated_by_the_damper(runs):
    frames = runs.frames(CHAIN + SPRING + solver(end=2.0, tolerance=1e-10), np.linspace(0, 2, 5))
    assert frames[-1]["energy/dissipated"] > 0.01
    assert max(abs(float(f["energy/balance"])) for f in frames) < 1e-7
    assert max(float(f["constraints/drift_position"]) for f in frames) < 1e-12


def test_the_force_of_a_motor_is_that_of_inverse_dynamics(runs):
    """A rod of moment J about its end, turned by θ(t) about a vertical axis: τ = J θ''."""
    scene = (
        body("rod", mass=3.0, inertia=[0.01, 1.0, 1.0], position=[1.0, 0, 0])
        + joint("motor", "revolute", "ground", "rod", axis=[0, 0, 1])
        + motion("motor", angle="0.3*sin(2*time)")
        + solver(end=1.0)
    )
    for t, frame in zip((0.0, 0.4, 1.0), runs.frames(scene, [0.0, 0.4, 1.0])):
        assert frame["coordinates/drive"][0] == pytest.approx((1.0 + 3.0) * -1.2 * np.sin(2 * t), abs=1e-9)
        assert abs(float(frame["energy/balance"])) < 1e-8


def test_a_torsion_spring_counts_ten_turns(runs):
    """J θ'' = −k θ from θ' = 20π·√(k/J)/…: the angle follows A sin(ω t) to ten turns and back."""
    J, k = 2.0, 0.02
    w = np.sqrt(k / J)
    speed = 20.0 * np.pi * w  # amplitude 20π: ten turns
    scene = (
        NO_GRAVITY
        + body("wheel", mass=1.0, inertia=[1.0, 1.0, J])
        + joint("axle", "revolute", "ground", "wheel", axis=[0, 0, 1], start={"speed": speed})
        + table("force", type="torsion_spring_damper", a="ground", b="wheel", stiffness=k)
        + solver(tolerance=1e-10, end=20.0)
    )
    times = np.linspace(0, 20.0, 41)
    for t, frame in zip(times, runs.frames(scene, times)):
        assert float(frame["coordinates/value"][0]) == pytest.approx(20 * np.pi * np.sin(w * t), abs=1e-6)
        assert abs(float(frame["energy/balance"])) < 1e-7
