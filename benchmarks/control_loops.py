"""A UR5 under computed torque at 1 kHz, with limits and dry friction: processor time of a sample from Python,
with a compiled law, and recorded, beside MuJoCo from Python (integrator implicitfast) in the same run.

The robot is that of the extra `robots`; without it the arm of `limited_arms.py`. Shapes do not collide.
"""

from __future__ import annotations

import importlib.metadata
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from timing import Timed, advance, in_turn, installed, prepared, seconds, sized, table

import mbplugin as mb

RATE = 1000
#: friction of each joint [N·m], gains of the error equation [1/s², 1/s]
FRICTION, STIFFNESS, DAMPING = 1.0, 100.0, 20.0
#: where the arm goes, and from where it goes there [rad]
TARGET = np.array([0.5, -1.0, 1.0, -0.5, 0.3, 0.2])
SOLVERS = {
    "contact": {"type": "contact", "step": 1.0 / RATE},
    "rk4": {"type": "rk", "integrator": "rk4", "step": 1.0 / RATE},
}


@mb.control(parameters=TARGET)
def law(positions, velocities, mass_matrix, gravity_forces, inputs, parameters):
    """Computed torque."""
    for i in range(6):
        inputs[i] = gravity_forces[i]
        for j in range(6):
            a = STIFFNESS * (parameters[j] - positions[j]) - DAMPING * velocities[j]
            inputs[i] += mass_matrix[i, j] * a


def in_python(simulation: mb.Simulation) -> None:
    """The same as `law`."""
    a = STIFFNESS * (TARGET - simulation.joint_positions()) - DAMPING * simulation.joint_velocities()
    simulation.inputs[:] = simulation.mass_matrix() @ a + simulation.gravity_forces()


def reads_and_sets(simulation: mb.Simulation) -> None:
    """What `in_python` asks for, without its arithmetic: the arm floats."""
    simulation.joint_positions(), simulation.joint_velocities(), simulation.mass_matrix()
    simulation.inputs[:] = simulation.gravity_forces()


def urdf() -> Path | None:
    """The file of the UR5; None: the extra `robots` is not installed."""
    try:
        files = importlib.metadata.distribution("example-robot-data").files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(one.locate())) for one in files if one.name == "ur5_robot.urdf"), None)


def tables_of(file: Path | None) -> dict[str, Any]:
    """Tables of the arm, with friction and an input for the torque of each of six joints, without shapes."""
    from limited_arms import ours

    from mbplugin.api import plugins
    from mbplugin.imports.one_scene import import_scene

    if file is None:
        tables = ours(FRICTION, coordinates="joint").tables()
    else:
        with tempfile.TemporaryDirectory() as place:
            import_scene(file, Path(place) / "scene", plugins()[0], {})
            tables = mb.System.from_file(Path(place) / "scene").tables()
    for body in tables["body"]:
        body.pop("shape", None)
    kept = ("gravity", "marker")
    tables["scene"] = {key: value for key, value in tables["scene"].items() if key in kept}
    tables["force"], tables["input"] = [], []
    tables.pop("material", None), tables.pop("contact", None)
    for joint in (one for one in tables["joint"] if one["type"] == "revolute"):
        joint["friction_torque"] = FRICTION
        name = f"motor_{joint['name']}"
        tables["input"].append({"name": name, "unit": "N m"})
        tables["force"].append({"type": "joint_force", "joint": joint["name"], "torque": name})
    tables["output"] = {"every": 0.01, "series": False}
    return tables


def arm(tables: dict[str, Any], solver: str, coordinates: str) -> mb.System:
    return mb.System(**tables | {"solver": SOLVERS[solver] | {"coordinates": coordinates, "end": 1e6}})


def mujoco_model(file: Path | None) -> Any:
    import mujoco
    from limited_arms import mujoco_model as by_hand
    from robot_references import urdf_model

    model = by_hand(FRICTION) if file is None else urdf_model(file)
    model.opt.timestep, model.opt.integrator = 1.0 / RATE, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.dof_frictionloss[:] = FRICTION
    return model


def time_simulated() -> float:
    """[s]"""
    return sized(2.0, 0.02)


def ours_run(system: mb.System, control: Any, **keys: Any) -> Timed:
    """Microseconds a sample."""
    simulation = system.simulate(**keys)

    def run() -> float:
        end = simulation.time + time_simulated()
        took = seconds(lambda: simulation.run(end, control=control, every=1.0 / RATE))
        return 1e6 * took / (time_simulated() * RATE)

    return run


def step_alone(system: mb.System) -> Timed:
    """The same of the compiled steps without a law: the arm falls."""
    integrator = prepared(system).start(np.inf)

    def run() -> float:
        end = integrator.time + time_simulated()
        return 1e6 * seconds(lambda: advance(integrator, end)) / (time_simulated() * RATE)

    return run


def mujoco_run(file: Path | None) -> Timed:
    import mujoco

    model = mujoco_model(file)
    data, n, M = mujoco.MjData(model), model.nv, np.zeros((model.nv, model.nv))

    def sample() -> None:
        mujoco.mj_step1(model, data)
        mujoco.mj_fullM(model, data, M)
        a = STIFFNESS * (TARGET[:n] - data.qpos) - DAMPING * data.qvel
        data.qfrc_applied[:] = M @ a + data.qfrc_bias
        mujoco.mj_step2(model, data)

    def run() -> float:
        samples = int(time_simulated() * RATE)
        return 1e6 * seconds(lambda: [sample() for _ in range(samples)]) / samples

    return run


def control_loops() -> None:
    file = urdf()
    tables = tables_of(file)
    runs: dict[str, Timed] = {}
    for solver in SOLVERS:
        for coordinates in ("joint", "maximal"):
            system, name = arm(tables, solver, coordinates), f"{solver}, {coordinates}"
            runs[f"{name}: step alone"] = step_alone(system)
            runs[f"{name}: Python, reads and sets alone"] = ours_run(system, reads_and_sets)
            runs[f"{name}: Python"] = ours_run(system, in_python)
            runs[f"{name}: Python, recorded"] = ours_run(system, in_python, record=True)
            runs[f"{name}: compiled"] = ours_run(system, law)
            runs[f"{name}: compiled, recorded"] = ours_run(system, law, record=True)
    if installed("mujoco"):
        runs["MuJoCo from Python"] = mujoco_run(file)
    found = in_turn(runs)
    title = f"{'UR5' if file else 'Arm of six hinges'} at {RATE} Hz, limits and friction, 100 frames a second"
    rows: list[list[object]] = [[name, value, 1e6 / (value * RATE)] for name, value in found.items()]
    table(title, ["loop", "µs a sample", "times real time"], rows)
