"""An angle that turns by more than half a turn in a step gives a warning with joint, time, rate, step and a
safe step.
"""

from __future__ import annotations

import math

import pytest
from scene_text import NO_GRAVITY, body, joint, solver

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
