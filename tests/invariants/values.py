"""One scene, run in several ways: the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from hollow_solids import FOLDER

import mbplugin as mb

Array = Any


def numbers_of_result(result: Any) -> Array:
    """All frames of all bodies, and the forces of contacts."""
    parts = []
    for name in result.bodies:
        body = result[name]
        parts += [body.position, body.orientation, body.velocity, body.angular_velocity]
    if "contacts" in result.raw.lists:
        parts.append(result.list("contacts")["force"])
    return np.concatenate([np.ravel(part) for part in parts])


def unequal_runs(text: str) -> list[str]:
    """Which runs differ in their bits from the first one of the problem: its second, that of a copy made
    after both, that of a fresh problem.
    """
    problem = mb.System.from_text(text, folder=FOLDER).compile()
    first = numbers_of_result(problem.run())
    others = {
        "the second run": problem,
        "the run of a copy": problem.copy(),
        "the run of a fresh problem": mb.System.from_text(text, folder=FOLDER).compile(),
    }
    return [name for name, one in others.items() if not np.array_equal(numbers_of_result(one.run()), first)]


def numbers_of(simulation: Any, names: list[str]) -> Array:
    parts = []
    for name in names:
        body = simulation[name]
        parts += [body.position, body.orientation, body.velocity, body.angular_velocity]
    return np.concatenate([np.ravel(part) for part in parts])


def unequal_steps(text: str, h: float, n: int, seed: int, most: int = 3) -> list[str]:
    """Where a simulation that saves, loads and steps in random order, by up to `most` times h, differs in its
    bits from one that only steps by h.
    """
    rng = np.random.default_rng(seed)
    system = mb.System.from_text(text, folder=FOLDER)
    names = [body.name for body in system.bodies]
    plain = system.simulate()
    expected = [numbers_of(plain, names)]
    for k in range(1, n + 1):
        plain.run(k * h)
        expected.append(numbers_of(plain, names))
    simulation, k = system.simulate(), 0
    saved = {0: simulation.save()}
    for _ in range(2 * n):
        match int(rng.integers(5)):
            case 0:
                saved[k] = simulation.save()
            case 1:
                k = int(rng.choice(list(saved)))
                simulation.load(saved[k])
            case _:
                k = min(n, k + int(rng.integers(1, most + 1)))
                simulation.run(k * h)
        if not np.array_equal(numbers_of(simulation, names), expected[k]):
            return [f"step {k}"]
    return []
