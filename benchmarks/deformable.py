"""Bodies that deform beside rigid ones: processor time of a step for each body, free and on a plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import Timed, advance, in_turn, prepared, seconds, sized, table

STEP, BODIES, EDGE = 1e-4, 64, 0.1
SOLVERS = {"rk4, free": {"type": "rk", "integrator": "rk4"}, "contact, on a plane": {"type": "contact"}}
SOFT = {"type": "pseudo_rigid", "young": 1e6, "poisson": 0.3}
KINDS: dict[str, dict[str, Any]] = {
    "spatial": {},
    "linear": SOFT,
    "linear, damped": SOFT | {"damping": 1e-4},
    "saint_venant_kirchhoff": SOFT | {"elasticity": "saint_venant_kirchhoff"},
    "neo_hookean": SOFT | {"elasticity": "neo_hookean"},
}


def scene(keys: dict[str, Any], solver: dict[str, Any], bodies: int) -> Any:
    """Cubes in a row, at rest on a plane, or free and spinning."""
    import mbplugin as mb

    on_plane = solver["type"] == "contact"
    plane = {"shape": [{"type": "plane", "size": [20, 20]}], "collide": True}
    world = {"gravity": [0.0, 0.0, -9.81]} | (plane if on_plane else {})
    system = mb.System(scene=world, solver=solver | {"step": STEP, "end": 1e6}, output={"series": False})
    moves = {"collide": True} if on_plane else {"angular_velocity": [1.0, 2.0, 3.0]}
    for i in range(bodies):
        shape = [{"type": "box", "size": [EDGE] * 3}]
        place = {"position": [0.2 * i, 0.0, EDGE / 2], "density": 1000.0, "shape": shape}
        system.add(mb.Body(name=f"b{i}", **place, **moves, **keys))
    return system


def run_of(keys: dict[str, Any], solver: dict[str, Any]) -> Timed:
    """Nanoseconds a step and body, without its first ones."""
    bodies, steps = sized(BODIES, 2), sized(1000, 5)
    model = prepared(scene(keys, solver, bodies))

    def run() -> float:
        integrator = model.start(np.inf)
        advance(integrator, 20 * STEP)
        return 1e9 * seconds(lambda: advance(integrator, (20 + steps) * STEP)) / steps / bodies

    return run


def deformable() -> None:
    rows = []
    found = {
        name: in_turn({kind: run_of(keys, solver) for kind, keys in KINDS.items()})
        for name, solver in SOLVERS.items()
    }
    for kind in KINDS:
        row: list[object] = [kind]
        for times in found.values():
            row += [times[kind], times[kind] / times["spatial"]]
        rows.append(row)
    head = ["body", *(text for name in SOLVERS for text in (f"{name} [ns]", "to spatial"))]
    table("Bodies that deform beside rigid ones, ns a step and body", head, rows)


if __name__ == "__main__":
    deformable()
