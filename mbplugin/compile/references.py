"""What expressions refer to: the user's states, coordinates of joints, and measures between markers."""

from __future__ import annotations

from mbplugin.compile.builder import Builder
from mbplugin.compile.frames import on_body
from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.model.expression import FUNCTIONS, Expression, Reference
from mbplugin.tables.groups import MEASURE


def add_states(build: Builder) -> None:
    """The user's states come first."""
    draft = build.draft
    for k, state in enumerate(build.system.states):
        draft.numbers[state.name] = k
        draft.start_states.append(state.start)
        draft.state_names.append(state.name)
        draft.states += 1


def add_equations(build: Builder) -> None:
    for k, state in enumerate(build.system.states):
        expression = build.expression(state.rate, f"state[{k}].rate")
        resolve(build, expression, f"state[{k}].rate")
        build.draft.equations.append((expression, 2 + k))


def resolve(build: Builder, expression: Expression, key: str) -> None:
    """Give every measure that the expression refers to a number. Raises SceneError."""
    for reference in expression.references:
        if reference not in build.draft.numbers:
            try:
                build.draft.numbers[reference] = referred(build, reference)
            except SceneError as error:
                raise SceneError(key, expression.text, error.mend) from None


def referred(build: Builder, reference: Reference) -> int:
    if not reference.measure:
        joint, _, coordinate = reference.markers[0].rpartition(".")
        if (joint, coordinate) not in build.coordinate_measure:
            known = [f"{j}.{c}" for j, c in build.coordinate_measure]
            near = did_you_mean(reference.markers[0], known)
            raise SceneError(mend=f'there is no coordinate "{reference}" of a joint{near or f"; there are {listed(known)}"}')
        return build.draft.always(build.coordinate_measure[joint, coordinate][0])
    known = list(build.registry.offers["measure"])
    if reference.measure not in known:
        near = did_you_mean(reference.measure, [*FUNCTIONS, *known])
        raise SceneError(mend=f'unknown function or measure "{reference.measure}"{near or f"; measures are {listed(known, len(known))}"}')
    measure = build.registry.measure(reference.measure)
    if measure.markers != len(reference.markers) or measure.rows != 1:
        rows = f" and gives {measure.rows} numbers" if measure.rows != 1 else ""
        raise SceneError(mend=f'the measure "{reference.measure}" is of {measure.markers} markers{rows}; an expression takes one number')
    points = []
    for marker in reference.markers:
        build.system.check_reference(marker, "")
        points.append(build.point(on_body(build.system, marker, build.index, None)))
    return build.add_measure(str(reference), measure, points, MEASURE)
