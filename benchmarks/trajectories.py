"""Contacts along runs: how many steps reach the residual 1e-6 g dt, in how many factorizations, and
milliseconds a step beside MuJoCo's Newton.

A wall of 104 bricks is pushed across: as a whole, so that it topples (speeds proportional to height), or at
every third brick. Steps of 2 ms; a push ends when the bricks have landed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from contacts import FRICTION, STEP, Boxes, G, mujoco_model, system_of, wall
from residuals import of_mbplugin, of_mujoco
from timing import alone, installed, seconds, sized, table

GOAL, FEW = 1e-6, 50
#: least and largest value of the key `residual`
RESIDUALS = 1e-9, 10.0
#: name -> whether the whole wall topples, speed [m/s], steps
PUSHES: dict[str, tuple[bool, float, int]] = {
    "wall pushed so that it topples, 0.5 m/s at its top": (True, 0.5, 900),
    "the same, 3 m/s": (True, 3.0, 450),
    "every third brick of the wall pushed at 0.5 m/s": (False, 0.5, 400),
    "the same at 3 m/s": (False, 3.0, 500),
}
HEAD = [
    *("run", "steps", "at 1e-6 g dt", "within 50 factorizations", "worst", "median residual / (g dt)"),
    *("ms a step", "MuJoCo's", "its median residual", "ms a step to that", "steps that reach it"),
]


def velocities(boxes: Boxes, whole: bool, speed: float) -> Any:
    """(n, 3) at the start [m/s]."""
    found = np.zeros((len(boxes), 3))
    heights = np.array([at[2] for _, _, at, _ in boxes])
    if whole:
        found[:, 1] = speed * heights / heights.max()
    else:
        found[::3, 1] = speed
    return found


def along(simulation: Any, steps: int) -> Any:
    """(steps, 3) residual over g dt, factorizations and milliseconds of each step."""
    found = np.zeros((steps, 3))
    for k in range(steps):
        found[k, 2] = 1e3 * seconds(lambda: simulation.step(STEP))
        found[k, :2] = of_mbplugin(simulation, G * STEP), simulation.output("contact.factorizations")
    return found


def reached(simulation: Any, steps: int) -> tuple[float, float]:
    """Milliseconds a step, and the share of steps that reach their residual."""
    spent = sum(seconds(lambda: simulation.step(STEP)) for _ in range(steps))
    return 1e3 * spent / steps, 1.0 - simulation.output("contact.missed") / steps


def beside(boxes: Boxes, start: Any, steps: int) -> tuple[float, float]:
    """MuJoCo's milliseconds a step, and the median of its residuals over g dt in every tenth step."""
    import mujoco

    model = mujoco_model(boxes, 0.0, FRICTION)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    data = mujoco.MjData(model)
    data.qvel.reshape(-1, 6)[:, :3] = start
    spent = seconds(lambda: mujoco.mj_step(model, data, steps))
    mujoco.mj_resetData(model, data)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data.qvel.reshape(-1, 6)[:, :3] = start
    residuals = []
    for _ in range(steps // 10):
        mujoco.mj_step(model, data, 10)
        residuals.append(of_mujoco(model, data, G * STEP))
    return 1e3 * spent / steps, float(np.median(residuals))


def trajectories(names: Iterable[str] = tuple(PUSHES)) -> None:
    """The table of these runs."""
    rows: list[list[object]] = []
    boxes, _, friction = wall(*sized((16, 7), (2, 2)))
    for name in names:
        whole, speed, steps = PUSHES[name]
        steps = sized(steps, 10)
        start = velocities(boxes, whole, speed)
        found = along(system_of(boxes, 0.0, friction, start).simulate(), steps)
        residual, factorizations, ms = found.T
        share = lambda held: f"{100.0 * np.mean(held):.1f} %"
        row = [name, steps, share(residual <= GOAL), share(factorizations <= FEW)]
        row += [float(residual.max()), float(np.median(residual)), float(ms.mean())]
        if installed("mujoco"):
            theirs, of_theirs = beside(boxes, start, steps)
            residual = float(np.clip(of_theirs, *RESIDUALS))
            system = system_of(boxes, 0.0, friction, start, residual=residual)
            loose, held = reached(system.simulate(), steps)
            row += [theirs, of_theirs, loose, share(held)]
        rows.append([*row, *[""] * (len(HEAD) - len(row))])
    table("Contacts along runs", HEAD, rows)


if __name__ == "__main__":
    alone()
    trajectories()
