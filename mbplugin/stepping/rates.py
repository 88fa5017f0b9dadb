"""The rates of the state y = (q, v, aux): q̇ = N(q) v, v̇ with the constraint forces, and the rates of the
auxiliary states, which kernels of elements write during the evaluation.

The first two auxiliary states are the work input and the energy dissipated.
"""

from __future__ import annotations

from mbplugin.kernels.bounded import rates_of_bounded
from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import MASS_AND_G, POSES, evaluate_eom, run_batches
from mbplugin.kernels.implicit import accelerations
from mbplugin.kernels.projection import follow_momenta, has_no_rows, refactor
from mbplugin.kernels.rows import row_times
from mbplugin.kernels.schur import PASSES, SMALL_PIVOT, factor, small_pivots
from mbplugin.kernels.tree.momentum import has_momenta, rates_of_momenta
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vectors import sum_of
from mbplugin.tables.groups import Bearings, Blocks, ImplicitVariables, Rates, Rows, State, Status, Step
from mbplugin.tables.purposes import RATE
from mbplugin.tables.records import ACCELERATION_LEVEL, TAKEN
from mbplugin.tables.status import NOT_FINITE

#: what is already evaluated at the present state: nothing, or M, G and the factor
NOTHING, FACTOR = range(2)


@internal
def power_of_motions(tables, lam):
    """Power of the prescribed motions under the multipliers (nc,): −λ Φₜ [W]."""
    blocks, rows, v = view(tables, Blocks).index, view(tables, Rows), view(tables, State).v
    power = 0.0
    for k in range(blocks.shape[0]):
        for place in range(blocks[k].rows):
            r = blocks[k].first_row + place
            power -= lam[r] * rows.phi_t[r]
            # phi_t of a row at acceleration level is zero: its power is λ G v
            if rows.level[r] == ACCELERATION_LEVEL and lam[r] != 0.0:
                power += lam[r] * row_times(tables, k, place, v)
    return power


@internal
def follow_implicit_variables(tables):
    """Let h follow the implicit variables and the friction of bearings, if there are any, at the present
    state, evaluated. Returns a status.

    They are those of the accelerations that the constraints allow; v̇ and λ in the tables are theirs.
    """
    if view(tables, ImplicitVariables).index.shape[0] + view(tables, Bearings).index.shape[0] == 0:
        return 0
    status = factor(tables, ACCELERATION_LEVEL)
    return status if status != 0 else accelerations(tables, 0)


@internal
def evaluate_rates(tables):
    """q̇, v̇, the rates of the auxiliary states, and λ at the present state. Returns a status."""
    return rates(tables, NOTHING)


@internal
def rates_on_constraints(tables):
    """q̇, v̇, the rates of the auxiliary states, and λ, if M, G and the factor are already those of the
    present state, as after a projection. Returns a status.
    """
    return rates(tables, FACTOR)


@by_address(seconds=4)
def rates(tables, at_hand):
    """Rates at the present state; at_hand: NOTHING, or FACTOR if M, G and the factor are those of this state,
    which is the end of the last step if its rates are taken. Returns a status.
    """
    record = view(tables, Step).record[0]
    if at_hand == FACTOR and record.kept == TAKEN:
        record.kept = 0
        return 0
    if at_hand != FACTOR:
        status = follow_momenta(tables) if has_momenta(tables) else 0
        if status == 0:
            status = refactor(tables)
    else:
        # no projection has changed velocities if there are no rows
        unchanged = has_no_rows(tables) and not has_momenta(tables)
        status = evaluate_eom(tables, MASS_AND_G | POSES if unchanged else MASS_AND_G)
    return status if status != 0 else rates_with_factor(tables)


@internal
def rates_with_factor(tables):
    """Rates, with the equations of motion already evaluated and factored."""
    rate, rows = view(tables, Rates), view(tables, Rows)
    step = view(tables, Step).record[0]
    small, pivot = small_pivots(tables, step.repeated)
    step.repeated = min(step.repeated, small)
    step.pivot = min(step.pivot, pivot)
    status = accelerations(tables, 0)
    if status != 0:
        return status
    step.evaluations += 1
    solved = view(tables, Status)
    if solved.passes[0] >= PASSES:
        # rows that are redundant on the constraints contradict each other off them
        step.pivot = min(step.pivot, SMALL_PIVOT)
        if step.near_singular == 1:
            step.unconverged += 1
            step.worst_residual = max(step.worst_residual, solved.residual[0])
    rate.aux_dot[0] += power_of_motions(tables, rows.lam)
    rates_of_bounded(tables, rows.lam)
    if has_momenta(tables):
        rates_of_momenta(tables)
    total = sum_of(rate.v_dot) + sum_of(rate.aux_dot) + sum_of(rows.gamma)
    if total - total != 0.0:
        return NOT_FINITE
    return run_batches(tables, RATE)
