"""Sampled PID controllers against their difference equation, solved by hand beside the exact motion under a
force that is held.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refused
from scene_text import body, hinge, solver, table, with_keys, world

import mbplugin as mb

INERTIA = 0.4
COORDINATES = ("maximal", "joint")
SOLVERS = {"rk": {"tolerance": 1e-12}, "galpha": {"tolerance": 1e-8}, "contact": {"step": 0.004}}
TIME = 0.03
PID = {
    "type": "pid",
    "target": "0.5 + 0.3*sin(4*time)",
    "proportional": 12.0,
    "integral": 9.0,
    "derivative": 2.0,
    "filter_time": 0.02,
    "feed_forward": "0.2*time",
    "effort_limit": "4 + time",
    "tracking_time": 0.25,
    "sample_time": TIME,
}


def wheel(pid: dict[str, Any], coordinates: str = "maximal", type_: str = "rk", more: str = "") -> str:
    """A wheel at rest on an axle with a controller."""
    return (
        world(gravity=[0, 0, 0])
        + body("wheel", mass=2.0, inertia=[INERTIA] * 3)
        + hinge("axle", "ground", "wheel", axis=(0, 0, 1))
        + table("force", name="drive", joint="axle", **pid)
        + more
        + solver(type=type_, coordinates=coordinates, end=1.0, **SOLVERS[type_])
        + "[output]\nframes = 37\n"
    )


def by_hand(t: Any, change: dict[str, float] | None = None, from_time: float = np.inf) -> Any:
    """s, force, demand, integral at times t: exact motion of the wheel between samples, and there

    v = k_p e + I + D + f_ff,   D = (T_f D₋ + k_d (e − e₋))/(T_f + T)   (D₋ = e₋ = 0 before the first one)
    I₊ = I + T (k_i e + (f − v)/T_t)

    change: keys that have other values from the sample at `from_time` on
    """
    keys = dict(PID)
    s = w = integral = D = before = 0.0
    k, out = 0, []
    for now in t:
        while True:
            start = k * TIME
            if start >= from_time - 1e-12:
                keys |= change or {}
            e = 0.5 + 0.3 * np.sin(4 * start) - s
            filter_time = keys["filter_time"]
            D_new = (filter_time * D + keys["derivative"] * (e - before)) / (filter_time + TIME)
            v = keys["proportional"] * e + integral + D_new + 0.2 * start
            most = 4 + start
            f = max(-most, min(most, v))
            if now < start + TIME - 1e-12:
                break
            D, before = D_new, e
            integral += TIME * (keys["integral"] * e + (f - v) / keys["tracking_time"])
            s, w = s + TIME * w + 0.5 * TIME**2 * f / INERTIA, w + TIME * f / INERTIA
            k += 1
        ahead = now - start
        out.append((s + ahead * w + 0.5 * ahead**2 * f / INERTIA, f, v, e))
    return np.array(out).T


@pytest.mark.parametrize("solver_", SOLVERS)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_sampled_pid_follows_its_difference_equation(coordinates, solver_):
    """With limit, back-calculation, filter and feed-forward; frames at and between samples."""
    result = mb.System.from_text(wheel(PID, coordinates, solver_)).run(files=False)
    s, f, v, e = by_hand(result.time)
    assert np.abs(v).max() > np.abs(f).max()  # it is limited for a while
    assert result.coordinate("axle.angle").value == pytest.approx(s, abs=1e-11)
    assert result.output("drive.force") == pytest.approx(f, abs=1e-9)
    assert result.output("drive.demand") == pytest.approx(v, abs=1e-9)
    assert result.output("drive.error") == pytest.approx(e, abs=1e-11)
    assert abs(result.energy.balance).max() < 1e-10


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_the_bits_do_not_depend_on_how_a_run_is_cut(coordinates):
    """Calls of `run` that end anywhere, and a state that is saved and loaded, beside one run."""
    system = mb.System.from_text(wheel(PID, coordinates))
    whole = system.simulate()
    whole.run(0.7)
    cut = system.simulate()
    for until in (10 * TIME, 14 * TIME):
        cut.run(until)
    saved = cut.save()
    cut.run(0.6)
    other = system.simulate()
    other.load(saved)
    other.run(0.7)
    for simulation in (whole, other):
        assert simulation.output("drive.force") == pytest.approx(by_hand([0.7])[1, 0], abs=1e-9)
    read = [
        (one.coordinate("axle.angle").value, one.coordinate("axle.angle").speed, one.state("drive.integral"))
        for one in (whole, other)
    ]
    assert read[0] == read[1]


def test_a_resumed_run_has_the_bits_of_one_that_was_not_ended(tmp_path):
    system = mb.System.from_text(wheel(PID).replace("frames = 37", "every = 0.05"))
    whole = system.run(files=False)
    system.run(tmp_path / "out", end=25 * TIME)
    resumed = system.run(tmp_path / "out", resume=True, end=1.0)
    assert resumed.coordinate("axle.angle").value[-1] == whole.coordinate("axle.angle").value[-1]
    assert resumed.state("drive.integral")[-1] == whole.state("drive.integral")[-1]


def test_a_changed_key_is_that_of_the_difference_equation():
    """`set_parameter` of a gain and of the interval, and the scene that has them."""
    problem = mb.System.from_text(wheel(PID)).compile()
    problem.set_parameter("force.drive.integral", 20.0)
    problem.set_parameter("force.drive.sample_time", 0.05)
    simulation = problem.simulate()
    simulation.run(0.61)
    other = mb.System.from_text(wheel({**PID, "integral": 20.0, "sample_time": 0.05})).simulate()
    other.run(0.61)
    assert simulation.coordinate("axle.angle").value == other.coordinate("axle.angle").value
    assert simulation.output("drive.force") != pytest.approx(by_hand([0.61])[1, 0], abs=1e-3)


@pytest.mark.parametrize("solver_", SOLVERS)
def test_a_sample_sees_an_input_that_jumps_at_its_time_and_lets_a_held_joint_slip(solver_):
    """k_p e exceeds the dry friction of the axle from the sample at 0.3 s on, where the target jumps."""
    keys = {"type": "pid", "target": "wanted", "proportional": 4.0, "sample_time": 0.1}
    text = wheel(keys, type_=solver_, more=table("input", name="wanted", time=[0, 0.3], value=[0.2, 1.0]))
    text = with_keys(text, "axle", friction_torque=1.0).replace("frames = 37", "every = 0.05")
    result = mb.System.from_text(text).run(files=False)
    t, s = np.asarray(result.time), result.coordinate("axle.angle").value
    assert np.abs(s[t <= 0.3]).max() < 1e-15
    first = (t >= 0.3) & (t <= 0.4)
    assert s[first] == pytest.approx(0.5 * (4.0 - 1.0) / INERTIA * (t[first] - 0.3) ** 2, abs=1e-9)
    assert result.output("drive.force")[np.isclose(t, 0.3)] == pytest.approx([4.0])


def test_without_a_filter_a_sample_takes_the_rate_itself():
    """d_k = ė(t_k): a step of the target gives no impulse, the measured speed brakes."""
    keys = {"type": "pid", "target": 0.5, "proportional": 3.0, "derivative": 2.0, "sample_time": 0.1}
    result = mb.System.from_text(wheel(keys)).run(files=False)
    s = w = 0.0
    forces = []
    for _ in range(10):
        f = 3.0 * (0.5 - s) - 2.0 * w
        forces.append(f)
        s, w = s + 0.1 * w + 0.005 * f / INERTIA, w + 0.1 * f / INERTIA
    last = result.coordinate("axle.angle").value[-1]
    assert last == pytest.approx(s, abs=1e-11)
    assert set(np.round(result.output("drive.force"), 9)) >= set(np.round(forces[1:], 9))


def test_many_short_samples_act_as_the_continuous_controller():
    """The difference is of first order in the interval."""
    ends = [
        mb.System.from_text(wheel({**PID, "sample_time": T})).run(files=False).coordinate("axle.angle").value
        for T in (0.0, 0.002, 0.001)
    ]
    far, near = (np.abs(one - ends[0]).max() for one in ends[1:])
    assert near < 2e-3
    assert far / near == pytest.approx(2.0, rel=0.1)


def test_what_is_continuous_in_time_refuses_samples_by_name():
    system = mb.System.from_text(wheel({**PID, "target": 0.0, "feed_forward": 0.0, "effort_limit": 5.0}))
    with refused("force[0]", "drive"):
        system.linearize()
    with refused("force[0].tracking_time"):
        mb.System.from_text(wheel({**PID, "tracking_time": 0.01})).compile()


def test_the_acceleration_at_the_start_is_that_of_the_first_sample():
    report = mb.System.from_text(wheel(PID)).analyze("acceleration")
    assert report.angular_acceleration[0, 2] == pytest.approx(by_hand([0.0])[1, 0] / INERTIA, rel=1e-12)


def test_each_controller_has_samples_of_its_own():
    """Two wheels whose controllers sample every 0.03 and 0.05 s, and each of them alone."""
    slow = {**PID, "sample_time": 0.05}
    alone = [mb.System.from_text(wheel(keys)).run(files=False) for keys in (PID, slow)]
    more = (
        body("other", mass=2.0, inertia=[INERTIA] * 3, position=[1, 0, 0])
        + hinge("shaft", "ground", "other", at=(1, 0, 0), axis=(0, 0, 1))
        + table("force", name="second", joint="shaft", **slow)
    )
    both = mb.System.from_text(wheel(PID, more=more)).run(files=False)
    for one, name, force in zip(alone, ("axle", "shaft"), ("drive", "second")):
        expected = one.coordinate("axle.angle").value
        assert both.coordinate(f"{name}.angle").value == pytest.approx(expected, abs=1e-11)
        assert both.output(f"{force}.force") == pytest.approx(one.output("drive.force"), abs=1e-9)
