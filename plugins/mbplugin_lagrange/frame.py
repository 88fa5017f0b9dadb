"""The state at a frame between two steps.

A frame inside a step is reached by a shorter step of the same method from the same start, so that it has the
order of the steps and nothing of it is fed back.
"""

from __future__ import annotations

from mbplugin.interface import compiled_entry, internal
from mbplugin.kernels.evaluate import measure_rates, run_batches
from mbplugin.kernels.projection import refactor
from mbplugin.tables.purposes import COORDINATE
from mbplugin_lagrange.derivative import evaluate
from mbplugin_lagrange.places import (
    CAREFUL,
    CAREFULLY,
    EVALUATIONS,
    FRESH,
    KNOWN,
    PASSES,
    REPEATED,
    T0,
    T1,
    UNCONVERGED,
    WORST_RESIDUAL,
)
from mbplugin_lagrange.stages import finish, stages
from mbplugin_lagrange.store import put_back


@compiled_entry
def show(tables, store, A, b, c, t):
    """The projected state at time t of the last step, with accelerations and reactions. `advance` puts the
    tables back. Returns a status.
    """
    number, count = store.number, store.count
    evaluations, passes, careful, repeated, unconverged = (
        count[EVALUATIONS],
        count[PASSES],
        count[CAREFUL],
        count[REPEATED],
        count[UNCONVERGED],
    )
    residual = number[WORST_RESIDUAL]
    inside = number[T0] < number[T1] and t < number[T1]
    put_back(tables, store, int(inside))
    if inside:
        count[KNOWN] = 0
        # in the way of the step: what serves a careful one may be too far apart for the other
        count[CAREFUL] = count[CAREFULLY]
        status = stages(tables, store, A, c, number[T0], t - number[T0])
        if status == 0:
            status, _ = finish(tables, store, b, t, t - number[T0])
    else:
        status = refactor(tables)
    if status == 0:
        status = evaluate(tables, store)
    if status == 0:
        status = look(tables, store)
    # nothing of a frame is fed back
    count[EVALUATIONS], count[PASSES], count[CAREFUL], count[REPEATED], count[UNCONVERGED] = (
        evaluations,
        passes,
        careful,
        repeated,
        unconverged,
    )
    number[WORST_RESIDUAL], count[FRESH] = residual, 0
    return status


@internal
def look(tables, store):
    """Coordinates and their rates at the present state, which has been evaluated. Returns a status."""
    status = run_batches(tables, COORDINATE)
    if status != 0:
        return status
    measure_rates(tables)
    return 0
