"""One step, shortened until its error is small enough and the constraints are closed."""

from __future__ import annotations

from math import ceil, floor, inf

from mbplugin.kernels.cones import moves_on_cone, slips_on_cone
from mbplugin.kernels.evaluate import FORCES, evaluate_eom
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import sum_of
from mbplugin.stepping.coordinates import project
from mbplugin.stepping.snapshot import restore_start
from mbplugin.stepping.solver_calls import try_step
from mbplugin.stepping.switches import find_switch
from mbplugin.tables.groups import Functions, Measures, State, Step
from mbplugin.tables.status import NO_POSE, NOT_CONVERGED, NOT_FINITE, SINGULAR, TOO_LONG

#: outcome of a step
TAKEN, AT_SWITCH, FAILED, DIVERGED, TOO_SMALL = range(5)
#: after as many rejections that do not lower the error the estimate counts as noise
REJECTIONS_BY_NOISE = 4
#: residual of the positions up to which the constraints count as closed [size or rad]
CLOSED_RESIDUAL = 1e-6
#: minimum step at the onset of cone slip, as a fraction of the minimum step
FLOOR_AT_ONSET = 1e-6
#: shortest part of a divided fixed step, as a fraction of it
SHORTEST_PART = 1e-7
#: a part of a divided step is at most this many times as long as the one before
GROWTH_OF_PARTS = 2.0


@inlined
def take_step(tables, until, frame):
    """Take one step, shortened until its error and its constraint residuals are acceptable; its end is in
    the tables.

    Returns the outcome, the status of an evaluation that failed, and the end of the step. If an expression of
    time switches at its start, no step is taken (AT_SWITCH): `pass_switch` comes first.
    """
    step = view(tables, Step).record[0]
    t = step.t1
    fixed = step.fixed > 0.0
    smallest = 0.5e-15 * max(abs(t), abs(until))
    rejections, before, lost = 0, 1e300, 0
    divided, growth = fixed and step.h < step.fixed, GROWTH_OF_PARTS
    latest = inf if fixed else t + longest_step(tables)
    while True:
        left = right = min(end_of_step(tables, t, until), latest)
        if view(tables, Functions).switch.shape[0] > 0:
            step.switch_left = step.switch_right = left
            find_switch(tables)
            left, right = step.switch_left, step.switch_right
        h = left - t
        if not h > smallest:
            return AT_SWITCH if left < right else TOO_SMALL, 0, left
        if rejections > 0:
            restore_start(tables)
        step.frame_due = 1 if left >= frame else 0
        status = try_step(tables, h)
        if status == TOO_LONG and fixed:
            divided, growth = True, 1.0
            rejections, step.rejected = rejections + 1, step.rejected + 1
            continue
        error = step.error
        unsolved = status in (NOT_CONVERGED, SINGULAR)
        # where slip on a cone ends, its direction may turn within any step
        on_cone = unsolved and slips_on_cone(tables)
        begins = on_cone and not has_slipped(tables)
        shortened = on_cone and fixed and not begins and h > SHORTEST_PART * step.fixed
        # a trial may go beyond what joint coordinates describe; one as short as noise ends there
        lost = status if status == NO_POSE and not fixed and h > least_step(tables) else 0
        if lost != 0 or status == NOT_FINITE or (unsolved and not fixed and not begins) or shortened:
            # a shorter step may avoid that state
            status, error = 0, 1e300
        noise = 1.0 < error < 1e6 and (
            h <= least_step(tables) or (rejections >= REJECTIONS_BY_NOISE and error > 0.3 * before)
        )
        accepted = status == 0 and (error <= 1.0 or noise)
        if accepted and step.projected == 0:
            view(tables, State).time[0] = left
            status = project(tables)
        if status != 0:
            return FAILED, status, left
        if accepted and is_sound(tables):
            if noise:
                step.held += 1
                step.held_time = t
            if fixed:
                step.h = min(growth * step.h, step.fixed) if divided else step.fixed
            else:
                adapt(tables, h, error, rejections > 0, noise, left < until)
            return TAKEN, 0, left
        if accepted and fixed:
            return DIVERGED, 0, left
        if accepted:
            # projection failed: try a shorter step
            error = 1e10
        rejections += 1
        step.rejected += 1
        before = error
        shrink = 0.2 if error >= 1e6 else max(0.2, 0.9 * error ** (-1.0 / step.error_power))
        step.h = h * shrink
        if (fixed and not shortened) or not step.h > 1e-14 * max(1e-300, max(abs(until), abs(t))):
            if lost != 0:
                return FAILED, lost, left
            return TOO_SMALL if error < 1e300 else DIVERGED, 0, left


@internal
def longest_step(tables):
    """Length of a step in which no measure changes by more than its stride, at the rates at its start."""
    measures, longest = view(tables, Measures), inf
    for i in range(measures.index.shape[0]):
        stride, rate = measures.index[i].stride, abs(measures.rate[i])
        if stride > 0.0 and rate * longest > stride:
            longest = stride / rate
    return longest


@internal
def least_step(tables):
    """Length of a step below which an error estimate is noise. The direction of slip on a cone turns in as
    short a time as it begins.
    """
    least = view(tables, Step).record[0].floor
    return FLOOR_AT_ONSET * least if slips_on_cone(tables) else least


@internal
def has_slipped(tables):
    """Whether two rows that share a cone slipped at the start of the step; its state is in the tables then.
    What begins to slip there gradually, in a direction that turns, no shorter step of a method would resolve.
    """
    restore_start(tables)
    return evaluate_eom(tables, FORCES) == 0 and moves_on_cone(tables)


@inlined
def end_of_step(tables, t, until):
    """The end of the next step, if no expression switches before it."""
    step = view(tables, Step).record[0]
    if step.fixed > 0.0:
        # the next point of the fixed grid, also after an event off the grid; to it in equal parts, if divided
        h = step.fixed
        t1 = step.origin + (floor((t - step.origin) / h + 1e-6) + 1.0) * h
        if step.h < h:
            parts = ceil((t1 - t) / step.h - 1e-6)
            t1 = t + (t1 - t) / parts if parts > 1 else t1
    else:
        h = step.h
        t1 = t + h
    # the rest is one step if it is at most 1e-9 longer
    return until if t1 >= until or until - t1 < 1e-9 * h else t1


@inlined
def is_sound(tables):
    """Whether the constraints are closed and the state is finite."""
    state = view(tables, State)
    total = sum_of(state.v) + sum_of(state.q) + sum_of(state.aux)
    return view(tables, Step).record[0].residual <= CLOSED_RESIDUAL and total - total == 0.0


@inlined
def adapt(tables, h, error, rejected, noise, goes_on):
    """Set the length of the next step from the last two errors (Gustafsson's PI control)."""
    step = view(tables, Step).record[0]
    p = step.error_power
    factor = step.growth
    if error > 0.0:
        factor = 0.9 * error ** (-0.7 / p) * step.previous_error ** (0.4 / p)
    factor = min(step.growth, max(0.2, factor))
    if rejected:
        factor = min(1.0, factor)
    if noise or (factor < step.hold and factor * step.hold > 1.0):
        factor = 1.0
    # the last step is short only because the run ends
    if goes_on or factor < 1.0:
        step.h = min(h * factor, step.longest)
    step.previous_error = max(error, 1e-4) if not noise else 1.0
