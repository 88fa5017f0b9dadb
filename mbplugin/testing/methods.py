"""Checks of methods on mechanisms with random masses, positions and speeds.

The reference is the dense KKT system solved by numpy (least squares for redundant rows), with rows Ĝ scaled
by 1/√diag(G M⁻¹ Gᵀ):

    [ M  Ĝᵀ ] [  v̇ ]   [ h ]
    [ Ĝ  0  ] [ −μ ] = [ γ̂ ],   λ = scale · μ
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError
from mbplugin.hooks.registry import Registry
from mbplugin.problem import Problem
from mbplugin.problem.method import method_kernel
from mbplugin.run.prepare import Prepared
from mbplugin.tables.groups import Rates, Rows
from mbplugin.testing.constraints import SEEDS, worst_of
from mbplugin.testing.indices import index_checks
from mbplugin.testing.mechanisms import MECHANISMS, TIMES, dense, full_bodies, prepared, run
from mbplugin.testing.report import Check, Cost

Array = np.ndarray[Any, Any]


def truth(problem: Problem, t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """v̇ and λ of the whole dense system."""
    M, h = problem.mass(q), problem.forces(t, q, v)
    G, gamma = problem.constraints(t, q, v)
    length = np.sqrt(np.einsum("ij,ji->i", G, np.linalg.solve(M, G.T)))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    G_hat = scale[:, None] * G
    K = np.block([[M, G_hat.T], [G_hat, np.zeros((len(G), len(G)))]])
    solution = np.linalg.lstsq(K, np.concatenate([h, scale * gamma]), rcond=1e-11)[0]
    return solution[: problem.nv], -scale * solution[problem.nv :]


def relative(a: Array, b: Array) -> float:
    """Largest difference, relative to the largest of b or 1; infinite for NaN."""
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("inf")
    return float(np.max(np.abs(a - b), initial=0.0) / max(1.0, np.max(np.abs(b), initial=0.0)))


def method_checks(kind: Any, registry: Registry) -> tuple[list[Check], Cost]:
    """Accelerations and multipliers against the reference, the constraints and the energy on moving
    mechanisms; and the cost of one state of the loop.
    """
    name = f'method "{kind.name}"'
    full_bodies(registry)
    cost = Cost(0.0)
    checks = method_indices(kind, name, registry)
    if not all(check.ok for check in checks):
        return checks, cost
    for which, mechanism in MECHANISMS.items():
        for seed in SEEDS:
            made = prepared(mechanism, seed, registry, {"type": "rk", "method": kind.name, "tolerance": 1e-9})
            try:
                checks += moved(name, which, made)
            except MbpluginError as error:
                checks.append(Check(name, f"{which}: it runs", float("inf"), 0.0, str(error)))
                continue
            if which == "a loop with redundant rows":
                cost = cost_of(made.problem)
    return worst_of(checks), cost


def method_indices(kind: Any, name: str, registry: Registry) -> list[Check]:
    """The indices of a compiled kernel; none for other methods."""
    if kind.kernel is None:
        return []
    solver = {"type": "rk", "method": kind.name}
    systems = [partial(prepared, make, SEEDS[0], registry, solver) for make in MECHANISMS.values()]
    return index_checks(name, [method_kernel(kind)], systems)


def moved(name: str, which: str, made: Prepared) -> list[Check]:
    """One mechanism at TIMES. Stops at the first failure, because a wrong method may stall the run."""
    problem, integrator = made.problem, made.start(TIMES[-1])
    checks: list[Check] = []
    for t in TIMES:
        run(made, [t], integrator)
        v_dot, lam = problem[Rates].v_dot.copy(), problem[Rows].lam.copy()
        q, v = problem.q, problem.v
        balance = abs(float(made.recorder.frame()["energy/balance"]))
        right, multipliers = truth(problem, t, q, v)
        G, gamma = problem.constraints(t, q, v)
        checks.append(Check(name, f"{which}: v_dot = dense solution", relative(v_dot, right), 1e-8))
        if problem.nc:
            checks.append(
                Check(name, f"{which}: lam = minimum-norm solution", relative(lam, multipliers), 1e-6)
            )
            checks.append(Check(name, f"{which}: G v_dot = gamma", relative(G @ v_dot, gamma), 1e-8))
        if MECHANISMS[which] is not dense:
            checks.append(Check(name, f"{which}: energy is conserved", balance, 1e-6))
        integrator.show(t)
        same = np.array_equal(problem[Rates].v_dot, v_dot) and np.array_equal(problem[Rows].lam, lam)
        checks.append(Check(name, f"{which}: a repeated call gives the same bits", float(not same), 0.0))
        if not all(check.ok for check in checks):
            break
    return checks


def cost_of(problem: Problem) -> Cost:
    """Time of the method for one state [ns], called as the loop calls it."""
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
