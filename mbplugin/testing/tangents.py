"""Analytical tangents of a kind against differences of its functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbplugin.analysis.tangent.derivative import derivative
from mbplugin.codegen.compiled import in_python, may_be_interpreted
from mbplugin.errors import PluginError
from mbplugin.problem import Problem
from mbplugin.problem.tangent_plan import body_functions
from mbplugin.tables.groups import Bodies, Differences, Increments, Rows, State, TangentPlan, TangentWork
from mbplugin.tables.purposes import INCREMENT
from mbplugin.testing.motions import distance
from mbplugin.testing.report import Checks

Array = np.ndarray[Any, Any]
#: extrapolated differences are accurate to about 1e-12
TOLERANCE = 1e-8
OF_ELEMENTS = (
    "tangent K = difference of the wrenches over displacements",
    "tangent D = difference of the wrenches over twists",
)
OF_BODIES = (
    "tangent K = difference of its generalized forces",
    "tangent D = difference of its internal forces",
    "tangent E = difference of its markers' velocities",
)
T_WHAT = "T of `retract_tangent` (without it 1) = difference of `retract`"


def element_tangent_checks(checks: Checks, problem: Problem, random: np.random.Generator) -> None:
    """Checks of element tangents at the present positions and random velocities and loads."""
    if problem.names.tangents:
        start(problem, random)
        against_differences(checks, problem, OF_ELEMENTS)


def body_tangent_checks(checks: Checks, problem: Problem, random: np.random.Generator) -> None:
    """Checks of body tangents under random multipliers of the joints."""
    start(problem, random)
    problem.prepare_tangents()
    checks.see(T_WHAT, increment_error(problem, random), TOLERANCE)
    if any(body_functions(kind) for kind in problem.names.kinds):
        against_differences(checks, problem, OF_BODIES)


def part_tangent_checks(checks: Checks, problem: Problem, random: np.random.Generator) -> None:
    """Checks of the tangents of a kind with parts at rest, under random multipliers of the joints."""
    kinds = [kind for kind in problem.names.kinds if kind.parts]
    if not any(kind.tangent is not None or kind.geometric is not None for kind in kinds):
        return
    problem.evaluate(0.37, problem.q, np.zeros(problem.nv))
    problem[Rows].lam[:] = random.normal(size=problem.nc)
    found = []
    for closed_form in (True, False):
        try:
            problem.prepare_tangents(closed_form)
            problem.form_tangent(0.0, 0.0, 1.0)
            K = problem.tangent().toarray()
            problem.form_tangent(0.0, 1.0, 0.0)
        except PluginError as error:
            checks.fact(OF_BODIES[0], False, str(error))
            return
        found.append((K, problem.tangent().toarray()))
    for what, one, other in zip(OF_BODIES, *found):
        checks.see(what, distance(one, other), TOLERANCE)


def against_differences(checks: Checks, problem: Problem, whats: Sequence[str]) -> None:
    """K, D and E in closed form against differences of the functions, as far as there are names for them."""
    try:
        problem.prepare_tangents()
        refuse_indices(problem)
        found = K_D_and_E(problem)
    except PluginError as error:
        checks.fact(whats[0], False, str(error))
        return
    problem.prepare_tangents(closed_form=False)
    for what, one, other in zip(whats, found, K_D_and_E(problem)):
        checks.see(what, distance(one, other), TOLERANCE)


def K_D_and_E(problem: Problem) -> tuple[Array, Array, Array]:
    """K and D (nv, nv), and E of all markers, one behind the other. Raises PluginError."""
    if not problem[State].v.any():
        raise AssertionError("E is that of moving markers")
    problem[Differences].twists[0] = 1
    problem.form_tangent(0.0, 0.0, 1.0)
    K = problem.tangent().toarray()
    # with the weights 0, 1 the twists of the markers change by E
    E = problem[TangentWork].velocity.copy()
    problem.form_tangent(0.0, 1.0, 0.0)
    return K, problem.tangent().toarray(), E


def start(problem: Problem, random: np.random.Generator) -> None:
    problem.evaluate(0.37, problem.q, random.normal(size=problem.nv))
    problem[Rows].lam[:] = random.normal(size=problem.nc)


def increment_error(problem: Problem, random: np.random.Generator) -> float:
    """How far q ⊕ (dq + ε) is from (q ⊕ dq) ⊕ T ε, over the coordinates, for random dq up to a radian."""
    increments, state = problem[Increments], problem[State]
    q, n = problem.q, problem.nv
    dq = 0.3 * random.normal(size=n)

    def at(start: Array, dq: Array) -> Array:
        problem.move_to(start, dq)
        found = problem.q
        state.q[:] = q
        return found

    def by_each_velocity(start: Array, dq: Array) -> Array:
        along = lambda e: derivative(lambda s: at(start, dq + s * e), 0.1)
        return np.column_stack([along(e) for e in np.eye(n)])

    left, right = by_each_velocity(q, dq), by_each_velocity(at(q, dq), np.zeros(n))
    increments.dq[:] = dq
    increments.T[:] = np.concatenate([np.eye(int(k)).ravel() for k in sizes(problem)])
    for kernel, call in zip(problem.tangent_kernels, problem[TangentPlan].call):
        if call.purpose == INCREMENT:
            kernel.call(int(call.first), int(call.length), problem.addresses)
    T, v0 = np.zeros((n, n)), 0
    for start, k in zip(increments.first, sizes(problem)):
        T[v0 : v0 + k, v0 : v0 + k] = increments.T[start : start + k * k].reshape(k, k)
        v0 += k
    return distance(right @ T, left)


def sizes(problem: Problem) -> list[int]:
    """Velocities of each body."""
    return [int(n) for n in problem[Bodies].index.nv]


def refuse_indices(problem: Problem) -> None:
    """Call each function once as plain Python, to detect an index out of bounds. Raises PluginError."""
    plan = problem[TangentPlan]
    firsts = [*plan.call["first"].tolist(), *plan.member["first"].tolist()]
    for kernel, first in zip(problem.tangent_kernels, firsts):
        if kernel.role == "jacobian" or not may_be_interpreted(kernel.author):
            continue
        plain = in_python(kernel)
        with np.errstate(all="ignore"):
            failed = plain.call(first, 1, problem.addresses) != 0
        if failed and isinstance(plain.error, IndexError):
            raise PluginError(f"its tangent function raises IndexError: {plain.error}")
