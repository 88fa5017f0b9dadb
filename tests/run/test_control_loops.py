"""Control loops: laws in Python and compiled ones, against matrices of discrete time and closed forms."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from refusals import refused

import mbplugin as mb
from mbplugin.errors import PluginError

SOLVERS: list[dict[str, Any]] = [
    {"type": "rk"},
    {"type": "rk", "coordinates": "joint"},
    {"type": "contact", "step": 0.01},
    {"type": "contact", "step": 0.01, "coordinates": "joint"},
    {"type": "galpha", "step": 0.01},
    {"type": "galpha", "step": 0.01, "coordinates": "joint"},
]
NAMES = ["rk", "rk joint", "contact", "contact joint", "galpha", "galpha joint"]
SLED = """
[[input]]
name = "push"
[[body]]
name = "sled"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "rail"
type = "translational"
a = "ground"
b = "sled"
axis = [1, 0, 0]
start = { length = 0.3 }
[[force]]
type = "joint_force"
joint = "rail"
force = "push"
"""
ARM = """
[scene]
gravity = [0, 0, -9.81]
[[input]]
name = "shoulder_torque"
[[input]]
name = "elbow_torque"
[[body]]
name = "upper"
mass = 2
inertia = [0.01, 0.17, 0.17]
position = [0.5, 0, 0]
[[body]]
name = "lower"
mass = 1
inertia = [0.01, 0.08, 0.08]
position = [1.5, 0, 0]
[[joint]]
name = "shoulder"
type = "revolute"
a = "ground"
b = "upper"
axis = [0, 1, 0]
limits = [-3, 3]
[[joint]]
name = "elbow"
type = "revolute"
a = "upper"
b = "lower"
at = [1, 0, 0]
axis = [0, 1, 0]
[[force]]
type = "joint_force"
joint = "shoulder"
torque = "shoulder_torque"
[[force]]
type = "joint_force"
joint = "elbow"
torque = "elbow_torque"
"""
H, MASS = 0.01, 2.0
#: gains of the sampled controller [N/m, N·s/m]
STIFFNESS, DAMPING = 80.0, 12.0
TARGET = np.array([0.5, -1.0])
#: ë + 10 ė + 25 e = 0
OMEGA = 5.0


@mb.control(parameters=[STIFFNESS, DAMPING])
def pd(positions, velocities, inputs, parameters):
    inputs[0] = -parameters[0] * positions[0] - parameters[1] * velocities[0]


@mb.control(memory=1)
def integrator(time, positions, inputs, memory):
    memory[0] += 0.01 * (0.1 - positions[0])
    inputs[0] = 4.0 * memory[0] + time


@mb.control(parameters=TARGET)
def computed_torque(positions, velocities, mass_matrix, bias_forces, inputs, parameters):
    for i in range(2):
        inputs[i] = bias_forces[i]
        for j in range(2):
            a = -25.0 * (positions[j] - parameters[j]) - 10.0 * velocities[j]
            inputs[i] += mass_matrix[i, j] * a


@mb.control
def fails(time, inputs):
    if time > 0.05:
        raise ValueError("out of range")


@mb.control
def gives_nan(time, inputs):
    inputs[0] = np.inf if time > 0.05 else 0.0


def in_python(simulation: mb.Simulation) -> None:
    """The law `pd`."""
    x, v = simulation.joint_positions(), simulation.joint_velocities()
    simulation.inputs["push"] = -STIFFNESS * x[0] - DAMPING * v[0]


def torque_in_python(simulation: mb.Simulation) -> None:
    """The law `computed_torque`."""
    s, rates = simulation.joint_positions(), simulation.joint_velocities()
    a = -25 * (s - TARGET) - 10 * rates
    simulation.inputs[:] = simulation.mass_matrix() @ a + simulation.bias_forces()


def simulation_of(text: str, solver: dict[str, Any], **keys: Any) -> mb.Simulation:
    system = mb.System.from_text(text)
    system.solver = mb.Solver(**solver)
    return system.simulate(**keys)


@pytest.mark.parametrize("law", [in_python, pd], ids=["python", "compiled"])
@pytest.mark.parametrize("solver", SOLVERS[:4], ids=NAMES[:4])
def test_a_sampled_pd_moves_a_mass_as_the_power_of_its_matrix(solver: dict[str, Any], law: Any) -> None:
    simulation = simulation_of(SLED, solver)
    simulation.run(1.0, control=law, every=H)
    u = np.array([[-STIFFNESS, -DAMPING]])
    step = np.array([[1.0, H], [0.0, 1.0]]) + np.array([[H * H / 2], [H]]) / MASS @ u
    expected = np.linalg.matrix_power(step, 100) @ [0.3, 0.0]
    found = np.array([simulation.joint_positions()[0], simulation.joint_velocities()[0]])
    assert np.abs(found - expected).max() < 1e-9


@pytest.mark.parametrize("law", [torque_in_python, computed_torque], ids=["python", "compiled"])
@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_computed_torque_makes_the_error_decay_as_its_linear_equation(
    solver: dict[str, Any], law: Any
) -> None:
    # e(t) = e₀ (1 + ω t) exp(−ω t), but for the torque, which is held: an error in proportion to the interval
    errors = []
    for every in (4e-3, 2e-3):
        simulation = simulation_of(ARM, solver | ({"step": 1e-3} if "step" in solver else {}))
        simulation.run(0.4, control=law, every=every)
        expected = TARGET - TARGET * (1 + OMEGA * 0.4) * np.exp(-OMEGA * 0.4)
        errors.append(np.abs(simulation.joint_positions() - expected).max())
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_compiled_law_does_what_it_does_in_python(solver: dict[str, Any]) -> None:
    compiled, python = (simulation_of(ARM, solver) for _ in range(2))
    compiled.run(0.5, control=computed_torque, every=0.01)
    python.run(0.5, control=torque_in_python, every=0.01)
    assert np.abs(compiled.joint_positions() - python.joint_positions()).max() < 1e-12
    assert compiled.inputs["elbow_torque"] == pytest.approx(python.inputs["elbow_torque"], abs=1e-10)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_what_a_law_reads_is_what_a_problem_has_at_that_state(solver: dict[str, Any]) -> None:
    simulation = simulation_of(ARM, solver)
    simulation.run(0.3, control=torque_in_python, every=0.01)
    s, rates = simulation.joint_positions(), simulation.joint_velocities()
    assert s == pytest.approx([simulation.coordinate(f"{j}.angle").value for j in ("shoulder", "elbow")])
    assert rates == pytest.approx([simulation.coordinate(f"{j}.angle").speed for j in ("shoulder", "elbow")])
    # two links of length 1, mass centres at 1/2: the textbook's matrix
    m, c = 1.0, np.cos(s[1])
    J = 0.08 + m / 4
    expected = [[0.17 + 2 / 4 + J + m + m * c, J + m / 2 * c], [J + m / 2 * c, J]]
    assert simulation.mass_matrix() == pytest.approx(np.array(expected), abs=1e-12)
    lower = m * 9.81 / 2 * np.cos(s.sum())
    upper = (2 / 2 + m) * 9.81 * np.cos(s[0])
    assert simulation.gravity_forces() == pytest.approx([-upper - lower, -lower], abs=1e-10)
    coriolis = -m / 2 * np.sin(s[1]) * np.array([rates[1] * (2 * rates[0] + rates[1]), -(rates[0] ** 2)])
    assert simulation.bias_forces() == pytest.approx(coriolis + simulation.gravity_forces(), abs=1e-10)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_coordinates_are_those_of_frames_and_reading_them_changes_no_bit(solver: dict[str, Any]) -> None:
    plain = simulation_of(ARM, solver)
    reading = simulation_of(ARM, solver, record=True, every=0.1)

    def control(simulation: mb.Simulation) -> None:
        if simulation is reading:
            simulation.coordinate("elbow.angle")
        simulation.inputs["elbow_torque"] = np.sin(20 * simulation.time)
        if simulation is reading:
            simulation.coordinate("shoulder.angle")

    for simulation in (plain, reading):
        simulation.run(0.5, control=control, every=0.01)
    for name, array in plain.save().items():
        if name != "record":
            assert np.array_equal(array, reading.save()[name], equal_nan=True), name
    here, result = reading.coordinate("elbow.angle"), reading.result
    assert here.value == result.coordinate("elbow.angle").value[-1]
    assert here.speed == result.coordinate("elbow.angle").speed[-1]
    assert here.drive == 0.0


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_recorded_compiled_loop_has_the_bits_of_one_that_is_not(solver: dict[str, Any]) -> None:
    plain, cut = simulation_of(ARM, solver), simulation_of(ARM, solver)
    recorded = simulation_of(ARM, solver, record=True, every=0.013)
    for simulation, ends in ((plain, [0.4]), (recorded, [0.4]), (cut, [0.13, 0.4])):
        for end in ends:
            simulation.run(end, control=computed_torque, every=0.01)
    for name, array in plain.save().items():
        if name != "record":
            for other in (recorded, cut):
                assert np.array_equal(array, other.save()[name], equal_nan=True), name
    torque = recorded.result.input("elbow_torque")
    assert len(torque) == 31 and len(np.unique(torque)) > 20


@pytest.mark.parametrize("law", [torque_in_python, computed_torque], ids=["python", "compiled"])
def test_an_end_that_rounding_puts_beside_a_sample_is_that_sample(law: Any) -> None:
    once = simulation_of(ARM, SOLVERS[3])
    once.run(0.3, control=law, every=0.01)
    for end in (np.nextafter(0.15, 1.0), np.nextafter(0.15, 0.0)):
        twice = simulation_of(ARM, SOLVERS[3])
        for until in (end, 0.3):
            twice.run(until, control=law, every=0.01)
        assert twice.time == pytest.approx(0.3, abs=1e-15)
        assert np.abs(twice.joint_positions() - once.joint_positions()).max() < 1e-13


def test_a_law_keeps_its_memory() -> None:
    simulation, x, v, memory = simulation_of(SLED, SOLVERS[0]), 0.3, 0.0, 0.0
    integrator.memory[:] = 0.0
    simulation.run(0.5, control=integrator, every=H)
    for k in range(50):
        memory += 0.01 * (0.1 - x)
        u = 4.0 * memory + k / 100
        x, v = x + H * v + H * H / 2 * u / MASS, v + H * u / MASS
    assert integrator.memory[0] == pytest.approx(memory, abs=1e-12)
    assert simulation.joint_positions()[0] == pytest.approx(x, abs=1e-10)


def test_a_law_that_fails_is_named_with_the_time() -> None:
    for law, what in ((fails, "out of range"), (gives_nan, "infinity")):
        simulation = simulation_of(SLED, SOLVERS[0])
        with pytest.raises(PluginError) as error:
            simulation.run(1.0, control=law, every=H)
        assert law.__name__ in str(error.value) and what in str(error.value)
        assert "t = 0.06 s" in str(error.value)
        simulation.run(0.2)  # it can go on without


def test_a_law_with_an_argument_that_there_is_not_is_refused() -> None:
    def law(position, inputs):
        inputs[0] = position

    with pytest.raises(PluginError) as error:
        mb.control(law)
    assert "'position'" in str(error.value) and "positions" in str(error.value)


def test_a_compiled_law_needs_rigid_bodies() -> None:
    system = mb.System(scene={"gravity": [0, 0, -9.81]})
    system.add(mb.Input(name="push"))
    elastic = {"young": 1e5, "poisson": 0.3, "density": 100, "shape": [{"type": "sphere", "radius": 0.1}]}
    system.add(mb.Body(name="ball", type="pseudo_rigid", **elastic))
    system.add(mb.Force(type="force", body="ball", force_x="push"))
    with refused(key="Simulation.run: control", value="pd"):
        system.simulate().run(1.0, control=pd, every=0.1)


def test_ctrl_c_ends_a_compiled_loop_within_a_fifth_of_a_second() -> None:
    simulation = simulation_of(ARM, SOLVERS[3] | {"step": 1e-3})
    simulation.run(1.0, control=computed_torque, every=1e-3)
    heard = [0.0]

    def interrupt() -> None:
        heard[0] = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.run(1e6, control=computed_torque, every=1e-3)
    assert time.monotonic() - heard[0] < 0.2
    end = simulation.time
    simulation.run(end + 0.1, control=computed_torque, every=1e-3)
    assert simulation.time == end + 0.1


def test_inputs_are_set_as_one_array() -> None:
    simulation = simulation_of(ARM, SOLVERS[0])
    simulation.inputs[:] = [1.0, 2.0]
    assert dict(simulation.inputs) == {"shoulder_torque": 1.0, "elbow_torque": 2.0}
    simulation.inputs[1:] = 3.0
    assert simulation.inputs["elbow_torque"] == 3.0
    with refused(key="inputs[:]"):
        simulation.inputs[:] = [1.0, 2.0, 3.0]
    with refused(key='inputs["elbow_torque"]'):
        simulation.inputs[:] = [1.0, np.nan]
    assert simulation.inputs["shoulder_torque"] == 1.0


@pytest.mark.parametrize("solver", [{"type": "rk"}, {"type": "galpha", "tolerance": 1e-3}])
def test_no_step_is_longer_than_the_largest(solver: dict[str, Any]) -> None:
    system = mb.System.from_text(SLED)
    system.output = mb.Output(frames=1, series=False)
    counts = []
    for keys in ({}, {"max_step": 0.01}):
        system.solver = mb.Solver(**solver, **keys, end=1.0)
        counts.append(system.run(files=False).summary.steps)
    assert counts[0] < 50 <= 100 <= counts[1] <= 130


def test_a_largest_step_of_fixed_steps_is_refused() -> None:
    system = mb.System.from_text(SLED)
    for keys in ({"type": "rk", "integrator": "rk4"}, {"type": "galpha"}):
        system.solver = mb.Solver(**keys, step=1e-3, max_step=1e-2)
        with refused(key="solver.max_step", value=0.01):
            system.simulate()
