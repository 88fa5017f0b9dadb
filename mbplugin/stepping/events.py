"""Events: a step ends just after the first sign change of an element's event function."""

from __future__ import annotations

from mbplugin.kernels.evaluate import run_batches
from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.stepping.core import evaluate_rates
from mbplugin.stepping.solver_calls import step_of_length
from mbplugin.tables.groups import Elements, Functions, State, Step
from mbplugin.tables.purposes import EVENT


@internal
def event_functions(tables, t):
    """Evaluate all event functions at the state in the tables, whose time is `t` [s]. Returns a status."""
    if view(tables, Functions).stop.shape[0] > 0:
        # the condition reads measures and their rates, which a projection does not evaluate
        view(tables, State).time[0] = t
        status = evaluate_rates(tables)
        if status != 0:
            return status
    status = run_batches(tables, EVENT)
    take_condition(tables)
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
    for i in range(event.shape[0]):
        if (event[i] > 0.0) != (before[i] > 0.0):
            return True
    return False


@internal
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
