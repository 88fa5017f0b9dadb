"""Ropes, separators and capstans from the end of a chain of six hinges to a hook: processor time of a step
beside that without them where they are slack or open, and beside that with a rod where they are taut.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import Timed, advance, in_turn, prepared, seconds, sized, table

STEP, AXES, LENGTH = 1e-4, ((0, 1, 0), (1, 0, 0)) * 3, 0.3
SOLVERS = {"rk4": {"type": "rk", "integrator": "rk4"}, "contact": {"type": "contact"}}
NONE, ROD, ROPE = "nothing", "rod", "taut rope"
DRUM = {
    "type": "capstan",
    "markers": ["ground.hook", "l5.end", "ground.drum"],
    "radius": 0.1,
    "axis": [0, 0, 1],
}
OVER = ["ground.hook", "ground.drum", "l5.end"]
#: name -> keys of the joint to the hook, from which gravity pulls the chain, and what it is compared with
CASES: dict[str, tuple[dict[str, Any], str]] = {
    NONE: ({}, NONE),
    "slack rope": ({"type": "rope", "length": 9.0}, NONE),
    "open separator": ({"type": "separator", "length": 0.1}, NONE),
    "slack capstan": (DRUM | {"friction": 0.3, "length": 9.0}, NONE),
    ROD: ({"type": "rod"}, ROD),
    ROPE: ({"type": "rope"}, ROD),
    "taut rope over an eye": ({"type": "rope", "markers": OVER}, ROD),
    "capstan that slips": (DRUM | {"friction": 0.1}, ROPE),
}


def scene(keys: dict[str, Any], solver: dict[str, Any]) -> Any:
    import mbplugin as mb

    hook = {"name": "hook", "position": [-0.6, -0.8, -1.4]}
    drum = {"name": "drum", "position": [-0.3, -0.2, -1.6]}
    world = {"gravity": [3.0, 4.0, -9.0], "marker": [hook, drum]}
    system = mb.System(scene=world, solver=solver | {"step": STEP, "end": 1e6}, output={"series": False})
    before, end = "ground", {"name": "end", "position": [0, 0, -0.5 * LENGTH]}
    for i, axis in enumerate(AXES):
        place = {"position": [0, 0, -(i + 0.5) * LENGTH], "marker": [end]}
        system.add(mb.Body(name=f"l{i}", mass=1, inertia=[0.01] * 3, **place))
        at = [0, 0, -i * LENGTH]
        system.add(mb.Joint(name=f"j{i}", type="revolute", a=before, b=f"l{i}", at=at, axis=axis))
        before = f"l{i}"
    if keys:
        ends = {} if "markers" in keys else {"a": "ground.hook", "b": "l5.end"}
        system.add(mb.Joint(name="held", **ends, **keys))
    return system


def run_of(keys: dict[str, Any], solver: dict[str, Any]) -> Timed:
    """Microseconds a step, without its first ones."""
    model, steps = prepared(scene(keys, solver)), sized(2000, 10)

    def run() -> float:
        integrator = model.start(np.inf)
        advance(integrator, 1e-3)
        return 1e6 * seconds(lambda: advance(integrator, 1e-3 + STEP * steps)) / steps

    return run


def ropes() -> None:
    for name, solver in SOLVERS.items():
        cost = in_turn({case: run_of(keys, solver) for case, (keys, _) in CASES.items()})
        rows = [[case, cost[case], cost[case] / cost[other], other] for case, (_, other) in CASES.items()]
        table(f"Ropes at the end of six hinges, a step of {name}", ["joint", "µs", "times", "of"], rows)


if __name__ == "__main__":
    ropes()
