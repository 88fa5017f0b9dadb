"""After a step that was taken: events in it, turns of angles, memory of the elements; and the way over a
switch, from which the next one begins.
"""

from __future__ import annotations

from math import pi

from mbplugin.interface import internal
from mbplugin.kernels.evaluate import measure_rates, run_batches
from mbplugin.kernels.implicit import keep_implicit
from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.projection import project_velocities, refactor, worst_position
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined
from mbplugin.tables.groups import Elements, Measures, State
from mbplugin.tables.purposes import ACCEPT, COORDINATE, EVENT
from mbplugin.tables.status import POSITION_JUMPS
from mbplugin_lagrange.derivative import first_stage
from mbplugin_lagrange.places import (
    CAREFUL,
    CAREFULLY,
    EVENTS,
    IMPACT_TIME,
    IMPACTS,
    SIZE,
    SPIN,
    SPIN_STEP,
    SPIN_TIME,
    SPUN,
    STEPS,
    T0,
    T1,
)
from mbplugin_lagrange.store import copy, keep, put_back
from mbplugin_lagrange.switches import event_crossed, locate_event

#: residual of a position row [sizes or rad] that is no rounding: a motion jumps
JUMP = 1e-9
#: change of the kinetic energy at a switch, beside it and by itself [J], from which on it is an impact
IMPACT, TINY = 1e-9, 1e-30


@inlined
def arrive(tables, store, A, b, c, t1):
    """After a step to t1: if an event happened in it, back to that. Returns a status."""
    number, count = store.number, store.count
    t = number[T0]
    count[STEPS] += 1
    count[CAREFULLY] = count[CAREFUL]
    located = False
    if store.events.shape[0] > 0:
        status = run_batches(tables, EVENT)
        if status == 0 and event_crossed(tables, store):
            status, h = locate_event(tables, store, A, b, c, t, t1 - t)
            t1, located = t + h, True
            count[EVENTS] += 1
        if status != 0:
            return status
    view(tables, State).time[0] = t1
    status = accept(tables, store, t1)
    if status != 0:
        return status
    number[T1] = t1
    if located:
        status = refactor(tables)
    return status if status != 0 else first_stage(tables, store)


@internal
def pass_switch(tables, store, right):
    """An expression switches where the step begins: the clock alone goes to the far side, less than a
    rounding of the run's length away. Returns a status.

    Where a motion's speed jumps there, velocities follow by an impulse, whose work is ΔT: rows that do not
    move do none. A position cannot follow.
    """
    number, count = store.number, store.count
    put_back(tables, store, 0)
    state = view(tables, State)
    state.time[0] = right
    status = refactor(tables)
    if status != 0:
        return status
    if worst_position(tables, number[SIZE]) > JUMP:
        return POSITION_JUMPS
    before = evaluate_kinetic_energy(tables, state.v)
    status = project_velocities(tables)
    if status != 0:
        return status
    change = evaluate_kinetic_energy(tables, state.v) - before
    state.aux[0] += change
    if abs(change) > IMPACT * before + TINY:
        count[IMPACTS] += 1
        number[IMPACT_TIME] = right
    count[EVENTS] += 1
    number[T1] = right
    keep(tables, store)
    return first_stage(tables, store)


@inlined
def accept(tables, store, t1):
    """After an accepted step: turns of angles, memory, event values; then the new state is stored. Returns a
    status.
    """
    status = run_batches(tables, COORDINATE)
    if status != 0:
        return status
    measures = view(tables, Measures)
    measure_rates(tables)
    watch_turns(tables, store, t1)
    copy(measures.value, measures.last)
    status = run_batches(tables, ACCEPT)
    if status != 0:
        return status
    status = run_batches(tables, EVENT)
    if status != 0:
        return status
    copy(view(tables, Elements).event, store.events)
    keep_implicit(tables)
    keep(tables, store)
    return 0


@inlined
def watch_turns(tables, store, t1):
    """Note the first angle that turns by more than half a turn within a step: which way it went round is then
    a guess.
    """
    if store.count[SPUN] > 0:
        return
    measures = view(tables, Measures)
    h = t1 - store.number[T0]
    for i in range(measures.index.shape[0]):
        if measures.index[i].counts_turns == 1 and abs(measures.rate[i]) * h > pi:
            store.number[SPIN], store.number[SPIN_TIME], store.number[SPIN_STEP] = (
                abs(measures.rate[i]) * h,
                t1,
                h,
            )
            store.count[SPUN] = i + 1
