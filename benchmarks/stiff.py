"""Implicit steps of stiff mechanisms: revolute links, each held to the ground by a joint of six stiffnesses.

Links are boxes of 1 m and 1 kg that hang in their springs and vibrate after the start. Exudyn runs redundant
coordinates (Euler parameters, RigidBodySpringDamper) with generalized-alpha, index 3, modified Newton and the
sparse solver with its pattern kept. The springs of both are linear in small rotations; errors are against the
same engine with steps 32 times shorter than the shortest here.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from chains import MOMENTS, exudyn_settings
from plot import plot
from timing import ROUNDS, Timed, advance, alone, in_turn, installed, prepared, seconds, sized, table

STEP, RADIUS = 1e-3, 0.8
STIFFNESS, ANGULAR = 1e5, 1e4  # [N/m], [N·m/rad]
DAMPING, ANGULAR_DAMPING = 1.0, 0.1  # [N·s/m], [N·m·s/rad]


def ours(links: int, **solver: Any) -> Any:
    import mbplugin as mb

    system = mb.System(
        scene={"gravity": [0, 0, -9.81]},
        solver={"type": "galpha", "end": 1e6, "spectral_radius": RADIUS, **solver},
        output={"series": False},
    )
    springs = {
        "type": "penalty",
        "stiffness": STIFFNESS,
        "damping": DAMPING,
        "angular_stiffness": ANGULAR,
        "angular_damping": ANGULAR_DAMPING,
        "assemble": False,
    }
    before = "ground"
    for i in range(links):
        middle = [i + 0.5, 0, 0]
        system.add(mb.Body(name=f"l{i}", mass=1.0, position=middle, inertia=MOMENTS))
        hinge = {"at": [float(i), 0, 0], "axis": [0, 1, 0]}
        system.add(mb.Joint(name=f"j{i}", type="revolute", a=before, b=f"l{i}", **hinge))
        system.add(mb.Joint(name=f"s{i}", type="fixed", a="ground", b=f"l{i}", at=middle, enforce=springs))
        before = f"l{i}"
    return system


def exudyn_system(links: int) -> Any:
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    warnings.simplefilter("ignore", DeprecationWarning)
    system = exu.SystemContainer().AddSystem()
    ground = before = system.CreateGround(referencePosition=[0, 0, 0])
    inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag(MOMENTS))
    for i in range(links):
        middle = [i + 0.5, 0, 0]
        body = system.CreateRigidBody(inertia=inertia, referencePosition=middle, gravity=[0, 0, -9.81])
        system.CreateRevoluteJoint(
            bodyNumbers=[before, body], position=[i, 0, 0], axis=[0, 1, 0], useGlobalFrame=True
        )
        system.CreateRigidBodySpringDamper(
            bodyNumbers=[ground, body],
            localPosition0=middle,
            localPosition1=[0, 0, 0],
            stiffness=np.diag([STIFFNESS] * 3 + [ANGULAR] * 3),
            damping=np.diag([DAMPING] * 3 + [ANGULAR_DAMPING] * 3),
        )
        before = body
    system.Assemble()
    return system, before


def settings_of(steps: int, step: float) -> Any:
    settings = exudyn_settings(steps, step)
    settings.timeIntegration.generalizedAlpha.spectralRadius = RADIUS
    return settings


def ours_steps(links: int, steps: int) -> Timed:
    integrator = prepared(ours(links, step=STEP)).start(np.inf)
    return lambda: seconds(lambda: advance(integrator, integrator.time + steps * STEP)) / steps


def exudyn_steps(links: int, steps: int) -> Timed:
    system, _ = exudyn_system(links)
    settings = settings_of(steps, STEP)
    return lambda: seconds(lambda: system.SolveDynamic(settings)) / steps


def ours_tip(links: int, step: float, end: float, **solver: Any) -> tuple[float, np.ndarray]:
    """Seconds and place of the last link at the end [m]."""
    sim = ours(links, **({"step": step} if step else {}), **solver).simulate()
    took = seconds(lambda: sim.run(end))
    return took, np.array(sim[f"l{links - 1}"].position)


def exudyn_tip(links: int, step: float, end: float) -> tuple[float, np.ndarray]:
    import exudyn as exu

    system, last = exudyn_system(links)
    took = seconds(lambda: system.SolveDynamic(settings_of(round(end / step), step)))
    return took, np.array(system.GetObjectOutputBody(last, exu.OutputVariableType.Position, [0, 0, 0]))


def errors(links: int, end: float, steps: tuple[float, ...]) -> dict[str, list[tuple[float, float]]]:
    """(error of the last link [m], ms) for each engine and step."""
    engines: dict[str, Any] = {"ours, galpha": ours_tip}
    if installed("exudyn"):
        engines["Exudyn, generalized-alpha"] = exudyn_tip
    found: dict[str, list[tuple[float, float]]] = {}
    rows: list[list[object]] = []
    for engine, run in engines.items():
        exact = run(links, min(steps) / 32, end)[1]
        for step in steps:
            runs = sorted((run(links, step, end) for _ in range(sized(ROUNDS, 1))), key=lambda pair: pair[0])
            took, x = runs[len(runs) // 2]
            error = float(np.linalg.norm(x - exact))
            found.setdefault(engine, []).append((error, took * 1e3))
            rows.append([engine, f"{step * 1e3:g} ms", f"{error:.1e}", took * 1e3])
    table(
        f"{links} links in springs, {end:g} s: error of the last link and time of the loop",
        ["engine", "step", "error [m]", "ms"],
        rows,
    )
    return found


def stiff() -> dict[str, list[tuple[float, float]]]:
    """µs a step for 8, 32 and 100 links, and work against precision."""
    engines: dict[str, Any] = {"ours, galpha": ours_steps}
    if installed("exudyn"):
        engines["Exudyn, generalized-alpha"] = exudyn_steps
    rows: list[list[object]] = []
    for links in sized((8, 32, 100), (2,)):
        runs = {name: run(links, 100) for name, run in engines.items()}
        times = {name: 1e6 * value for name, value in in_turn(runs).items()}
        first, *others = times.values()
        rows.append([links, *times.values(), *(first / other for other in others)])
    table(
        "Links in six springs each, implicit steps of 1 ms: µs a step",
        ["links", *engines, *(["ours / Exudyn"] if installed("exudyn") else [])],
        rows,
    )
    return errors(*sized((8, 0.2, (2e-3, 1e-3, 0.5e-3, 0.25e-3)), (2, 0.01, (2e-3,))))


if __name__ == "__main__":
    alone()
    found = stiff()
    if "--plot" in sys.argv:
        plot(sys.argv[sys.argv.index("--plot") + 1], {}, found, "eight links in stiff springs, 0.2 s")
