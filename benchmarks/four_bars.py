"""Four-bars in a row (IFToMM A02): 10 s through ten singular positions, with the error beside the time."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable

import numpy as np
from timing import ROUNDS, installed, sized, table

TIMES = (0.5, 1.0, 1.5, 2.0, 4.0, 5.0, 10.0)


@functools.cache
def exact(loops: int) -> np.ndarray:
    """(7, 2) place of B0: on the branch where all rods stay parallel the mechanism is one pendulum, ((n +
    1)/3 + n) θ'' = ((n + 1)/2 + n) g sin θ.
    """
    from scipy.integrate import solve_ivp

    ratio = ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops) * 9.81
    angle = solve_ivp(
        lambda t, y: [y[1], ratio * np.sin(y[0])],
        (0, 10),
        [0, 1],
        t_eval=TIMES,
        rtol=1e-12,
        atol=1e-13,
        method="DOP853",
    ).y[0]
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
        system.add(
            mb.Joint(
                name=f"A_{i}",
                type="revolute",
                a="ground",
                b=f"rod_{i}",
                at=[i, 0, 0],
                axis=[0, 0, 1],
                **start,
            )
        )
    for i in range(loops):
        for k, end in ((i, "a"), (i + 1, "b")):
            system.add(
                mb.Joint(
                    name=f"B_{i}{end}",
                    type="revolute",
                    a=f"rod_{k}",
                    b=f"coupler_{i}",
                    at=[k, 1, 0],
                    axis=[0, 0, 1],
                )
            )
    sim = system.simulate()
    worst, seconds = 0.0, 0.0
    for t, place in zip(TIMES, exact(loops)):
        start_time = time.process_time()
        sim.run(t)
        seconds += time.process_time() - start_time
        worst = max(worst, float(np.hypot(*(2.0 * sim["rod_0"].position[:2] - place))))
    return seconds, worst


def mujoco_four_bars(loops: int, integrator: str) -> tuple[float, float]:
    import mujoco

    h = 1e-3
    soft = f'solref="{2 * h} 1" solimp="0.9999 0.9999 0.001"'
    text = f'<mujoco><option timestep="{h}" integrator="{integrator}" gravity="0 -9.81 0">'
    text += '<flag contact="disable"/></option><worldbody>'
    rod = (
        '<body name="rod{i}" pos="{x} 0 0"><joint axis="0 0 1"/>'
        '<inertial pos="0 0.5 0" mass="1" diaginertia="0.0833333333333 0.001 0.0833333333333"/>'
    )
    text += rod.format(i=0, x=0)
    for i in range(loops):
        text += (
            f'<body name="coupler{i}" pos="{0 if i == 0 else 1} {1 if i == 0 else 0} 0"><joint axis="0 0 1"/>'
        )
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
    cases: dict[str, Callable[[int], tuple[float, float]]] = {
        "ours, dp5 1e-5": lambda n: ours_four_bars(n, tolerance=1e-5),
        "ours, dp5 1e-6": lambda n: ours_four_bars(n, tolerance=1e-6),
        "ours, dop853 1e-8": lambda n: ours_four_bars(n, tolerance=1e-8, integrator="dop853"),
    }
    if installed("mujoco"):
        cases["MuJoCo, RK4, stiff connects, 1 ms"] = lambda n: mujoco_four_bars(n, "RK4")
        cases["MuJoCo, implicitfast, stiff connects, 1 ms"] = lambda n: mujoco_four_bars(n, "implicitfast")
    sizes = sized((2, 40), (1, 2))
    rows: list[list[object]] = []
    for name, case in cases.items():
        case(sizes[0])
        row: list[object] = [name]
        for loops in sizes:
            runs = [case(loops) for _ in range(sized(ROUNDS, 1))]
            row += [f"{runs[0][1]:.1e}", 1e3 * statistics.median(took for took, _ in runs)]
        rows.append(row)
    table(
        "Four-bars in a row, 10 s",
        ["engine", *(head for loops in sizes for head in (f"{loops} loops: error of B0 [m]", "ms"))],
        rows,
    )
