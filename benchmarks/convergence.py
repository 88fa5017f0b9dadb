"""Convergence of the solver `contact`, cold: the first steps of generated problems, to three residuals.

A problem's first step has no impulses to begin with. The residual is the largest |r − P_K(r − ρ ũ)| / ρ of
its contacts over g dt. For each residual the problem is solved anew, so that processor times hold all work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import cos, pi, sin
from typing import Any

import numpy as np
from contacts import FRICTION, STEP, Boxes, G, stack, system_of, wall
from timing import ROUNDS, advance, alone, prepared, seconds, sized, table

RESIDUALS = (1e-4, 1e-6, 1e-8)


def pushed(boxes: Boxes, speed: float) -> Any:
    """Every third body begins with a speed along y [m/s]."""
    velocities = np.zeros((len(boxes), 3))
    velocities[::3] = [0.0, speed, 0.0]
    return system_of(boxes, 0.0, FRICTION, velocities)


def arch(n: int = 27, radius: float = 1.0, thickness: float = 0.2, depth: float = 0.3) -> Any:
    """A semicircle of wedges on the floor."""
    import mbplugin as mb

    system = system_of([], 0.0, 0.7)
    for k in range(n):
        angles = pi * k / n, pi * (k + 1) / n
        corners = [
            (r * cos(a), r * sin(a)) for r in (radius - thickness / 2, radius + thickness / 2) for a in angles
        ]
        x, z = np.mean(corners, axis=0)
        points = [[p - x, y, q - z] for p, q in corners for y in (-depth / 2, depth / 2)]
        shape = mb.Convex(points=[[float(c) for c in p] for p in points])
        at = [float(x), 0.0, float(z)]
        system.add(
            mb.Body(name=f"b{k}", density=2000.0, position=at, collide=True, material="stone", shapes=[shape])
        )
    return system


def spheres(n: int, radius: float = 0.05, mass: float = 0.5) -> Any:
    """Spheres in columns that touch each other and their neighbours."""
    import mbplugin as mb

    system = system_of([], 0.0, 0.3)
    side = max(2, round((n / 4) ** 0.5))
    for k in range(n):
        layer, place = divmod(k, side * side)
        x, y = divmod(place, side)
        at = [2.0 * radius * x, 2.0 * radius * y, radius * (1.0 + 2.0 * layer)]
        system.add(
            mb.Body(
                name=f"b{k}",
                mass=mass,
                inertia=[0.4 * mass * radius**2] * 3,
                position=at,
                collide=True,
                material="stone",
                shapes=[mb.Sphere(radius=radius)],
            )
        )
    return system


def chain(n: int, hinges: int = 1, last: float = 0.5, speed: float = 0.0, closed: bool = False) -> Any:
    """Boxes in a row on the floor, each connected with the next by one hinge or by two in one line; or a
    square of four that is closed.
    """
    import mbplugin as mb

    size = (0.1, 0.08, 0.06)
    if closed:
        places = [(0.0, 0.0), (0.12, 0.0), (0.12, 0.12), (0.0, 0.12)]
    else:
        places = [(0.12 * k, 0.0) for k in range(n)]
    boxes: Boxes = [
        (size if not closed else (0.06, 0.06, 0.06), last if k == len(places) - 1 else 0.5, [x, y, 0.03], 0.0)
        for k, (x, y) in enumerate(places)
    ]
    system = pushed(boxes, speed)
    pairs = [(k, k + 1) for k in range(len(places) - 1)] + ([(len(places) - 1, 0)] if closed else [])
    for a, b in pairs:
        at = [0.5 * (p + q) for p, q in zip(boxes[a][2], boxes[b][2])]
        for k in range(hinges):
            axis = [0, 0, 1] if closed else [0, 1, 0]
            place = [at[0], at[1] + (0.0 if closed else 0.01 * k), at[2] + (0.01 * k if closed else 0.0)]
            system.add(mb.Joint(name=f"j{a}_{k}", type="revolute", a=f"b{a}", b=f"b{b}", at=place, axis=axis))
    return system


def light_top(n: int = 10, heavy: float = 1e3) -> Boxes:
    """Cubes, the lowest one heavier."""
    return [((0.1, 0.1, 0.1), heavy if k == 0 else 1.0, [0.0, 0.0, 0.05 + 0.1 * k], 0.0) for k in range(n)]


PROBLEMS: dict[str, Callable[[], Any]] = {
    "wall of 104 bricks": lambda: system_of(*wall(16, 7)),
    "the same, pushed at 0.5 m/s": lambda: pushed(wall(16, 7)[0], 0.5),
    "arch of 27 wedges": arch,
    "ten cubes, the top 1,000 times heavier": lambda: system_of(*stack(1e3)),
    "ten cubes, the lowest 1,000 times heavier": lambda: system_of(light_top(), 0.0, FRICTION),
    "200 spheres in columns": partial(spheres, 200),
    "chain of 20 boxes": partial(chain, 20, speed=1.0),
    "chain of 60 boxes, the last 1,000 times heavier": partial(chain, 60, last=500.0, speed=0.5),
    "chain of 20 boxes, two hinges each": partial(chain, 20, hinges=2, speed=1.0),
    "closed loop of four boxes, two hinges each": partial(chain, 4, hinges=2, speed=1.0, closed=True),
}
#: the same of few bodies
SMALLEST: dict[str, Callable[[], Any]] = {
    "arch of 3 wedges": partial(arch, 3),
    "4 spheres in columns": partial(spheres, 4),
    "chain of 2 boxes, two hinges": partial(chain, 2, hinges=2, speed=1.0),
}


def first_step(system: Any, residual: float) -> dict[str, float]:
    """Solve the first step of a run at its start to this residual over g dt: milliseconds, and counts."""
    from mbplugin_contact.arrays import Contacts

    from mbplugin.tables.groups import State, TransientRows

    run = prepared(system)
    problem, integrator = run.problem, run.start(np.inf)
    names = ("q", "v", "aux", "memory", "history")
    start = {name: np.array(getattr(problem[State], name)) for name in names}
    saved = integrator.save()
    record = problem[Contacts].record[0]
    record.goal = residual * G * STEP
    times = []
    for _ in range(sized(ROUNDS, 1) + 1):  # in the first, arrays become longer
        for name, array in start.items():
            getattr(problem[State], name)[...] = array
        integrator.load(saved)
        times.append(seconds(lambda: advance(integrator, STEP)))
        record = problem[Contacts].record[0]
        record.goal = residual * G * STEP
    return {
        "ms": 1e3 * float(np.median(times[1:])),
        "factorizations": int(record.factored),
        "sweeps": int(record.swept),
        "contacts": int(problem[TransientRows].used[0]),
        "reached": float(record.residual) / (G * STEP),
    }


def convergence() -> None:
    """The table."""
    rows: list[list[object]] = []
    for name, system in sized(PROBLEMS, SMALLEST).items():
        found = [first_step(system(), residual) for residual in RESIDUALS]
        last = found[-1]
        counts = [int(last["contacts"]), int(last["sweeps"]), int(last["factorizations"]), last["reached"]]
        rows.append([name, *counts, *(f["ms"] for f in found)])
    head = ["problem", "contacts", "sweeps", "factorizations", "residual / (g dt)"]
    table(
        "First step with contacts, cold", [*head, *(f"ms to {residual:.0e}" for residual in RESIDUALS)], rows
    )


if __name__ == "__main__":
    alone()
    convergence()
