"""Mechanisms with random masses, places and speeds on which methods and solvers are tried."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.run.prepare import Prepared, prepare

Array = np.ndarray[Any, Any]
#: where a mechanism is looked at [s]; the last is the end of its run
TIMES = (0.0, 0.07, 0.2)


def body(name: str, random: np.random.Generator, x: Any) -> str:
    mass, inertia = random.uniform(0.5, 2.0), random.uniform(0.2, 0.3, size=3).tolist()
    turn = f"{{ axis = {random.normal(size=3).tolist()}, angle = {random.uniform(0, 1)} }}"
    return f'[[body]]\nname = "{name}"\nmass = {mass}\ninertia = {inertia}\nposition = {list(map(float, x))}\norientation = {turn}\n'


def joint(name: str, kind: str, a: str, b: str, at: Any, axis: Any, more: str = "") -> str:
    return f'[[joint]]\nname = "{name}"\ntype = "{kind}"\na = "{a}"\nb = "{b}"\nat = {list(map(float, at))}\naxis = {list(map(float, axis))}\n{more}'


def chain(random: np.random.Generator) -> str:
    """Three bodies that hang on each other, with a spring to the ground."""
    text, at = "", np.zeros(3)
    for k, kind in enumerate(("revolute", "ball", "translational")):
        step = random.uniform(0.3, 0.8, size=3)
        start = f"start = {{ speed = {random.uniform(0.5, 1.5)} }}\n" if kind == "revolute" else ""
        text += body(f"b{k}", random, at + step / 2) + joint(
            f"j{k}", kind, f"b{k - 1}" if k else "ground", f"b{k}", at, random.normal(size=3), start
        )
        at = at + step
    return (
        text
        + '[[force]]\nname = "s"\ntype = "spring_damper"\na = "ground"\nb = "b2"\nstiffness = 30.0\nlength = 0.4\n'
    )


def loop(random: np.random.Generator) -> str:
    """Four bars with parallel hinges: three of the twenty rows repeat others."""
    corners = np.array([[0.0, 0, 0], [0.2, 0, 0.5], [1.1, 0, 0.9], [1.3, 0, 0]]) + np.array(
        [1, 0, 1]
    ) * random.uniform(-0.08, 0.08, size=(4, 3))
    text = "".join(body(f"b{k}", random, (corners[k] + corners[k + 1]) / 2) for k in range(3))
    names = ["ground", "b0", "b1", "b2", "ground"]
    start = f"start = {{ speed = {random.uniform(0.5, 1.5)} }}\n"
    return text + "".join(
        joint(f"j{k}", "revolute", names[k], names[k + 1], corners[k], [0, 1, 0], start if k == 0 else "")
        for k in range(4)
    )


def driven(random: np.random.Generator) -> str:
    """A crank that is turned as time says, and a free body beside it."""
    text = "\n".join(line for line in chain(random).splitlines() if not line.startswith("start"))
    return f'{text}\n[[motion]]\njoint = "j0"\nangle = "{random.uniform(0.5, 1.0)}*sin(3*time)"\n' + body(
        "free", random, [3, 0, 0]
    )


def dense(random: np.random.Generator) -> str:
    """The chain, of bodies whose M is full."""
    return chain(random).replace("[[body]]\n", f'[[body]]\ntype = "{FULL}"\n')


def free(random: np.random.Generator) -> str:
    """A body and no constraint."""
    return body("b", random, random.normal(size=3))


MECHANISMS = {
    "a chain": chain,
    "a loop with rows that repeat": loop,
    "a driven crank": driven,
    "bodies of full M": dense,
    "a free body": free,
}


#: a body kind of the kit's own, and its registered name
FULL = "of full M"


def full_bodies(registry: Registry) -> None:
    """Offer a spatial body with a full matrix added to its M, such as a fluid around it adds; it has no
    energy of its own that would be kept.
    """
    spatial = registry.body_kind("spatial")

    class Full(spatial):  # type: ignore[misc, valid-type]
        name = FULL

        @staticmethod
        def plan(params: Any, mass: Any, plane: Any) -> Any:
            plan: Any = spatial.plan(params, mass, plane)
            added = 0.3 * np.random.default_rng(0).normal(size=(6, 6))
            return replace(plan, mass=np.diag(plan.mass) + added @ added.T)

    registry.add("body kind", FULL, Full, "the kit", "the kit")


def prepared(mechanism: Any, seed: int, registry: Registry, solver: dict[str, Any]) -> Prepared:
    text = mechanism(np.random.default_rng(seed))
    system = System.from_text(text)
    system.solver = type(system.solver)(**{"end": TIMES[-1], **solver})
    return prepare(system, registry)


def run(made: Prepared, times: Any, integrator: Any = None, end: float = TIMES[-1]) -> Any:
    """The integrator after it has shown these times."""
    integrator = integrator or made.start(end)
    for t in times:
        while integrator.advance(end, t, 10**6) == "busy":
            pass
        integrator.show(t)
    return integrator
