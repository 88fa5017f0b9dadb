"""Checks of methods on mechanisms with random masses, positions and speeds.

The reference is the dense KKT system solved by numpy (least squares for redundant rows), with rows Ĝ scaled
by 1/√diag(G M⁻¹ Gᵀ):

    [ M  Ĝᵀ ] [  v̇ ]   [ h ]
    [ Ĝ  0  ] [ −μ ] = [ γ̂ ],   λ = scale · μ
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import CALLBACK
from mbplugin.errors import MbpluginError
from mbplugin.hooks.registry import Registry
from mbplugin.problem import Problem
from mbplugin.problem.method import method_kernel
from mbplugin.run.prepare import Prepared
from mbplugin.tables.groups import Rates, Rows
from mbplugin.testing.constraints import SEEDS
from mbplugin.testing.cost import least_time
from mbplugin.testing.mechanisms import (
    MECHANISMS,
    TIMES,
    dense,
    full_bodies,
    index_checks,
    loop,
    prepared,
    run,
)
from mbplugin.testing.report import Checks, Cost

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


def method_checks(checks: Checks, kind: Any, registry: Registry) -> None:
    """Accelerations and multipliers against the reference, the constraints and the energy on moving
    mechanisms; and the cost of one state of the loop.
    """
    full_bodies(registry)
    solver = {"type": "rk", "method": kind.name, "coordinates": kind.coordinates}
    if kind.kernel is not None:
        systems = [partial(prepared, make, SEEDS[0], registry, solver) for make in MECHANISMS.values()]
        if not index_checks(checks, [method_kernel(kind)], systems):
            return
    for which, mechanism in MECHANISMS.items():
        for seed in SEEDS:
            made = prepared(mechanism, seed, registry, {**solver, "tolerance": 1e-9})
            try:
                moved(checks, which, made)
            except MbpluginError as error:
                checks.fact(f"{which}: it runs", False, str(error))
                continue
            if mechanism is loop:
                add_cost(checks, made.problem)


def moved(checks: Checks, which: str, made: Prepared) -> None:
    """One mechanism at TIMES. Stops at the first failure, because a wrong method may stall the run."""
    problem, integrator = made.problem, made.start(TIMES[-1])
    for t in TIMES:
        run(made, [t], integrator)
        v_dot, lam = problem[Rates].v_dot.copy(), problem[Rows].lam.copy()
        q, v = problem.q, problem.v
        balance = abs(float(made.recorder.frame()["energy/balance"]))
        right, multipliers = truth(problem, t, q, v)
        G, gamma = problem.constraints(t, q, v)
        passed = [checks.see(f"{which}: v_dot = dense solution", relative(v_dot, right), 1e-8)]
        if problem.nc:
            error = relative(lam, multipliers)
            passed.append(checks.see(f"{which}: lam = minimum-norm solution", error, 1e-6))
            passed.append(checks.see(f"{which}: G v_dot = gamma", relative(G @ v_dot, gamma), 1e-8))
        if MECHANISMS[which] is not dense:
            passed.append(checks.see(f"{which}: energy is conserved", balance, 1e-6))
        integrator.show(t)
        same = np.array_equal(problem[Rates].v_dot, v_dot) and np.array_equal(problem[Rows].lam, lam)
        passed.append(checks.see(f"{which}: a repeated call gives the same bits", not same, 0.0))
        if not all(passed):
            return


def add_cost(checks: Checks, problem: Problem) -> None:
    """Add the time of the method for one state [ns], called as the loop calls it."""
    method = problem.method
    if method is not None and method.address != 0:
        call, address = CALLBACK(method.address), problem.addresses.ctypes.data
        seconds = least_time(20, call, 0, 0, address)
        compiled = method.kind.acceleration is None
        checks.report.cost[checks.kind] = Cost(1e9 * seconds, "a state of a four-bar", compiled)
