"""Where the speed of a motion jumps: forces with a largest value give no impulse, limits and clutches do."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError, SceneError

#: of each solver: its keys, and the error that its step allows
HOW = {
    "rk": ({"tolerance": 1e-10}, 1e-9),
    "joint": ({"tolerance": 1e-10, "coordinates": "joint"}, 1e-9),
    "galpha": ({"type": "galpha", "step": 2e-3}, 1e-9),
    "contact": ({"type": "contact", "step": 2e-3}, 1e-9),
    "momentum": ({"tolerance": 1e-10, "coordinates": "joint", "form": "momentum"}, 1e-9),
}
JUMPS = {"a speed": {"length_velocity": "if(time - 0.1, 3, 0)"}, "a kink": {"length": "3*max(time - 0.1, 0)"}}
each_solver = pytest.mark.parametrize("how", HOW)


def slider(more: str, how: str, end: float, **keys) -> mb.System:
    """A mass of 2 kg on a rail along x, without gravity."""
    text = world(gravity=[0, 0, 0]) + body("m", mass=2, inertia=[1, 1, 1])
    text += joint("s", "translational", "ground", "m", axis=[1, 0, 0], **keys)
    return mb.System.from_text(text + more + solver(**HOW[how][0], end=end) + table("output", frames=20))


def carriage(how: str, end: float, joint_keys: dict, **drive) -> mb.Result:
    """A carriage of 1 kg whose rail is driven, with a mass of 2 kg on a slider along the same line."""
    text = (
        world(gravity=[0, 0, 0]) + body("A", mass=1, inertia=[1, 1, 1]) + body("B", mass=2, inertia=[1, 1, 1])
    )
    text += joint("ra", "translational", "ground", "A", axis=[1, 0, 0])
    text += joint("rb", "translational", "A", "B", axis=[1, 0, 0], **joint_keys)
    text += motion("ra", **drive) + solver(**HOW[how][0], end=end) + table("output", frames=20)
    return mb.System.from_text(text).run(files=False)


def end_of(result: mb.Result, name: str) -> tuple[float, float]:
    """Position and velocity along x at the end."""
    return float(result[name].position[-1, 0]), float(result[name].velocity[-1, 0])


@pytest.mark.parametrize("jump", JUMPS)
@each_solver
def test_a_motor_of_limited_effort_gives_no_impulse(how, jump):
    """4 N move 2 kg with 2 m/s² from 0.1 s on. Where a force ceases, conditions are looked at before that."""
    more = motion("s", **JUMPS[jump], effort_limit=4)
    more += table("force", type="joint_force", joint="s", force="0", active="time < 0.1")
    result = slider(more, how, 1.0).run(files=False)
    assert end_of(result, "m") == pytest.approx((0.81, 1.8), abs=HOW[how][1])
    assert result.energy.work[-1] == pytest.approx(4 * 0.81, abs=10 * HOW[how][1])
    assert np.abs(result.energy.balance).max() < 10 * HOW[how][1]


@pytest.mark.parametrize("how", HOW)
def test_a_jump_turns_the_force_of_a_motor_that_lags_round(how):
    """4 N after 3 m/s; at 0.1 s, when the mass has 0.2 m/s, the motion asks for none: −4 N stop it."""
    drive = motion("s", length_velocity="if(time - 0.1, 0, 3)", effort_limit=4)
    result = slider(drive, how, 0.5).run(files=False)
    assert end_of(result, "m") == pytest.approx((0.02, 0.0), abs=max(HOW[how][1], 1e-9))
    assert result.energy.work[-1] == pytest.approx(0.0, abs=1e-8)


@each_solver
def test_a_motor_of_limited_effort_starts_with_the_speed_of_its_body(how):
    """½ · 2 m/s² t², although its motion asks for 3 m/s from the beginning; −1 m/s where that is given."""
    drive = motion("s", length_velocity="3", effort_limit=4)
    assert end_of(slider(drive, how, 1.0).run(files=False), "m") == pytest.approx((1, 2), abs=HOW[how][1])
    thrown = slider(drive, how, 1.0, start={"speed": -1}).run(files=False)
    assert end_of(thrown, "m") == pytest.approx((0, 1), abs=HOW[how][1])


@each_solver
def test_what_sticks_on_a_body_whose_speed_jumps_slips(how):
    """4 N drag 2 kg for 0.5 s; the motion gives the carriage alone its kinetic energy."""
    result = carriage(how, 0.6, {"friction_force": 4}, length_velocity="if(time - 0.1, 3, 0)")
    assert end_of(result, "B") == pytest.approx((0.25, 1.0), abs=HOW[how][1])
    assert end_of(result, "A") == pytest.approx((1.5, 3.0), abs=HOW[how][1])
    assert result.energy.work[-1] == pytest.approx(0.5 * 3**2 + 4 * 1.5, abs=10 * HOW[how][1])
    assert np.abs(result.energy.balance).max() < 10 * HOW[how][1]


@pytest.mark.parametrize(
    ("keys", "carried"),
    [({"limits": [0, 1]}, True), ({"one_way": "positive"}, True), ({"one_way": "negative"}, False)],
)
@each_solver
def test_limits_and_clutches_hand_the_whole_jump_on(how, keys, carried):
    """A mass that rests on its lower limit, or may slide on only, is taken along; its work is ½ m v²."""
    result = carriage(how, 0.5, keys, length_velocity="if(time - 0.1, 3, 0)")
    assert end_of(result, "B") == pytest.approx((1.2, 3.0) if carried else (0.0, 0.0), abs=HOW[how][1])
    assert result.energy.work[-1] == pytest.approx(4.5 * (3 if carried else 1), abs=10 * HOW[how][1])
    assert np.abs(result.energy.balance).max() < 10 * HOW[how][1]


@each_solver
def test_a_program_that_sets_speeds_asks_no_more_of_a_motor_than_its_effort(how):
    """Every 10 ms another speed: the velocity changes by at most 4 N / 2 kg · 10 ms, and follows 0.5 m/s² at
    once."""
    text = '[[input]]\nname = "speed"\nunit = "m/s"\n'
    sim = slider(text + motion("s", length_velocity="speed", effort_limit=4), how, 10.0).simulate()
    speeds = []
    for k in range(40):
        sim.inputs["speed"] = 0.005 * k if k < 20 else 0.1 + 1.0 * (k % 2)
        sim.step(0.01)
        speeds.append(float(sim["m"].velocity[0]))
    assert np.abs(np.diff(speeds)).max() < 0.02 + 1e-9
    assert speeds[:20] == pytest.approx([0.005 * k for k in range(20)], abs=1e-9)
    # up by 2 m/s² and back to what the program asks for, in turn
    assert speeds[20:] == pytest.approx([0.1 if k % 2 == 0 else 0.12 for k in range(20)], abs=1e-9)


def gears(how: str, first: str = "time < 0.2", second: str = "time >= 0.2") -> mb.System:
    """Two wheels of 0.2 and 0.5 kg m², coupled by a ratio of 1/2 and then of 2."""
    text = world(gravity=[0, 0, 0]) + body("a", mass=1, inertia=[1, 1, 0.2], angular_velocity=[0, 0, 10])
    text += body("b", mass=1, inertia=[1, 1, 0.5])
    text += joint("in", "revolute", "ground", "a", axis=[0, 0, 1])
    text += joint("out", "revolute", "ground", "b", axis=[0, 0, 1])
    for name, ratio, active in (("g1", 0.5, first), ("g2", 2, second)):
        text += motion("out", name=name, angle_velocity=f"{ratio}*rate(in.angle)", active=active)
    return mb.System.from_text(text + solver(**HOW[how][0], end=0.4) + table("output", frames=5))


@each_solver
def test_motions_of_one_coordinate_take_turns(how):
    """The impulse Λ of the change: 0.2 (ω − ω₀) = −2 Λ, 0.5 (2 ω − ½ ω₀) = Λ: ω = 0.7/2.2 ω₀."""
    result = gears(how).run(files=False)
    speeds = np.array([[result[name].angular_velocity[k, 2] for name in "ab"] for k in (0, -1)])
    assert speeds[0, 1] == pytest.approx(0.5 * speeds[0, 0], rel=1e-12)
    assert speeds[1] == pytest.approx(np.array([0.7 / 2.2, 1.4 / 2.2]) * speeds[0, 0], rel=1e-9)
    assert np.abs(result.energy.balance).max() < 1e-9


@pytest.mark.parametrize("how", ["rk", "contact"])
def test_two_motions_that_would_act_at_once_are_named_with_the_time(how):
    with pytest.raises(PhysicsError, match=r't = 0\.2.*"g1" and "g2" both drive "out.angle"'):
        gears(how, "time < 0.3").run(files=False)
    with pytest.raises(SceneError, match=r'motion\[0\].active.*"g1" and "g2" both drive "out.angle"'):
        gears(how, "time < 0.3", "time < 0.1").run(files=False)


def test_a_second_motion_that_is_never_without_the_first_is_refused():
    more = motion("s", name="one", length="0") + motion(
        "s", name="two", length_velocity="1", active="time > 1"
    )
    with pytest.raises(
        SceneError, match=r"motion\[1\].length_velocity.*motion\[0\].length drives .* already"
    ):
        slider(more, "rk", 1.0).run(files=False)


def test_a_drive_and_a_brake_of_limited_effort_act_together():
    """6 N forwards against 2 N that hold: 2 kg with 2 m/s²."""
    more = motion("s", name="drive", length_velocity="9", effort_limit=6)
    more += motion("s", name="brake", length_velocity="0", effort_limit=2)
    result = slider(more, "rk", 1.0).run(files=False)
    assert end_of(result, "m") == pytest.approx((1.0, 2.0), abs=1e-9)
    assert result.coordinate("s.length").drive[-1] == pytest.approx(4.0, abs=1e-9)
