"""Ours and the peers that are installed, in one run: processor time of the time loop, and the error beside it.

    pip install '.[benchmarks]' && python benchmarks/peers.py [chains] [four_bars]

The peers run with the settings that were fastest for them: MuJoCo without contacts and limits; Exudyn's redundant coordinates with the generalized-alpha
method (ρ∞ 0.9), modified Newton and the sparse solver with its pattern kept. Engines take turns, three rounds, and the median counts; no thread but the main
one works.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

LINKS = (1, 2, 8, 32, 128, 512, 2048)
ROUNDS, STEP = 3, 1e-3
Timed = Callable[[], float]


def ours_chain(links: int) -> Timed:
    import mbplugin as mb

    moments = [0.02 / 12, 1.01 / 12, 1.01 / 12]
    system = mb.System(scene={"gravity": [0, 0, -9.81]}, solver={"type": "rk", "end": 1e6, "integrator": "rk4", "step": STEP}, output={"series": False})
    before = "ground"
    for i in range(links):
        system.add(mb.Body(name=f"l{i}", mass=1.0, inertia=moments, position=[i + 0.5, 0, 0]))
        system.add(mb.Joint(name=f"j{i}", type="revolute", a=before, b=f"l{i}", at=[float(i), 0, 0], axis=[0, 1, 0]))
        before = f"l{i}"
    sim = system.simulate()
    return lambda: stepped(sim, steps_of(links))


def stepped(sim: object, steps: int) -> float:
    """Seconds a step, without the evaluation that shows the end."""
    integrator = sim._integrator  # type: ignore[attr-defined]
    until = integrator.time + steps * STEP
    start = time.process_time()
    while integrator.advance(until, np.inf, 10**9) != "end":
        pass
    return (time.process_time() - start) / steps


def steps_of(links: int) -> int:
    return max(10, 4000 // links)


def mujoco_chain(links: int) -> Timed:
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator, spec.option.gravity = STEP, mujoco.mjtIntegrator.mjINT_RK4, [0, 0, -9.81]
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    body = spec.worldbody
    for i in range(links):
        body = body.add_body(pos=[0 if i == 0 else 1, 0, 0])
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
        body.mass, body.ipos, body.inertia, body.explicitinertial = 1.0, [0.5, 0, 0], [0.02 / 12, 1.01 / 12, 1.01 / 12], True
    model = spec.compile()
    data = mujoco.MjData(model)
    steps = steps_of(links)

    def run() -> float:
        start = time.process_time()
        mujoco.mj_step(model, data, steps)
        return (time.process_time() - start) / steps

    return run


def exudyn_chain(links: int) -> Timed:
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    warnings.simplefilter("ignore", DeprecationWarning)
    container = exu.SystemContainer()
    system = container.AddSystem()
    before = system.CreateGround(referencePosition=[0, 0, 0])
    inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag([0.02 / 12, 1.01 / 12, 1.01 / 12]))
    for i in range(links):
        body = system.CreateRigidBody(inertia=inertia, referencePosition=[i + 0.5, 0, 0], gravity=[0, 0, -9.81])
        system.CreateRevoluteJoint(bodyNumbers=[before, body], position=[i, 0, 0], axis=[0, 1, 0], useGlobalFrame=True)
        before = body
    system.Assemble()
    steps = max(20, 4000 // links)
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, steps * STEP
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverSettings.reuseAnalyzedPattern = True
    settings.linearSolverType = exu.LinearSolverType.EigenSparse

    def run() -> float:
        start = time.process_time()
        system.SolveDynamic(settings)
        return (time.process_time() - start) / steps

    return run


ENGINES = {"ours, RK4": ours_chain, "MuJoCo, RK4": mujoco_chain, "Exudyn, generalized-alpha": exudyn_chain}
MODULES = {"ours, RK4": "mbplugin", "MuJoCo, RK4": "mujoco", "Exudyn, generalized-alpha": "exudyn"}


def chains() -> dict[str, dict[int, float]]:
    """µs a step of a chain of revolute links, for each engine and length."""
    found: dict[str, dict[int, float]] = {name: {} for name in ENGINES if importlib.util.find_spec(MODULES[name])}
    for links in LINKS:
        # MuJoCo's compiler refuses a depth of 1,024, and Exudyn's redundant coordinates take minutes to assemble at 2,048
        runs = {name: ENGINES[name](links) for name in found if links < 1024 or name.startswith("ours")}
        times: dict[str, list[float]] = {name: [] for name in runs}
        for run in runs.values():
            run()
        for _ in range(ROUNDS):
            for name, run in runs.items():
                times[name].append(run())
        for name, values in times.items():
            found[name][links] = statistics.median(values) * 1e6
    ours = found["ours, RK4"]
    print("\nChain of revolute links, steps of 1 ms: µs a step\n\n| links | " + " | ".join(found) + " | ours / MuJoCo | ours / Exudyn |")
    print("|---" * (len(found) + 3) + "|")
    for links in LINKS:
        cells = [f"{found[name].get(links, float('nan')):.4g}" for name in found]
        ratios = [f"{ours[links] / found[name][links]:.3f}" if links in found.get(name, {}) else "" for name in list(ENGINES)[1:]]
        print(f"| {links} | " + " | ".join([*cells, *ratios]) + " |")
    slope = np.polyfit(np.log([n for n in LINKS if n >= 32]), np.log([ours[n] for n in LINKS if n >= 32]), 1)[0]
    print(f"\nexponent of ours from 32 links on: {slope:.3f}")
    return found


# four-bars in a row, IFToMM A02

TIMES = (0.5, 1.0, 1.5, 2.0, 4.0, 5.0, 10.0)


@functools.cache
def exact(loops: int) -> np.ndarray:
    """(7, 2) place of B0: on the branch where all rods stay parallel the mechanism is one pendulum, ((n + 1)/3 + n) θ'' = ((n + 1)/2 + n) g sin θ."""
    from scipy.integrate import solve_ivp

    ratio = ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops) * 9.81
    angle = solve_ivp(lambda t, y: [y[1], ratio * np.sin(y[0])], (0, 10), [0, 1], t_eval=TIMES, rtol=1e-12, atol=1e-13, method="DOP853").y[0]
    return np.column_stack([np.sin(angle), np.cos(angle)])


def ours_four_bars(loops: int, **solver: object) -> tuple[float, float]:
    """Processor seconds for 10 s and the largest distance of B0 from where it is exactly [m]."""
    import mbplugin as mb

    system = mb.System(scene={"gravity": [0, -9.81, 0]}, solver={"type": "rk", "end": 10.0, **solver})
    tall, wide = [1 / 12, 0.001, 1 / 12], [0.001, 1 / 12, 1 / 12]
    for i in range(loops + 1):
        system.add(mb.Body(name=f"rod_{i}", mass=1.0, inertia=tall, position=[i, 0.5, 0]))
    for i in range(loops):
        system.add(mb.Body(name=f"coupler_{i}", mass=1.0, inertia=wide, position=[i + 0.5, 1, 0]))
    for i in range(loops + 1):
        start = {"start": {"speed": -1.0}} if i == 0 else {}
        system.add(mb.Joint(name=f"A_{i}", type="revolute", a="ground", b=f"rod_{i}", at=[i, 0, 0], axis=[0, 0, 1], **start))
    for i in range(loops):
        for k, end in ((i, "a"), (i + 1, "b")):
            system.add(mb.Joint(name=f"B_{i}{end}", type="revolute", a=f"rod_{k}", b=f"coupler_{i}", at=[k, 1, 0], axis=[0, 0, 1]))
    sim = system.simulate()
    worst, seconds = 0.0, 0.0
    for t, place in zip(TIMES, exact(loops)):
        start_time = time.process_time()
        while sim._integrator.advance(10.0, t, 10**9) == "busy":
            pass
        seconds += time.process_time() - start_time
        sim._show(t)
        worst = max(worst, float(np.hypot(*(2.0 * sim["rod_0"].position[:2] - place))))
    return seconds, worst


def mujoco_four_bars(loops: int, integrator: str) -> tuple[float, float]:
    import mujoco

    h = 1e-3
    soft = f'solref="{2 * h} 1" solimp="0.9999 0.9999 0.001"'
    text = f'<mujoco><option timestep="{h}" integrator="{integrator}" gravity="0 -9.81 0"><flag contact="disable"/></option><worldbody>'
    rod = '<body name="rod{i}" pos="{x} 0 0"><joint axis="0 0 1"/><inertial pos="0 0.5 0" mass="1" diaginertia="0.0833333333333 0.001 0.0833333333333"/>'
    text += rod.format(i=0, x=0)
    for i in range(loops):
        text += f'<body name="coupler{i}" pos="{0 if i == 0 else 1} {1 if i == 0 else 0} 0"><joint axis="0 0 1"/>'
        text += '<inertial pos="0.5 0 0" mass="1" diaginertia="0.001 0.0833333333333 0.0833333333333"/>'
    text += "</body>" * loops + "</body>"
    for i in range(1, loops + 1):
        text += rod.format(i=i, x=i) + "</body>"
    text += "</worldbody><equality>"
    for i in range(1, loops + 1):
        text += f'<connect body1="rod{i}" body2="coupler{i - 1}" anchor="0 1 0" {soft}/>'
    model = mujoco.MjModel.from_xml_string(text + "</equality></mujoco>")
    data = mujoco.MjData(model)
    data.qvel[0], data.qvel[1] = -1.0, 1.0
    data.qvel[loops + 1 :] = -1.0
    worst, seconds, done = 0.0, 0.0, 0
    for t, place in zip(TIMES, exact(loops)):
        steps = round(t / h) - done
        start = time.process_time()
        mujoco.mj_step(model, data, steps)
        seconds += time.process_time() - start
        done += steps
        worst = max(worst, float(np.hypot(-np.sin(data.qpos[0]) - place[0], np.cos(data.qpos[0]) - place[1])))
    return seconds, worst


def four_bars() -> None:
    """Time and error of the four-bars that pass singular positions."""
    print("\nFour-bars in a row (IFToMM A02), 10 s\n")
    print("| engine | 2 loops: error of B0 [m] | time [ms] | 40 loops: error of B0 [m] | time [ms] |\n|---|---|---|---|---|")
    cases: dict[str, Callable[[int], tuple[float, float]]] = {
        "ours, dp5 1e-5": lambda n: ours_four_bars(n, tolerance=1e-5),
        "ours, dp5 1e-6": lambda n: ours_four_bars(n, tolerance=1e-6),
        "ours, dop853 1e-8": lambda n: ours_four_bars(n, tolerance=1e-8, integrator="dop853"),
    }
    if importlib.util.find_spec("mujoco"):
        cases["MuJoCo, RK4, stiff connects, 1 ms"] = lambda n: mujoco_four_bars(n, "RK4")
        cases["MuJoCo, implicitfast, stiff connects, 1 ms"] = lambda n: mujoco_four_bars(n, "implicitfast")
    for name, case in cases.items():
        case(2)
        small = [case(2) for _ in range(ROUNDS)]
        large = [case(40) for _ in range(ROUNDS)]
        cells = [f"{runs[0][1]:.1e} | {1e3 * statistics.median(s for s, _ in runs):.3g}" for runs in (small, large)]
        print(f"| {name} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        # threads that wait for work would be counted
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    wanted = sys.argv[1:] or ["chains", "four_bars"]
    if "chains" in wanted:
        chains()
    if "four_bars" in wanted:
        four_bars()
