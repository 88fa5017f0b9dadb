"""Everything that follows when a step is accepted, in one call."""

from __future__ import annotations

from math import pi

from mbplugin.kernels.cones import keep_directions
from mbplugin.kernels.evaluate import measure_rates, run_batches
from mbplugin.kernels.friction import keep_pressures
from mbplugin.kernels.implicit import keep_implicit
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import copy
from mbplugin.stepping.changes import are_noted, note_changes
from mbplugin.stepping.events import take_condition
from mbplugin.stepping.impacts import keep_impacts
from mbplugin.stepping.snapshot import snapshot
from mbplugin.tables.groups import Elements, Measures, Step
from mbplugin.tables.purposes import ACCEPT, COORDINATE, EVENT


@internal
def accept_step(tables, t1):
    """Count full turns of angles, write the memory of elements, evaluate event functions, note changes of
    rows, and store the present state as the end of the step at t1. Returns a status.
    """
    status = run_batches(tables, COORDINATE)
    if status != 0:
        return status
    measures = view(tables, Measures)
    measure_rates(tables)
    watch_turns(tables, t1)
    for i in range(measures.index.shape[0]):
        if measures.index[i].shown == 0:
            measures.last[i] = measures.value[i]
    status = run_batches(tables, ACCEPT) or run_batches(tables, EVENT)
    if status != 0:
        return status
    take_condition(tables)
    if are_noted(tables):
        status = note_changes(tables)
        if status != 0:
            return status
    keep_impacts(tables)
    step = view(tables, Step)
    copy(view(tables, Elements).event, step.events)
    keep_implicit(tables)
    keep_pressures(tables)
    keep_directions(tables)
    snapshot(tables)
    step.record[0].t1 = t1
    return 0


@inlined
def watch_turns(tables, t1):
    """Note the first angle that changes by more than half a turn in a step: its turns may be miscounted."""
    step = view(tables, Step).record[0]
    if step.turned > 0:
        return
    measures = view(tables, Measures)
    h = t1 - step.t0
    for i in range(measures.index.shape[0]):
        turn = abs(measures.rate[i]) * h
        if measures.index[i].counts_turns == 1 and turn > pi:
            step.turn, step.turn_time, step.turn_step = turn, t1, h
            step.turned = i + 1
