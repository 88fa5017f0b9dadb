"""An angle that turns by more than half a turn in a step gives a warning with joint, time, rate, step and a
safe step.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, joint, solver, table

import mbplugin as mb


def wheel(speed):
    """Text of a wheel that turns by 0.1 `speed` in a step."""
    return (
        NO_GRAVITY
        + body("wheel", mass=1, inertia=[1, 1, 1])
        + joint("axle", "revolute", "ground", "wheel", axis=[0, 0, 1], start={"speed": speed})
        + solver(integrator="rk4", step=0.1, end=1)
    )


@pytest.mark.parametrize(("turn", "warned"), [(3.2, True), (3.1, False)])
def test_half_a_turn_in_a_step(turn, warned):
    sim = mb.System.from_text(wheel(speed=turn / 0.1)).simulate()
    sim.step(1.0)
    told = [(t, text) for t, level, text in sim.messages if level == "warning"]
    assert len(told) == (1 if warned else 0)
    if warned:
        t, text = told[0]
        assert t == pytest.approx(0.1)
        for part in ("axle.angle", "32 rad/s", "3.2 rad", "0.1 s", f"{math.pi / 32:.3g} s are safe"):
            assert part in text


def test_steps_of_a_free_size_count_all_turns():
    """A wheel that a motion drives has nothing else that would shorten a step."""
    text = (
        NO_GRAVITY
        + body("wheel", type="planar", mass=1, inertia=1)
        + joint("axle", "pin", "ground", "wheel")
        + table("motion", joint="axle", angle="6*time")
        + table("output", frames=3)
        + solver(end=8)
    )
    result = mb.System.from_text(text).run(files=False)
    assert result.coordinate("axle.angle").value == pytest.approx(6 * result.time, abs=1e-9)


def test_a_condition_that_holds_for_less_than_a_step_is_seen():
    """A joint that a quarter of a turn lets act, in each turn: it begins and ends at exact times."""
    text = (
        NO_GRAVITY
        + body("wheel", type="planar", mass=1, inertia=1)
        + body("other", type="planar", mass=1, inertia=1)
        + joint("axle", "pin", "ground", "wheel")
        + joint("hub", "pin", "ground", "other", active="cos(axle.angle) < cos(3*pi/4)")
        + table("motion", joint="axle", angle="6*time")
        + solver(end=6)
    )
    result = mb.System.from_text(text).run(files=False)
    found = [event.time for event in result.events.of("hub")]
    turns = np.repeat(np.arange(6), 2)[: len(found)]
    expected = (2 * math.pi * turns + math.pi * np.tile([0.75, 1.25], 6)[: len(found)]) / 6
    assert len(found) == 12
    np.testing.assert_allclose(found, expected[: len(found)], atol=1e-9)
