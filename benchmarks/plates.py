"""A ball on a plate of finite elements: a step of `contact` beside an evaluation of its internal forces."""

from __future__ import annotations

from typing import Any

import numpy as np
from timing import Timed, advance, in_turn, prepared, seconds, sized, table

STEP, WIDTH, THICKNESS, RADIUS = 5e-5, 0.4, 0.02, 0.1
#: a run: solver, whether the plate collides, and how far above it the ball is [m]
RUNS: dict[str, tuple[dict[str, Any], bool, float]] = {
    "rk4, no contact, quarter of a step": ({"type": "rk", "integrator": "rk4"}, False, 1.0),
    "contact, none collides": ({"type": "contact"}, False, 1.0),
    "contact, the ball is far away": ({"type": "contact"}, True, 1e3),
    "contact, the ball lies on the plate": ({"type": "contact"}, True, 0.0),
}


def scene(edge: int, solver: dict[str, Any], collides: bool, above: float) -> Any:
    """A plate of `edge`² hexahedra, held at two edges, and a ball."""
    import mbplugin as mb

    system = mb.System(
        scene={"gravity": [0.0, 0.0, -9.81]},
        solver=solver | {"step": STEP, "end": 1e6},
        output={"series": False},
    )
    system.add(
        mb.Material(
            name="rubber", young=1e7, poisson=0.3, density=1000.0, friction=0.5, stiffness_damping=2e-5
        )
    )
    mesh = {"shape": "box", "size": [WIDTH, WIDTH, THICKNESS], "divisions": [edge, edge, 1]}
    fix = [{"nodes": face, "axes": "xyz"} for face in ("x-", "x+")]
    keys = {"type": "finite_element", "material": "rubber", "mesh": mesh, "fix": fix, "collide": collides}
    system.add(mb.Body(name="plate", **keys))
    place = [0.0, 0.0, 0.5 * THICKNESS + RADIUS + above]
    ball = {"position": place, "mass": 0.3, "inertia": [0.0012] * 3, "collide": collides}
    shape = [{"type": "sphere", "radius": RADIUS}]
    system.add(mb.Body(name="ball", shape=shape, material="rubber" if collides else None, **ball))
    return system


def run_of(edge: int, solver: dict[str, Any], collides: bool, above: float) -> Timed:
    """Microseconds a step, of rk4 a quarter of it; without the first tenth of a second."""
    steps, before = sized(400, 5), sized(0.1, 20 * STEP)
    model = prepared(scene(edge, solver, collides, above))
    evaluations = 4 if solver["type"] == "rk" else 1

    def run() -> float:
        integrator = model.start(np.inf)
        advance(integrator, before)
        return 1e6 * seconds(lambda: advance(integrator, before + steps * STEP)) / steps / evaluations

    return run


def plates() -> None:
    edge = sized(31, 4)
    found = in_turn({name: run_of(edge, *run) for name, run in RUNS.items()})
    one = next(iter(found.values()))
    rows: list[list[object]] = [[name, time, time / one] for name, time in found.items()]
    nodes = 2 * (edge + 1) ** 2
    table(f"A plate of {nodes} nodes under a ball", ["run", "step [µs]", "to an evaluation"], rows)


if __name__ == "__main__":
    plates()
