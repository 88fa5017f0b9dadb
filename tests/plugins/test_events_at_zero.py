"""Event functions that are zero where a step ends, and some that have no value."""

from __future__ import annotations

import numpy as np
import pytest
from headless import finish
from refusals import stopped
from scene_text import NO_GRAVITY, body, solver, table

from mbplugin.errors import PluginError
from mbplugin.tables.groups import State


def shot(speed, **keys):
    """2 kg under 10 N that turn at a speed, twice."""
    return (
        NO_GRAVITY
        + body("shot", mass=2, inertia=[1, 1, 1])
        + table("force", name="relay", type="foreign_relay", body="shot", size=10.0, speed=speed, **keys)
    )


@pytest.mark.parametrize(
    "keys", [{"tolerance": 1e-8}, {"type": "galpha", "step": 1e-3}], ids=["rk", "galpha"]
)
@pytest.mark.parametrize("speed", [0.5, 0.3, 0.7, 0.123456, 0.25, 0.4])
def test_a_force_that_turns_at_a_speed_and_back_leaves_that_speed(runs, speed, keys):
    prepared = runs.prepare(shot(speed) + solver(end=1.0, **keys))
    integrator = prepared.start(1.0)
    finish(integrator, 1.0)
    assert prepared.problem[State].v[0] == pytest.approx(speed, abs=1e-9)
    assert integrator.statistics["events"] <= 4


def test_an_event_function_without_a_value_is_named(runs):
    prepared = runs.prepare(shot(10.0, broken=1.0) + solver(end=1.0, tolerance=1e-8))
    with stopped(PluginError, '"relay"', "[nan]"):
        finish(prepared.start(1.0), 1.0)
    assert np.isfinite(prepared.problem[State].v).all()
