"""Two hinges of a door: redundant if exact, sharing the load if enforced by penalty."""

from __future__ import annotations

import numpy as np
import pytest
from held import penalty
from scene_text import body, joint, solver

W = 8.0 * 9.81


def door(low: object, top: object, kind: str = "revolute", speed: float = 0.0, **keys: object) -> str:
    """Text of a door on two joints along z, the lower one of a kind, enforced as given; `speed` of the upper
    one at t = 0; `keys` of the solver.
    """
    start = {"speed": speed} if speed else None
    return (
        body("door", mass=8.0, inertia=[1.9, 2.4, 0.6], position=[0.4, 0, 0])
        + joint("low", kind, "ground", "door", at=[0, 0, -0.8], axis=[0, 0, 1], enforce=low)
        + joint("top", "revolute", "ground", "door", at=[0, 0, 0.8], axis=[0, 0, 1], enforce=top, start=start)
        + solver(**({"tolerance": 1e-9, "end": 1.0} | keys))
    )


PENALTY = penalty(stiffness=1e6, angular_stiffness=1e5)
LAGRANGE = "lagrange"


@pytest.mark.parametrize(
    ("low", "top", "redundant", "dof"),
    [
        (LAGRANGE, LAGRANGE, 5, 1),
        (LAGRANGE, PENALTY, 0, 1),
        (PENALTY, LAGRANGE, 0, 1),
        (PENALTY, PENALTY, 0, 6),
    ],
)
def test_hinges_that_are_held_by_penalty_are_not_redundant(runs, low, top, redundant, dof):
    report = runs.prepare(door(low, top)).rank
    assert (report.rows - report.rank, report.dof) == (redundant, dof)


def test_two_penalty_hinges_carry_half_of_a_symmetric_door_each(runs):
    """Half the weight each; the forces across are a couple: 2 · 0.8 F + 2 T = W · 0.4."""
    frame = runs.frames(door(PENALTY, PENALTY, tolerance=1e-13), [0.5])[0]
    low, top = frame["joints/force"]
    assert low[2] + top[2] == pytest.approx(W, rel=1e-9)
    # the door leans by θ = 2e-5, which lifts one hinge and lowers the other by ½ θ² 0.8: 2e-4 N
    assert low[2] == pytest.approx(W / 2, rel=1e-5) and top[2] == pytest.approx(W / 2, rel=1e-5)
    assert low[0] == pytest.approx(-top[0], rel=1e-8) and abs(low[0]) > 0.1
    torque = frame["joints/torque"].sum(axis=0)
    assert torque[1] + 0.8 * (top[0] - low[0]) == pytest.approx(
        -W * 0.4, rel=1e-4
    )  # arms as they are when it has sagged
    assert (frame["joints/determined"] == 2).all()


def test_a_lagrange_hinge_and_one_softer_spring_share_by_stiffness(runs):
    """A hinge that is exact beside one that is not carries everything, because nothing moves there."""
    frame = runs.frames(door(LAGRANGE, PENALTY), [0.5])[0]
    low, top = frame["joints/force"]
    assert low[2] == pytest.approx(W, rel=1e-9) and np.abs(top).max() < 1e-6 * W


def test_a_ball_below_and_a_penalty_hinge_above_carry_what_statics_says(runs):
    """The weight hangs on the exact ball; the hinge above holds its couple, by force across and torque."""
    text = door(LAGRANGE, PENALTY, "ball")
    report = runs.prepare(text).rank
    assert report.rows == report.rank == 3
    frame = runs.frames(text, [2.0])[0]
    low, top = frame["joints/force"]
    torque = frame["joints/torque"][1, 1]
    assert low[2] + top[2] == pytest.approx(W, rel=1e-7)
    assert low[0] == pytest.approx(-top[0], rel=1e-7)
    assert torque + 1.6 * top[0] == pytest.approx(-W * 0.4, rel=1e-3)


def test_the_factor_of_the_constraint_forces_has_no_place_for_penalty_rows(runs):
    from mbplugin.tables.groups import Factor

    size = lambda low, top: len(runs.prepare(door(low, top)).problem[Factor].values)
    assert size(PENALTY, PENALTY) == 0
    assert size(LAGRANGE, PENALTY) == size(PENALTY, LAGRANGE) == 25 < size(LAGRANGE, LAGRANGE)


@pytest.mark.parametrize("method", ["constraint_force", "kkt", "newton_euler"])
def test_every_method_finds_the_same_motion_beside_a_penalty(runs, method):
    frame, reference = (
        runs.frames(door(LAGRANGE, PENALTY, "ball", speed=1.5, **keys), [0.3])[0]
        for keys in ({"method": method}, {})
    )
    np.testing.assert_allclose(frame["bodies/position"], reference["bodies/position"], atol=1e-10)
    np.testing.assert_allclose(frame["joints/force"], reference["joints/force"], atol=1e-4)
