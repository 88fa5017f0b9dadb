"""Motors and PID controllers against their transfer functions, and MuJoCo's actuators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from refusals import refused
from scene_text import body, hinge, solver, table, world

import mbplugin as mb

INERTIA = 0.4
#: numerator and denominator of a plant G, from torque to angle
PLANT = ((1.0,), (INERTIA, 0.0, 0.0))
COORDINATES = ("maximal", "joint")
#: tolerance of the solvers, and of what they reach
SOLVERS = {
    "rk": ({"tolerance": 1e-12}, 1e-9),
    "galpha": ({"tolerance": 1e-8}, 1e-4),
    "contact": ({"step": 2e-4}, 1e-3),
}


def wheel(motor: dict[str, Any], coordinates: str = "maximal", type_: str = "rk", **keys: Any) -> mb.Result:
    """A wheel at rest on an axle with a motor."""
    keys = {**SOLVERS[type_][0], "end": 1.0, **keys}
    text = (
        world(gravity=[0, 0, 0])
        + body("wheel", mass=2.0, inertia=[INERTIA] * 3)
        + hinge("axle", "ground", "wheel", axis=(0, 0, 1))
        + table("force", name="drive", joint="axle", **motor)
        + solver(type=type_, coordinates=coordinates, **keys)
        + "[output]\nframes = 20\n"
    )
    return mb.System.from_text(text).run(files=False)


def step_response(numerator: Any, denominator: Any, t: Any) -> Any:
    """Response to a unit step, by partial fractions of N/(σ D)."""
    from scipy.signal import residue

    r, p, k = residue(numerator, np.polymul(denominator, [1.0, 0.0]))
    assert len(k) == 0
    # of a pole that is there m times r/(σ − p)ᵐ has the original tᵐ⁻¹ exp(p t)/(m − 1)!
    power = [sum(other == pole for other in p[:n]) for n, pole in enumerate(p)]
    terms = [a * t**m * np.exp(b * t) / math.factorial(m) for a, b, m in zip(r, p, power)]
    return np.real(np.sum(terms, axis=0))


def closed_loop(controller: Any, plant: Any = PLANT) -> tuple[Any, Any]:
    """C G/(1 + C G) as numerator and denominator."""
    N = np.polymul(controller[0], plant[0])
    return N, np.polyadd(np.polymul(controller[1], plant[1]), N)


SERVO = {"type": "motor", "mode": "position", "target": 0.5, "stiffness": 40.0, "damping": 3.0}
PID = {"type": "pid", "target": 0.5, "proportional": 40.0, "integral": 60.0, "derivative": 4.0}


@pytest.mark.parametrize("solver_", SOLVERS)
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_servo_follows_its_transfer_function(coordinates, solver_):
    """k/((J + n² J_r) σ² + c σ + k): damping acts on the rate alone."""
    result = wheel({**SERVO, "gear": 10.0, "rotor_inertia": 1e-3}, coordinates, solver_)
    expected = 0.5 * step_response([40.0], [INERTIA + 0.1, 3.0, 40.0], result.time)
    value = result.coordinate("axle.angle").value
    assert value == pytest.approx(expected, abs=SOLVERS[solver_][1])
    force = 40.0 * (0.5 - value) - 3.0 * result.coordinate("axle.angle").speed
    assert result.output("drive.force")[1:] == pytest.approx(force[1:], abs=100 * SOLVERS[solver_][1])
    assert abs(result.energy.balance).max() < 10 * SOLVERS[solver_][1]


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_servo_of_speed_and_one_with_a_target_rate_follow_theirs(coordinates):
    speed = wheel({"type": "motor", "mode": "velocity", "target": 2.0, "damping": 3.0}, coordinates)
    expected = 2.0 * step_response([3.0], [INERTIA, 3.0], speed.time)
    assert speed.coordinate("axle.angle").speed == pytest.approx(expected, abs=1e-9)
    ramp = wheel({**SERVO, "target": "0.5*time", "target_rate": 0.5}, coordinates)
    # a ramp is the integral of a step, and the controller is k + c σ
    N, D = closed_loop(([3.0, 40.0], [1.0]))
    expected = 0.5 * step_response(N, np.polymul(D, [1.0, 0.0]), ramp.time)
    assert ramp.coordinate("axle.angle").value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("solver_", SOLVERS)
@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("filter_time", [0.0, 0.05])
def test_a_pid_follows_its_transfer_function(coordinates, solver_, filter_time):
    """k_p + k_i/σ + k_d σ/(1 + T_f σ). Without the filter the step of the target is none of e's rate."""
    result = wheel({**PID, "filter_time": filter_time}, coordinates, solver_)
    P, I, D = (
        np.polymul(*pair) for pair in (([40.0], [1.0, 0.0]), ([60.0], [1.0]), ([4.0], [1.0, 0.0, 0.0]))
    )
    if filter_time:
        lag = [filter_time, 1.0]
        N = np.polyadd(np.polymul(np.polyadd(P, I), lag), D)
        response = step_response(*closed_loop((N, np.polymul([1.0, 0.0], lag))), result.time)
    else:
        _, denominator = closed_loop((np.polyadd(np.polyadd(P, I), D), [1.0, 0.0]))
        response = step_response(np.polyadd(P, I), denominator, result.time)
    value = result.coordinate("axle.angle").value
    assert value == pytest.approx(0.5 * response, abs=SOLVERS[solver_][1])
    assert result.output("drive.error") == pytest.approx(0.5 - value, abs=1e-12)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_servo_at_its_limit_pushes_evenly_until_its_demand_is_less(coordinates):
    """θ = ½ (f/J) t² until k (s_d − θ) − c θ̇ = f, and the servo's own solution from there."""
    from scipy.linalg import expm

    f, k, c = 10.0, 40.0, 8.0
    result = wheel({**SERVO, "damping": c, "effort_limit": f}, coordinates)
    a = f / INERTIA
    leaves = max(np.roots([k * a / 2, c * a, f - k * 0.5]))
    A = np.array([[0.0, 1.0], [-k / INERTIA, -c / INERTIA]])
    start = np.array([0.5 * a * leaves**2 - 0.5, a * leaves])
    expected = [
        0.5 * a * t**2 if t < leaves else 0.5 + (expm(A * (t - leaves)) @ start)[0] for t in result.time
    ]
    assert 0.03 < leaves < 0.9
    assert result.coordinate("axle.angle").value == pytest.approx(expected, abs=1e-9)
    assert np.abs(result.output("drive.force")).max() == f < np.abs(result.output("drive.demand")).max()


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_a_limited_integral_goes_back_and_does_not_wind_up(coordinates):
    """Held fast, s = 0: v = k_p e + I, and T_t İ = T_t k_i e + f − v while v > f, a lag of T_t."""
    keys = {**PID, "derivative": 0.0, "effort_limit": 25.0, "tracking_time": 0.1}
    held = wheel({**keys, "target": 0.5}, coordinates, end=1.0)
    free = wheel({**keys, "tracking_time": 1e6}, coordinates, end=3.0)
    brief = wheel(keys, coordinates, end=3.0)
    assert held.coordinate("axle.angle").value.max() > 0.4
    over = [result.coordinate("axle.angle").value.max() - 0.5 for result in (brief, free)]
    assert over[0] < over[1]
    text = (
        world(gravity=[0, 0, 0])
        + body("wheel", mass=2.0, inertia=[INERTIA] * 3)
        + hinge("axle", "ground", "wheel", axis=(0, 0, 1))
        + table("motion", joint="axle", angle=0.0)
        + table("force", name="drive", joint="axle", **{**keys, "effort_limit": 22.0})
        + solver(type="rk", coordinates=coordinates, tolerance=1e-12, end=1.0)
        + "[output]\nframes = 20\n"
    )
    result = mb.System.from_text(text).run(files=False)
    t = np.asarray(result.time)
    # I grows by k_i e t up to f − k_p e, then I = I∞ − (I∞ − I₁) exp(−(t − t₁)/T_t) with I∞ = I₁ + T_t k_i e
    first, rate = 22.0 - 40.0 * 0.5, 60.0 * 0.5
    reached = first / rate
    after = first + 0.1 * rate * (1.0 - np.exp(-(t - reached) / 0.1))
    expected = np.where(t < reached, rate * t, after)
    assert result.state("drive.integral") == pytest.approx(expected, abs=1e-9)


def test_a_rotor_is_an_armature_beside_that_of_the_joint():
    """Frequency of k/(J + a + n² J_r), and the balance of a servo that holds an arm."""
    from scipy.optimize import brentq

    rotor = {"gear": 10.0, "rotor_inertia": 3e-3}
    text = (
        world(gravity=[0, 0, -9.81])
        + body("arm", mass=2.0, inertia=[0.01] * 3, position=[0.5, 0, 0])
        + hinge("axle", "ground", "arm", axis=(0, -1, 0), armature=0.2)
        + table("force", name="drive", joint="axle", **{**SERVO, "damping": 0.0}, **rotor)
        + solver(type="rk")
    )
    system = mb.System.from_text(text)
    J, torque = 0.01 + 2.0 * 0.25 + 0.2 + 0.3, 2.0 * 9.81 * 0.5
    s = brentq(lambda s: 40.0 * (0.5 - s) - torque * np.cos(s), -1.0, 1.0)
    assert system.analyze("static").position[0] == pytest.approx([0.5 * np.cos(s), 0, 0.5 * np.sin(s)])
    (mode,) = system.analyze("eigen").modes
    frequency = np.sqrt((40.0 - torque * np.sin(s)) / J)
    assert mode.s == pytest.approx(1j * frequency, rel=1e-6)


def test_poles_of_a_linear_model_are_those_of_the_closed_loop():
    """Zeros of 1 + C G; the integral and the filter are states of the model."""
    text = (
        world(gravity=[0, 0, 0])
        + body("wheel", mass=2.0, inertia=[INERTIA] * 3)
        + hinge("axle", "ground", "wheel", axis=(0, 0, 1))
        + table("force", name="drive", joint="axle", **{**PID, "target": 0.0, "filter_time": 0.05})
        + solver(type="rk")
    )
    lag = [0.05, 1.0]
    N = np.polyadd(np.polymul([40.0, 60.0], lag), [4.0, 0.0, 0.0])
    poles = np.roots(closed_loop((N, np.polymul([1.0, 0.0], lag)))[1])
    found = np.linalg.eigvals(mb.System.from_text(text).linearize().A)
    for pole in poles:
        assert np.abs(found - pole).min() < 1e-6 * abs(pole)


@pytest.mark.parametrize(
    ("key", "keys"),
    [
        ("mode", {**SERVO, "mode": "angle"}),
        ("stiffness", {"type": "motor", "mode": "position", "target": 1}),
        ("stiffness", {**SERVO, "mode": "velocity"}),
        ("damping", {**SERVO, "mode": "torque", "stiffness": None}),
        ("proportional", {"type": "pid", "target": 1}),
        ("tracking_time", {"type": "pid", "target": 1, "integral": 1.0, "effort_limit": 2.0}),
    ],
)
def test_a_gain_that_is_missing_or_without_effect_is_refused_by_its_key(key, keys):
    with refused(f"force[0].{key}"):
        wheel({name: value for name, value in keys.items() if value is not None})


MODEL = """
<mujoco><option timestep="1e-4" integrator="RK4" gravity="0 0 -9.81"><flag contact="disable"/></option>
  <worldbody><body name="upper"><joint name="shoulder" axis="0 1 0" damping="0.1" armature="0.05"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0" mass="2"/>
      <body name="lower" pos="0.5 0 0"><joint name="elbow" axis="0 1 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="1"/>
        <body name="slide" pos="0.4 0 0"><joint name="rail" type="slide" axis="1 0 0"/>
          <geom type="sphere" size="0.04" mass="0.5"/></body></body></body></worldbody>
  <actuator>
    <position name="servo" joint="shoulder" kp="60" kv="4" gear="1.5" forcerange="-9 9" ctrlrange="-1 0.4"/>
    <velocity name="speed" joint="elbow" kv="3" gear="-2"/>
    <motor name="push" joint="rail" gear="3" ctrlrange="-1 1"/>
  </actuator></mujoco>
"""


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_actuators_of_mujoco_move_an_arm_as_there(coordinates, tmp_path):
    """A position servo at its limit, one of speed, and a motor at the end of its control, 0.5 s."""
    mujoco = pytest.importorskip("mujoco")
    from mbplugin.api import plugins
    from mbplugin.imports.one_scene import import_scene

    control = {"servo": 1.0, "speed": 1.2, "push": 1.5}
    (tmp_path / "arm.xml").write_text(MODEL)
    import_scene(tmp_path / "arm.xml", tmp_path / "scene", plugins()[0], {})
    changes = {f"input.{name}.start": value for name, value in control.items()}
    changes |= {"solver.coordinates": coordinates, "solver.tolerance": 1e-10, "solver.end": 0.5}
    system = mb.System.from_file(tmp_path / "scene", set=changes)
    assert {force.type for force in system.forces} == {"motor"}
    result = system.run(files=False)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    data = mujoco.MjData(model)
    data.ctrl[:] = list(control.values())
    while data.time < 0.5 - 1e-9:
        mujoco.mj_step(model, data)
    names = ("shoulder.angle", "elbow.angle", "rail.length")
    ours = [result.coordinate(name).value[-1] for name in names]
    assert ours == pytest.approx(data.qpos, abs=1e-6)
    assert [result.coordinate(name).speed[-1] for name in names] == pytest.approx(data.qvel, abs=1e-5)
    assert np.abs(result.output("servo.demand")).max() > 13.5 == np.abs(result.output("servo.force")).max()
