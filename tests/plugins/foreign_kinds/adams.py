"""A multistep method: Adams-Bashforth of order 2, whose history is the rates of the last step.

    y₁ = y₀ + h ((1 + r/2) f₀ − r/2 f₋₁),   r = h / h₋₁

(E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, section III.5.) After a
discontinuity h₋₁ is zero, and the step is one of the explicit midpoint rule.
"""

from typing import NamedTuple

import numpy as np

from mbplugin.interface import internal
from mbplugin.stepping import (
    CompiledSolver,
    Control,
    FixedStep,
    Rates,
    State,
    Step,
    advance_coordinates,
    copy,
    evaluate_rates,
    rates_on_constraints,
    view,
)
from mbplugin.stepping.arrays import Floats, solver_tables


@solver_tables
class Last(NamedTuple):
    """Rates at the start of the step."""

    v_dot: Floats  # (nv,)
    aux_dot: Floats  # (na,)
    dq: Floats  # (nv,) increment of the coordinates


def begin_step(tables):
    status = rates_on_constraints(tables)
    if status == 0:
        last, rates = view(tables, Last), view(tables, Rates)
        copy(rates.v_dot, last.v_dot)
        copy(rates.aux_dot, last.aux_dot)
    return status


def try_step(tables, h):
    state, start, last = view(tables, State), view(tables, Step), view(tables, Last)
    nv, na = state.v.shape[0], state.aux.shape[0]
    before = state.history
    if before[0] == 0.0:
        status = midpoint(tables, h)
    else:
        r = h / before[0]
        for k in range(nv):
            last.dq[k] = h * ((1.0 + 0.5 * r) * start.v0[k] - 0.5 * r * before[1 + k])
            state.v[k] += h * ((1.0 + 0.5 * r) * last.v_dot[k] - 0.5 * r * before[1 + nv + k])
        for k in range(na):
            state.aux[k] += h * ((1.0 + 0.5 * r) * last.aux_dot[k] - 0.5 * r * before[1 + 2 * nv + k])
        status = advance_coordinates(tables, last.dq)
    before[0] = h
    for k in range(nv):
        before[1 + k], before[1 + nv + k] = start.v0[k], last.v_dot[k]
    for k in range(na):
        before[1 + 2 * nv + k] = last.aux_dot[k]
    return status


@internal
def midpoint(tables, h):
    """One step of the explicit midpoint rule. Returns a status."""
    state, start, last, rates = (
        view(tables, State),
        view(tables, Step),
        view(tables, Last),
        view(tables, Rates),
    )
    for k in range(last.dq.shape[0]):
        last.dq[k] = 0.5 * h * start.v0[k]
        state.v[k] = start.v0[k] + 0.5 * h * last.v_dot[k]
    for k in range(last.aux_dot.shape[0]):
        state.aux[k] = start.aux0[k] + 0.5 * h * last.aux_dot[k]
    state.time[0] = start.record[0].t0 + 0.5 * h
    status = advance_coordinates(tables, last.dq)
    if status == 0:
        status = evaluate_rates(tables)
    if status != 0:
        return status
    for k in range(last.dq.shape[0]):
        last.dq[k] = h * state.v[k]
        state.v[k] = start.v0[k] + h * rates.v_dot[k]
    for k in range(last.aux_dot.shape[0]):
        state.aux[k] = start.aux0[k] + h * rates.aux_dot[k]
    copy(start.q0, state.q)
    return advance_coordinates(tables, last.dq)


class Adams(CompiledSolver):
    name = "foreign_adams"
    parameters = FixedStep
    begin_step = staticmethod(begin_step)
    try_step = staticmethod(try_step)
    examples = [{"step": 1e-3}]

    @classmethod
    def control(cls, params, chosen):
        return Control(2, fixed=params.step)

    @classmethod
    def arrays(cls, problem, params, chosen):
        return Last(np.zeros(problem.nv), np.zeros(problem.na), np.zeros(problem.nv))

    @classmethod
    def history(cls, problem, params):
        return 1 + 2 * problem.nv + problem.na
