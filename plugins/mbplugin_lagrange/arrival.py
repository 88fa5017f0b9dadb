"""After a step that was taken: events in it, switches at its end, turns of angles, memory of the elements."""

from __future__ import annotations

from math import pi

from mbplugin.interface import internal
from mbplugin.kernels.evaluate import measure_rates, run_batches
from mbplugin.kernels.projection import refactor
from mbplugin.kernels.unknowns import keep_unknowns
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined
from mbplugin.tables.groups import ACCEPT, COORDINATE, EVENT, Elements, Measures, State
from mbplugin_lagrange.derivative import first_stage
from mbplugin_lagrange.places import CAREFUL, CAREFULLY, EVENTS, SPIN, SPIN_STEP, SPIN_TIME, SPUN, STEPS, T0, T1
from mbplugin_lagrange.store import copy, keep, put_back
from mbplugin_lagrange.switches import event_crossed, locate_event


@inlined
def arrive(tables, store, A, b, c, left, right):
    """After a step to `left`: if an event happened in it, back to that; behind a switch the clock stands at its far side `right`. Returns a status."""
    number, count = store.number, store.count
    t, t1 = number[T0], left
    count[STEPS] += 1
    count[CAREFULLY] = count[CAREFUL]
    located = False
    if store.events.shape[0] > 0:
        status = run_batches(tables, EVENT)
        if status == 0 and event_crossed(tables, store):
            status, h = locate_event(tables, store, A, b, c, t, left - t)
            t1, located = t + h, True
            count[EVENTS] += 1
        if status != 0:
            return status
    number[T1] = t1
    if left < right and t1 == left:
        number[T1] = right
        count[EVENTS] += 1
    view(tables, State).time[0] = number[T1]
    status = accept(tables, store)
    if status == 0 and located:
        status = refactor(tables)
    return status if status != 0 else first_stage(tables, store)


@internal
def pass_switch(tables, store, right):
    """An expression switches where the step begins: the clock alone goes to the far side, less than a rounding of the run's length away. Returns a status."""
    store.number[T1] = right
    store.count[EVENTS] += 1
    put_back(tables, store, 0)
    status = refactor(tables)
    return status if status != 0 else first_stage(tables, store)


@inlined
def accept(tables, store):
    """After an accepted step: turns of angles, memory, event values; then the new state is stored, with its derivative."""
    status = run_batches(tables, COORDINATE)
    if status != 0:
        return status
    measures = view(tables, Measures)
    measure_rates(tables)
    watch_turns(tables, store)
    copy(measures.value, measures.last)
    status = run_batches(tables, ACCEPT)
    if status != 0:
        return status
    status = run_batches(tables, EVENT)
    if status != 0:
        return status
    copy(view(tables, Elements).event, store.events)
    keep_unknowns(tables)
    keep(tables, store)
    return 0


@inlined
def watch_turns(tables, store):
    """Note the first angle that turns by more than half a turn within a step: which way it went round is then a guess."""
    if store.count[SPUN] > 0:
        return
    measures = view(tables, Measures)
    h = store.number[T1] - store.number[T0]
    for i in range(measures.row.shape[0]):
        if measures.row[i, 3] == 1 and abs(measures.rate[i]) * h > pi:
            store.number[SPIN], store.number[SPIN_TIME], store.number[SPIN_STEP] = abs(measures.rate[i]) * h, store.number[T1], h
            store.count[SPUN] = i + 1
