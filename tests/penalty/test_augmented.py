"""The augmented Lagrangian converges to the solution by multipliers, to its tolerance."""

from __future__ import annotations

import numpy as np
import pytest
from held import mass, open_mass, penalty
from scene_text import solver
from small_systems import chain
from test_door import door


def augmented(k: float, tolerance: float) -> dict[str, object]:
    return penalty(augment=True, stiffness=k, angular_stiffness=k, tolerance=tolerance)


def held_chain(enforce: object, **keys: object) -> str:
    """Text of three links; `keys` of the solver."""
    return chain(3, enforce=enforce) + solver(**(keys or {"tolerance": 1e-11}), end=1.0)


@pytest.mark.parametrize("k", [10.0, 1e3])
def test_a_chain_moves_and_is_held_as_by_multipliers_whatever_the_stiffness(runs, k):
    exact = runs.frames(held_chain("lagrange"), [0.4, 0.8])
    found = runs.frames(held_chain(augmented(k=k, tolerance=1e-11)), [0.4, 0.8])
    for a, b in zip(exact, found):
        np.testing.assert_allclose(b["bodies/position"], a["bodies/position"], atol=2e-9)
        np.testing.assert_allclose(b["joints/force"], a["joints/force"], atol=2e-7 * 20)
        np.testing.assert_allclose(b["joints/torque"], a["joints/torque"], atol=2e-7 * 20)
        assert abs(float(b["energy/balance"])) < 1e-8


def deviation(runs, enforce: object) -> float:
    """Largest |Φ| at the accepted steps of a run, in fixed steps: an adaptive solver would measure the rest
    of the iteration as its own error.
    """
    from mbplugin.tables.groups import State

    prepared = runs.prepare(held_chain(enforce, integrator="rk4", step=1e-3))
    integrator = prepared.start(0.5)
    while integrator.advance(0.5, np.inf, 10**6) != "end":
        pass
    return float(prepared.problem[State].memory.max())


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7, 1e-9])
def test_the_deviation_stays_below_the_tolerance(runs, tolerance):
    assert deviation(runs, augmented(k=1e3, tolerance=tolerance)) <= 1.5 * tolerance


def test_without_multipliers_the_same_stiffness_deviates_a_million_times_as_much(runs):
    plain = deviation(runs, penalty(stiffness=1e3, angular_stiffness=1e3))
    assert plain > 1e-2 and deviation(runs, augmented(k=1e3, tolerance=1e-9)) < 1e-6 * plain


def test_hinges_that_repeat_each_other_share_as_by_multipliers(runs):
    """At t = 0 the rows are scaled alike in both: the shortest multipliers."""
    both = augmented(k=1e4, tolerance=1e-10)
    exact, found = (
        runs.frames(door("lagrange", "lagrange", speed=1.5), [0.0, 1e-3])[0],
        runs.frames(door(both, both, speed=1.5), [0.0, 1e-3])[0],
    )
    np.testing.assert_allclose(found["joints/force"], exact["joints/force"], atol=1e-4)
    np.testing.assert_allclose(found["joints/torque"], exact["joints/torque"], atol=1e-4)
    assert np.abs(exact["joints/force"]).max() > 10


def test_a_driven_row_takes_its_work_from_the_drive(runs):
    text = mass(penalty(augment=True, stiffness=100), kind="foreign_lift", height="0.1*sin(3*time)")
    frame = runs.frames(text, [1.0])[0]
    assert frame["bodies/position"][0, 2] == pytest.approx(0.1 * np.sin(3.0), abs=1e-9)
    assert frame["joints/force"][0, 2] == pytest.approx(2.0 * (9.81 - 0.9 * np.sin(3.0)), abs=1e-6)
    assert float(frame["energy/work"]) == pytest.approx(
        2.0 * 9.81 * 0.1 * np.sin(3.0) + (0.3 * np.cos(3.0)) ** 2 - 0.3**2, abs=1e-8
    )
    assert abs(float(frame["energy/balance"])) < 1e-9


def test_an_open_row_closes_as_its_law_says_and_what_is_lost_is_dissipated(runs):
    """m Φ̈ + d Φ̇ + k Φ = 0 from Φ = −0.01 whatever the weight; the loads' work −∫ f Φ̇ is all that the
    balance misses.
    """
    k, zeta = 200.0, 0.3
    omega = np.sqrt(k / 2.0)
    text = open_mass(penalty(stiffness=k, damping_ratio=zeta, augment=True, assemble=False))
    fast = omega * np.sqrt(1 - zeta**2)
    times = [0.0, 0.1, 0.3, 0.7]
    for t, frame in zip(times, runs.frames(text, times)):
        swing = np.exp(-zeta * omega * t) * (np.cos(fast * t) + zeta * omega / fast * np.sin(fast * t))
        np.testing.assert_allclose(frame["bodies/position"][0], [0.01 * (1 - swing), 0, 0], atol=1e-8)
        assert abs(float(frame["energy/balance"])) < 1e-9
    assert max(float(frame["energy/kinetic"]) for frame in runs.frames(text, times)) > 1e-4
