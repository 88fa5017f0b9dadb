"""Jumps and kinks of expressions of time: a step ends just before each, the next one begins just after it."""

from __future__ import annotations

from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.projection import refactor, worst_position
from mbplugin.kernels.tape import tape_derivatives
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.stepping.energy import apply_impulse
from mbplugin.stepping.snapshot import begin_at_end, forget_history, restore, snapshot
from mbplugin.tables.groups import Functions, State, Step
from mbplugin.tables.status import POSITION_JUMPS

#: residual of a position row [size or rad] that is more than rounding: a motion jumps
JUMP = 1e-9
#: change of the kinetic energy at a switch that is an impact: relative, and absolute [J]
IMPACT, TINY = 1e-9, 1e-30


@internal
def switch_value(functions, i, t):
    tape = functions.switch[i]
    f, _, _ = tape_derivatives(
        functions.ops,
        functions.constants,
        tape.start,
        tape.stop,
        tape.first_constant,
        t,
        functions.stack,
        functions.called,
    )
    return f


@internal
def find_switch(tables):
    """Set `Step.record.switch_left` and `switch_right` to the last number before and the first number after
    the first jump or kink of an expression of time in the next step. On entry, both hold the end of that
    step.
    """
    functions, step = view(tables, Functions), view(tables, Step).record[0]
    t, left, right = step.t1, step.switch_left, step.switch_right
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
    step.switch_left, step.switch_right = left, right


@internal
def pass_switch(tables):
    """Only time advances past the switch, to `Step.record.switch_right`. Returns a status.

    If the speed of a motion jumps there, an impulse changes the velocities; its work is ΔT. If its position
    jumps: POSITION_JUMPS.
    """
    step = view(tables, Step).record[0]
    right = step.switch_right
    restore(tables)
    state = view(tables, State)
    state.time[0] = right
    status = refactor(tables)
    if status != 0:
        return status
    if worst_position(tables, step.length_scale) > JUMP:
        return POSITION_JUMPS
    before = evaluate_kinetic_energy(tables, state.v)
    status, work = apply_impulse(tables)
    if status != 0:
        return status
    if abs(work) > IMPACT * before + TINY:
        step.impacts += 1
        step.impact_time = right
    step.events += 1
    step.t1 = right
    forget_history(tables)
    snapshot(tables)
    if step.reports == 1:
        # no step leads here
        begin_at_end(tables)
    return 0
