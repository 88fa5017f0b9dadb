"""A hinge that is driven ten turns forward and back, and a nut on a screw: turns continue to be counted
after an interruption.
"""

from __future__ import annotations

import signal

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, joint, motion, solver, table

import mbplugin as mb
from mbplugin.run.interrupts import Interrupted

SCENE = (
    NO_GRAVITY
    + table("parameters", ten_turns="20*pi")
    + body("wheel", mass=1.0, inertia=[0.1, 0.1, 0.1])
    + body("nut", mass=1.0, inertia=[0.1, 0.1, 0.1])
    + joint("hinge", "revolute", "ground", "wheel", axis=[0, 0, 1])
    + joint("thread", "screw", "ground", "nut", axis=[0, 0, 1], pitch=0.1)
    + table("joint", name="both", type="coupler", joints=["hinge", "thread.angle"], factors=[1, -1])
    + motion("hinge", angle="ten_turns*sin(pi*time/2)")
    + solver(end=2.0, integrator="dp5", tolerance=1e-13)
    + table("output", frames=200, series=False)
)


def test_turns_continue_to_be_counted_after_an_interruption(tmp_path):
    def stop(time, end):
        if time > 0.7:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted):
        mb.System.from_text(SCENE).run(tmp_path / "out", progress=stop)
    result = mb.System.from_text(SCENE).run(tmp_path / "out", resume=True)
    assert 0.5 < result.summary.resume_from < 2.0
    turned = 20 * np.pi * np.sin(np.pi * result.time / 2)
    for name in ("hinge.angle", "thread.angle"):
        np.testing.assert_allclose(result.coordinate(name).value, turned, atol=1e-8)
    np.testing.assert_allclose(result["nut"].position[:, 2], 0.1 * turned / (2 * np.pi), atol=1e-9)
    assert turned.max() == pytest.approx(20 * np.pi)


def test_turns_are_part_of_a_saved_simulation():
    sim = mb.System.from_text(SCENE).simulate()
    sim.step(0.8)
    other = mb.System.from_text(SCENE).simulate()
    other.load(sim.save())
    for each in (sim, other):
        each.step(0.1)
    assert (
        other.coordinate("hinge.angle").value
        == sim.coordinate("hinge.angle").value
        == pytest.approx(20 * np.pi * np.sin(0.45 * np.pi), abs=1e-8)
    )
