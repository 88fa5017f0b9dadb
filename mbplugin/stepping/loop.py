"""The compiled loop of steps. It returns to Python at frames, and often enough to be interrupted."""

from __future__ import annotations

from numba import float64, int64

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.projection import has_no_rows, refactor
from mbplugin.kernels.tree.momentum import has_momenta, momenta_of_velocities
from mbplugin.kernels.view import view
from mbplugin.math.jit import compiled_entry, inlined, internal
from mbplugin.math.vectors import copy
from mbplugin.stepping.accept import accept_step
from mbplugin.stepping.activity import follow_conditions, has_conditions
from mbplugin.stepping.bounded import settle_bounded
from mbplugin.stepping.changes import are_noted, forget_impulses, notes_are_full
from mbplugin.stepping.events import event_crossed, event_functions, locate_event, take_condition
from mbplugin.stepping.impacts import forget_impacts
from mbplugin.stepping.samples import has_samples, is_now, next_stop, take_samples
from mbplugin.stepping.snapshot import end_becomes_start, forget_history, restore_end
from mbplugin.stepping.solver_calls import begin_step
from mbplugin.stepping.switches import pass_switch
from mbplugin.stepping.trial import AT_SWITCH, DIVERGED, take_step
from mbplugin.stepping.trial import FAILED as TRIAL_FAILED
from mbplugin.stepping.trial import TAKEN as STEP_TAKEN
from mbplugin.tables.groups import Activity, Bounded, Elements, Functions, Inputs, LoopArguments, State, Step
from mbplugin.tables.purposes import EVENT
from mbplugin.tables.records import BEGUN, ENDED, KEPT, NOT_READY, TAKEN
from mbplugin.tables.status import NO_SOLUTION, OVERFLOW

#: return values of `advance`; after the last three the tables hold the evaluation that failed
BUSY, FRAME, END, FAILED, BLEW_UP, STUCK = range(6)


@compiled_entry(float64, float64, int64)
def advance(tables, until, frame, work):
    """Step until `frame` is passed, `until` is reached, or `work` evaluations are done.

    The tables then hold the end of the last step. Returns BUSY, FRAME or END, the last also where the
    condition that ends the run has become true (`Step.record.stopped`); FAILED, with the status of the
    evaluation in `Step.record.status`; BLEW_UP; or STUCK if the steps become too small.
    """
    return advance_by_address(tables, until, frame, work)


@internal
def advance_by_address(tables, until, frame, work):
    """`advance`, compiled once for all entry points."""
    arguments = view(tables, LoopArguments)
    arguments.until[0], arguments.frame[0], arguments.work[0] = until, frame, work
    return take_steps(tables)


@by_address(seconds=5, when="run")
def take_steps(tables):
    """`advance` with the arguments in `LoopArguments`."""
    step, arguments = view(tables, Step).record[0], view(tables, LoopArguments)
    until, frame, work = arguments.until[0], arguments.frame[0], arguments.work[0]
    if step.ready == NOT_READY:
        status = load_end_state(tables)
        if status != 0:
            return failed(tables, status)
    budget = step.evaluations + work
    inputs = view(tables, Inputs)
    sampled = has_samples(tables)
    while True:
        if step.stopped == 1:
            return END
        if are_noted(tables) and notes_are_full(tables):
            return BUSY
        # frames inside the last step come first
        if sampled and step.t1 <= frame and is_now(inputs.next_time[0], step.t1):
            status = take_samples(tables)
            if status == 0 and step.ready == NOT_READY:
                status = load_end_state(tables)
            if status != 0:
                return failed(tables, status)
        if step.t1 >= until:
            return END
        if step.t1 >= frame:
            return FRAME
        if step.evaluations >= budget:
            return BUSY
        if step.ready == ENDED:
            status = start_step(tables)
            if status != 0:
                return failed(tables, status)
        end_becomes_start(tables)
        before, counts = step.t1, counts_of(step)
        stop = next_stop(tables, until) if sampled else until
        # a frame at a sample comes after the jump there, from which no step leads
        code, status, t1 = take_step(tables, stop, min(until, frame))
        if code == AT_SWITCH:
            status = pass_switch(tables) or start_step(tables)
        elif code == STEP_TAKEN:
            status = finish_step(tables, t1)
        elif code != TRIAL_FAILED:
            step.ready = NOT_READY
            return BLEW_UP if code == DIVERGED else STUCK
        if status != 0:
            if status in (OVERFLOW, NO_SOLUTION) and step.t1 == before:
                set_counts(step, counts)
            return failed(tables, status)


@inlined
def counts_of(step):
    """Counts that a step changes in its record before it is accepted."""
    counts = (step.steps, step.rejected, step.evaluations, step.unconverged, step.events, step.repeated)
    return counts, (step.h, step.worst_residual)


@inlined
def set_counts(step, before):
    """The step counts as not begun: it is repeated."""
    counts, numbers = before
    step.steps, step.rejected, step.evaluations, step.unconverged, step.events, step.repeated = counts
    step.h, step.worst_residual = numbers


@internal
def load_end_state(tables):
    """Set the tables to the end of the last step, whatever they hold. Returns a status."""
    step = view(tables, Step)
    restore_end(tables)
    step.record[0].kept = 0
    forget_impulses(tables)
    forget_impacts(tables)
    status = refactor(tables)
    if status == 0 and step.record[0].steps == 0:
        status = event_functions(tables, step.record[0].t1)
    if status == 0:
        status = start_step(tables)
    if status == 0 and step.record[0].steps == 0:
        status = run_batches(tables, EVENT)
        take_condition(tables)
        copy(view(tables, Elements).event, step.events)
    if status == 0:
        step.record[0].ready = BEGUN
    return status


@internal
def start_step(tables):
    """Let the solver begin the next step at the state in the tables. Returns a status."""
    step = view(tables, Step).record[0]
    if step.kept == KEPT:
        # the pivots are those of these rates
        step.kept = TAKEN
    else:
        step.pivot = 1.0
    status = begin_step(tables)
    step.kept = 0
    # off the constraints redundant rows contradict each other, and velocities of momenta are put on them
    contradicts = has_momenta(tables) and step.repeated > 0
    step.near_singular = 1 if step.pivot < 1.0 or contradicts else 0
    step.ready = BEGUN
    return status


@inlined
def finish_step(tables, t1):
    """End a step at t1 or at its first event, and accept it. Returns a status."""
    record = view(tables, Step).record[0]
    t = record.t0
    record.steps += 1
    record.was_near_singular = record.near_singular
    located = False
    held_before = holds(tables)
    bounded = view(tables, Bounded).located[0] == 1
    if bounded or view(tables, Step).events.shape[0] > 0:
        record.pivot = 1.0
        status = event_functions(tables, t1)
        if status == 0 and event_crossed(tables):
            record.length = t1 - t
            status = locate_event(tables)
            t1, located = t + record.length, True
            record.events += 1
            forget_history(tables)
            if bounded and status == 0:
                view(tables, State).time[0] = t1
                forget_impulses(tables)
                status = settle_bounded(tables)
        if status == 0 and has_conditions(tables):
            view(tables, State).time[0] = t1
            status = follow_conditions(tables)
            if view(tables, Activity).changed[0] == 1:
                located = True
                record.events += 1
                forget_history(tables)
        if status != 0:
            return status
    view(tables, State).time[0] = t1
    if has_momenta(tables) and (located or not has_no_rows(tables)):
        # velocities may have jumped; what of the momenta constraints do not let move would grow
        momenta_of_velocities(tables)
    status = accept_step(tables, t1)
    if status == 0 and holds(tables) and not held_before:
        record.stopped = 1
    if status == 0 and located:
        status = refactor(tables)
        return status if status != 0 else start_step(tables)
    record.ready = ENDED
    if bounded and view(tables, Bounded).steady[0] == 1 and is_left_alone(tables):
        record.kept = KEPT
    return status


@inlined
def is_left_alone(tables):
    """Whether nothing acts between steps: no conditions, no inputs."""
    return not has_conditions(tables) and not has_samples(tables)


@internal
def holds(tables):
    """Whether the condition that ends the run, if there is one, was true at the end of the last step."""
    events = view(tables, Step).events
    return view(tables, Functions).stop.shape[0] > 0 and events[events.shape[0] - 1] > 0.0


@internal
def failed(tables, status):
    """Store the status of the failed evaluation; the next call starts from the end of the last step."""
    step = view(tables, Step).record[0]
    step.status, step.ready = status, NOT_READY
    return FAILED
