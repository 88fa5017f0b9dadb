"""The search for singular positions between frames looks at the rows that hold, and at positions that the run
passes.
"""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import NO_GRAVITY, body, motion, pin, solver, table, with_keys
from test_branches import four_bar

import mbplugin as mb

FOLD = 0.5  # from 0.5 rad at 1 rad/s the parallelogram lies flat then [s]
FOLDING = four_bar(1.0, 2.0, angle=0.5, speed=-1.0)
SWING = body("swing", type="planar", mass=1.0, inertia=0.1, position=[5, 0.5])


def with_swing(release: str) -> str:
    """The parallelogram, and a body on a pin that is released."""
    head, _, tail = FOLDING.partition("[solver]")
    return head + SWING + pin("hook", "ground", "swing", 5, 0, release=release) + "[solver]" + tail


def told(result) -> list[float]:
    """Times of the warnings about singular configurations [s]."""
    return [m.time for m in result.messages if m.level == "warning" and "singular" in m.text]


def run(text: str, **output):
    return mb.System.from_text(text.partition("[output]")[0] + table("output", **output)).run(files=False)


@pytest.mark.parametrize("frames", [200, 50, 10])
def test_a_fold_is_found_however_near_the_frames_are(frames):
    assert told(run(FOLDING, frames=frames)) == [pytest.approx(FOLD, abs=1e-4)]


@pytest.mark.parametrize("release", [0.3, 0.7])
def test_a_fold_is_found_behind_and_before_the_release_of_another_joint(release):
    assert told(run(with_swing(f"time > {release}"), frames=200)) == [pytest.approx(FOLD, abs=1e-5)]


def test_a_linkage_that_is_opened_before_its_fold_has_none():
    opened = with_keys(FOLDING, "C", release="time > 0.3")
    result = run(opened, frames=200)
    assert told(result) == [] and result.dof[-1] == 3


def test_a_run_that_is_resumed_behind_a_release_finds_the_fold(tmp_path):
    text = with_swing("time > 0.3") + table("output", frames=100, series=False)
    system = mb.System.from_text(text.replace("[output]\nframes = 200\n", "", 1))
    system.run(tmp_path / "out", on_frame=lambda frame: "enough" if frame.time > 0.4 else None)
    resumed = system.run(tmp_path / "out", resume=True)
    assert told(resumed) == [pytest.approx(FOLD, abs=1e-5)]
    whole = system.run(tmp_path / "whole")
    for key in whole.raw.frame_arrays:
        np.testing.assert_array_equal(resumed.raw[key], whole.raw[key], err_msg=key)


SLIDER_CRANK = (
    NO_GRAVITY
    + body("crank", type="planar", mass=1, inertia=0.01, position=[0.15, 0])
    + body("rod", type="planar", mass=1, inertia=0.05, position=[0.65, 0])
    + body("slider", type="planar", mass=1, inertia=0.01, position=[1.0, 0])
    + pin("A", "ground", "crank", 0, start={"angle": 0.5})
    + pin("B", "crank", "rod", 0.3)
    + pin("C", "rod", "slider", 1.0)
    + table("joint", name="S", type="translational", a="ground", b="slider", at=[1.0, 0], axis=[1, 0, 0])
    + motion("S", length_velocity="0.2", effort_limit=1)
)
HOW = {
    "rk": {},
    "joint coordinates": {"coordinates": "joint"},
    "galpha": {"type": "galpha"},
    "contact": {"type": "contact", "step": 5e-3},
}


@pytest.mark.parametrize("how", HOW)
def test_a_motor_that_gives_way_drives_a_linkage_over_its_dead_point(how):
    """Its force has a bound, so the dead point is no singular configuration of what holds there."""
    result = run(SLIDER_CRANK + solver(end=2, **HOW[how]), frames=200)
    angle = result.coordinate("A.angle").value
    assert angle.max() > 0.0 > angle.min()
    assert "at upper effort" in result.status("S.length.effort").tolist()
    assert told(result) == []


def crank_rocker(**solver_keys) -> str:
    """A crank of 0.3 m, driven at 5 rad/s, in a four-bar that it can turn round in: no singular position."""
    text = NO_GRAVITY + body("crank", type="planar", mass=1, inertia=0.01, position=[0, 0.15])
    text += body("rod", type="planar", mass=1, inertia=0.1, position=[0.45, 0.45])
    text += body("rocker", type="planar", mass=1, inertia=0.1, position=[0.95, 0.3])
    text += pin("A", "ground", "crank", 0) + pin("B", "crank", "rod", 0, 0.3)
    text += pin("C", "rod", "rocker", 0.9, 0.6) + pin("D", "ground", "rocker", 1.0)
    return text + motion("A", angle_velocity="5") + solver(**solver_keys)


@pytest.mark.parametrize("frames", [10, 16, 20, 33, 100, 400])
def test_frames_turns_apart_make_no_singular_position(frames):
    assert told(run(crank_rocker(end=20), frames=frames)) == []


@pytest.mark.parametrize("gap", [0.03, 0.05, 0.07])
@pytest.mark.parametrize("every", [0.01, 0.05])
def test_a_fold_before_which_the_linkage_is_thrown_back_is_not_passed(every, gap):
    """A limit shortly before the fold [rad] turns the motion round between two frames."""
    result = run(with_keys(FOLDING, "A", limits=[gap - 0.5, 1.0], restitution=1.0), every=every)
    assert result.coordinate("A.angle").speed[-1] > 0.9
    assert told(result) == []
