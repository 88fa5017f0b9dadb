"""Adds the expressions of a scene that belong to no element, and resolves the references of all: the user's
states, joint coordinates, measures between markers, functions of plugins, and implicit variables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import function_kernel
from mbplugin.compile.builder import Builder
from mbplugin.compile.frames import on_body
from mbplugin.compile.inputs import refuse_in_position
from mbplugin.errors import SceneError, did_you_mean, errors_at, listed
from mbplugin.interface import Measure
from mbplugin.model.expression import Expression, parse
from mbplugin.model.functions import FUNCTIONS
from mbplugin.model.parser import unknown_function
from mbplugin.model.references import Called, Reference
from mbplugin.tables import tape
from mbplugin.tables.purposes import MEASURE
from mbplugin.tables.tape import Tape

#: key of the condition that ends a run
STOP = "solver.stop"


def add_states(build: Builder) -> None:
    """Add the user's states, which come before the inner states of elements."""
    draft = build.draft
    for k, (_, state) in enumerate(build.system.equations()):
        draft.numbers[state.name] = k
        draft.start_states.append(state.start)
        draft.state_names.append(state.name)
        draft.state_units.append("")
        draft.states += 1


def add_equations(build: Builder) -> None:
    """Add the rates of the user's states. Raises SceneError."""
    for k, (key, state) in enumerate(build.system.equations()):
        build.draft.equations.append((resolve(build, build.expression(state.rate, key), key), 2 + k))


def add_variables(build: Builder) -> None:
    """Make each variable a function of its own, which frames store, besides the expressions that it is part
    of. Raises SceneError.

    An input that nothing else reads stays unread: it would act on nothing.
    """
    read = set(build.inputs_read)
    for key, one in build.system.named_expressions():
        with errors_at(key, one.value):
            expression = resolve(build, build.expression(one.name, key), key, acts=False, smooth=True)
        build.names.variables.append(
            (one.name, one.unit, build.draft.bind_all([expression], of_kernel=False))
        )
    build.inputs_read = read


def add_stop(build: Builder) -> None:
    """Add the condition that ends a run, `stop` of `[solver]`, as the last event function, behind those of
    elements. Raises SceneError.
    """
    text = build.system.solver.stop
    if text is None:
        return
    with errors_at(STOP, text):
        expression = parse(text, build.symbols, condition=True)
    if expression.constant is not None:
        raise SceneError(STOP, text, "never changes: it reads neither the motion nor `time`")
    build.draft.stop = build.draft.bind(resolve(build, expression, STOP, acts=False))
    build.draft.events += 1


def resolve(
    build: Builder, expression: Expression, key: str, acts: bool = True, smooth: bool = False
) -> Expression:
    """Give all references of the expression a number in the draft. acts: whether its value changes the
    accelerations; smooth: whether it changes, where it jumps, nothing else. Raises SceneError.

    Returns the expression with calls of plugins' functions separated from measures.
    """
    with errors_at(key, expression.text):
        expression = with_calls(build, expression)
        for code, argument in expression.tape.ops:
            if code > tape.CALL:
                check_call(build, expression.references[argument], int(code) - tape.CALL)
        build.inputs_read.update(expression.inputs)
        build.draft.inputs_jump |= bool(expression.inputs) and not smooth
        if acts:
            build.acting.update(expression.references)
        for reference in expression.references:
            if reference not in build.draft.numbers:
                build.draft.numbers[reference] = referred(build, reference)
                build.first_use[reference] = key, expression.text
    return replace(expression, key=key)


def of_time(build: Builder, expression: Expression, key: str) -> Expression:
    """The resolved expression of a joint's key, which may depend on time only. Raises SceneError."""
    if expression.moving:
        raise SceneError(
            key,
            expression.text,
            "may depend on time only, not on the motion; drive a joint coordinate by a [[motion]] instead",
        )
    refuse_in_position(expression, key)
    return resolve(build, expression, key)


def with_calls(build: Builder, expression: Expression) -> Expression:
    """Replace measures whose name is a plugin's function by calls.

    `name(hinge.angle)` is parsed as a measure between markers; a function is called with coordinates.
    """
    functions = build.registry.offers["function"]
    if not any(isinstance(r, Reference) and r.measure in functions for r in expression.references):
        return expression
    references = list(expression.references)
    ops: list[tuple[int, int]] = []

    def index_of(reference: Any) -> int:
        if reference not in references:
            references.append(reference)
        return references.index(reference)

    for code, argument in expression.tape.ops.tolist():
        reference = expression.references[argument] if code == tape.MEASURE else None
        if isinstance(reference, Reference) and reference.measure in functions:
            ops += [(tape.MEASURE, index_of(Reference("", (name,)))) for name in reference.markers]
            ops.append((tape.CALL + len(reference.markers), index_of(Called(reference.measure))))
        else:
            ops.append((code, argument))
    return Expression(
        expression.text, Tape(np.array(ops, np.int64), expression.tape.constants), tuple(references)
    ).without_unused()


def check_call(build: Builder, called: Called, operands: int) -> None:
    """Raise SceneError if the function does not exist or takes another number of arguments."""
    functions = build.registry.offers["function"]
    if called.function not in functions:
        raise SceneError(mend=unknown_function(called.function, functions))
    expected = build.registry.function(called.function).operands()
    if operands != expected:
        raise SceneError(mend=f"{called} takes {expected} arguments, not {operands}")


def referred(build: Builder, reference: Any) -> int:
    """Add what a reference refers to (measure, plugin's function, implicit variable); returns its number.

    Raises SceneError.
    """
    draft = build.draft
    if isinstance(reference, Called):
        draft.called.append(function_kernel(build.registry.function(reference.function)))
        return len(draft.called) - 1
    if isinstance(reference, Reference):
        return of_measure(build, reference)
    draft.unknowns.append(reference)
    return len(draft.unknowns) - 1


def of_measure(build: Builder, reference: Reference) -> int:
    """Number of the measure of a joint coordinate or between markers. Raises SceneError."""
    if not reference.measure:
        joint, _, coordinate = reference.markers[0].rpartition(".")
        if (joint, coordinate) not in build.coordinate_measure:
            known = [f"{j}.{c}" for j, c in build.coordinate_measure]
            near = did_you_mean(reference.markers[0], known) or f"; there are {listed(known)}"
            raise SceneError(mend=f'there is no coordinate "{reference}" of a joint{near}')
        return build.draft.always(build.coordinate_measure[joint, coordinate][0])
    offers = build.registry.offers
    if reference.measure not in offers["measure"]:
        measures = {
            name: measure for name in offers["measure"] if (measure := build.registry.measure(name)).rows == 1
        }
        usable = listed(
            [f"{name}({markers_in_words(measure)})" for name, measure in measures.items()], len(measures)
        )
        near = did_you_mean(reference.measure, [*FUNCTIONS, *offers["function"], *measures])
        mend = near or f"; measures are {usable}, and rate(...) of each"
        raise SceneError(mend=f'unknown function or measure "{reference.measure}"{mend}')
    measure = build.registry.measure(reference.measure)
    if measure.markers not in (None, len(reference.markers)) or measure.rows != 1:
        rows = f" and gives {measure.rows} numbers" if measure.rows != 1 else ""
        raise SceneError(
            mend=f'the measure "{reference.measure}" is of {measure.markers} markers{rows}; '
            "an expression needs all its markers and a single value, such as distance(a, b)"
        )
    return build.add_measure(
        str(reference), measure, [marker_point(build, marker) for marker in reference.markers], MEASURE
    )


def markers_in_words(measure: Measure) -> str:
    """The arguments of a measure in an expression."""
    return "marker, ..." if measure.markers is None else ", ".join(["marker"] * measure.markers)


def marker_point(build: Builder, marker: str) -> int:
    """Add the point of a marker that an expression names; returns its number. Raises SceneError."""
    build.system.check_reference(marker, "")
    return build.point(on_body(build.system, marker, build.index, None))
