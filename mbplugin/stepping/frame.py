"""The state at a frame between two steps.

A frame inside a step is reached by a shorter step of the same solver from the same start, so that it has the
order of the steps and nothing of it is fed back.
"""

from __future__ import annotations

from numba import float64

from mbplugin.kernels.evaluate import measure_rates, run_batches
from mbplugin.kernels.projection import refactor
from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry
from mbplugin.stepping.core import rates_on_constraints
from mbplugin.stepping.snapshot import restore, restore_start
from mbplugin.stepping.solver_calls import begin_step, step_of_length
from mbplugin.tables.groups import Step
from mbplugin.tables.purposes import COORDINATE


@compiled_entry(float64)
def show(tables, t):
    """The projected state at time t of the last step, with accelerations, reactions and joint coordinates.

    `advance` restores the tables. Returns a status.
    """
    step = view(tables, Step).record[0]
    evaluations, repeated, unconverged = step.evaluations, step.repeated, step.unconverged
    near, residual = step.near_singular, step.worst_residual
    if step.t0 < step.t1 and t < step.t1:
        restore_start(tables)
        status = refactor(tables)
        if status == 0:
            status = begin_step(tables)
        # as in the step itself
        step.near_singular = step.was_near_singular
        if status == 0:
            status = step_of_length(tables, t - step.t0)
    else:
        restore(tables)
        status = refactor(tables)
    if status == 0:
        status = rates_on_constraints(tables)
    if status == 0:
        status = run_batches(tables, COORDINATE)
        measure_rates(tables)
    # nothing of a frame is fed back
    step.evaluations, step.repeated, step.unconverged = evaluations, repeated, unconverged
    step.near_singular, step.worst_residual, step.ready = near, residual, 0
    return status
