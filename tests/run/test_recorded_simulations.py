"""Recorded simulations: the bits of one that is not recorded, and frames like those of a run."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

import mbplugin as mb
from mbplugin.errors import PhysicsError

SCENE = """
[scene]
name = "lever"
gravity = [0, 0, -9.81]
[[input]]
name = "u"
unit = "N m"
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.01]
position = [0.5, 0, 0]
shape = [{ type = "box", size = [1, 0.1, 0.1] }]
[[joint]]
name = "pin"
type = "revolute"
a = "ground"
b = "rod"
axis = [0, 1, 0]
limits = [-0.3, 0.3]
restitution = 0.5
[[force]]
type = "joint_force"
joint = "pin"
torque = "u"
"""
SOLVERS: list[dict[str, Any]] = [
    {"type": "rk"},
    {"type": "rk", "coordinates": "joint"},
    {"type": "contact", "step": 0.004},
    {"type": "contact", "step": 0.004, "coordinates": "joint"},
    {"type": "galpha", "step": 0.004},
    {"type": "galpha", "step": 0.004, "coordinates": "joint"},
]
NAMES = ["rk", "rk joint", "contact", "contact joint", "galpha", "galpha joint"]
#: what a state has of the evaluations of frames, which no step reads
OF_FRAMES = "record"
#: a ball that falls onto a floor, with a wind that is an input
BALL = """
[scene]
gravity = [0, 0, -9.81]
collide = true
material = "rubber"
shape = [{ type = "plane", size = [4, 4] }]
[[input]]
name = "wind"
[solver]
type = "contact"
step = 0.001
end = 1
[[material]]
name = "rubber"
restitution = 0.7
[[body]]
name = "ball"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 0, 0.2]
shape = [{ type = "sphere", radius = 0.1 }]
collide = true
material = "rubber"
[[force]]
type = "force"
body = "ball"
force_x = "wind"
"""


def lever(solver: dict[str, Any]) -> mb.System:
    system = mb.System.from_text(SCENE)
    system.solver = mb.Solver(**solver)
    system.output = mb.Output(every=0.003, series=False)
    return system


def swing(simulation: mb.Simulation) -> None:
    """A torque that lifts the lever from one limit to the other."""
    simulation.inputs["u"] = 7.0 if simulation.time % 0.4 > 0.2 else 0.0


def states(simulation: mb.Simulation) -> dict[str, Any]:
    return {name: array for name, array in simulation.save().items() if name != OF_FRAMES}


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_recorded_simulation_has_the_bits_of_one_that_is_not(solver: dict[str, Any]) -> None:
    system = lever(solver)
    plain, recorded = system.simulate(), system.simulate(record=True)
    for simulation in (plain, recorded):
        simulation.run(0.35, control=swing, every=0.01)
        simulation.step(0.0137)
        simulation.record() if simulation is recorded else None
        simulation.run(0.7, control=swing, every=0.01)
    expected = states(plain)
    for name, array in states(recorded).items():
        assert np.array_equal(array, expected[name], equal_nan=True), name
    assert len(recorded.events.time) == len(recorded.result.events.time) > 0


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_frames_are_those_of_a_run_that_plays_the_same_inputs(solver: dict[str, Any]) -> None:
    system = lever(solver | {"end": 0.5})
    simulation = system.simulate(record=True)
    simulation.run(0.5, control=swing, every=0.01)
    times = np.arange(50) / 100
    table = [[t, 7.0 if t % 0.4 > 0.2 else 0.0] for t in times]
    run, result = system.run(files=False, inputs={"u": table}), simulation.result
    assert result.time == pytest.approx(run.time, abs=1e-15)
    here, there = result.coordinate("pin.angle").value, run.coordinate("pin.angle").value
    assert np.abs(here - there).max() < 1e-8
    assert np.array_equal(result.input("u"), run.input("u"))
    assert [e.after for e in result.events] == [e.after for e in run.events]


def test_record_adds_a_frame_of_the_present_time() -> None:
    simulation = lever(SOLVERS[0]).simulate(record=True, every=0.1)
    simulation.run(0.23)
    simulation.record()
    simulation.record()
    simulation.run(0.3)
    assert simulation.result.time == pytest.approx([0.0, 0.1, 0.2, 0.23, 0.3], abs=1e-15)
    simulation.run(0.4)
    assert simulation.result.time == pytest.approx([0.0, 0.1, 0.2, 0.23, 0.3, 0.4], abs=1e-15)


def test_a_result_stays_as_it_was_when_the_simulation_goes_on() -> None:
    simulation = lever(SOLVERS[0]).simulate(record=True, every=0.1)
    simulation.run(0.2)
    before = simulation.result
    angles = before.coordinate("pin.angle").value.copy()
    simulation.run(0.4)
    assert len(before.time) == len(before.raw.time) == 3
    assert np.array_equal(before.coordinate("pin.angle").value, angles)
    assert len(simulation.result.time) == 5


def test_frames_have_contacts_and_impacts() -> None:
    system = mb.System.from_text(BALL)
    simulation = system.simulate(record=True, every=0.01)
    simulation.run(1.0, control=lambda s: s.inputs.update(wind=0.1 if s.time > 0.5 else 0.0), every=0.01)
    result = simulation.result
    # it reaches the floor after √(2 · 0.1/g)
    assert result.events.time[0] == pytest.approx(np.sqrt(0.2 / 9.81), abs=2e-3)
    n = np.diff(result.list("contacts").offset)
    assert n[-1] == 1 and n[0] == 0
    assert result.input("wind")[[0, -1]].tolist() == [0.0, 0.1]


def test_a_folder_has_what_memory_has_and_is_a_result_like_any_other(tmp_path: Path) -> None:
    system = lever(SOLVERS[3])
    memory = system.simulate(record=True)
    with system.simulate(record=tmp_path / "lever") as files:
        for simulation in (memory, files):
            simulation.run(0.2, control=swing, every=0.01)
            simulation.record()
        # read while it goes on
        assert len(files.result.time) == len(memory.result.time)
        files.run(0.3)
        memory.run(0.3)
    stored, kept = mb.load(tmp_path / "lever"), memory.result
    assert stored.summary is not None and stored.summary.complete
    for key in ("time", "coordinates/value", "bodies/position", "inputs/value", "joints/force"):
        assert np.array_equal(stored.raw[key], kept.raw[key], equal_nan=True), key
    assert stored.table("pin.angle").shape == kept.table("pin.angle").shape


def test_a_recorded_simulation_is_continued_to_the_bit(tmp_path: Path) -> None:
    system = lever(SOLVERS[2])
    whole = system.simulate(record=True)
    for end in (0.155, 0.4):
        whole.run(end, control=swing, every=0.01)
    first = system.simulate(record=tmp_path / "out")
    first.run(0.155, control=swing, every=0.01)
    first.record()  # between two planned ones
    first.run(0.25, control=swing, every=0.01)
    first.close()
    second = system.simulate(record=tmp_path / "out", resume=True)
    assert second.time == 0.25
    second.run(0.4, control=swing, every=0.01)
    stored, kept = second.result, whole.result
    planned = np.isin(stored.time, kept.time)
    assert planned.sum() == len(kept.time) == len(stored.time) - 1
    for key in ("coordinates/value", "bodies/velocity", "inputs/value"):
        assert np.array_equal(stored.raw[key][planned], kept.raw[key]), key
    second.close()


@pytest.mark.parametrize("solver", (SOLVERS[1], SOLVERS[2]), ids=(NAMES[1], NAMES[2]))
def test_a_compiled_problem_records_as_its_system_does(solver: dict[str, Any], tmp_path: Path) -> None:
    """With a key that was changed: frames, the scene in the result, and what is continued in a folder."""
    changed = lever(solver).with_values({"body.rod.mass": 1.5})
    problem = lever(solver).compile()
    problem.set_parameter("body.rod.mass", 1.5)
    expected, memory = changed.simulate(record=True, every=0.02), problem.simulate(record=True, every=0.02)
    with problem.simulate(record=tmp_path / "out", every=0.02) as first:
        first.run(0.3, control=swing, every=0.01)
    second = problem.simulate(record=tmp_path / "out", every=0.02, resume=True)
    for simulation in (expected, memory):
        simulation.run(0.3, control=swing, every=0.01)
    for simulation in (expected, memory, second):
        simulation.run(0.5, control=swing, every=0.01)
    results = [simulation.result for simulation in (expected, memory, second)]
    for result in results:
        assert "mass = 1.5" in result.raw.attributes["scene"]
        assert len(result.time) == 26
        for key in ("coordinates/value", "inputs/value", "joints/force"):
            assert np.array_equal(result.raw[key], results[0].raw[key]), key
    second.close()
    with refused(key="Problem.simulate: every", value=0.1):
        problem.simulate(every=0.1)
    assert problem.simulate().time == 0.0


def test_ctrl_c_keeps_what_was_done(tmp_path: Path) -> None:
    simulation = lever(SOLVERS[0]).simulate(record=tmp_path / "out", every=0.01)

    def control(s: mb.Simulation) -> None:
        if s.time > 0.3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        simulation.run(5.0, control=control, every=0.01)
    assert simulation.time == pytest.approx(0.31)
    assert mb.load(simulation.result.folder).time[-1] == pytest.approx(0.31)
    simulation.run(0.5)  # and it can go on
    assert simulation.result.time[-1] == pytest.approx(0.5)
    simulation.close()


def test_an_error_of_a_step_ends_the_record_with_the_frames_before_it(tmp_path: Path) -> None:
    system = lever(SOLVERS[0])
    system.add(mb.Force(type="joint_force", joint="pin", torque="1e3*log(0.2 - time)"))
    simulation = system.simulate(record=tmp_path / "out", every=0.01)
    with pytest.raises(PhysicsError):
        simulation.run(1.0, control=swing, every=0.05)
    result = mb.load(tmp_path / "out")
    assert 0.1 < result.time[-1] < 0.21
    assert result.raw.messages[-1].level == "error"


def test_what_cannot_be_recorded_is_refused() -> None:
    system = lever(SOLVERS[0])
    plain, recorded = system.simulate(), system.simulate(record=True, every=0.1)
    with refused(key="Simulation.result"):
        plain.result  # noqa: B018
    with refused(key="Simulation.record"):
        plain.record()
    with refused(key="System.simulate: every", value=0.1):
        system.simulate(every=0.1)
    with refused(key="System.simulate: resume"):
        system.simulate(record=True, resume=True)
    with refused(key="System.simulate: every", value=0.0):
        system.simulate(record=True, every=0.0)
    start = recorded.save()
    recorded.run(0.3)
    before = recorded.save()
    with refused(key="saved"):
        recorded.load(start)
    assert recorded.time == 0.3
    assert np.array_equal(recorded.save()["q1"], before["q1"])


def test_on_frame_sets_inputs_that_hold_from_its_frame_on() -> None:
    # a mass that is pushed by 1 N from t = 0.5 s on: x = (t − 0.5)²/2
    system = mb.System.from_text(
        """
        [[input]]
        name = "push"
        [[body]]
        name = "sled"
        mass = 1
        inertia = [1, 1, 1]
        [[force]]
        type = "force"
        body = "sled"
        force_x = "push"
        """
    )
    system.output = mb.Output(every=0.1)

    def on_frame(frame: Any) -> None:
        frame.inputs["push"] = 1.0 if frame.time >= 0.49 else 0.0

    result = system.run(files=False, end=2.0, on_frame=on_frame)
    expected = np.maximum(result.time - 0.5, 0.0) ** 2 / 2
    assert result["sled"].position[:, 0] == pytest.approx(expected, abs=1e-12)
    assert len(result.time) == 21
