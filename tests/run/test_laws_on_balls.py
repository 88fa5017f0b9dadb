"""Control laws that read ball joints and bodies that no joint carries: poses and twists of the bodies
themselves, their kinetic energy, and the same law in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbplugin as mb

SOLVERS: list[dict[str, Any]] = [
    {"type": "rk"},
    {"type": "rk", "coordinates": "joint"},
    {"type": "contact", "step": 0.002},
    {"type": "contact", "step": 0.002, "coordinates": "joint"},
    {"type": "galpha", "step": 0.002},
    {"type": "galpha", "step": 0.002, "coordinates": "joint"},
]
NAMES = ["rk", "rk joint", "contact", "contact joint", "galpha", "galpha joint"]
#: a free body, an arm on it by a ball joint whose axes are turned, a lever by a pin, and a body by itself
CRAFT = """
[scene]
gravity = [0, 0, -1]
[[input]]
name = "push"
[[input]]
name = "twist"
[[body]]
name = "base"
mass = 3
inertia = [0.3, 0.4, 0.5]
orientation = { axis = [1, 2, 3], angle = 0.4 }
velocity = [0.1, 0.2, 0.3]
angular_velocity = [0.5, -0.3, 0.8]
marker = [{ name = "hip", position = [0.4, 0, 0], orientation = { axis = [0, 1, 1], angle = 0.7 } }]
[[body]]
name = "arm"
mass = 1
inertia = [0.02, 0.05, 0.05]
position = [0.9, 0.3, -0.1]
orientation = { axis = [0, 0, 1], angle = 2.0 }
marker = [{ name = "root", position = [-0.5, 0, 0], orientation = { axis = [1, 0, 0], angle = -0.3 } }]
[[body]]
name = "lever"
mass = 0.5
inertia = [0.01, 0.02, 0.02]
position = [0, 1, 0]
[[body]]
name = "ball"
mass = 2
inertia = [0.2, 0.2, 0.3]
position = [0, 5, 0]
orientation = { axis = [0, 0, 1], angle = -3.0 }
angular_velocity = [0.0, 0.4, 1.0]
[[joint]]
name = "hip"
type = "ball"
a = "base.hip"
b = "arm.root"
[[joint]]
name = "pin"
type = "revolute"
a = "base"
b = "lever"
at = [0, 0.6, 0]
axis = [1, 0, 0]
[[force]]
type = "force"
body = "base"
force_x = "push"
[[force]]
type = "torque"
body = "arm"
torque_z = "twist"
"""
PLANE = """
[scene]
gravity = [0, 0, -1]
plane = "xz"
[[input]]
name = "push"
[[input]]
name = "twist"
[[body]]
name = "puck"
type = "planar"
mass = 2
inertia = 0.3
position = [0.5, 1]
orientation = 0.6
velocity = [0.2, 0.1]
angular_velocity = 3.0
[[force]]
type = "force"
body = "puck"
force_x = "push"
[[force]]
type = "torque"
body = "puck"
torque_y = "twist"
"""


@mb.control(memory=500)
def feedback(time, positions, velocities, mass_matrix, bias_forces, gravity_forces, inputs, memory):
    """Damps by all that it reads; keeps what it has read."""
    n, nq = len(velocities), len(positions)
    inputs[0] = -0.2 * velocities[0] - 0.01 * bias_forces[0] + 0.1 * positions[0]
    inputs[1] = 0.3 * positions[nq - 1] - 0.05 * mass_matrix[n - 1, 0] * velocities[n - 1]
    k = 0
    for source in (positions, velocities, bias_forces, gravity_forces):
        for one in source:
            memory[k] = one
            k += 1
    for i in range(n):
        for j in range(n):
            memory[k] = mass_matrix[i, j]
            k += 1


def in_python(simulation: mb.Simulation) -> None:
    s, rates, M = simulation.joint_positions(), simulation.joint_velocities(), simulation.mass_matrix()
    simulation.inputs["push"] = -0.2 * rates[0] - 0.01 * simulation.bias_forces()[0] + 0.1 * s[0]
    simulation.inputs["twist"] = 0.3 * s[-1] - 0.05 * M[-1, 0] * rates[-1]


def simulation_of(text: str, solver: dict[str, Any]) -> mb.Simulation:
    system = mb.System.from_text(text)
    system.solver = mb.Solver(**solver)
    return system.simulate()


def turned(view: Any) -> Any:
    """The rotation of a body in a simulation."""
    return Rotation.from_quat(np.roll(view.orientation, -1))


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_law_reads_poses_and_twists_of_free_bodies_and_of_a_ball(solver: dict[str, Any]) -> None:
    simulation = simulation_of(CRAFT, solver)
    names = simulation.joint_names()
    simulation.run(0.6, control=feedback, every=0.02)
    n, nq = len(names), len(simulation.joint_positions())
    feedback.memory[:] = 0.0
    at = simulation.time
    state = {name: simulation[name] for name in ("base", "arm", "lever", "ball")}
    pose = {name: (one.position.copy(), turned(one)) for name, one in state.items()}
    twist = {name: (one.velocity.copy(), one.angular_velocity.copy()) for name, one in state.items()}
    expected = simulation.joint_positions(), simulation.joint_velocities()
    simulation.run(at + 1e-6, control=feedback, every=0.02)
    q, v = feedback.memory[:nq], feedback.memory[nq : nq + n]
    assert np.array_equal(q, expected[0]) and np.array_equal(v, expected[1])
    gravity = feedback.memory[nq + 2 * n : nq + 3 * n]
    M = feedback.memory[nq + 3 * n : nq + 3 * n + n * n].reshape(n, n)
    quaternion = lambda R: np.roll(R.as_quat(canonical=True), 1)
    first = {name.partition(".")[0]: names.index(name) for name in names[::-1]}
    places = dict(zip(("base", "hip", "pin", "ball"), (7, 4, 1, 7)))
    order = sorted(places, key=lambda name: first[name])
    starts = dict(zip(order, np.cumsum([0, *(places[name] for name in order)])))
    for name in ("base", "ball"):
        x, R = pose[name]
        i, j = starts[name], first[name]
        assert q[i : i + 3] == pytest.approx(x, abs=1e-12)
        assert q[i + 3 : i + 7] == pytest.approx(quaternion(R), abs=1e-12)
        assert v[j : j + 3] == pytest.approx(twist[name][0], abs=1e-12)
        assert v[j + 3 : j + 6] == pytest.approx(R.inv().apply(twist[name][1]), abs=1e-12)
    axis = lambda *a, angle: Rotation.from_rotvec(angle * np.array(a) / np.linalg.norm(a))
    A = pose["base"][1] * axis(0, 1, 1, angle=0.7)
    B = pose["arm"][1] * axis(1, 0, 0, angle=-0.3)
    i, j = starts["hip"], first["hip"]
    assert q[i : i + 4] == pytest.approx(quaternion(A.inv() * B), abs=1e-11)
    relative = B.inv().apply(twist["arm"][1] - twist["base"][1])
    assert v[j : j + 3] == pytest.approx(relative, abs=1e-10)
    # ½ ṡᵀ M ṡ is the kinetic energy, and gravity holds the momentum of the weights
    masses = {"base": (3, [0.3, 0.4, 0.5]), "arm": (1, [0.02, 0.05, 0.05])}
    masses |= {"lever": (0.5, [0.01, 0.02, 0.02]), "ball": (2, [0.2, 0.2, 0.3])}
    energy = 0.0
    for name, (mass, inertia) in masses.items():
        spin = pose[name][1].inv().apply(twist[name][1])
        energy += 0.5 * mass * twist[name][0] @ twist[name][0] + 0.5 * spin @ (inertia * spin)
    assert 0.5 * v @ M @ v == pytest.approx(energy, rel=1e-10)
    power = sum(mass * twist[name][0][2] for name, (mass, _) in masses.items())
    assert gravity @ v == pytest.approx(power, abs=1e-10)


@pytest.mark.parametrize("text", [CRAFT, PLANE], ids=["space", "plane"])
@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_compiled_law_on_balls_does_what_it_does_in_python(solver: dict[str, Any], text: str) -> None:
    compiled, python, cut = (simulation_of(text, solver) for _ in range(3))
    python.run(0.4, control=in_python, every=0.02)
    for simulation, ends in ((compiled, [0.4]), (cut, [0.14, 0.4])):
        for end in ends:
            simulation.run(end, control=feedback, every=0.02)
    assert np.abs(compiled.joint_positions() - python.joint_positions()).max() < 1e-11
    assert abs(compiled.inputs["twist"]) > 1e-3
    assert compiled.inputs["twist"] == pytest.approx(python.inputs["twist"], abs=1e-10)
    for name, array in compiled.save().items():
        if name != "record":
            assert np.array_equal(array, cut.save()[name], equal_nan=True), name


def test_a_law_reads_a_free_body_of_a_plane() -> None:
    simulation = simulation_of(PLANE, SOLVERS[0])
    simulation.run(0.4, control=feedback, every=0.02)
    puck = simulation["puck"]
    angle = simulation.joint_positions()[2]
    assert simulation.joint_names() == ["puck.x", "puck.z", "puck.angle"]
    assert simulation.joint_positions()[:2] == pytest.approx(puck.position[[0, 2]], abs=1e-12)
    assert turned(puck).as_rotvec()[1] == pytest.approx(-angle, abs=1e-9)
    assert simulation.joint_velocities()[:2] == pytest.approx(puck.velocity[[0, 2]], abs=1e-12)
    assert simulation.mass_matrix() == pytest.approx(np.diag([2, 2, 0.3]), abs=1e-12)
