"""Motions that depend on the motion of others."""

from __future__ import annotations

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftRow
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError
from mbplugin.interface.problem import CoordinateWords
from mbplugin.model import Motion
from mbplugin.model.expression import Expression, Reference, parse
from mbplugin.tables.groups import DEPENDENCE


def add_dependent_motion(build: Builder, key: str, motion: Motion, coordinate: CoordinateWords, expression: Expression) -> None:
    """A row s = f(t, other measures), over the markers of all of them; where a rate or an acceleration is given, f adds nothing to G."""
    resolve(build, expression, key)
    level = motion.level
    if level < 2 and uses_rates(build, expression):
        what = "velocity" if level else "position"
        raise SceneError(key, expression.text, f"a rate may not decide a {what}; give {motion.coordinate}_acceleration, or leave it out")
    number, measure, at = build.coordinate_measure[motion.joint, motion.coordinate]
    terms = [(build.draft.always(number), tuple(at), 1.0)]
    measures = [r for r in expression.references if isinstance(r, Reference)] if level == 0 else []
    for reference in measures:
        number = build.draft.numbers[reference]
        terms.append((number, tuple(build.draft.measures[number].points), 0.0))
    block = build.draft.open_block([point for _, points, _ in terms for point in points])
    row = build.add_row(block, DraftRow(f"{motion.joint} motion", f"motion of {motion.coordinate}", measure.unit, level))
    coordinate.motion_row = row
    function = build.draft.bind(expression, level)
    g = 0
    for i, (number, points, c) in enumerate(terms):
        build.draft.couplings.append(((row, number, g, function if i == 0 else DEPENDENCE), c))
        if i > 0:
            build.draft.partials.append((expression, number, len(build.draft.couplings) - 1))
        g += 6 * len(points)


def uses_rates(build: Builder, expression: Expression) -> bool:
    """Whether the expression, or the rate of a state in it, reads a rate."""
    rates = {state.name: parse(state.rate, build.system.names) for state in build.system.states}
    return expression.uses_rates or any(rates[r].uses_rates for r in expression.references if isinstance(r, str))
