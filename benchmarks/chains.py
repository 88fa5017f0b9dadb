"""Chains of links that fall from the horizontal: the time of a step over the number of links, and work
against precision for eight links.

Links are boxes of 1 m and 1 kg. MuJoCo runs without contacts and limits. Exudyn runs redundant coordinates
(Euler parameters and joints) with the generalized-alpha method (ρ∞ 0.9), modified Newton and the sparse
solver with its pattern kept: the settings that were fastest for them.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from timing import ROUNDS, Timed, advance, in_turn, installed, prepared, seconds, sized, table

LINKS = {"revolute": (1, 2, 8, 32, 128, 256, 512, 2048), "ball": (1, 2, 8, 32, 128, 512)}
STEP = 1e-3
MOMENTS = [0.02 / 12, 1.01 / 12, 1.01 / 12]


def ours(links: int, joint: str, end: float = 1e6, **solver: Any) -> Any:
    import mbplugin as mb

    flat = joint == "pin"
    system = mb.System(
        scene={"gravity": [0, 0, -9.81]} | ({"plane": "xz"} if flat else {}),
        solver={"type": "rk", "end": end, **solver},
        output={"series": False},
    )
    before = "ground"
    for i in range(links):
        kind = {"type": "planar", "inertia": MOMENTS[1]} if flat else {"inertia": MOMENTS}
        system.add(mb.Body(name=f"l{i}", mass=1.0, position=[i + 0.5, 0, 0], **kind))
        axis = {"axis": [0, 1, 0]} if joint == "revolute" else {}
        system.add(mb.Joint(name=f"j{i}", type=joint, a=before, b=f"l{i}", at=[float(i), 0, 0], **axis))
        before = f"l{i}"
    return system


def steps_of(links: int) -> int:
    return max(10, 4000 // links)


def ours_chain(links: int, joint: str, **solver: Any) -> Timed:
    """Seconds a step, without the evaluation that shows the end."""
    integrator = prepared(ours(links, joint, integrator="rk4", step=STEP, **solver)).start(np.inf)
    steps = steps_of(links)
    return lambda: seconds(lambda: advance(integrator, integrator.time + steps * STEP)) / steps


def mujoco_model(links: int, joint: str, step: float) -> Any:
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator, spec.option.gravity = (
        step,
        mujoco.mjtIntegrator.mjINT_RK4,
        [0, 0, -9.81],
    )
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(
        mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    )
    body = spec.worldbody
    for i in range(links):
        body = body.add_body(pos=[0 if i == 0 else 1, 0, 0])
        if joint == "revolute":
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
        else:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        body.mass, body.ipos, body.inertia, body.explicitinertial = 1.0, [0.5, 0, 0], MOMENTS, True
    body.add_site(name="tip", pos=[1, 0, 0])
    return spec.compile()


def mujoco_chain(links: int, joint: str) -> Timed:
    import mujoco

    model = mujoco_model(links, joint, STEP)
    data = mujoco.MjData(model)
    steps = steps_of(links)
    return lambda: seconds(lambda: mujoco.mj_step(model, data, steps)) / steps


def exudyn_system(links: int, joint: str) -> Any:
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    warnings.simplefilter("ignore", DeprecationWarning)
    system = exu.SystemContainer().AddSystem()
    before = system.CreateGround(referencePosition=[0, 0, 0])
    inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag(MOMENTS))
    for i in range(links):
        body = system.CreateRigidBody(
            inertia=inertia, referencePosition=[i + 0.5, 0, 0], gravity=[0, 0, -9.81]
        )
        if joint == "revolute":
            system.CreateRevoluteJoint(
                bodyNumbers=[before, body], position=[i, 0, 0], axis=[0, 1, 0], useGlobalFrame=True
            )
        else:
            system.CreateSphericalJoint(bodyNumbers=[before, body], position=[i, 0, 0])
        before = body
    system.Assemble()
    return system, before


def exudyn_settings(steps: int, step: float) -> Any:
    import exudyn as exu

    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, steps * step
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverSettings.reuseAnalyzedPattern = True
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    return settings


def exudyn_chain(links: int, joint: str) -> Timed:
    system, _ = exudyn_system(links, joint)
    steps = max(20, 4000 // links)
    settings = exudyn_settings(steps, STEP)
    return lambda: seconds(lambda: system.SolveDynamic(settings)) / steps


ENGINES = {"ours, RK4": ours_chain, "MuJoCo, RK4": mujoco_chain, "Exudyn, generalized-alpha": exudyn_chain}
MODULES = {"ours, RK4": "mbplugin", "MuJoCo, RK4": "mujoco", "Exudyn, generalized-alpha": "exudyn"}
#: MuJoCo's compiler refuses a depth of 1,024, and Exudyn takes minutes to assemble 2,048 links
LONGEST = {"MuJoCo, RK4": 512, "Exudyn, generalized-alpha": 512}


def chains(joint: str) -> dict[str, dict[int, float]]:
    """µs a step for each engine and length."""
    found: dict[str, dict[int, float]] = {name: {} for name in ENGINES if installed(MODULES[name])}
    lengths = sized(LINKS[joint], (1,))
    for links in lengths:
        runs = {name: ENGINES[name](links, joint) for name in found if links <= LONGEST.get(name, links)}
        for name, value in in_turn(runs).items():
            found[name][links] = value * 1e6
    first, *others = found
    mine = found[first]
    rows: list[list[object]] = []
    for links in lengths:
        ratios = [mine[links] / found[name].get(links, float("nan")) for name in others]
        rows.append([links, *(found[name].get(links, float("nan")) for name in found), *ratios])
    table(
        f"Chain of {joint} joints, steps of 1 ms: µs a step",
        ["links", *found, *(f"ours / {name.split(',')[0]}" for name in others)],
        rows,
    )
    long = [n for n in lengths if n >= 32]
    if long:
        exponent = np.polyfit(np.log(long), np.log([mine[n] for n in long]), 1)[0]
        print(f"\nExponent of ours from 32 links on: {exponent:.3f}")
    return found


def tip(links: int) -> np.ndarray:
    """Place of the free end after 1 s: (x, z) from the equations in absolute angles, a form that no engine
    here uses.

    With c_ij = ½ + (links behind the later of both), or ¼ + J + (links behind) for i = j, and w_i = ½ +
    (links behind i):
    Σ_j c_ij (cos(θ_i − θ_j) θ̈_j + sin(θ_i − θ_j) θ̇_j²) = −g w_i cos θ_i.
    """
    from scipy.integrate import solve_ivp

    i = np.arange(links)
    c = 0.5 + (links - 1 - np.maximum.outer(i, i))
    c[i, i] = 0.25 + MOMENTS[1] + (links - 1 - i)
    w = 0.5 + (links - 1 - i)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        angle, speed = y[:links], y[links:]
        d = angle[:, None] - angle
        return np.concatenate(
            [speed, np.linalg.solve(c * np.cos(d), -9.81 * w * np.cos(angle) - (c * np.sin(d)) @ speed**2)]
        )

    angle = solve_ivp(rate, (0, 1), np.zeros(2 * links), method="DOP853", rtol=1e-13, atol=1e-13).y[
        :links, -1
    ]
    return np.array([np.cos(angle).sum(), np.sin(angle).sum()])


def precision() -> dict[str, list[tuple[float, float]]]:
    """Eight revolute links over 1 s: (error of the tip [m], ms) for each engine and setting."""
    wanted = tip(8)
    found: dict[str, list[tuple[float, float]]] = {}
    rows: list[list[object]] = []

    def add(engine: str, setting: str, run: Any) -> None:
        run()
        pairs = sorted(run() for _ in range(sized(ROUNDS, 1)))
        took, error = pairs[len(pairs) // 2]
        found.setdefault(engine, []).append((error, took * 1e3))
        rows.append([engine, setting, f"{error:.1e}", took * 1e3])

    def mine(**solver: Any) -> tuple[float, float]:
        sim = ours(8, "revolute", end=1.0, **solver).simulate()
        took = seconds(lambda: sim.run(1.0))
        w, a, b, c = sim["l7"].orientation
        along = np.array([1 - 2 * (b * b + c * c), 2 * (a * c - w * b)])
        return took, float(np.linalg.norm(sim["l7"].position[[0, 2]] + 0.5 * along - wanted))

    for step in sized((20e-3, 10e-3, 5e-3, 2e-3, 1e-3), (20e-3,)):
        add("ours, RK4", f"{step * 1e3:g} ms", partial(mine, integrator="rk4", step=step))
    for name, tolerances in (
        ("dp5", (1e-4, 1e-6, 1e-8, 1e-10)),
        ("dop853", (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)),
    ):
        for tolerance in sized(tolerances, tolerances[:1]):
            add(f"ours, {name}", f"{tolerance:g}", partial(mine, integrator=name, tolerance=tolerance))
    if installed("mujoco"):
        for step in sized((20e-3, 10e-3, 5e-3, 2e-3, 1e-3, 0.2e-3), (20e-3,)):
            add("MuJoCo, RK4", f"{step * 1e3:g} ms", partial(mujoco_tip, step, wanted))
    if installed("exudyn"):
        for step in sized((10e-3, 1e-3, 0.1e-3), (10e-3,)):
            add("Exudyn, generalized-alpha", f"{step * 1e3:g} ms", partial(exudyn_tip, step, wanted))
    table(
        "Eight revolute links, 1 s: error of the tip and time of the loop",
        ["engine", "step or tolerance", "error [m]", "ms"],
        rows,
    )
    return found


def mujoco_tip(step: float, wanted: np.ndarray) -> tuple[float, float]:
    import mujoco

    model = mujoco_model(8, "revolute", step)
    data = mujoco.MjData(model)
    took = seconds(lambda: mujoco.mj_step(model, data, round(1.0 / step)))
    mujoco.mj_forward(model, data)
    x = data.site("tip").xpos
    return took, float(np.hypot(x[0] - wanted[0], x[2] - wanted[1]))


def exudyn_tip(step: float, wanted: np.ndarray) -> tuple[float, float]:
    import exudyn as exu

    system, last = exudyn_system(8, "revolute")
    took = seconds(lambda: system.SolveDynamic(exudyn_settings(round(1.0 / step), step)))
    x = system.GetObjectOutputBody(last, exu.OutputVariableType.Position, [0.5, 0, 0])
    return took, float(np.hypot(x[0] - wanted[0], x[2] - wanted[1]))
