"""Limits, dry friction, limited efforts and one-way clutches of joints against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scene_text import body, joint, motion, solver, table, torque, world

import mbplugin as mb

G, J, K = 9.81, 2.0, 8.0
#: of each solver: its keys, and the error relative to the exact methods that its step allows
HOW = {
    "rk": ({"tolerance": 1e-11}, 1e-9),
    "galpha": ({"type": "galpha", "step": 1e-3}, 2e-5),
    "contact": ({"type": "contact", "step": 1e-3}, 5e-3),
}


def wheel(end: float, how: str = "rk", more: str = "", frames: int = 100, **keys) -> mb.Result:
    """A wheel of 2 kg m² on a hinge along z without gravity; `keys` of the hinge."""
    text = world(gravity=[0, 0, 0]) + body("wheel", mass=1, inertia=[1, 1, J])
    text += joint("pin", "revolute", "ground", "wheel", axis=[0, 0, 1], **keys)
    text += more + solver(**HOW[how][0], end=end)
    return mb.System.from_text(text + f"[output]\nframes = {frames}\n").run(files=False)


def bounces(t: float, e: float, height: float = 1.0) -> float:
    """Height of a mass dropped from `height` that rebounds with e, by its parabolas."""
    fall = np.sqrt(2 * height / G)
    if t < fall:
        return height - 0.5 * G * t * t
    v, t = e * G * fall, t - fall
    while v > 1e-13 and t >= 2 * v / G:
        t, v = t - 2 * v / G, e * v
    return v * t - 0.5 * G * t * t if v > 1e-13 else 0.0


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_mass_that_falls_onto_a_limit_rebounds_by_its_parabolas_and_comes_to_rest(e, how):
    """z = h e^{2n} at the tops; with e < 1 it rests after infinitely many impacts."""
    keys, error = HOW[how]
    text = world() + body("mass", mass=3, inertia=[1, 1, 1], position=[0, 0, 1])
    text += joint("rail", "translational", "ground", "mass", at=[0, 0, 1], axis=[0, 0, 1])
    text = text.replace("[[joint]]", f"[[joint]]\nlimits = [-1, inf]\nrestitution = {e}")
    text += solver(**keys, end=2.5) + table("output", frames=100)
    result = mb.System.from_text(text).run(files=False)
    z = result["mass"].position[:, 2]
    np.testing.assert_allclose(z, [bounces(t, e) for t in result.time], atol=error)
    assert z.min() > -1e-12 and np.abs(result.raw["energy/balance"]).max() < 3 * G * error
    if e < 1:
        assert abs(z[-1]) < 1e-12 and np.abs(result["mass"].velocity[-1]).max() < 1e-12
        loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][-1, :, 2]))
        assert loads["rail limit on mass"] == pytest.approx(3 * G, rel=1e-9)
        assert result.raw["energy/dissipated"][-1] == pytest.approx(3 * G, rel=max(error, 1e-9))


@pytest.mark.parametrize("how", HOW)
def test_a_vibration_under_constant_friction_decays_by_equal_parts_and_sticks(how):
    """θ swings about ±τ/k in each half period; it sticks at a turn with |k θ| ≤ τ."""
    torque, start, w = 0.7, 1.0, np.sqrt(K / J)
    result = wheel(11.0, how, friction_torque=torque, stiffness=K, start={"angle": start}, frames=220)

    def exact(t: float) -> float:
        a, d = start, torque / K
        for _ in range(int(t // (np.pi / w))):
            if abs(a) > d:
                a = -(a - np.sign(a) * 2 * d)
        c = np.sign(a) * d
        return a if abs(a) <= d else c + (a - c) * np.cos(w * (t % (np.pi / w)))

    s = result.coordinate("pin.angle")
    np.testing.assert_allclose(s.value, [exact(t) for t in result.time], atol=10 * HOW[how][1])
    stuck = result.time > 9.5  # after six half periods
    assert np.abs(s.speed[stuck]).max() < 1e-12 and np.ptp(s.value[stuck]) < 1e-12
    lost = 0.5 * K * (start**2 - s.value[-1] ** 2)
    assert result.raw["energy/dissipated"][-1] == pytest.approx(lost, rel=max(1e-9, 10 * HOW[how][1]))


@pytest.mark.parametrize("how", HOW)
def test_friction_sticks_up_to_its_static_value_and_slips_with_the_kinetic_one(how):
    """A torque 0.4 t breaks away at 0.5 N·m; then J s̈ = 0.4 t − 0.3."""
    more = torque("wheel", z="0.4*time")
    result = wheel(2.0, how, more=more, friction_torque=0.3, friction_static=0.5)
    since = np.clip(result.time - 1.25, 0.0, None)
    exact = (0.2 * since**2 / 2 + 0.4 * since**3 / 6) / J
    error = 1e-11 if how == "rk" else 2e-8
    np.testing.assert_allclose(result.coordinate("pin.angle").value, exact, atol=error)
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][:, :, 5].T))
    held = np.where(result.time < 1.25, -0.4 * result.time, -0.3)
    away = np.abs(result.time - 1.25) > (1e-6 if how == "rk" else 2e-3)
    # contact shows the means of its steps
    error = 3e-4 if how == "contact" else 1e-10
    np.testing.assert_allclose(loads["pin friction on wheel"][away], held[away], atol=error)


@pytest.mark.parametrize("how", HOW)
def test_a_motor_of_limited_effort_stalls_at_a_limit_and_goes_on_at_its_rate(how):
    """It is as fast as its motion until the limit; there it exerts its effort, exactly, and so does the
    limit. A load that is too heavy for it is driven with the effort alone.
    """
    drive = motion("pin", angle="time", effort_limit=3)
    result = wheel(2.0, how, drive, limits=[-np.inf, 0.5], start={"speed": 1})
    s = result.coordinate("pin.angle")
    np.testing.assert_allclose(s.value, np.minimum(result.time, 0.5), atol=min(3e-4, HOW[how][1]))
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][-1, :, 5]))
    assert loads["pin motion on wheel"] == pytest.approx(3.0, rel=1e-9)
    assert loads["pin limit on wheel"] == pytest.approx(-3.0, rel=1e-9)
    assert s.drive[-1] == pytest.approx(3.0, rel=1e-9)
    assert np.abs(result.raw["energy/balance"]).max() < 1e-9
    heavy = wheel(2.0, how, motion("pin", angle="3*time**2", effort_limit=3))
    # 12 N·m would be needed
    np.testing.assert_allclose(heavy.coordinate("pin.angle").speed, 1.5 * heavy.time, atol=1e-6)


@pytest.mark.parametrize("how", HOW)
def test_a_motor_that_has_lagged_behind_goes_on_at_its_rate_without_a_jump(how):
    """A brake that stops it for a second; then it turns at 1 rad/s again, a second late or a bit more."""
    more = motion("pin", angle="time", effort_limit=3)
    more += torque("wheel", z="if(time - 1, if(2 - time, -5, 0), 0)")
    result = wheel(6.0, how, more=more, friction_torque=0.1, start={"speed": 1})
    s = result.coordinate("pin.angle")
    assert s.speed[-1] == pytest.approx(1.0, abs=1e-11)
    assert s.speed.max() < 1.0 + (1e-9 if how == "rk" else 3e-3)
    slope = np.diff(s.value[-20:]) / np.diff(result.time[-20:])
    np.testing.assert_allclose(slope, 1.0, rtol=1e-9)
    assert np.abs(np.diff(s.value)).max() < 1.01 * np.diff(result.time).max()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(("way", "sign"), [("positive", 1), ("negative", -1)])
def test_a_clutch_turns_one_way_only_and_overruns(way, sign, how):
    """A torque sin t on a wheel that may turn one way: it is held while the torque pushes it back."""
    more = torque("wheel", z=f"{sign}*sin(2*time + 4)")
    result = wheel(6.0, how, more=more, one_way=way)
    s = result.coordinate("pin.angle")
    free = (2 * np.pi - 4) / 2  # sin turns positive
    since = result.time - free
    stops = 2 * np.pi / 2  # of the free motion ṡ = (1 − cos 2t)/(2 J)
    phase = np.clip(since, 0, None)
    exact = (phase - 0.5 * np.sin(2 * phase)) / (2 * J)
    np.testing.assert_allclose(sign * s.value, exact, atol=1e-9 if how == "rk" else 2e-6)
    assert (sign * s.speed).min() > -1e-12 and stops > 0
    held = result.time < free - 2e-3
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][:, :, 5].T))
    pushed = sign * np.sin(2 * result.time + 4)
    error = 3e-3 if how == "contact" else 1e-9
    np.testing.assert_allclose(loads["pin way on wheel"][held], -pushed[held], atol=error)


@pytest.mark.parametrize("how", HOW)
def test_what_stops_on_a_limit_without_any_load_stays_there(how):
    """Two free bodies on one axis: the second turns at 1 rad/s into a limit, and both go on together."""
    text = world(gravity=[0, 0, 0]) + body("base", mass=3, inertia=[1, 1, J])
    text += body("wheel", mass=1, inertia=[1, 1, 1], angular_velocity=[0, 0, 1])
    text += joint("pin", "revolute", "base", "wheel", axis=[0, 0, 1], limits=[-1, 0.3])
    text += solver(**HOW[how][0], end=2.0) + table("output", frames=100)
    result = mb.System.from_text(text).run(files=False)
    late = result.time > 0.31
    np.testing.assert_allclose(result["base"].angular_velocity[late, 2], 1 / (1 + J), atol=1e-12)
    np.testing.assert_allclose(result.coordinate("pin.angle").value[late], 0.3, atol=1e-9)
    assert len(result.events.time) <= 3


@pytest.mark.parametrize("how", HOW)
def test_two_equal_limits_share_the_load_by_minimum_norm(how):
    text = world() + body("mass", mass=3, inertia=[1, 1, 1])
    for name in ("left", "right"):
        text += joint(name, "translational", "ground", "mass", axis=[0, 0, 1], limits=[0, 5])
    text += solver(**HOW[how][0], end=0.1) + table("output", frames=10)
    result = mb.System.from_text(text).run(files=False)
    loads = dict(zip(result.raw.names("loads"), result.raw["loads/wrench"][-1, :, 2]))
    assert "upper" not in str(result.messages) and "lower limit of right.length" in str(result.messages)
    assert loads["left limit on mass"] == pytest.approx(1.5 * G, rel=1e-6)
    assert loads["right limit on mass"] == pytest.approx(1.5 * G, rel=1e-6)


def test_a_motor_that_stalls_notices_that_its_motion_turns_round():
    """Nothing else changes in time: its lag alone asks for short steps. From 4π on θ = 0.2 + cos t."""
    more = motion("pin", angle_velocity="-sin(time)", effort_limit=3)
    result = wheel(14.0, more=more, limits=[-0.5, 1.2])
    assert result.coordinate("pin.angle").value[-1] == pytest.approx(0.2 + np.cos(14.0), abs=1e-9)
    states = dict(zip(result.raw.names("states"), result.raw["states/value"][-1]))
    assert states["pin.angle.effort.lag"] == pytest.approx(-1.2, abs=1e-9)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("torque_z", [0.4, -0.4])
def test_static_friction_holds_both_ways(how, torque_z):
    """A torque between the kinetic and the static value."""
    result = wheel(0.1, how, torque("wheel", z=torque_z), frames=5, friction_torque=0.3, friction_static=0.5)
    np.testing.assert_allclose(result.coordinate("pin.angle").value, 0.0, atol=1e-13)


@pytest.mark.parametrize("how", HOW)
def test_a_limit_is_struck_on_a_carriage_that_a_motion_drives(how):
    """Relative to the carriage the mass rebounds with e v, and the carriage goes on at its speed."""
    text = world(gravity=[0, 0, 0]) + body("carriage", mass=2, inertia=[1, 1, 1])
    text += body("mass", mass=1, inertia=[1, 1, 1]) + joint(
        "way", "translational", "ground", "carriage", axis=[1, 0, 0]
    )
    text += motion("way", length="0.7*time")
    keys = {"limits": [-1, 0.1], "restitution": 0.5, "start": {"speed": 1.0}}
    text += joint("rail", "translational", "carriage", "mass", axis=[1, 0, 0], **keys)
    result = mb.System.from_text(text + solver(**HOW[how][0], end=0.3)).run(files=False)
    error = 1e-9 if how == "rk" else 2e-3
    s = result.coordinate("rail.length").value
    np.testing.assert_allclose(s, np.minimum(result.time, 0.15 - 0.5 * result.time), atol=error)
    np.testing.assert_allclose(result["carriage"].position[:, 0], 0.7 * result.time, atol=1e-12)
    assert np.abs(result.raw["energy/balance"]).max() < 1e-9


def test_a_short_step_of_galpha_behind_an_event_costs_no_accuracy():
    """A pendulum strikes its limit 6e-8 s before a step of 0.02 s would end: the next one is that short, and
    its rounding may not become the accelerations with which the step after it begins.
    """

    def swing(**keys) -> mb.Result:
        text = world() + body("bob", mass=3, inertia=[1, 1, 1], position=[1, 0, 0])
        text += joint("pin", "revolute", "ground", "bob", axis=[0, 1, 0], limits=[-np.inf, 0.5], stiffness=20)
        text = text.replace("limits =", "restitution = 0.5\nlimits =")
        return mb.System.from_text(text + solver(**keys) + table("output", every=0.01)).run(files=False)

    exact = swing(tolerance=1e-11, end=0.8)
    step = exact.events.time[0] / 20
    for _ in range(4):
        step = float(swing(type="galpha", step=step, end=0.4).events.time[0]) / 20 * (1 + 1.5e-7)
    result = swing(type="galpha", step=step, end=0.8)
    assert 0 < 20 * step - result.events.time[0] < 1e-7
    angle, right = (one.coordinate("pin.angle").value for one in (result, exact))
    assert np.abs(angle - right).max() < 5e-4
