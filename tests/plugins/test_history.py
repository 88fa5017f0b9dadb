"""The history of a solver: a multistep method keeps its order, continues to the bit and restarts."""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds.adams import Adams
from headless import finish, show
from scene_text import NO_GRAVITY, body, force, hinge, joint, solver, table, world

from mbplugin.tables.groups import State, Step
from mbplugin.testing import check_solver

PUSHED = NO_GRAVITY + body("sled", mass=1, inertia=[1, 1, 1], position=[0.1, 0, 0])


def test_the_kit_passes_a_multistep_method():
    checks = check_solver(Adams, {"step": 1e-3}).checks
    assert [str(check) for check in checks if not check.ok] == []
    assert len(checks) > 20


def error_of_switched_force(runs, step):
    """At 1 s; a force that is cos 3t up to 0.55 s and 2 + cos 3t after it, from rest."""
    text = (
        PUSHED
        + force("sled", x="cos(3*time) + 2*step(time - 0.55)")
        + solver(type="foreign_adams", step=step, end=1)
    )
    prepared = runs.prepare(text)
    finish(prepared.start(1.0), 1.0)
    x = 0.1 + (1 - np.cos(3.0)) / 9 + (1.0 - 0.55) ** 2
    return prepared.problem.q[0] - x


def test_a_multistep_method_keeps_its_order_over_a_switch(runs):
    # without a restart the rate before the jump acts after it: an error of order h
    coarse, fine = (abs(error_of_switched_force(runs, step)) for step in (0.02, 0.01))
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.1)


def test_history_is_zero_at_the_start_and_after_an_event(runs):
    latch = table("force", type="foreign_latch", body="sled", size=3.0)
    prepared = runs.prepare(PUSHED + latch + solver(type="foreign_adams", step=0.01, end=1))
    problem = prepared.problem
    integrator = prepared.start(1.0)
    assert not problem[State].history.any()
    lengths = []
    events = 0
    while integrator.advance(1.0, np.inf, 1) != "end":
        happened = integrator.statistics["events"] > events
        events = integrator.statistics["events"]
        assert problem[Step].history1.any() == (not happened)
        lengths.append(problem[State].history[0])
    assert events == 2
    assert max(lengths) == pytest.approx(0.01)


def test_a_frame_inside_a_step_changes_no_history(runs):
    prepared = runs.prepare(
        PUSHED + force("sled", x="cos(3*time)") + solver(type="foreign_adams", step=0.1, end=1)
    )
    integrator = prepared.start(1.0)
    show(integrator, 1.0, 0.45)
    end = prepared.problem[Step].history1.copy()
    integrator.show(0.47)
    assert np.array_equal(prepared.problem[Step].history1, end)


CRANK = (
    world(gravity=[0, 0, -9.81])
    + body("crank", mass=1, inertia=[0.1, 0.1, 0.1], position=[0.25, 0, 0])
    + body("rod", mass=1, inertia=[0.1, 0.1, 0.1], position=[1, 0, 0])
    + body("slider", mass=1, inertia=[0.1, 0.1, 0.1], position=[1.5, 0, 0])
    + hinge("main", "ground", "crank", axis=[0, 1, 0], start={"angle_deg": 20, "speed": 3.0})
    + hinge("pin", "crank", "rod", at=[0.5, 0, 0], axis=[0, 1, 0])
    + hinge("wrist", "rod", "slider", at=[1.5, 0, 0], axis=[0, 1, 0])
    + joint("rail", "translational", "ground", "slider", at=[1.5, 0, 0], axis=[1, 0, 0])
)


def test_a_solver_that_knows_no_coordinates_steps_those_of_joints(runs):
    """The engine has them for every compiled solver; rows of the loop included, of the same order."""
    places = lambda **keys: runs.frames(CRANK + solver(end=0.5, **keys), [0.5])[0]["bodies/center_of_mass"]
    exact = places(tolerance=1e-11)
    errors = [
        np.abs(places(type="foreign_adams", step=step, coordinates="joint") - exact).max()
        for step in (4e-3, 2e-3)
    ]
    text = CRANK + solver(type="foreign_adams", step=4e-3, end=0.5, coordinates="joint")
    assert runs.prepare(text).trees().velocities == 3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
