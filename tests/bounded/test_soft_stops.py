"""Soft stops, `stop_stiffness` and `stop_damping`, against closed forms of a one-sided spring and damper."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, motion, solver, table, world
from test_generated import mechanism

import mbplugin as mb
from mbplugin.run.analyze import analyze

M, K, C, V, WAY, G = 2.0, 800.0, 8.0, 1.5, 0.3, 9.81
#: of each solver: its keys, and error of the position [m]
HOW = {
    "rk": ({"tolerance": 1e-11}, 1e-10),
    "galpha": ({"type": "galpha", "step": 1e-3}, 2e-5),
    "contact": ({"type": "contact", "step": 1e-3}, 6e-5),
}


def mass(how: dict | None = None, more: str = "", speed: float = -V, g: float = 0.0, **keys) -> mb.System:
    """A mass of 2 kg on a rail along z whose lower stop begins at −0.3 m."""
    text = world(gravity=[0, 0, -g]) + body("mass", mass=M, inertia=[1, 1, 1], velocity=[0, 0, speed])
    keys = {"limits": [-WAY, np.inf], "stop_stiffness": K, "stop_damping": C} | keys
    keys = {key: value for key, value in keys.items() if value is not None}
    text += joint("rail", "translational", "ground", "mass", axis=[0, 0, 1], **keys)
    text += more + solver(**(how or {"tolerance": 1e-11}), end=1.0) + table("output", frames=100)
    return mb.System.from_text(text)


def exact(t: float, c: float) -> tuple[float, float]:
    """Position and speed: the stop lets go where k d + c ḋ = 0, before the spring is at length."""
    t -= WAY / V
    if t < 0:
        return -WAY - V * t, -V
    decay, w = c / (2 * M), np.sqrt(K / M - (c / (2 * M)) ** 2)
    leaves = (np.pi - np.arctan2(c * w, K - c * decay)) / w
    s = min(t, leaves)
    d = V / w * np.exp(-decay * s) * np.sin(w * s)
    rate = V * np.exp(-decay * s) * (np.cos(w * s) - decay / w * np.sin(w * s))
    return -WAY - d - rate * (t - s), -rate


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("c", [0.0, C])
def test_a_mass_rebounds_from_a_soft_stop_as_from_a_one_sided_spring_and_damper(c, how):
    keys, error = HOW[how]
    result = mass(keys, stop_damping=c).run(files=False)
    s = result.coordinate("rail.length")
    z, rate = np.array([exact(t, c) for t in result.time]).T
    np.testing.assert_allclose(s.value, z, atol=error)
    np.testing.assert_allclose(s.speed, rate, atol=20 * error)
    lost = 0.5 * M * (V**2 - rate[-1] ** 2)
    assert result.energy.dissipated[-1] == pytest.approx(lost, abs=30 * error)
    assert np.abs(result.raw["energy/balance"]).max() < 30 * error
    force = result.output("rail_lower_stop.force")
    assert force.min() == 0.0 and force.max() > 0.8 * V * np.sqrt(K * M)


def test_the_error_falls_with_the_second_order_of_contact_through_the_stop():
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        s = mass({"type": "contact", "step": h}).run(files=False).coordinate("rail.length")
        errors.append(abs(s.value[-1] - exact(1.0, C)[0]))
    order = np.polyfit(np.log([1e-3, 5e-4, 2.5e-4]), np.log(errors), 1)[0]
    assert order == pytest.approx(2.0, abs=0.1)


def test_stiffness_and_damping_about_the_rest_on_a_stop_are_its_own(registry):
    """d = m g / k;  λ² m + λ c + k = 0; a linear model has the same eigenvalues."""
    system = mass(speed=0.0, g=G)
    at_rest = analyze(system, "static", registry).report.position[0]
    assert at_rest[2] == pytest.approx(-WAY - M * G / K)
    (mode,) = system.analyze("eigen").modes
    expected = -C / (2 * M) + 1j * np.sqrt(K / M - (C / (2 * M)) ** 2)
    assert mode.s == pytest.approx(expected, rel=1e-9)
    linear = np.linalg.eigvals(system.linearize(about="static").A)
    assert np.sort_complex(linear)[1] == pytest.approx(expected, rel=1e-7)


def test_analyses_at_one_position_have_its_force(registry):
    """Beyond the stop by 0.1 m, on the way in: k d + c ḋ."""
    begin = {"start": {"length": -WAY - 0.1, "speed": -0.5}}
    report = analyze(mass(**begin), "acceleration", registry).report
    assert report.states.v_dot[0, 2] == pytest.approx((K * 0.1 + C * 0.5) / M)
    driven = mass(more=motion("rail", length="-0.4 - 0.5*time"), speed=0.0)
    assert analyze(driven, "inverse", registry).report.drive[0, 0] == pytest.approx(-(K * 0.1 + C * 0.5))


def test_each_coordinate_has_its_own_stops():
    """Hard below and soft above is not one key; a cylindrical joint has a soft length and a hard angle."""
    text = world(gravity=[0, 0, -G])
    text += body("nut", mass=M, inertia=[1, 1, 1], angular_velocity=[0, 0, 2.0])
    keys = {"limits": {"length": [-0.1, 1.0], "angle": [-1.0, 1.0]}, "stop_stiffness": {"length": K}}
    keys["stop_damping"] = {"length": 40.0}
    text += joint("bolt", "cylindrical", "ground", "nut", axis=[0, 0, 1], **keys)
    result = mb.System.from_text(text + solver(tolerance=1e-10, end=6.0)).run(files=False)
    assert result.coordinate("bolt.angle").value[-1] == pytest.approx(1.0, abs=1e-12)
    assert result.coordinate("bolt.length").value[-1] == pytest.approx(-0.1 - M * G / K, abs=1e-9)
    assert {"bolt_length_lower_stop.force", "bolt_length_upper_stop.force"} <= set(result.outputs)


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"restitution": 0.5}, "joint[0].restitution"),
        ({"stop_stiffness": None}, "joint[0].stop_damping"),
        ({"limits": None}, "joint[0].stop_stiffness"),
        ({"stop_stiffness": -1.0}, "joint[0].stop_stiffness"),
        ({"stop_stiffness": 0.0}, "joint[0].stop_stiffness"),
        ({"stop_damping": -1.0}, "joint[0].stop_damping"),
        ({"stop_stiffness": {"angle": 1.0}}, "joint[0].stop_stiffness.angle"),
        ({"limits": [1, 0]}, "joint[0].limits"),
    ],
)
def test_a_mistake_is_refused_by_its_key(keys, key):
    with refused(key):
        mass(**keys).run(files=False)


def test_a_saved_state_goes_on_to_the_same_bits_and_a_parameter_changes_a_stop():
    system = mass(speed=-V, g=G, stop_damping=2.0)
    one, other = system.simulate(), system.simulate()
    while one.time < 0.9:
        one.step(0.03)
        other.load(one.save())
        one.step(0.05)
        other.step(0.05)
        assert one.coordinate("rail.length").value == other.coordinate("rail.length").value
    text = "[parameters]\nk = 800.0\n" + mass(stop_stiffness="k", stop_damping=None).to_toml()
    problem = mb.System.from_text(text).compile()
    for k in (800.0, 200.0):
        problem.set_parameter("k", k)
        z = problem.copy().run().coordinate("rail.length").value
        assert z.min() == pytest.approx(-WAY - V * np.sqrt(M / k), abs=1e-3)


@pytest.mark.parametrize(
    "how", [{"tolerance": 1e-9}, {"type": "contact", "step": 1e-3}], ids=["rk", "contact"]
)
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
def test_ledgers_of_mechanisms_with_soft_stops_hard_limits_and_friction_close(seed, how):
    """The generated ones, with every other of their limits soft."""
    tables = mechanism(seed, {"tolerance": 1e-9}, frames=150)[0].tables()
    limited = [one for one in tables["joint"] if "limits" in one]
    for one in limited[::2]:
        del one["restitution"]
        one |= {"stop_stiffness": 300.0, "stop_damping": 2.0}
    result = mb.System(**tables | {"solver": how | {"end": 1.5}}).run(files=False)
    scale = np.ptp(result.energy.potential) + result.energy.kinetic.max() + 1.0
    error = 1e-7 if "tolerance" in how else 1e-4
    assert np.abs(result.raw["energy/balance"]).max() < error * scale
    assert np.diff(result.energy.dissipated).min() > -error * scale
    stops = [name for name in result.outputs if name.endswith("stop.force")]
    assert len(stops) == 2 * len(limited[::2])
