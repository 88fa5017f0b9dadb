"""Mechanisms with random masses, positions and speeds for checks of methods and solvers, and their runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import Compiled, checked_indices
from mbplugin.errors import PhysicsError, PluginError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.testing.report import Checks

Array = np.ndarray[Any, Any]
#: times at which a mechanism is checked [s]; the last is the end of its run
TIMES = (0.0, 0.07, 0.2)


def body(name: str, random: np.random.Generator, x: Any) -> str:
    mass, inertia = random.uniform(0.5, 2.0), random.uniform(0.2, 0.3, size=3).tolist()
    turn = f"{{ axis = {random.normal(size=3).tolist()}, angle = {random.uniform(0, 1)} }}"
    position = list(map(float, x))
    return (
        f'[[body]]\nname = "{name}"\nmass = {mass}\ninertia = {inertia}\n'
        f"position = {position}\norientation = {turn}\n"
    )


def joint(name: str, kind: str, a: str, b: str, at: Any, axis: Any, more: str = "") -> str:
    return (
        f'[[joint]]\nname = "{name}"\ntype = "{kind}"\na = "{a}"\nb = "{b}"\n'
        f"at = {list(map(float, at))}\naxis = {list(map(float, axis))}\n{more}"
    )


def chain(random: np.random.Generator) -> str:
    """A chain of three bodies, with a spring to the ground."""
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
        + '[[force]]\nname = "s"\ntype = "spring_damper"\na = "ground"\nb = "b2"\n'
        + "stiffness = 30.0\nlength = 0.4\n"
    )


def loop(random: np.random.Generator) -> str:
    """A four-bar with parallel hinges: three of the twenty rows are redundant."""
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
    """A crank with a prescribed angle, and a free body."""
    text = "\n".join(line for line in chain(random).splitlines() if not line.startswith("start"))
    return f'{text}\n[[motion]]\njoint = "j0"\nangle = "{random.uniform(0.5, 1.0)}*sin(3*time)"\n' + body(
        "free", random, [3, 0, 0]
    )


def dense(random: np.random.Generator) -> str:
    """The chain, with bodies whose mass matrix is full."""
    return chain(random).replace("[[body]]\n", f'[[body]]\ntype = "{FULL}"\n')


def free(random: np.random.Generator) -> str:
    """A body and no constraint."""
    return body("b", random, random.normal(size=3))


MECHANISMS = {
    "a chain": chain,
    "a loop with redundant rows": loop,
    "a driven crank": driven,
    "bodies with full M": dense,
    "a free body": free,
}


#: registered name of a body kind of the kit
FULL = "of full M"


def full_bodies(registry: Registry) -> None:
    """Register a spatial body with a full matrix added to its M, such as the added mass of a fluid; its
    energy is not conserved.
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
    scene = with_solver(mechanism(np.random.default_rng(seed)), {"end": TIMES[-1], **solver})
    return prepare(scene, registry)


def with_solver(text: str, solver: dict[str, Any]) -> System:
    """The system of a scene with these keys of `[solver]`."""
    system = System.from_text(text)
    system.solver = type(system.solver)(**solver)
    return system


def run(made: Prepared, times: Any, integrator: Any = None, end: float = TIMES[-1]) -> Any:
    """Run to these times and show each; returns the integrator."""
    integrator = integrator or made.start(end)
    for t in times:
        while integrator.advance(end, t, 10**6) == "busy":
            pass
        integrator.show(t)
    return integrator


def index_checks(
    checks: Checks, kernels: Iterable[Compiled], systems: Iterable[Callable[[], Prepared]]
) -> bool:
    """Run each system for a while. Returns whether every index stays inside: what writes elsewhere must not
    be called again.
    """
    fault = ""
    try:
        with checked_indices(kernels):
            for make in systems:
                with suppress(PhysicsError):  # the checks of the motion say so
                    run(make(), TIMES[:2])
    except PluginError as error:
        fault = str(error)
    return checks.fact("every index stays inside its array", not fault, fault)
