"""The derivative of the state y = (q, v, x): q̇ = N(q) v, v̇ from the constraint forces, ẋ from the elements.

The first two entries of x are the work put in and the energy dissipated.
"""

from __future__ import annotations

from mbplugin.interface import ACCELERATION_LEVEL, internal
from mbplugin.kernels.core import accelerations, evaluate_eom
from mbplugin.kernels.evaluate import MASS_AND_G, rate_of_row, run_batches
from mbplugin.kernels.schur import PASSES as PASSES_AT_MOST
from mbplugin.kernels.schur import SMALL, small_pivots
from mbplugin.kernels.view import view
from mbplugin.tables.groups import Rates, Rows, Status
from mbplugin.tables.purposes import RATE
from mbplugin.tables.status import NOT_FINITE
from mbplugin_lagrange.places import (
    CAREFUL,
    EVALUATIONS,
    PASSES,
    PIVOT,
    REPEATED,
    UNCONVERGED,
    WORST_RESIDUAL,
)
from mbplugin_lagrange.store import copy, sum_of


@internal
def evaluate(tables, store):
    """Rates at the present state, whose G and factor are at hand. Returns a status."""
    status = evaluate_eom(tables, MASS_AND_G)
    return status if status != 0 else derivative(tables, store)


@internal
def derivative(tables, store):
    """Rates at the present state, whose terms and factor are at hand. Returns a status."""
    rates = view(tables, Rates)
    rows = view(tables, Rows)
    small, pivot = small_pivots(tables, store.count[REPEATED])
    store.count[REPEATED] = min(store.count[REPEATED], small)
    store.number[PIVOT] = min(store.number[PIVOT], pivot)
    status = accelerations(tables, 0)
    if status != 0:
        return status
    solved = view(tables, Status)
    passes = solved.passes[0]
    store.count[EVALUATIONS] += 1
    store.count[PASSES] = max(store.count[PASSES], passes)
    if passes >= PASSES_AT_MOST:
        # rows that repeat others on the constraints contradict each other off them: project the stages
        store.number[PIVOT] = min(store.number[PIVOT], SMALL)
        if store.count[CAREFUL] == 1:
            store.count[UNCONVERGED] += 1
            store.number[WORST_RESIDUAL] = max(store.number[WORST_RESIDUAL], solved.residual[0])
    work = 0.0
    for r in range(rows.lam.shape[0]):
        work -= rows.lam[r] * rows.phi_t[r]
        # a row that gives an acceleration says nothing of the rate that its force works on
        if rows.level[r] == ACCELERATION_LEVEL and rows.lam[r] != 0.0:
            work += rows.lam[r] * rate_of_row(tables, r)
    rates.aux_dot[0] += work
    total = sum_of(rates.v_dot) + sum_of(rates.aux_dot) + sum_of(rows.gamma)
    if total - total != 0.0:
        return NOT_FINITE
    return run_batches(tables, RATE)


@internal
def first_stage(tables, store):
    """Derivative at the end of the last step, whose factor is at hand, into fq, fv, fx. Returns a status."""
    store.number[PIVOT] = 1.0
    status = evaluate(tables, store)
    if status != 0:
        return status
    store.count[CAREFUL] = 1 if store.number[PIVOT] < 1.0 else 0
    rates = view(tables, Rates)
    copy(rates.q_dot, store.fq)
    copy(rates.v_dot, store.fv)
    copy(rates.aux_dot, store.fx)
    return 0
