"""Rows whose forces have bounds under `rk`, on a chain of six hinges: processor time of a step beside that of
the same rows as equalities, motions at velocity level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import Timed, advance, in_turn, prepared, seconds, sized, table

AXES, LENGTH = ((0, 1, 0), (1, 0, 0)) * 3, 0.3
#: name of a chain -> keys of its hinges, of its motions, whether gravity pulls it
CHAINS: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "no further rows": ({}, {}, True),
    "6 motions": ({}, {"angle_velocity": 0.0}, True),
    "12 limits out of reach": ({"limits": [-3.0, 3.0]}, {}, True),
    "6 frictions that slip": ({"friction_torque": 1e-3}, {}, True),
    "6 frictions that stick": ({"friction_torque": 1e3}, {}, True),
    "6 limits that hold": ({"limits": [0.0, np.inf]}, {}, False),
    "6 frictions by a coefficient that slip": ({"friction": 0.02, "radius": 0.01}, {}, True),
}
EQUALITY = "6 motions"


def chain(joint: dict[str, Any], motion: dict[str, Any], falls: bool) -> Any:
    import mbplugin as mb

    solver = {"type": "rk", "integrator": "rk4", "step": 1e-4, "end": 1e6}
    gravity = [3.0, 4.0, -9.0] if falls else [0, 0, 0]
    system = mb.System(scene={"gravity": gravity}, solver=solver, output={"series": False})
    before = "ground"
    for i, axis in enumerate(AXES):
        system.add(mb.Body(name=f"l{i}", mass=1, inertia=[0.01] * 3, position=[0, 0, -(i + 0.5) * LENGTH]))
        at = [0, 0, -i * LENGTH]
        system.add(mb.Joint(name=f"j{i}", type="revolute", a=before, b=f"l{i}", at=at, axis=axis, **joint))
        if motion:
            system.add(mb.Motion(joint=f"j{i}", **motion))
        if not falls:
            # pressed onto its limit
            torque = dict(zip(("torque_x", "torque_y", "torque_z"), (-float(a) for a in axis)))
            system.add(mb.Force(name=f"f{i}", type="torque", body=f"l{i}", **torque))
        before = f"l{i}"
    return system


def run_of(name: str) -> Timed:
    """Microseconds a step, without its first ones."""
    model, steps = prepared(chain(*CHAINS[name])), sized(2000, 10)

    def run() -> float:
        integrator = model.start(np.inf)
        advance(integrator, 1e-3)
        return 1e6 * seconds(lambda: advance(integrator, 1e-3 + 1e-4 * steps)) / steps

    return run


def bounded_rows() -> None:
    cost = in_turn({name: run_of(name) for name in CHAINS})
    rows = [[name, cost[name], cost[name] / cost[EQUALITY]] for name in CHAINS]
    title = "Rows with bounds on six hinges, a step of rk4"
    table(title, ["rows", "µs", "of the same rows as equalities"], rows)


if __name__ == "__main__":
    bounded_rows()
