"""The loop of Runge-Kutta steps, compiled; it returns to Python for frames, and often enough to be
interrupted.
"""

from __future__ import annotations

from mbplugin.interface import compiled_entry, internal
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.projection import refactor
from mbplugin.kernels.view import view
from mbplugin.tables.groups import Elements
from mbplugin.tables.purposes import EVENT
from mbplugin_lagrange.arrival import arrive, pass_switch
from mbplugin_lagrange.codes import AT_SWITCH, BUSY, END, FAILED, FRAME, TAKEN
from mbplugin_lagrange.derivative import first_stage
from mbplugin_lagrange.places import EVALUATIONS, FRESH, STATUS, STEPS, T1
from mbplugin_lagrange.store import begin, copy, put_back
from mbplugin_lagrange.trial import take_step


@compiled_entry
def advance(tables, store, A, b, c, e, e3, power, until, frame, work):
    """Steps until one passes `frame`, or `until` is reached, or `work` evaluations are done. The tables hold
    the end of the last step afterwards.
    """
    number, count = store.number, store.count
    budget = count[EVALUATIONS] + work
    if count[FRESH] == 0:
        status = enter(tables, store)
        if status != 0:
            return failed(count, status)
    while True:
        if number[T1] >= until:
            return END
        if number[T1] >= frame:
            return FRAME
        if count[EVALUATIONS] >= budget:
            return BUSY
        begin(store)
        code, status, left, right = take_step(tables, store, A, b, c, e, e3, power, until)
        if code == AT_SWITCH:
            status = pass_switch(tables, store, right)
        elif code == TAKEN:
            status = arrive(tables, store, A, b, c, left)
        elif code != FAILED:
            count[FRESH] = 0
            return code
        if status != 0:
            return failed(count, status)


@internal
def enter(tables, store):
    """Bring the tables, whatever they hold, to the end of the last step. Returns a status."""
    put_back(tables, store, 0)
    status = refactor(tables)
    if status == 0:
        status = first_stage(tables, store)
    if status == 0 and store.count[STEPS] == 0:
        status = run_batches(tables, EVENT)
        copy(view(tables, Elements).event, store.events)
    if status == 0:
        store.count[FRESH] = 1
    return status


@internal
def failed(count, status):
    """Note the status of the evaluation that failed; the next call begins from the end of the last step."""
    count[STATUS], count[FRESH] = status, 0
    return FAILED
