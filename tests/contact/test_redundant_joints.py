"""Joints with redundant rows in steps with impulses."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scene_text import body, joint, solver, table, world

import mbplugin as mb


def floating(how: dict) -> mb.System:
    """Two bodies on two ball joints, whose rows along the line between them say the same; a spring pulls."""
    text, moving = world(gravity=[0, 0, 0]), {"velocity": [0.3, -0.2, 0.1]}
    text += body("a", mass=1, inertia=[0.07, 0.06, 0.05], **moving)
    tip = {"name": "tip", "position": [0.3, -0.2, 0.1]}
    text += body("b", mass=1.2, inertia=[0.06, 0.05, 0.07], position=[0.7, 0.1, 0.2], marker=[tip], **moving)
    text += body("c", mass=1, inertia=[0.07, 0.06, 0.05], position=[0, 1, 0], **moving)
    text += joint("p", "ball", "a", "b", at=[0.3, 0.1, 0.0])
    text += joint("q", "ball", "a", "b", at=[0.9, 0.4, 0.3])
    text += table("force", type="spring_damper", a="c", b="b.tip", stiffness=30, length=2)
    return mb.System.from_text(text + solver(**how, end=0.5) + table("output", frames=50))


@cache
def exact():
    return floating({"tolerance": 1e-11}).run(files=False)


@pytest.mark.parametrize("step", [2e-3, 1e-3])
def test_rows_that_are_redundant_do_not_contradict_each_other_within_a_step(step):
    """The energy balance of order 2, and the motion of another solver; the run diverged before."""
    result = floating({"type": "contact", "step": step}).run(files=False)
    assert np.abs(result.raw["energy/balance"]).max() < 60 * step**2
    for name in ("a", "b", "c"):
        np.testing.assert_allclose(result[name].position[-1], exact()[name].position[-1], atol=40 * step**2)


def test_impulses_of_a_step_add_up_where_rows_are_redundant():
    simulation = floating({"type": "contact", "step": 2e-3}).simulate()
    simulation.step(0.1)
    before = simulation["b"].velocity.copy()
    simulation.step(2e-3)
    impulse, _ = simulation.impulses().on("b")
    np.testing.assert_allclose(impulse, 1.2 * (simulation["b"].velocity - before), atol=1e-13)
