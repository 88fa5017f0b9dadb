"""Processor time of a step of cylinders and of boxes that stand, or lie, on a plane.

python benchmarks/round_shapes.py
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import mbplugin as mb

BODIES, STEPS = 100, 400
LYING = {"axis": [1, 0, 0], "angle_deg": 90}
#: shape, height, orientation
CASES: dict[str, tuple[dict[str, Any], float, dict[str, Any] | None]] = {
    "boxes": ({"type": "box", "size": [0.2, 0.2, 0.3]}, 0.15, None),
    "cylinders that stand": ({"type": "cylinder", "radius": 0.1, "length": 0.3}, 0.15, None),
    "cylinders that lie": ({"type": "cylinder", "radius": 0.1, "length": 0.3}, 0.1, LYING),
    "capsules that lie": ({"type": "capsule", "radius": 0.1, "length": 0.3}, 0.1, LYING),
}


def scene(shape: dict[str, Any], height: float, orientation: dict[str, Any] | None) -> Any:
    turned = {} if orientation is None else {"orientation": orientation}
    bodies = [
        {
            "name": f"b{k}",
            "density": 1000.0,
            "position": [0.5 * (k % 10), 0.5 * (k // 10), height],
            "velocity": [0.3, 0.0, 0.0],
            "collide": True,
            "material": "stone",
            "shape": [shape],
            **turned,
        }
        for k in range(BODIES)
    ]
    table = {
        "scene": {"collide": True, "material": "stone", "shape": [{"type": "plane"}]},
        "material": [{"name": "stone", "friction": 0.4}],
        "body": bodies,
        "solver": {"type": "contact", "step": 1e-3, "end": 10.0},
    }
    return mb.System.model_validate(table).simulate()


def main() -> None:
    simulations = {name: scene(*case) for name, case in CASES.items()}
    for name, simulation in simulations.items():
        simulation.step(0.01)
        seconds = []
        for _ in range(5):
            start = time.process_time()
            simulation.step(STEPS * 1e-3 / 5)
            seconds.append(time.process_time() - start)
        each = 1e6 * float(np.median(seconds)) / (STEPS / 5) / BODIES
        print(f"{name:24} {each:8.2f} µs a body and step")


if __name__ == "__main__":
    main()
