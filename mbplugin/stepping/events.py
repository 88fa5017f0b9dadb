"""Events: a step ends just after the first sign change of an element's event function.

Signs are 1, 0 and -1: where a function is zero at the end of a step, the next step that leaves zero ends at
once, so that `accept` is called on both sides of it. Conditions are true or not.
"""

from __future__ import annotations

from math import ceil, log2

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.cones import slips_on_cone
from mbplugin.kernels.evaluate import measure_rates, run_batches
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.math.vectors import copy
from mbplugin.stepping.bounded import bounded_margins
from mbplugin.stepping.rates import evaluate_rates, rates_on_constraints
from mbplugin.stepping.snapshot import restore_start
from mbplugin.stepping.solver_calls import step_of_length
from mbplugin.tables.groups import Activity, Bounded, Elements, Functions, State, Step
from mbplugin.tables.purposes import EVENT, MEASURE
from mbplugin.tables.status import NOT_CONVERGED, NOT_FINITE, SINGULAR

#: a function that has changed its sign and is zero has minus this margin
SMALLEST_MARGIN = 1e-300
#: margins of bounded rows below this count as zero
ROUNDING_OF_MARGIN = 1e-13
#: times below this part of the length of a step are rounding; distance of a try from that of the secant, as a
#: part of the square of what is left
ROUNDING_OF_TIME, CURVATURE = 1e-14, 0.2


@internal
def event_functions(tables, t):
    """Evaluate all event functions at the state in the tables, whose time is `t` [s], and to which M, G and
    the factor belong, as after a projection. Returns a status.
    """
    if conditions(tables) > 0 or view(tables, Bounded).located[0] == 1:
        # the condition reads measures and their rates, which a projection does not evaluate
        view(tables, State).time[0] = t
        status = rates_on_constraints(tables)
    else:
        status = run_batches(tables, MEASURE)
        measure_rates(tables)
    if status == 0:
        status = run_batches(tables, EVENT)
    take_condition(tables)
    event = view(tables, Elements).event
    for i in range(functions_of_elements(tables)):
        if status == 0 and event[i] - event[i] != 0.0:
            return NOT_FINITE
    return status


@internal
def take_condition(tables):
    """Copy the values of conditions to the last event functions; that which ends the run is the last."""
    functions, event = view(tables, Functions), view(tables, Elements).event
    condition, first = view(tables, Activity).condition, functions_of_elements(tables)
    for i in range(condition.shape[0]):
        event[first + i] = functions.u[condition[i].function, 0]
    if functions.stop.shape[0] > 0:
        event[event.shape[0] - 1] = functions.u[functions.stop[0], 0]


@inlined
def conditions(tables):
    """Number of conditions among the event functions."""
    return view(tables, Activity).condition.shape[0] + view(tables, Functions).stop.shape[0]


@inlined
def is_located(tables, i):
    """Whether a step ends where condition i changes."""
    activity = view(tables, Activity)
    if i >= activity.condition.shape[0] or activity.located[0] == 1:
        return True
    return activity.condition[i].by_reaction == 0


@internal
def event_crossed(tables):
    """Whether a bounded row has left its law, or an event function of some element has changed its sign since
    the last step. How far each is from it is in `Step.margins`, negative where it has.
    """
    event, before = view(tables, Elements).event, view(tables, Step).events
    margins, crossed = view(tables, Step).margins, False
    n, elements = view(tables, Bounded).index.shape[0], functions_of_elements(tables)
    if view(tables, Bounded).located[0] == 1:
        crossed = bounded_margins(tables, margins)
    for i in range(event.shape[0]):
        if i < elements:
            changed = sign(event[i]) != sign(before[i])
        else:
            changed = (event[i] > 0.0) != (before[i] > 0.0) and is_located(tables, i - elements)
        margins[n + i] = min(-abs(event[i]), -SMALLEST_MARGIN) if changed else abs(event[i])
        crossed = crossed or changed
    return crossed


@inlined
def functions_of_elements(tables):
    """Number of event functions without conditions, which are the last."""
    return view(tables, Elements).event.shape[0] - conditions(tables)


@inlined
def sign(x):
    if x > 0.0:
        return 1
    return -1 if x < 0.0 else 0


@by_address(seconds=2, when="events")
def locate_event(tables):
    """Shorten the last step, of length `Step.record.length`, to end just after its first event. The tables
    then hold that state. Returns a status.

    A bracketed secant method on the function that changes its sign, ITP (I. F. D. Oliveira, R. H. C.
    Takahashi, ACM Trans. Math. Softw. 47 (2021) 5), to rounding of time; at worst it takes one or two tries
    more than bisection.
    """
    step = view(tables, Step)
    t0, length = step.record[0].t0, step.record[0].length
    low, high, last = 0.0, length, 0.0
    rounding = max(ROUNDING_OF_TIME * length, 2e-16 * max(abs(t0), abs(t0 + length)))
    copy(step.margins, step.margins1)
    status = margins_at_start(tables)
    if status != 0:
        return status
    bounded = view(tables, Bounded).index.shape[0]
    unsolved = False
    tries, inside = ceil(log2(0.5 * length / rounding)) + 1, rounding
    for k in range(tries):
        first = nearest(step.margins0, step.margins1)
        positive, negative = step.margins0[first], step.margins1[first]
        if high - low <= 2.0 * rounding or (
            first < bounded and negative > -ROUNDING_OF_MARGIN and positive > ROUNDING_OF_MARGIN
        ):
            break
        last = itp(low, high, positive, negative, CURVATURE / length, rounding * 2.0 ** (tries - k))
        if not low + inside <= last <= high - inside:
            inside = min(inside, 0.5 * (high - low))
            last = min(max(last, low + inside), high - inside)
            inside *= 4.0
        status = step_of_length(tables, last)
        if status in (NOT_CONVERGED, SINGULAR) and slips_on_cone(tables):
            # slip that stops turns round in next to no time there
            high, unsolved = last, True
            continue
        if status == 0:
            status = event_functions(tables, t0 + last)
        if status != 0:
            return status
        if event_crossed(tables):
            high, unsolved = last, False
            copy(step.margins, step.margins1)
        else:
            low = last
            copy(step.margins, step.margins0)
    if unsolved and low == 0.0:
        return NOT_CONVERGED
    if unsolved:
        high = low
    elif last == high:
        return 0
    status = step_of_length(tables, high)
    return status if status != 0 else event_functions(tables, t0 + high)


@internal
def margins_at_start(tables):
    """The margins at the start of the last step, to `Step.margins0`. Returns a status."""
    step, n = view(tables, Step), view(tables, Bounded).index.shape[0]
    for i in range(step.events.shape[0]):
        step.margins0[n + i] = abs(step.events[i])
    if view(tables, Bounded).located[0] == 0:
        return 0
    restore_start(tables)
    status = evaluate_rates(tables)
    if status == 0:
        bounded_margins(tables, step.margins0)
    return status


@internal
def nearest(ahead, passed):
    """The place of the function that seems to change its sign first, by its margins before and after."""
    first, least = 0, 1e300
    for i in range(ahead.shape[0]):
        if passed[i] < 0.0:
            part = ahead[i] / (ahead[i] - passed[i]) if ahead[i] > 0.0 else 0.5
            if part < least:
                first, least = i, part
    return first


@inlined
def itp(low, high, positive, negative, curvature, reach):
    """The next try between `low` and `high`, at which a function is positive and negative; `reach` is how
    far bisection could still be behind.
    """
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    if not positive > 0.0:
        return middle
    secant = low + (high - low) * positive / (positive - negative)
    towards = 1.0 if middle > secant else -1.0
    shift = curvature * (high - low) * (high - low)
    x = secant + towards * shift if shift <= abs(middle - secant) else middle
    least = reach - half
    if abs(x - middle) > least:
        x = middle - towards * least
    return x
