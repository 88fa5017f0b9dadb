"""Where a step has to end: jumps and kinks of expressions of time, and sign changes of the elements' event
functions.
"""

from __future__ import annotations

from mbplugin.interface import internal
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.tape import tape_derivatives
from mbplugin.kernels.view import view
from mbplugin.tables.groups import Elements, Functions
from mbplugin.tables.purposes import EVENT
from mbplugin_lagrange.stages import finish, stages


@internal
def next_switch(tables, t, t1):
    """First time in (t, t1) at which an expression of time jumps or has a kink: the last number before it and
    the first after it; else (t1, t1).
    """
    functions = view(tables, Functions)
    left, right = t1, t1
    for i in range(functions.switch.shape[0]):
        before = switch_value(functions, i, t) > 0.0
        if (switch_value(functions, i, right) > 0.0) == before:
            continue
        low, high = t, right
        while True:
            middle = low + 0.5 * (high - low)
            if middle <= low or middle >= high:
                break
            if (switch_value(functions, i, middle) > 0.0) == before:
                low = middle
            else:
                high = middle
        left, right = low, high
    return left, right


@internal
def switch_value(functions, i, t):
    row = functions.switch[i]
    f, _, _ = tape_derivatives(
        functions.ops,
        functions.constants,
        row.start,
        row.stop,
        row.first_constant,
        t,
        functions.stack,
        functions.called,
    )
    return f


@internal
def event_crossed(tables, store):
    """Whether an event function of some element has changed sign since the last step."""
    event = view(tables, Elements).event
    for i in range(event.shape[0]):
        if (event[i] > 0.0) != (store.events[i] > 0.0):
            return True
    return False


@internal
def locate_event(tables, store, A, b, c, t0, h):
    """Length of the step that ends just behind the first event in (t0, t0 + h], by bisection; the tables are
    left there.
    """
    low, high = 0.0, h
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high or t0 + middle <= t0 + low or t0 + middle >= t0 + high:
            break
        status = try_step(tables, store, A, b, c, t0, middle)
        if status != 0:
            return status, high
        if event_crossed(tables, store):
            high = middle
        else:
            low = middle
    return try_step(tables, store, A, b, c, t0, high), high


@internal
def try_step(tables, store, A, b, c, t0, h):
    """A step of length h, projected, and the event functions at its end. Returns a status."""
    status = stages(tables, store, A, c, t0, h)
    if status == 0:
        status, _ = finish(tables, store, b, t0 + h, h)
    if status == 0:
        status = run_batches(tables, EVENT)
    return status
