"""Checks of methods and solvers on mechanisms whose masses, places and speeds are random.

The truth is the whole system by numpy, least squares where rows repeat each other, rows Ĝ scaled by 1/√diag(G
M⁻¹ Gᵀ):

    [ M  Ĝᵀ ] [  v̇ ]   [ h ]
    [ Ĝ  0  ] [ −μ ] = [ γ̂ ],   λ = scale · μ
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError
from mbplugin.hooks.registry import Registry
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.tables.groups import Rates, Rows
from mbplugin.testing.constraints import SEEDS, worst_of
from mbplugin.testing.report import Check, Cost

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


def truth(problem: Problem, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """v̇ and λ of the whole dense system."""
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    length = np.sqrt(np.einsum("ij,ji->i", G, np.linalg.solve(M, G.T)))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    G_hat = scale[:, None] * G
    K = np.block([[M, G_hat.T], [G_hat, np.zeros((len(G), len(G)))]])
    found = np.linalg.lstsq(K, np.concatenate([h, scale * gamma]), rcond=1e-11)[0]
    return found[: problem.nv], -scale * found[problem.nv :]


def relative(a: Array, b: Array) -> float:
    """Largest difference, relative to the largest of b or 1; infinite where something is not a number."""
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("inf")
    return float(np.max(np.abs(a - b), initial=0.0) / max(1.0, np.max(np.abs(b), initial=0.0)))


def method_checks(kind: Any, registry: Registry) -> tuple[list[Check], Cost]:
    """Accelerations and multipliers against the truth while a mechanism moves, the constraints, the energy;
    and the cost of one state of the loop.
    """
    name = f'method "{kind.name}"'
    full_bodies(registry)
    found: list[Check] = []
    cost = Cost(0.0)
    for which, mechanism in MECHANISMS.items():
        for seed in SEEDS:
            made = prepared(mechanism, seed, registry, {"type": "rk", "method": kind.name, "tolerance": 1e-9})
            try:
                found += moved(name, which, made)
            except MbpluginError as error:
                found.append(Check(name, f"{which}: it runs", float("inf"), 0.0, str(error)))
                continue
            if which == "a loop with rows that repeat":
                cost = cost_of(made.problem)
    return worst_of(found), cost


def moved(name: str, which: str, made: Prepared) -> list[Check]:
    """One mechanism at TIMES. Stops at the first that is wrong, for the motion of a wrong method may ask for
    ever smaller steps.
    """
    problem, integrator = made.problem, made.start(TIMES[-1])
    found: list[Check] = []
    for t in TIMES:
        run(made, [t], integrator)
        v_dot, lam = problem[Rates].v_dot.copy(), problem[Rows].lam.copy()
        q, v = problem.q, problem.v
        balance = abs(float(made.recorder.frame()["energy/balance"]))
        right, multipliers = truth(problem, t, q, v)
        G, gamma = problem.constraints(t, q, v)
        found.append(Check(name, f"{which}: v_dot is that of the dense system", relative(v_dot, right), 1e-8))
        if problem.nc:
            found.append(
                Check(name, f"{which}: lam is the shortest that gives it", relative(lam, multipliers), 1e-6)
            )
            found.append(Check(name, f"{which}: G v_dot = gamma", relative(G @ v_dot, gamma), 1e-8))
        if MECHANISMS[which] is not dense:
            found.append(Check(name, f"{which}: energy is kept", balance, 1e-6))
        integrator.show(t)
        same = np.array_equal(problem[Rates].v_dot, v_dot) and np.array_equal(problem[Rows].lam, lam)
        found.append(Check(name, f"{which}: asked twice, it says the same bits", float(not same), 0.0))
        if not all(check.ok for check in found):
            break
    return found


def cost_of(problem: Problem) -> Cost:
    """Nanoseconds that the method takes for one state, called as the loop calls it."""
    from mbplugin.codegen.compiled import CALLBACK

    method = problem.method
    if method is None or method.address == 0:
        return Cost(0.0)
    call, address = CALLBACK(method.address), problem.addresses.ctypes.data
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(20):
            call(0, 0, address)
        best = min(best, (time.perf_counter() - start) / 20)
    return Cost(1e9 * best, "a state of a four-bar", method.kind.acceleration is None)


def solver_checks(kind: Any, params: dict[str, Any], registry: Registry) -> list[Check]:
    """A run of each mechanism: it gets to its end, meets the constraints, keeps the energy, goes on from what
    it saved, and does not mind where frames are.
    """
    name = f'solver "{kind.name}"'
    found: list[Check] = []
    for which, mechanism in MECHANISMS.items():
        if mechanism is dense:
            continue
        for seed in SEEDS:
            try:
                found += ran(name, which, seed, registry, {"type": kind.name, **params})
            except MbpluginError as error:
                found.append(Check(name, f"{which}: it runs", float("inf"), 0.0, str(error)))
    return worst_of(found)


def ran(name: str, which: str, seed: int, registry: Registry, solver: dict[str, Any]) -> list[Check]:
    """One mechanism run to its end, with frames, without, and in two parts."""
    mechanism = MECHANISMS[which]
    made = prepared(mechanism, seed, registry, solver)
    end = run(made, TIMES)
    frame = made.recorder.frame()
    problem = made.problem
    phi, rate = problem.residuals(TIMES[-1], problem.q, problem.v)
    scale = max(1.0, abs(float(frame["energy/kinetic"])))
    found = [
        Check(name, f"{which}: it gets to the end", abs(end.time - TIMES[-1]), 0.0),
        Check(name, f"{which}: positions are met", float(np.abs(phi).max(initial=0.0)), 1e-6),
        Check(name, f"{which}: velocities are met", float(np.abs(rate).max(initial=0.0)), 1e-6),
        Check(name, f"{which}: energy is kept", abs(float(frame["energy/balance"])) / scale, 1e-5),
    ]
    state = np.concatenate([problem.q, problem.v])
    other = prepared(mechanism, seed, registry, solver)
    run(other, TIMES[-1:])
    found.append(
        Check(name, f"{which}: frames on the way change no bit", different(other.problem, state), 0.0)
    )
    half = prepared(mechanism, seed, registry, solver)
    saved = {key: np.copy(value) for key, value in run(half, TIMES[:-1]).save().items()}
    again = prepared(mechanism, seed, registry, solver)
    integrator = again.start(TIMES[-1])
    integrator.load(saved)
    run(again, TIMES[-1:], integrator)
    found.append(
        Check(
            name, f"{which}: it goes on from what it saved, bit for bit", different(again.problem, state), 0.0
        )
    )
    return found


def run(made: Prepared, times: Any, integrator: Any = None) -> Any:
    """The integrator after it has shown these times."""
    integrator = integrator or made.start(TIMES[-1])
    for t in times:
        while integrator.advance(TIMES[-1], t, 10**6) == "busy":
            pass
        integrator.show(t)
    return integrator


def different(problem: Problem, state: Array) -> float:
    """How far the present state is from another; 0 only where all bits agree."""
    present = np.concatenate([problem.q, problem.v])
    return 0.0 if np.array_equal(present, state) else max(float(np.abs(present - state).max()), 5e-324)
