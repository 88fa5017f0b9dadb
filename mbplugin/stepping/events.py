"""Events: a step ends just after the first sign change of an element's event function.

Signs are 1, 0 and -1: where a function is zero at the end of a step, the next step that leaves zero ends at
once, so that `accept` is called on both sides of it. The condition that ends a run is true or not.
"""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.stepping.bounded import bounds_crossed
from mbplugin.stepping.rates import evaluate_rates
from mbplugin.stepping.solver_calls import step_of_length
from mbplugin.tables.groups import Bounded, Elements, Functions, State, Step
from mbplugin.tables.purposes import EVENT
from mbplugin.tables.status import NOT_FINITE


@internal
def event_functions(tables, t):
    """Evaluate all event functions at the state in the tables, whose time is `t` [s]. Returns a status."""
    if view(tables, Functions).stop.shape[0] > 0 or view(tables, Bounded).located[0] == 1:
        # the condition reads measures and their rates, which a projection does not evaluate
        view(tables, State).time[0] = t
        status = evaluate_rates(tables)
        if status != 0:
            return status
    status = run_batches(tables, EVENT)
    take_condition(tables)
    event = view(tables, Elements).event
    for i in range(functions_of_elements(tables)):
        if status == 0 and event[i] - event[i] != 0.0:
            return NOT_FINITE
    return status


@internal
def take_condition(tables):
    """Copy the value of the condition that ends the run, if there is one, to the last event function."""
    functions = view(tables, Functions)
    if functions.stop.shape[0] > 0:
        event = view(tables, Elements).event
        event[event.shape[0] - 1] = functions.u[functions.stop[0], 0]


@internal
def event_crossed(tables):
    """Whether an event function of some element has changed its sign since the last step."""
    event, before = view(tables, Elements).event, view(tables, Step).events
    elements = functions_of_elements(tables)
    if view(tables, Bounded).located[0] == 1 and bounds_crossed(tables):
        return True
    for i in range(elements):
        if sign(event[i]) != sign(before[i]):
            return True
    return elements < event.shape[0] and (event[elements] > 0.0) != (before[elements] > 0.0)


@inlined
def functions_of_elements(tables):
    """Number of event functions without the condition that ends the run, which is the last."""
    return view(tables, Elements).event.shape[0] - min(1, view(tables, Functions).stop.shape[0])


@inlined
def sign(x):
    if x > 0.0:
        return 1
    return -1 if x < 0.0 else 0


@by_address(seconds=1, when="events")
def locate_event(tables):
    """Shorten the last step, of length `Step.record.length`, by bisection to end just after its first event.

    The tables then hold that state. Returns a status.
    """
    step = view(tables, Step).record[0]
    t0 = step.t0
    low, high = 0.0, step.length
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high or t0 + middle <= t0 + low or t0 + middle >= t0 + high:
            break
        status = step_of_length(tables, middle)
        if status == 0:
            status = event_functions(tables, t0 + middle)
        if status != 0:
            return status
        if event_crossed(tables):
            high = middle
        else:
            low = middle
    status = step_of_length(tables, high)
    return status if status != 0 else event_functions(tables, t0 + high)
