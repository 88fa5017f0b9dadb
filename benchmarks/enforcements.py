"""One door on two hinges, held by multipliers, by penalty and by the augmented Lagrangian: what each answers,
how many unknowns it has, and what it costs.
"""

from __future__ import annotations

import numpy as np
from timing import in_turn, seconds, table

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.tables.groups import Elements, Rows, State

END = 1.0
DOOR = """
[[body]]
name = "door"
mass = 20
inertia = [6.67, 8.02, 1.35]
position = [0.45, 0, 0]
velocity = [0, 0.45, 0]
angular_velocity = [0, 0, 1]
"""
HINGE = """
[[joint]]
name = "{name}"
type = "revolute"
a = "ground"
b = "door"
at = [0, 0, {z}]
axis = [0, 0, 1]
enforce = {enforce}
"""
SOLVER = "[solver]\ntolerance = 1e-8\nend = 1\n"
PENALTY = '{{ type = "penalty", stiffness = {k}, angular_stiffness = {angular}{more} }}'


def penalty(k: float, more: str = "") -> str:
    return PENALTY.format(k=k, angular=k / 50, more=more)


HELD = {
    "`lagrange`": ('"lagrange"', '"lagrange"'),
    "`lagrange` and `penalty`": ('"lagrange"', penalty(1e6)),
    "`penalty`, 1e5 N/m": (penalty(1e5),) * 2,
    "`penalty`, 1e6 N/m": (penalty(1e6),) * 2,
    "`penalty`, 1e7 N/m": (penalty(1e7),) * 2,
    "augmented, 1e3 N/m": (penalty(1e3, ", augment = true"),) * 2,
}


def prepared(low: str, top: str) -> Prepared:
    text = (
        DOOR
        + HINGE.format(name="low", z=-0.7, enforce=low)
        + HINGE.format(name="top", z=0.7, enforce=top)
        + SOLVER
    )
    return prepare(mb.System.from_text(text), plugins()[0])


def run(door: Prepared, frames: int = 1) -> tuple[dict[str, float], float, list[float]]:
    """Statistics, the largest deviation of any row at a step (of rows held exactly: at a frame) [m], and the
    force upwards in each hinge at the last frame [N].
    """
    integrator, rows = door.start(END), door.problem[Rows]
    worst, up = 0.0, [0.0, 0.0]
    for t in np.linspace(0.0, END, frames + 1)[1:]:
        while integrator.advance(END, float(t), 10**6) == "busy":
            pass
        if frames > 1:
            integrator.show(float(t))
            worst = max(
                worst, float(np.abs(rows.phi[door.problem.on & (rows.radians == 0)]).max(initial=0.0))
            )
            up = door.recorder.frame()["joints/force"][:, 2].tolist()
    lengths = [
        r
        for names in door.problem.names.enforced
        for r in door.problem.names.joints[names.joint].rows
        if rows.radians[r] == 0
    ]
    return integrator.statistics, max(worst, largest(door, lengths)), up


def largest(door: Prepared, lengths: list[int]) -> float:
    """The largest |Φ| that penalties remember of these rows [m]."""
    elements, memory = door.problem[Elements].index, door.problem[State].memory
    return max(
        (float(memory[int(elements[door.problem.names.compliances[r]].first_memory)]) for r in lengths),
        default=0.0,
    )


def timed(door: Prepared) -> float:
    return seconds(lambda: run(door))


def enforcements() -> None:
    found, times = {}, {}
    for name, (low, top) in HELD.items():
        door = prepared(low, top)
        _, deviation, up = run(door, frames=200)
        found[name] = (door.rank, run(prepared(low, top))[0], deviation, up)
        times[name] = lambda low=low, top=top: timed(prepared(low, top))
    cost = in_turn(times)
    rows = []
    for name, (rank, counts, deviation, up) in found.items():
        weights = " and ".join(f"{force:.1f}" for force in up) if abs(up[0] - up[1]) > 0.1 else f"{up[0]:.1f}"
        work = [int(counts["steps"]), int(counts["evaluations"]), f"{1e3 * cost[name]:.2g} ms"]
        rows.append([name, f"{rank.rows}, {rank.rank}", *work, f"{deviation:.1e} m", f"{weights} N"])
    head = ["both hinges", "rows, rank", "steps", "evaluations", "time", "deviation", "upwards, each"]
    table("Ways to hold a door on two hinges, 1 s at tolerance 1e-8", head, rows)


if __name__ == "__main__":
    enforcements()
