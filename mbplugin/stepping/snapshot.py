"""Store and restore the states at the start and at the end of the last step."""

from __future__ import annotations

from mbplugin.kernels.view import part, view, words_at
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy, fill
from mbplugin.tables.groups import Measures, State, Step


@internal
def store_arrays(tables, content):
    """Copy the solver's stateful arrays into `content`."""
    stateful = view(tables, Step).stateful
    for i in range(stateful.shape[0]):
        present = words_at(tables[stateful[i].place], stateful[i].words)
        copy(present, part(content, stateful[i].first, stateful[i].words))


@internal
def restore_arrays(tables, content):
    """Copy `content` into the solver's stateful arrays."""
    stateful = view(tables, Step).stateful
    for i in range(stateful.shape[0]):
        present = words_at(tables[stateful[i].place], stateful[i].words)
        copy(part(content, stateful[i].first, stateful[i].words), present)


@internal
def forget_history(tables):
    """Set the solver's history to zero: the state does not continue that of the last step smoothly."""
    fill(view(tables, State).history, 0.0)


@internal
def snapshot(tables):
    """Store the present state as the end of the last step; its time is `Step.record.t1`."""
    state, step = view(tables, State), view(tables, Step)
    copy(state.q, step.q1)
    copy(state.v, step.v1)
    copy(state.aux, step.aux1)
    copy(state.memory, step.memory1)
    copy(state.history, step.history1)
    copy(state.mode, step.mode1)
    copy(view(tables, Measures).last, step.last1)
    store_arrays(tables, step.stateful1)


@internal
def end_becomes_start(tables):
    """The end of the last step becomes the start of the next one."""
    step = view(tables, Step)
    copy(step.q1, step.q0)
    copy(step.v1, step.v0)
    copy(step.aux1, step.aux0)
    copy(step.memory1, step.memory0)
    copy(step.history1, step.history0)
    copy(step.mode1, step.mode0)
    copy(step.last1, step.last0)
    copy(step.stateful1, step.stateful0)
    step.record[0].t0 = step.record[0].t1


@internal
def restore_start(tables):
    """Restore the start of the last step."""
    state, step = view(tables, State), view(tables, Step)
    copy(step.q0, state.q)
    copy(step.v0, state.v)
    copy(step.aux0, state.aux)
    copy(step.memory0, state.memory)
    copy(step.history0, state.history)
    copy(step.mode0, state.mode)
    copy(step.last0, view(tables, Measures).last)
    restore_arrays(tables, step.stateful0)
    state.time[0] = step.record[0].t0


@internal
def restore_end(tables):
    """Restore the end of the last step."""
    state, step = view(tables, State), view(tables, Step)
    copy(step.q1, state.q)
    copy(step.v1, state.v)
    copy(step.aux1, state.aux)
    copy(step.memory1, state.memory)
    copy(step.history1, state.history)
    copy(step.mode1, state.mode)
    copy(step.last1, view(tables, Measures).last)
    restore_arrays(tables, step.stateful1)
    state.time[0] = step.record[0].t1
