"""Adds motions that depend on other coordinates to the draft."""

from __future__ import annotations

from collections.abc import Sequence

from mbplugin.compile.builder import Builder
from mbplugin.compile.draft import DraftBlock, DraftPartial, DraftRow
from mbplugin.compile.references import resolve
from mbplugin.errors import SceneError
from mbplugin.model import Motion
from mbplugin.model.expression import Expression, parse
from mbplugin.model.references import Reference
from mbplugin.problem import CoordinateInfo, JointInfo
from mbplugin.tables import tape
from mbplugin.tables.records import DEPENDENCE

#: number of a measure, its points
Term = tuple[int, tuple[int, ...]]
#: what no position reads
A_RATE = "a rate"


def add_dependent_motion(
    build: Builder, key: str, motion: Motion, coordinate: CoordinateInfo, expression: Expression
) -> None:
    """Add a row s = f, ṡ = f or s̈ = f, over the markers of s and of f's arguments at the row's own level.

    These are measures if s is given, and rates if ṡ is: their −∂f/∂s_k or −∂f/∂ṡ_k belong to G. Raises
    SceneError.
    """
    expression = resolve(build, expression, key)
    level, draft = motion.level, build.draft
    check_level(build, key, motion, expression)
    number, measure, at = build.coordinate_measure[motion.joint, motion.coordinate]
    terms = terms_of(build, expression, level)
    block = draft.open_block([*at, *(point for _, points in terms for point in points)])
    row = build.add_row(
        block, DraftRow(f"{motion.joint} motion", f"motion of {motion.coordinate}", measure.unit, level)
    )
    coordinate.motion_rows.append(row)
    build.row_of_motion[key] = row
    info = build.names.joints[coordinate.joint]
    if not info.rows:
        info.block, info.rows = len(draft.blocks) - 1, range(row, row + 1)
    draft.couple(row, draft.always(number), draft.bind(expression, level), 1.0)
    add_dependence(build, row, 6 * len(at), expression, level, terms)


def terms_of(build: Builder, expression: Expression, level: int) -> list[Term]:
    """The measures of which an expression, or whose rates, contribute to a row's G."""
    numbers = [build.draft.numbers[reference] for reference in depends_on(expression, level)]
    return [(number, tuple(build.draft.measures[number].points)) for number in numbers]


def add_dependence(
    build: Builder, row: int, g: int, expression: Expression, level: int, terms: Sequence[Term]
) -> None:
    """Add −∂f/∂s_k or −∂f/∂ṡ_k of all terms to G of a row, from the place g behind its first number on."""
    draft = build.draft
    for number, points in terms:
        coupling = draft.couple(row, number, DEPENDENCE, 0.0, g)
        draft.partials.append(DraftPartial(expression, number, coupling, level))
        g += 6 * len(points)


def place_drive(build: Builder, info: JointInfo, block: DraftBlock, key: str) -> None:
    """Let a joint without its own rows report the row of its motion; one that depends on other coordinates is
    added later. Raises SceneError if the joint has no motion.
    """
    number = len(build.names.joints) - 1
    rows = [r for c in build.names.coordinates if c.joint == number for r in c.motion_rows]
    if not rows and not any(motion.joint == info.name for _, motion, _, _ in build.dependent):
        fields = info.kind.parameters.model_fields if info.kind.parameters is not None else ()
        keys = "".join(f"`{name}`, " for name in fields) + ("or " if fields else "")
        raise SceneError(
            key,
            info.name,
            f'a joint of type "{info.type}" constrains nothing by itself; '
            f"give {keys}a [[motion]] that drives it",
        )
    info.rows = range(min(rows), max(rows) + 1) if rows else info.rows
    if not block.rows:
        build.draft.blocks.pop()


def depends_on(expression: Expression, level: int) -> list[Reference]:
    """The measures (level 0), or the measures whose rates (level 1), contribute to the row's G."""
    code = {0: tape.MEASURE, 1: tape.RATE}.get(level)
    return list(dict.fromkeys(expression.references[k] for c, k in expression.tape.ops if c == code))


def check_level(build: Builder, key: str, motion: Motion, expression: Expression) -> None:
    """Raise SceneError if the expression reads a quantity that is determined only after the motion itself."""
    if motion.level == 2:
        return
    unknown, what = unknown_at(build, expression, motion.level), "velocity" if motion.level else "position"
    if unknown == A_RATE:
        raise SceneError(
            key,
            expression.text,
            f"{A_RATE} may not prescribe a position; "
            f"give {motion.coordinate}_velocity or {motion.coordinate}_acceleration",
        )
    if unknown:
        mend = (
            f"{unknown} is known only after the solve and may not prescribe a {what}; "
            f"give {motion.coordinate}_acceleration"
        )
        raise SceneError(key, expression.text, mend)


def unknown_at(build: Builder, expression: Expression, level: int) -> str:
    """Name of something that an expression reads and only a later level determines; "" if there is none."""
    read = [expression]
    if level == 0:
        states = [state for state in build.system.states if state.name in expression.references]
        read += [parse(state.rate, build.symbols) for state in states]
    for one in read:
        for reference in one.after_solve:
            return str(reference)
    return A_RATE if level == 0 and any(one.uses_rates for one in read) else ""
