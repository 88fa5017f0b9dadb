"""Checks of solvers: mechanisms with random parameters, and situations with closed-form solutions; of Runge-
Kutta tableaus: their orders, on a nonlinear equation and on a mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mbplugin.errors import MbpluginError
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Array, SolverKind, Tableau
from mbplugin.model import System
from mbplugin.problem import Problem
from mbplugin.run.chosen_solver import chosen_solver
from mbplugin.run.integrator import solver_kernels
from mbplugin.run.prepare import Prepared, prepare
from mbplugin.stepping import CompiledSolver, FixedStepSolver
from mbplugin.tables.groups import Measures, State
from mbplugin.testing.constraints import SEEDS
from mbplugin.testing.mechanisms import MECHANISMS, TIMES, dense, index_checks, prepared, run, with_solver
from mbplugin.testing.report import Checks
from mbplugin.testing.situations import SITUATIONS, Situation, offer_elements

#: step for a fixed-step solver without `examples` [s]
STEP = 1e-3
#: allowed relative errors by order, of situations and of the energy; then those for order 3 and above
SITUATION_ERROR, ENERGY_ERROR = {1: 2e-2, 2: 1e-3}, {1: 5e-2, 2: 1e-3}
SITUATION_ERROR_HIGH, ENERGY_ERROR_HIGH = 1e-4, 1e-5
#: steps for the order check [s], and the range of errors that it uses
ORDER_STEPS = tuple(0.2 / 2**k for k in range(8))
LARGEST_ERROR, ROUNDING_ERROR = 0.1, 1e-11
#: name of a tableau without control of the step
TRIED = "tried by the kit"
#: step lengths at which the weights of a tableau are tried, and the error below which it is rounding
TABLEAU_STEPS, TABLEAU_ROUNDING = tuple(0.8 / 2**k for k in range(8)), 1e-14


def solver_checks(
    checks: Checks, kind: type[SolverKind], registry: Registry, keys: dict[str, Any] | None = None
) -> None:
    """Runs of a solver: constraints, energy, events, memory, turns, inner states, impulses, resuming, order.

    keys: of `[solver]`
    """
    if keys is None:
        fixed = issubclass(kind, FixedStepSolver)
        keys = dict(kind.examples[0]) if kind.examples else {"step": STEP} if fixed else {}
    solver = {"type": kind.name, **keys}
    offer_elements(registry)
    chosen = chosen_solver(scene(SITUATIONS[0].text, solver), registry)
    order = chosen.kind.order_of_accuracy(chosen.params, chosen.chosen)
    if order is None:
        checks.fact("it declares its order", False, "no order of accuracy: give the class `order`")
        return
    mechanisms = {which: make for which, make in MECHANISMS.items() if make is not dense}
    if issubclass(kind, CompiledSolver):
        systems: list[Callable[[], Prepared]] = [
            *(partial(prepared, make, SEEDS[0], registry, solver) for make in mechanisms.values()),
            *(partial(in_situation, situation, registry, solver) for situation in SITUATIONS),
        ]
        if not index_checks(checks, solver_kernels(kind).values(), systems):
            return
    for which in mechanisms:
        for seed in SEEDS:
            try:
                mechanism_checks(checks, which, seed, registry, solver, order)
            except MbpluginError as error:
                checks.fact(f"{which}: it runs", False, str(error))
    for situation in SITUATIONS:
        try:
            situation_checks(checks, situation, registry, solver, order)
        except MbpluginError as error:
            checks.fact(situation.needs, False, str(error))
    check_convergence(checks, kind, registry, solver, order)


def scene(text: str, solver: dict[str, Any]) -> System:
    return with_solver(text, {"end": 1.0, **solver})


def mechanism_checks(
    checks: Checks, which: str, seed: int, registry: Registry, solver: dict[str, Any], order: int
) -> None:
    """One mechanism, run with frames, without frames, and in two parts."""
    make = partial(prepared, MECHANISMS[which], seed, registry, solver)
    made = make()
    end = run(made, TIMES)
    frame, problem = made.recorder.frame(), made.problem
    phi, rate = problem.residuals(TIMES[-1], problem.q, problem.v)
    energy = abs(float(frame["energy/balance"])) / max(1.0, abs(float(frame["energy/kinetic"])))
    checks.see(f"{which}: it reaches the end", abs(end.time - TIMES[-1]), 0.0)
    checks.see(f"{which}: position constraints hold", np.abs(phi).max(initial=0.0), 1e-6)
    checks.see(f"{which}: velocity constraints hold", np.abs(rate).max(initial=0.0), 1e-6)
    checks.see(f"{which}: energy is conserved", energy, ENERGY_ERROR.get(order, ENERGY_ERROR_HIGH))
    repeated_checks(checks, which, make, TIMES, state_of(problem))


def situation_checks(
    checks: Checks, situation: Situation, registry: Registry, solver: dict[str, Any], order: int
) -> None:
    """One situation against its closed form, and run without frames and in two parts."""
    make = partial(in_situation, situation, registry, solver)
    times = (0.0, 0.37, 1.0)
    made = make()
    integrator = made.start(times[-1])
    allowed = SITUATION_ERROR.get(order, SITUATION_ERROR_HIGH)
    for t in times:
        run(made, [t], integrator, times[-1])
        checks.see(situation.needs, relative_error(situation, made, t), allowed)
    repeated_checks(checks, situation.needs.partition(":")[0], make, times, state_of(made.problem))


def in_situation(situation: Situation, registry: Registry, solver: dict[str, Any]) -> Prepared:
    return prepare(scene(situation.text, solver), registry)


def relative_error(situation: Situation, made: Prepared, t: float) -> float:
    """Largest error of a situation at the present frame, relative to the closed form or 1."""
    truth = np.array(situation.truth(t))
    error = np.array(situation.read(made.recorder.frame())) - truth
    worst = float(np.max(np.abs(error) / np.maximum(1.0, np.abs(truth))))
    return worst if np.isfinite(worst) else float("inf")


def repeated_checks(checks: Checks, which: str, make: Any, times: Any, state: Array) -> None:
    """The end of a run without frames, and of a saved and continued run, against `state`."""
    direct = make()
    run(direct, times[-1:], end=times[-1])
    half = make()
    saved = {key: np.copy(value) for key, value in run(half, times[:-1], end=times[-1]).save().items()}
    continued = make()
    integrator = continued.start(times[-1])
    integrator.load(saved)
    run(continued, times[-1:], integrator, times[-1])
    what = f"{which}: frames do not change the motion (bit for bit)"
    checks.see(what, different(direct.problem, state), 0.0)
    checks.see(f"{which}: a saved run continues bit for bit", different(continued.problem, state), 0.0)


def check_convergence(
    checks: Checks,
    kind: type[SolverKind],
    registry: Registry,
    solver: dict[str, Any],
    order: int,
    where: str = "",
) -> None:
    """Order of the pendulum errors over step sizes, or over tolerances if a solver has no `step`; where: for
    the name of the check.
    """
    (smooth,) = [situation for situation in SITUATIONS if situation.smooth]
    fields = kind.parameters.model_fields if kind.parameters is not None else {}
    what, least = f"order {order}", order - 0.3
    try:
        if chosen_solver(scene(smooth.text, solver), registry).fixed_step is not None and "step" in fields:
            errors = [run_error(smooth, registry, {**solver, "step": step}) for step in ORDER_STEPS]
            observed = observed_order(errors)
        elif "tolerance" in fields:
            errors = [run_error(smooth, registry, {**solver, "tolerance": tol}) for tol in (1e-5, 1e-8)]
            observed = float(np.log10(errors[0] / max(errors[1], ROUNDING_ERROR)))
            what, least = "1,000 times smaller tolerance, at least 30 times smaller error", 1.5
        else:
            checks.fact("order" + where, False, "its keys have neither `step` nor `tolerance`")
            return
    except MbpluginError as error:
        checks.fact("order" + where, False, str(error))
        return
    checks.see(what + where, least - observed, 0.0, f"observed {observed:.2f}, at least {least:.1f}")


def run_error(situation: Situation, registry: Registry, solver: dict[str, Any]) -> float:
    """Error at 1 s of a run without frames."""
    made = in_situation(situation, registry, solver)
    run(made, [1.0], end=1.0)
    return relative_error(situation, made, 1.0)


def observed_order(errors: list[float], rounding: float = ROUNDING_ERROR) -> float:
    """log₂ of the ratio of the last two errors, for halved steps, that are neither large nor rounding; −∞
    if there are no two.
    """
    usable = [k for k, e in enumerate(errors) if rounding < e < LARGEST_ERROR]
    pairs = [k for k in usable if k + 1 in usable]
    return float(np.log2(errors[pairs[-1]] / errors[pairs[-1] + 1])) if pairs else -np.inf


def state_of(problem: Problem) -> Array:
    """Coordinates, velocities, inner states, memory, history and turns in one array."""
    state = problem[State]
    return np.concatenate(
        [state.q, state.v, state.aux[2:], state.memory, state.history, problem[Measures].last]
    )


def different(problem: Problem, state: Array) -> float:
    """Difference of the present state from another; 0 only if all bits agree."""
    present = state_of(problem)
    return 0.0 if np.array_equal(present, state) else max(float(np.abs(present - state).max()), 5e-324)


def tableau_checks(checks: Checks, given: Any, registry: Registry) -> None:
    """The orders of the weights of a tableau (or of what the function returns) on y' = −2 t y², and that of
    `rk` with it on a pendulum.
    """
    tableau: Tableau = given() if callable(given) else given
    weights = {"the steps": (tableau.b, tableau.order)}
    if tableau.b_error is not None:
        weights["the embedded method"] = (tableau.b_error, tableau.error_order)
    for which, (b, order) in weights.items():
        observed = order_of_weights(tableau, np.asarray(b, float))
        note = f"observed {observed:.2f}, declared {order}"
        checks.see(f"order of {which}", abs(observed - order), 0.3, note)
    without_control = replace(tableau, b_error=None, b_error2=None)
    registry.add("tableau", TRIED, without_control, "the kit", "the kit")
    keys = {"type": "rk", "integrator": TRIED, "step": STEP}
    where = ", of fixed steps on a mechanism"
    check_convergence(checks, registry.solver("rk"), registry, keys, tableau.order, where)


def order_of_weights(tableau: Tableau, b: Array) -> float:
    """Observed order of weights b on y' = −2 t y², y(0) = 1, whose solution is 1/(1 + t²).

    One step with these weights from the exact solution: its error falls with the order + 1.
    """
    errors = []
    for h in TABLEAU_STEPS:
        t, y = 0.5, 1 / 1.25
        k = np.zeros(len(b))
        for i, row in enumerate(np.asarray(tableau.A, float)):
            k[i] = -2 * (t + float(tableau.c[i]) * h) * (y + h * float(row @ k)) ** 2
        errors.append(abs(y + h * float(b @ k) - 1 / (1 + (t + h) ** 2)))
    return observed_order(errors, TABLEAU_ROUNDING) - 1.0
