"""Runs that end where a condition becomes true: the time, the last frame, what is said, resuming."""

from __future__ import annotations

import json

import numpy as np
import pytest
from child import inside
from refusals import has, message_with, refused
from scene_text import body, hinge, joint, solver, table, world
from small_systems import pendulum

import mbplugin as mb

G, UP, AWAY = 9.81, 4.0, 3.0
LANDING = 2 * UP / G
DOWN = "component_z(ground, ball) <= 0"
SOLVERS = {
    "rk": {"tolerance": 1e-10},
    "rk4": {"integrator": "rk4", "step": 0.01},
    "galpha": {"type": "galpha", "step": 0.01},
    "contact": {"type": "contact", "step": 0.01},
}


def throw(stop=DOWN, end=5.0, output="[output]\nevery = 0.1\nseries = false\n", **keys):
    """A ball that is thrown from the ground."""
    return (
        world(name="throw", gravity=[0, 0, -G])
        + body("ball", mass=1.0, inertia=[1, 1, 1], velocity=[AWAY, 0, UP])
        + solver(end=end, stop=stop, **(keys or SOLVERS["rk"]))
        + output
    )


def run(text):
    return mb.System.from_text(text).run(files=False)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_projectile_is_stopped_where_it_lands(name):
    """t = 2 v/g, with every solver: steps of fixed length are shortened as well."""
    result = run(throw(**SOLVERS[name]))
    assert result.time[-1] == pytest.approx(LANDING, abs=1e-12)
    np.testing.assert_allclose(result["ball"].position[-1], [AWAY * LANDING, 0, 0], atol=1e-11)
    np.testing.assert_allclose(result.time[:-1], np.arange(9) * 0.1, atol=1e-15)
    assert has(result.summary.stopped, f"{LANDING:.9g}", DOWN)
    assert result.summary.complete
    assert [m.text for m in result.messages].count(result.summary.stopped) == 1


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
def test_a_condition_that_does_not_become_true_is_told(coordinates):
    """It stands in the tables that are stepped, which in joint coordinates are others."""
    rod = pendulum() + solver(end=0.2, stop="pivot.angle > 3", coordinates=coordinates)
    result = run(rod)
    assert result.summary.complete and result.summary.stopped == ""
    assert sum("did not become true" in m.text for m in result.messages) == 1


def test_the_motion_before_the_stop_is_that_of_a_run_without_it():
    other = run(throw(stop=None, end=0.8))
    result = run(throw())
    np.testing.assert_allclose(result["ball"].position[:9], other["ball"].position[:9], atol=1e-12)


@pytest.mark.parametrize(
    ("stop", "time"),
    [
        ("rate(component_z(ground, ball)) < 0", UP / G),
        ("component_x(ground, ball) > 1.2 and rate(component_z(ground, ball)) < 0", UP / G),
        ("component_x(ground, ball) > 1.5 and rate(component_z(ground, ball)) < 0", 1.5 / AWAY),
        ("component_x(ground, ball) > 1.5 or time > 0.3", 0.3),
        ("time >= 0.25", 0.25),
        ("component_z(ground, ball) - 0.5", (UP - np.sqrt(UP**2 - G)) / G),
    ],
)
def test_conditions_of_rates_and_times_and_several(stop, time):
    assert run(throw(stop)).time[-1] == pytest.approx(time, abs=1e-10)


def test_a_rope_that_goes_slack_stops_the_run():
    """A mass on a rod, thrown upwards at the bottom: its force vanishes where 3 cos θ = 2 − v²/(g l)."""
    v2 = 3.5 * G
    push = [f"reaction(rope.f{i}, ground)*component_{i}(ground, bob)" for i in "xz"]
    text = (
        world(gravity=[0, 0, -G])
        + body("bob", type="point", mass=1.0, position=[0, 0, -1], velocity=[np.sqrt(v2), 0, 0])
        + joint("rope", "rod", "ground", "bob")
        + solver(end=5.0, stop=f"{push[0]} + {push[1]} > 0", tolerance=1e-11)
    )
    result = run(text)
    cosine = -result["bob"].position[-1, 2]
    assert cosine == pytest.approx((2 - v2 / G) / 3, abs=1e-8)


def test_a_condition_that_never_comes_true_is_told():
    result = run(throw("component_z(ground, ball) > 10", end=0.5))
    assert result.time[-1] == 0.5 and not result.summary.stopped
    message_with(result.messages, "component_z(ground, ball) > 10", level="info")


def test_a_condition_that_is_true_at_the_start_stops_when_it_becomes_true_again():
    """Below 0.5 m until t₁, above, and below again at t₂."""
    result = run(throw("component_z(ground, ball) < 0.5"))
    assert result.time[-1] == pytest.approx((UP + np.sqrt(UP**2 - G)) / G, abs=1e-10)
    message_with(result.messages, "component_z(ground, ball) < 0.5", "t = 0", level="warning")


def test_a_condition_that_is_true_all_along_is_told():
    result = run(throw("component_z(ground, ball) < 100", end=0.5))
    assert result.time[-1] == 0.5 and not result.summary.stopped
    for level in ("warning", "info"):
        message_with(result.messages, "component_z(ground, ball) < 100", level=level)


def test_a_simulation_goes_no_further():
    sim = mb.System.from_text(throw()).simulate()
    sim.step(0.5)
    assert sim.stopped == ""
    saved = sim.save()
    for _ in range(5):
        sim.step(0.2)
    assert sim.time == pytest.approx(LANDING, abs=1e-12)
    assert sim["ball"].position[0] == pytest.approx(AWAY * LANDING, abs=1e-11)
    assert DOWN in sim.stopped
    assert [text for _, _, text in sim.messages].count(sim.stopped) == 1
    sim.load(saved)
    assert sim.time == 0.5 and sim.stopped == ""


def test_no_control_function_is_called_after_the_stop():
    sim, called = mb.System.from_text(throw()).simulate(), []
    sim.run(3.0, control=lambda simulation: called.append(simulation.time), every=0.1)
    np.testing.assert_allclose(called, np.arange(9) * 0.1, atol=1e-15)
    assert sim.time == pytest.approx(LANDING, abs=1e-12) and sim.stopped
    sim.run(4.0)
    assert sim.time == pytest.approx(LANDING, abs=1e-12)


def test_frames_end_where_the_output_ends():
    """And one that begins later than the stop has the frame of the stop."""
    early = run(throw(output="[output]\nevery = 0.1\nend = 0.3\nseries = false\n"))
    np.testing.assert_allclose(early.time, [0, 0.1, 0.2, 0.3], atol=1e-15)
    assert early.summary.stopped in [m.text for m in early.messages]
    late = run(throw(output="[output]\nevery = 0.1\nstart = 2.0\nseries = false\n"))
    np.testing.assert_allclose(late.time, [LANDING], atol=1e-12)


def test_a_changed_condition_needs_no_compilation():
    problem = mb.System.from_text(throw()).compile()
    problem.set_parameter("solver.stop", "component_z(ground, ball) < 0.5")
    assert problem.run().time[-1] == pytest.approx((UP + np.sqrt(UP**2 - G)) / G, abs=1e-10)


def test_the_scene_as_text_keeps_it():
    system = mb.System.from_text(throw())
    assert mb.System.from_text(system.to_toml()).solver.stop == DOWN


def test_many_turns_count_in_a_condition():
    text = (
        world(gravity=[0, 0, 0])
        + body("wheel", mass=1.0, inertia=[0.1, 0.1, 0.2], angular_velocity=[0, 0, 5.0])
        + hinge("axle", "ground", "wheel")
        + table("force", type="joint_force", joint="axle", torque="0")
        + solver(end=20.0, stop="axle.angle > 20*pi", tolerance=1e-10)
    )
    assert run(text).time[-1] == pytest.approx(20 * np.pi / 5, abs=1e-10)


def test_at_the_command_line_it_is_a_finished_run(tmp_path):
    """Exit code 0, one line of the summary; resuming finds nothing to do, also with a later end."""
    scene, out = tmp_path / "scene.toml", tmp_path / "out"
    scene.write_text(throw())
    done = inside("run", scene, "-o", out, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = f"{LANDING:.9g}"
    assert has(done.stdout, told) and has((out / "messages.txt").read_text(), told)
    before = mb.load(out)["ball"].position
    for further in ([], ["--end", "9"]):
        again = inside("run", scene, "-o", out, "--resume", "--json", *further, cwd=tmp_path)
        assert again.returncode == 0, again.stderr
        said = json.loads(again.stdout)
        assert said["complete"] and has(said["stopped"], told)
        np.testing.assert_array_equal(mb.load(out)["ball"].position, before)
        assert (out / "messages.txt").read_text().count(said["stopped"]) == 1


@pytest.mark.parametrize(
    "stop",
    [
        "2 > 1",
        "component_z(ground, bal) < 0",
        "height < 0",
        "component_z(ground, ball) == 0",
        "component_z(ground, ball) < 0 and",
    ],
)
def test_a_condition_without_sense_is_refused(stop):
    with refused("solver.stop", stop):
        run(throw(stop))
