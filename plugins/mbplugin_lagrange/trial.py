"""One step: tried, and shortened until its error is small and the constraints are closed."""

from __future__ import annotations

from math import floor

from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined
from mbplugin.tables.groups import State
from mbplugin.tables.status import NOT_FINITE
from mbplugin_lagrange.codes import AT_SWITCH, DIVERGED, FAILED, TAKEN, TOO_SMALL
from mbplugin_lagrange.error import compare, error_norm, estimate
from mbplugin_lagrange.places import (
    CAREFUL,
    FIXED,
    FLOOR,
    HELD,
    HELD_TIME,
    PIVOT,
    PREVIOUS_ERROR,
    REJECTED,
    STARTED,
    T1,
    H,
)
from mbplugin_lagrange.stages import finish, solution, stages
from mbplugin_lagrange.store import sum_of
from mbplugin_lagrange.switches import next_switch

#: consecutive rejections that do not lower the error: the estimate is noise
NOISE = 4


@inlined
def take_step(tables, store, A, b, c, e, e3, power, until):
    """A step whose error and constraints are good, shortened until they are; its end is in the tables.

    Returns what became of it, the status of an evaluation that failed, the end of the step, and where an
    expression of time switches there the first number behind the switch. The next step then begins at the
    switch.
    """
    number, count = store.number, store.count
    t = number[T1]
    smallest = 0.5e-15 * max(abs(t), abs(until))
    rejections, before = 0, 1e300
    while True:
        left, right = next_switch(tables, t, end_of_step(number, power, t, until))
        h = left - t
        if left < right and not h > smallest:
            return AT_SWITCH, 0, left, right
        if not h > smallest:
            return TOO_SMALL, 0, left, right
        status, error, finished, worst = attempt(tables, store, A, b, c, e, e3, power, left, h)
        if status == NOT_FINITE:
            # perhaps a shorter step does not get there
            status, error = 0, 1e300
        noise = 1.0 < error < 1e6 and (h <= number[FLOOR] or (rejections >= NOISE and error > 0.3 * before))
        accepted = status == 0 and (error <= 1.0 or noise)
        if accepted and not finished:
            status, worst = finish(tables, store, b, left, h)
        if status != 0:
            return FAILED, status, left, right
        if accepted and is_sound(tables, worst):
            if noise:
                count[HELD] += 1
                number[HELD_TIME] = t
            if power > 0:
                adapt(number, h, error, power, rejections > 0, noise, left < until)
            return TAKEN, 0, left, right
        if accepted and power == 0:
            return DIVERGED, 0, left, right
        if accepted:
            # the constraints cannot be met from there: a shorter step
            error = 1e10
        rejections += 1
        count[REJECTED] += 1
        before = error
        shrink = 0.2 if error >= 1e6 else max(0.2, 0.9 * error ** (-1.0 / power))
        number[H] = h * shrink
        if power == 0 or not number[H] > 1e-14 * max(1e-300, max(abs(until), abs(t))):
            return TOO_SMALL if error < 1e300 else DIVERGED, 0, left, right


@inlined
def end_of_step(number, power, t, until):
    """The end of the step that is due, if no expression switches before."""
    if power == 0:
        # the next point of the fixed grid, also behind an event that ended a step off it
        h = number[FIXED]
        t1 = number[STARTED] + (floor((t - number[STARTED]) / h + 1e-6) + 1.0) * h
    else:
        h = number[H]
        t1 = t + h
    # what is left is taken in one step where that is no more than a hair longer
    return until if t1 >= until or until - t1 < 1e-9 * h else t1


@inlined
def attempt(tables, store, A, b, c, e, e3, power, t1, h):
    """A step of length h to t1. Returns status, error (0 for a fixed step), whether the end is in the tables
    already, the position residual left there.
    """
    t = store.number[T1]
    store.number[PIVOT] = 1.0
    status = stages(tables, store, A, c, t, h)
    if status == 0 and store.count[CAREFUL] == 0 and store.number[PIVOT] < 1.0:
        store.count[CAREFUL] = 1
        status = stages(tables, store, A, c, t, h)
    if status != 0:
        return status, 0.0, False, 0.0
    if power > 0:
        status = estimate(tables, store, b, e, h, store.eq[0], store.ev[0], store.ex[0])
        if status == 0 and power == 8:
            status = estimate(tables, store, b, e3, h, store.eq[1], store.ev[1], store.ex[1])
    if status != 0 or store.count[CAREFUL] == 0:
        solution(tables, store, b, h)
        return status, error_norm(tables, store, power == 8) if power > 0 else 0.0, False, 0.0
    status, worst = finish(tables, store, b, t1, h)
    if status == 0 and power > 0:
        status = compare(tables, store.eq[0], store.ev[0])
        if status == 0 and power == 8:
            status = compare(tables, store.eq[1], store.ev[1])
    return status, error_norm(tables, store, power == 8) if power > 0 else 0.0, True, worst


@inlined
def is_sound(tables, worst):
    """Whether the constraints are closed, up to the residual `worst`, and the state is finite."""
    state = view(tables, State)
    total = sum_of(state.v) + sum_of(state.q) + sum_of(state.aux)
    return worst <= 1e-6 and total - total == 0.0


@inlined
def adapt(number, h, error, power, rejected, noise, goes_on):
    """The length of the step after an accepted one, by the last two errors (Gustafsson's PI control)."""
    factor = 5.0
    if error > 0.0:
        factor = 0.9 * error ** (-0.7 / power) * number[PREVIOUS_ERROR] ** (0.4 / power)
    factor = min(5.0, max(0.2, factor))
    if rejected:
        factor = min(1.0, factor)
    if noise:
        factor = 1.0
    # a last step is short because the run ends
    if goes_on or factor < 1.0:
        number[H] = h * factor
    number[PREVIOUS_ERROR] = max(error, 1e-4) if not noise else 1.0
