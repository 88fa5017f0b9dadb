"""Jumps and kinks of expressions of time: a step ends just before each, the next one begins just after it.
A step ends exactly at a jump of inputs.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import evaluate_eom
from mbplugin.kernels.inertia import evaluate_kinetic_energy
from mbplugin.kernels.modes import fit_next_rows
from mbplugin.kernels.projection import refactor, worst_position
from mbplugin.kernels.tape import tape_of_time
from mbplugin.kernels.tree.momentum import has_momenta, momenta_of_velocities
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.math.vectors import copy, fill
from mbplugin.stepping.activity import change_modes, follow_conditions, has_bounds
from mbplugin.stepping.bounded import has_passed, left_open, pass_jump
from mbplugin.stepping.changes import are_noted, forget_impulses, note_changes
from mbplugin.stepping.energy import apply_impulse, energies
from mbplugin.stepping.rates import evaluate_rates
from mbplugin.stepping.snapshot import end_becomes_start, forget_history, restore_end, snapshot
from mbplugin.tables.groups import Activity, Functions, Inputs, State, Step
from mbplugin.tables.records import ENDED, NOT_READY
from mbplugin.tables.status import POSITION_JUMPS

#: a larger residual of a position row is more than rounding: a motion jumps, a row is open [size or rad]
JUMP_OF_POSITION = 1e-9
#: a larger change of the kinetic energy at a switch is an impact: relative, and absolute [J]
IMPACT_ENERGY, SMALLEST_ENERGY = 1e-9, 1e-30


@internal
def switch_value(functions, i, t, memory):
    tape = functions.switch[i]
    f, _, _ = tape_of_time(
        functions.ops,
        functions.constants,
        tape.start,
        tape.stop,
        tape.first_constant,
        t,
        memory,
        functions.stack,
        functions.called,
    )
    return f


@by_address(seconds=2, when="switches")
def find_switch(tables):
    """Set `Step.record.switch_left` and `switch_right` to the last number before and the first number after
    the first jump or kink of an expression of time in the next step. On entry, both hold the end of that
    step. Returns 0.
    """
    functions, step = view(tables, Functions), view(tables, Step).record[0]
    memory = view(tables, State).memory
    t, left, right = step.t1, step.switch_left, step.switch_right
    for i in range(functions.switch.shape[0]):
        before = switch_value(functions, i, t, memory) > 0.0
        if (switch_value(functions, i, right, memory) > 0.0) == before:
            continue
        low, high = t, right
        while True:
            middle = low + 0.5 * (high - low)
            if middle <= low or middle >= high:
                break
            if (switch_value(functions, i, middle, memory) > 0.0) == before:
                low = middle
            else:
                high = middle
        left, right = low, high
    step.switch_left, step.switch_right = left, right
    return 0


@by_address(seconds=2, when="switches")
def pass_switch(tables):
    """Only time advances past the switch, to `Step.record.switch_right`. Returns a status: POSITION_JUMPS if
    the position of a motion jumps there.
    """
    step = view(tables, Step).record[0]
    right = step.switch_right
    restore_end(tables)
    state = view(tables, State)
    state.time[0] = right
    status = refactor(tables) or follow_time_and_inputs(tables)
    if status != 0:
        return status
    most = max(JUMP_OF_POSITION, left_open(tables))
    if worst_position(tables, step.length_scale) > most or has_passed(tables, most):
        return POSITION_JUMPS
    return begin_after_jump(tables, right)


@internal
def follow_time_and_inputs(tables):
    """Let begin or cease to act what depends on time and inputs, in the present state. Returns a status."""
    if view(tables, Activity).index.shape[0] == 0 or not acts_by_condition(tables):
        return 0
    status = evaluate_rates(tables)
    if has_momenta(tables):
        # velocities of momenta are on the rows already, which only an impulse brings there
        copy(view(tables, Step).v1, view(tables, State).v)
    if status == 0:
        status = follow_conditions(tables)
    return status if status != 0 else refactor(tables)


@internal
def acts_by_condition(tables):
    """Whether anything acts under a condition."""
    activity = view(tables, Activity).index
    for i in range(activity.shape[0]):
        if activity[i].active >= 0 or activity[i].release >= 0:
            return True
    return False


@by_address(when="inputs")
def jump_inputs(tables):
    """Set the inputs to `Inputs.value` at the end of the last step. Returns a status.

    If the speed of a motion jumps, an impulse changes the velocities. The work of a jump is ΔT + ΔV. Where
    accelerations alone jump, a state in the tables stays there. `Step.record.ready` says what they hold.
    """
    if view(tables, Inputs).smooth[0] == 1:
        jump_smoothly(tables)
        return 0
    view(tables, Step).record[0].ready = NOT_READY
    restore_end(tables)
    state, inputs = view(tables, State), view(tables, Inputs)
    status = evaluate_eom(tables, 0)
    if status != 0:
        return status
    _, _, before = energies(tables)
    copy(inputs.value, state.memory)
    status = evaluate_eom(tables, 0)
    if status != 0:
        return status
    status, _, after = energies(tables)
    if status != 0:
        return status
    state.aux[0] += after - before
    status = refactor(tables) or follow_time_and_inputs(tables)
    return status if status != 0 else begin_after_jump(tables, view(tables, Step).record[0].t1)


@internal
def jump_smoothly(tables):
    """`jump_inputs` where nothing but accelerations depends on them."""
    step, state, inputs = view(tables, Step), view(tables, State), view(tables, Inputs)
    record = step.record[0]
    copy(inputs.value, step.memory1)
    fill(step.history1, 0.0)
    record.events += 1
    if record.ready == ENDED:
        copy(inputs.value, state.memory)
        forget_history(tables)
        record.kept = 0
    else:
        record.ready = NOT_READY
    if record.reports == 1:
        # no step leads here
        record.frame_due = 0
        end_becomes_start(tables)


@by_address(when="modes")
def jump_modes(tables):
    """Let rows and activities have the modes of `Rows.next_mode` from the end of the last step on. Returns a
    status: NOT_CONVERGED or APART if positions cannot be closed.
    """
    restore_end(tables)
    forget_impulses(tables)
    fit_next_rows(tables)
    status = evaluate_eom(tables, 0) or change_modes(tables) or refactor(tables)
    return status if status != 0 else begin_after_jump(tables, view(tables, Step).record[0].t1)


@internal
def begin_after_jump(tables, t):
    """Let the next step begin at the state in the tables, at time t. Returns a status.

    G and the factor must be those of this state. If the speed of a motion has jumped, an impulse changes the
    velocities; its work is ΔT. Rows with bounds then find their modes anew.
    """
    step, state = view(tables, Step).record[0], view(tables, State)
    before = evaluate_kinetic_energy(tables, state.v)
    status = pass_jump(tables) if has_bounds(tables) else apply_impulse(tables)
    if status != 0:
        return status
    if abs(evaluate_kinetic_energy(tables, state.v) - before) > IMPACT_ENERGY * before + SMALLEST_ENERGY:
        step.impacts += 1
        step.impact_time = t
    if are_noted(tables):
        status = note_changes(tables)
        if status != 0:
            return status
    step.events += 1
    step.t1 = t
    forget_history(tables)
    if has_momenta(tables):
        momenta_of_velocities(tables)
    snapshot(tables)
    if step.reports == 1:
        # no step leads here
        end_becomes_start(tables)
    return 0
