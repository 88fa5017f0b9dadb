"""The state at a frame between two steps.

A frame inside a step is reached by a shorter step of the same solver from the same start, so that it has the
order of the steps and nothing of it is fed back.
"""

from __future__ import annotations

from numba import float64

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import measure_rates, run_batches
from mbplugin.kernels.projection import refactor
from mbplugin.kernels.tree.reactions import carry_wrenches
from mbplugin.kernels.view import place_of, view, words_at
from mbplugin.math.emitters.arrays import address_of
from mbplugin.math.jit import compiled_entry, internal
from mbplugin.math.vectors import add_scaled, copy
from mbplugin.stepping.rates import rates_on_constraints
from mbplugin.stepping.snapshot import restore_end, restore_start
from mbplugin.stepping.solver_calls import begin_step, step_of_length
from mbplugin.tables.groups import Bounded, FrameValues, LoopArguments, Rates, Rows, State, Step, Trees
from mbplugin.tables.purposes import COORDINATE, SHOWN
from mbplugin.tables.records import ENDED, NOT_READY

#: place of the multipliers in the vector of addresses
LAM = place_of(Rows, "lam")
#: a frame nearer to the start of a step than this part of it shows the start: for solvers that report mean
#: values, which would be rounding over so short a step; for others
START_OF_MEANS, START_OF_STATES = 1e-9, 1e-12


@internal
def repeat_step(tables, length):
    """A step of this length from the start of the last one. Returns a status."""
    record = view(tables, Step).record[0]
    restore_start(tables)
    status = refactor(tables) or begin_step(tables)
    # as in the step itself
    record.near_singular = record.was_near_singular
    if status == 0:
        record.frame_due = 1
        status = step_of_length(tables, length)
        record.frame_due = 0
    if status == 0:
        keep_mean(tables, length)
    return status


@internal
def keep_mean(tables, length):
    """The mean acceleration of a step of this length to the velocities in the tables, if the solver reports
    what its steps do.
    """
    step, v = view(tables, Step), view(tables, State).v
    if step.record[0].reports == 1:
        for k in range(v.shape[0]):
            step.mean[k] = (v[k] - step.v0[k]) / length


@compiled_entry(float64)
def show(tables, t):
    """Leave a frame in the tables: `show_state`. Returns a status."""
    return show_by_address(tables, t)


@internal
def show_by_address(tables, t):
    """`show_state`, compiled once for all entry points."""
    view(tables, LoopArguments).frame_time[0] = t
    return show_state(tables)


@by_address(seconds=2, when="run")
def show_state(tables):
    """The projected state at the time t in `LoopArguments`, within the last step, with accelerations,
    reactions and joint coordinates.

    A solver that reports what a step did repeats it at its end too, unless the tables still hold that end. At
    the start of the motion, where no step has led to t, the first step is taken instead. `advance` restores
    the tables. Returns a status.
    """
    step, t = view(tables, Step).record[0], view(tables, LoopArguments).frame_time[0]
    evaluations, repeated, unconverged = step.evaluations, step.repeated, step.unconverged
    near, residual = step.near_singular, step.worst_residual
    inside = step.t0 < step.t1 and t < step.t1
    least = START_OF_MEANS if step.reports == 1 else START_OF_STATES
    at_start = inside and t - step.t0 < least * (step.t1 - step.t0)
    status = 0
    if not inside and step.ready == ENDED and step.frame_due == 1:
        keep_mean(tables, step.t1 - step.t0)
    elif step.reports == 1 or (inside and not at_start):
        length = (t if inside and not at_start else step.t1) - step.t0
        status = repeat_step(tables, length if length > 0.0 else step.h)
    if status == 0 and (at_start or not inside):
        if at_start:
            restore_start(tables)
        else:
            restore_end(tables)
        status = refactor(tables)
    if status == 0:
        status = evaluate_frame(tables)
    if status == 0:
        show_means(tables)
    # nothing of a frame is fed back
    step.evaluations, step.repeated, step.unconverged = evaluations, repeated, unconverged
    step.near_singular, step.worst_residual, step.ready = near, residual, NOT_READY
    return status


@internal
def evaluate_frame(tables):
    """Rates and joint coordinates of the present state, to which M, G and the factor belong. Returns a
    status.
    """
    status = rates_on_constraints(tables)
    if status == 0:
        status = run_batches(tables, COORDINATE) or run_batches(tables, SHOWN)
        measure_rates(tables)
    return status


@internal
def show_means(tables):
    """Put, for a solver with impulses, the mean accelerations and multipliers of the step; what joints that
    carry links exert stands in the tables then, else it follows from the present ones.
    """
    values = view(tables, FrameValues)
    if values.mean[0] == 0 and view(tables, Trees).index.shape[0] > 0:
        carry(tables)
    if values.mean[0] == 1:
        copy(view(tables, Step).mean, view(tables, Rates).v_dot)
    place = values.multipliers[0]
    if place > 0:
        lam = view(tables, Rows).lam
        if lam.shape[0] > 0:
            copy(words_at(tables[place], lam.shape[0]), words_at(tables[LAM], lam.shape[0]))
        bounded = view(tables, Bounded)
        if bounded.located[0] == 0:
            # they have the forces of rows at a bound
            for i in range(bounded.index.shape[0]):
                view(tables, Rows).load[bounded.index[i].row] = 0.0


@internal
def carry(tables):
    """Accelerations of links, and the wrenches of the joints that carry them, from λ and v̇ in the tables."""
    rows = view(tables, Rows)
    copy(rows.load, rows.image)
    add_scaled(1.0, rows.lam, 0, rows.image, 0, rows.lam.shape[0])
    carry_wrenches(tables, address_of(rows.image, 0), 0)
