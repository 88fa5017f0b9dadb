"""One Runge-Kutta step on the constrained system, and the loop of steps; all compiled.

The state is y = (q, v, x). A derivative is q̇ = N(q) v, v̇ from the constraint forces, ẋ from the elements; the first two entries of x are the work put in
and the energy dissipated. After an accepted step q and v are projected onto the constraints, and the first stage is evaluated there again, with
the factor that the projection of the velocities made. A frame inside a step is reached by a shorter step of the same method from the same start, so
that it has the order of the steps and nothing of it is fed back.

Near a singular position the accelerations are sound only on the constraints: an error of the positions there is divided by the distance from the
singularity. A step that comes near one is therefore taken *carefully*: every stage is projected first, k = f(P(y)), which is a smooth field too, so
that the order stays; and the error is the difference of the projected solutions, free of what the projection removes.
"""

from __future__ import annotations

from math import floor, pi
from typing import NamedTuple

from mbplugin.interface import ACCELERATION_LEVEL, Array, entry_point, internal
from mbplugin.kernels.core import accelerations, terms
from mbplugin.kernels.evaluate import MASS_AND_G, PLUGIN, measure_rates, rate_of, run_batches
from mbplugin.kernels.projection import CLOSED, TIGHT, keep_free_part, project_positions, project_velocities, refactor
from mbplugin.kernels.schur import PASSES as PASSES_AT_MOST
from mbplugin.kernels.schur import SMALL, small_pivots
from mbplugin.kernels.tape import tape_derivatives
from mbplugin.kernels.unknowns import OPEN, keep_unknowns
from mbplugin.kernels.view import view
from mbplugin.tables.groups import (
    ACCEPT,
    BODY_ENERGY,
    COORDINATE,
    EVENT,
    F_CONSTANT,
    F_START,
    F_STOP,
    NORMALISE,
    RATE,
    Elements,
    Functions,
    Measures,
    Rates,
    Rows,
    State,
)  # fmt: skip

# what `advance` returns; after the last three the tables are left at the evaluation that failed
BUSY, FRAME, END, FAILED, DIVERGED, TOO_SMALL = range(6)
#: statuses of an evaluation besides those of plugins' functions (positive): no usable pivot; an acceleration or a right-hand side is not a number; the method
#: failed; what expressions read of the solve has no values
NO_PIVOT, NOT_FINITE, NO_METHOD, OPEN_LOOP = -1, -2, -3, -4
# places in Store.number
H, PREVIOUS_ERROR, T0, T1, SIZE, TOLERANCE, FIXED, STARTED, WORST_RESIDUAL, HELD_TIME, FLOOR, PIVOT, SPIN, SPIN_TIME, SPIN_STEP = range(15)
# places in Store.count; CAREFUL is for the step that comes, CAREFULLY tells how the last one was taken
STEPS, REJECTED, EVALUATIONS, STATUS, FRESH, UNCONVERGED, HELD, PASSES, CAREFUL, EVENTS, REPEATED, KNOWN, CAREFULLY, SPUN = range(14)

#: consecutive rejections that do not lower the error: the estimate is noise
NOISE = 4


class Store(NamedTuple):
    """Working arrays of the integrator: state before and after the last step, stages, numbers and counts; q, v, x as in State."""

    q0: Array
    v0: Array
    x0: Array
    memory0: Array
    last0: Array
    q1: Array
    v1: Array
    x1: Array
    memory1: Array
    last1: Array
    kq: Array  # (s, nq)
    kv: Array
    kx: Array
    fq: Array  # derivative at the end of the last step
    fv: Array
    fx: Array
    eq: Array  # (2, nq) estimates of the error of the step; the second is used by methods that have two
    ev: Array
    ex: Array
    events: Array  # values of the event functions at the end of the last step
    number: Array
    count: Array


@internal
def sum_of(v):
    s = 0.0
    for i in range(v.shape[0]):
        s += v[i]
    return s


@internal
def evaluate(tables, store):
    """Rates at the present state, whose G and factor are at hand. Returns a status."""
    status = terms(tables, MASS_AND_G)
    return status if status != 0 else derivative(tables, store)


@internal
def derivative(tables, store):
    """Rates at the present state, whose terms and factor are at hand. Returns a status."""
    rates = view(tables, Rates)
    rows = view(tables, Rows)
    small, pivot = small_pivots(tables, store.count[REPEATED])
    store.count[REPEATED] = min(store.count[REPEATED], small)
    store.number[PIVOT] = min(store.number[PIVOT], pivot)
    passes = accelerations(tables, 0)
    if passes < 0:
        return OPEN_LOOP if passes == OPEN else NO_METHOD
    if passes >= PLUGIN:
        return passes
    store.count[EVALUATIONS] += 1
    store.count[PASSES] = max(store.count[PASSES], passes)
    if passes >= PASSES_AT_MOST:
        # rows that repeat others on the constraints contradict each other off them: the step is taken carefully
        store.number[PIVOT] = min(store.number[PIVOT], SMALL)
        if store.count[CAREFUL] == 1:
            store.count[UNCONVERGED] += 1
            store.number[WORST_RESIDUAL] = max(store.number[WORST_RESIDUAL], rows.outcome[0])
    work = 0.0
    for r in range(rows.lam.shape[0]):
        work -= rows.lam[r] * rows.phi_t[r]
        # a row that gives an acceleration says nothing of the rate that its force works on
        if rows.level[r] == ACCELERATION_LEVEL and rows.lam[r] != 0.0:
            work += rows.lam[r] * rate_of(tables, r)
    rates.x_dot[0] += work
    total = sum_of(rates.v_dot) + sum_of(rates.x_dot) + sum_of(rows.gamma)
    if total - total != 0.0:
        return NOT_FINITE
    return run_batches(tables, RATE)


@internal
def copy(source, target):
    for i in range(source.shape[0]):
        target[i] = source[i]


@internal
def stages(tables, store, A, c, t0, h):
    """All stages of a step from (t0, q0, v0, x0); the first is in fq, fv, fx where it is KNOWN. Returns a status."""
    state = view(tables, State)
    rates = view(tables, Rates)
    careful = store.count[CAREFUL] == 1
    for s in range(c.shape[0]):
        if s == 0 and store.count[KNOWN] == 1:
            copy(store.fq, store.kq[0])
            copy(store.fv, store.kv[0])
            copy(store.fx, store.kx[0])
            continue
        state.time[0] = t0 + c[s] * h
        combine(store.q0, store.kq, A[s], s, h, state.q)
        combine(store.v0, store.kv, A[s], s, h, state.v)
        combine(store.x0, store.kx, A[s], s, h, state.x)
        if careful:
            status, _ = onto_constraints(tables, store)
            if status == 0:
                status = evaluate(tables, store)
        else:
            status = refactor(tables)
            if status == 0:
                status = derivative(tables, store)
        if status != 0:
            return status
        copy(rates.q_dot, store.kq[s])
        copy(rates.v_dot, store.kv[s])
        copy(rates.x_dot, store.kx[s])
    return 0


@internal
def combine(y0, k, a, count, h, y):
    """y = y0 + h Σ a_i k_i."""
    for n in range(y0.shape[0]):
        s = 0.0
        for i in range(count):
            s += a[i] * k[i, n]
        y[n] = y0[n] + h * s


@internal
def onto_constraints(tables, store):
    """Positions and velocities of the present state projected. Returns status and the position residual that is left.

    A careful step trusts no factor of a state nearby, and closes positions to rounding.
    """
    careful = store.count[CAREFUL] == 1
    status = run_batches(tables, NORMALISE)
    if status != 0:
        return status, 0.0
    status, worst = project_positions(tables, store.number[SIZE], not careful, TIGHT if careful else CLOSED)
    if status != 0:
        return status, worst
    return project_velocities(tables), worst


@internal
def finish(tables, store, b, t1, h):
    """The state at the end of the step, projected. Returns status and the position residual that is left."""
    solution(tables, store, b, h)
    view(tables, State).time[0] = t1
    return onto_constraints(tables, store)


@internal
def solution(tables, store, b, h):
    """y = y0 + h Σ b_i k_i into the tables."""
    state = view(tables, State)
    count = b.shape[0]
    combine(store.q0, store.kq, b, count, h, state.q)
    combine(store.v0, store.kv, b, count, h, state.v)
    combine(store.x0, store.kx, b, count, h, state.x)


@internal
def weigh(k, e, h, error):
    """error = h Σ e_i k_i."""
    for n in range(k.shape[1]):
        s = 0.0
        for i in range(e.shape[0]):
            s += e[i] * k[i, n]
        error[n] = h * s


@internal
def subtract(a, b, difference):
    for n in range(a.shape[0]):
        difference[n] = a[n] - b[n]


@internal
def estimate(tables, store, b, e, h, eq, ev, ex):
    """The error of the step by one embedded method into eq, ev, ex. Returns a status.

    In a careful step q and v of the embedded solution are left there, projected, and `finish` is followed by `compare`.
    """
    weigh(store.kq, e, h, eq)
    weigh(store.kv, e, h, ev)
    weigh(store.kx, e, h, ex)
    if store.count[CAREFUL] == 0:
        return 0
    state = view(tables, State)
    solution(tables, store, b, h)
    subtract(state.q, eq, state.q)
    subtract(state.v, ev, state.v)
    status, _ = onto_constraints(tables, store)
    copy(state.q, eq)
    copy(state.v, ev)
    return status


@internal
def compare(tables, eq, ev):
    """The difference of the projected solution in the tables from the embedded one. Returns a status."""
    state = view(tables, State)
    subtract(state.q, eq, eq)
    subtract(state.v, ev, ev)
    return keep_free_part(tables, ev)


@internal
def part_error(error, floor, tolerance, both, y0, y1, first):
    """Largest |error| / (tolerance (floor + |y|)) of one part of the state; with two estimates, Hairer's combination of them."""
    worst = 0.0
    for n in range(first, y0.shape[0]):
        scale = tolerance * (floor + max(abs(y0[n]), abs(y1[n])))
        s = abs(error[0, n]) / scale
        if both and s > 0.0:
            s3 = abs(error[1, n]) / scale
            s = s * s / (s * s + 0.01 * s3 * s3) ** 0.5
        if not s <= worst:
            worst = s
    return worst


@internal
def error_norm(tables, store, both):
    """Largest scaled error over coordinates, velocities and inner states. Below a hundredth of the mechanism's size (or of 1) errors are absolute."""
    state = view(tables, State)
    tolerance = store.number[TOLERANCE]
    floor = 0.01 * store.number[SIZE]
    a = part_error(store.eq, floor, tolerance, both, store.q0, state.q, 0)
    b = part_error(store.ev, floor, tolerance, both, store.v0, state.v, 0)
    c = part_error(store.ex, 0.01, tolerance, both, store.x0, state.x, 2)
    if not a <= 1e300 or not b <= 1e300 or not c <= 1e300:
        return 1e300
    return max(a, max(b, c))


@internal
def attempt(tables, store, A, b, c, e, e3, power, t1, h):
    """A step of length h to t1. Returns status, error (0 for a fixed step), whether the end is in the tables already, the position residual left there."""
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


@internal
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


@internal
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


@internal
def keep(tables, store):
    """Store the present state as the end of the last step."""
    state = view(tables, State)
    copy(state.q, store.q1)
    copy(state.v, store.v1)
    copy(state.x, store.x1)
    copy(state.memory, store.memory1)
    copy(view(tables, Measures).last, store.last1)


@internal
def begin(store):
    """The end of the last step becomes the start of the next."""
    copy(store.q1, store.q0)
    copy(store.v1, store.v0)
    copy(store.x1, store.x0)
    copy(store.memory1, store.memory0)
    copy(store.last1, store.last0)
    store.number[T0] = store.number[T1]
    store.count[KNOWN] = 1


@internal
def put_back(tables, store, before):
    """Bring the tables back to the end of the last step, or where `before` is 1 to its start."""
    state = view(tables, State)
    if before == 1:
        copy(store.q0, state.q)
        copy(store.v0, state.v)
        copy(store.x0, state.x)
        copy(store.memory0, state.memory)
        copy(store.last0, view(tables, Measures).last)
        state.time[0] = store.number[T0]
    else:
        copy(store.q1, state.q)
        copy(store.v1, state.v)
        copy(store.x1, state.x)
        copy(store.memory1, state.memory)
        copy(store.last1, view(tables, Measures).last)
        state.time[0] = store.number[T1]


@internal
def first_stage(tables, store):
    """Derivative at the end of the last step, whose factor is at hand, into fq, fv, fx. Returns a status."""
    store.number[PIVOT] = 1.0
    status = evaluate(tables, store)
    if status != 0:
        return status
    store.count[CAREFUL] = 1 if store.number[PIVOT] < 1.0 else 0
    rates = view(tables, Rates)
    copy(rates.q_dot, store.fq)
    copy(rates.v_dot, store.fv)
    copy(rates.x_dot, store.fx)
    return 0


@internal
def switch_value(functions, i, t):
    row = functions.switch[i]
    f, _, _ = tape_derivatives(functions.ops, functions.constants, row[F_START], row[F_STOP], row[F_CONSTANT], t, functions.stack, functions.called)
    return f


@internal
def next_switch(tables, t, t1):
    """First time in (t, t1) at which an expression of time jumps or has a kink: the last number before it and the first after it; else (t1, t1)."""
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
def event_crossed(tables, store):
    """Whether an event function of some element has changed sign since the last step."""
    event = view(tables, Elements).event
    for i in range(event.shape[0]):
        if (event[i] > 0.0) != (store.events[i] > 0.0):
            return True
    return False


@internal
def try_step(tables, store, A, b, c, t0, h):
    """A step of length h, projected, and the event functions at its end. Returns a status."""
    status = stages(tables, store, A, c, t0, h)
    if status == 0:
        status, _ = finish(tables, store, b, t0 + h, h)
    if status == 0:
        status = run_batches(tables, EVENT)
    return status


@internal
def locate_event(tables, store, A, b, c, t0, h):
    """Length of the step that ends just behind the first event in (t0, t0 + h], by bisection; the tables are left there."""
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
def failed(count, status):
    """Note the status of the evaluation that failed; the next call begins from the end of the last step."""
    count[STATUS], count[FRESH] = status, 0
    return FAILED


@entry_point
def advance(tables, store, A, b, c, e, e3, power, until, frame, work):
    """Steps until one passes `frame`, or `until` is reached, or `work` evaluations are done. The tables hold the end of the last step afterwards."""
    number, count = store.number, store.count
    budget = count[EVALUATIONS] + work
    if count[FRESH] == 0:
        put_back(tables, store, 0)
        status = refactor(tables)
        if status == 0:
            status = first_stage(tables, store)
        if status == 0 and count[STEPS] == 0:
            status = run_batches(tables, EVENT)
            copy(view(tables, Elements).event, store.events)
        if status != 0:
            return failed(count, status)
        count[FRESH] = 1
    state = view(tables, State)
    while True:
        t = number[T1]
        if t >= until:
            return END
        if t >= frame:
            return FRAME
        if count[EVALUATIONS] >= budget:
            return BUSY
        begin(store)
        rejections, before = 0, 1e300
        while True:
            h = number[FIXED] if power == 0 else number[H]
            t1 = t + h
            if power == 0:
                # the next point of the fixed grid, also behind an event that ended a step off it
                t1 = number[STARTED] + (floor((t - number[STARTED]) / number[FIXED] + 1e-6) + 1.0) * number[FIXED]
            # what is left is taken in one step where that is no more than a hair longer
            if t1 >= until or until - t1 < 1e-9 * h:
                t1 = until
            left, right = next_switch(tables, t, t1)
            smallest = 0.5e-15 * max(abs(t), abs(until))
            at_switch = left < right and not left - t > smallest
            if at_switch:
                break
            t1 = left
            h = t1 - t
            if not h > smallest:
                return TOO_SMALL
            status, error, finished, worst = attempt(tables, store, A, b, c, e, e3, power, t1, h)
            if status == NOT_FINITE:
                # perhaps a shorter step does not get there
                status, error = 0, 1e300
            if status != 0:
                return failed(count, status)
            noise = error < 1e6 and (h <= number[FLOOR] or (rejections >= NOISE and error > 0.3 * before))
            noise = noise and error > 1.0
            if error <= 1.0 or noise:
                if not finished:
                    status, worst = finish(tables, store, b, t1, h)
                if status != 0:
                    return failed(count, status)
                total = sum_of(state.v) + sum_of(state.q) + sum_of(state.x)
                good = worst <= 1e-6 and total - total == 0.0
                if good or power == 0:
                    if not good:
                        count[FRESH] = 0
                        return DIVERGED
                    if noise:
                        count[HELD] += 1
                        number[HELD_TIME] = t
                    if power > 0:
                        factor = 5.0
                        if error > 0.0:
                            factor = 0.9 * error ** (-0.7 / power) * number[PREVIOUS_ERROR] ** (0.4 / power)
                        factor = min(5.0, max(0.2, factor))
                        if rejections > 0:
                            factor = min(1.0, factor)
                        if noise:
                            factor = 1.0
                        if t1 < until or factor < 1.0:
                            number[H] = h * factor
                        number[PREVIOUS_ERROR] = max(error, 1e-4) if not noise else 1.0
                    break
                # the constraints cannot be met from there: a shorter step
                error = 1e10
            rejections += 1
            count[REJECTED] += 1
            before = error
            shrink = 0.2 if error >= 1e6 else max(0.2, 0.9 * error ** (-1.0 / power))
            number[H] = h * shrink
            if power == 0 or not number[H] > 1e-14 * max(1e-300, max(abs(until), abs(t))):
                count[FRESH] = 0
                return TOO_SMALL if error < 1e300 else DIVERGED
        if at_switch:
            # an expression switches where the step begins: the clock alone goes to the far side, less than a rounding of the run's length away
            number[T1] = right
            put_back(tables, store, 0)
            status = refactor(tables)
            if status == 0:
                status = first_stage(tables, store)
            if status != 0:
                return failed(count, status)
            count[EVENTS] += 1
            continue
        count[STEPS] += 1
        count[CAREFULLY] = count[CAREFUL]
        located = False
        if store.events.shape[0] > 0:
            status = run_batches(tables, EVENT)
            if status == 0 and event_crossed(tables, store):
                status, h = locate_event(tables, store, A, b, c, t, h)
                t1, located = t + h, True
                count[EVENTS] += 1
            if status != 0:
                return failed(count, status)
        # behind a jump of an expression the clock stands at its far side, one number later
        number[T1] = right if left < right and t1 == left else t1
        state.time[0] = number[T1]
        if left < right and t1 == left:
            count[EVENTS] += 1
        status = accept(tables, store)
        if status == 0 and located:
            status = refactor(tables)
        if status == 0:
            status = first_stage(tables, store)
        if status != 0:
            return failed(count, status)


@internal
def look(tables, store):
    """Coordinates, their rates, energies at the present state, which has been evaluated. Returns a status."""
    status = run_batches(tables, COORDINATE)
    if status != 0:
        return status
    measure_rates(tables)
    return run_batches(tables, BODY_ENERGY)


@entry_point
def show(tables, store, A, b, c, t):
    """The projected state at time t of the last step, with accelerations and reactions. `advance` puts the tables back. Returns a status."""
    number, count = store.number, store.count
    evaluations, passes, careful, repeated, unconverged = count[EVALUATIONS], count[PASSES], count[CAREFUL], count[REPEATED], count[UNCONVERGED]
    residual = number[WORST_RESIDUAL]
    inside = number[T0] < number[T1] and t < number[T1]
    put_back(tables, store, int(inside))
    if inside:
        count[KNOWN] = 0
        # in the way of the step: what serves a careful one may be too far apart for the other
        count[CAREFUL] = count[CAREFULLY]
        status = stages(tables, store, A, c, number[T0], t - number[T0])
        if status == 0:
            status, _ = finish(tables, store, b, t, t - number[T0])
    else:
        status = refactor(tables)
    if status == 0:
        status = evaluate(tables, store)
    if status == 0:
        status = look(tables, store)
    # nothing of a frame is fed back
    count[EVALUATIONS], count[PASSES], count[CAREFUL], count[REPEATED], count[UNCONVERGED] = evaluations, passes, careful, repeated, unconverged
    number[WORST_RESIDUAL], count[FRESH] = residual, 0
    return status
