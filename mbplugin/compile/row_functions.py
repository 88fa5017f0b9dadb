"""Adds rows that are expressions of coordinates: a gap Φ ≥ 0, and slip functions, linear in rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mbplugin.compile.builder import Builder
from mbplugin.compile.cones import bound_cone
from mbplugin.compile.draft import DraftRow
from mbplugin.compile.inputs import refuse_in_position
from mbplugin.compile.motions import Term, add_dependence, terms_of, unknown_at
from mbplugin.compile.references import resolve
from mbplugin.compile.without_markers import refuse_markers
from mbplugin.errors import SceneError
from mbplugin.interface import ConstraintKind
from mbplugin.model import Joint
from mbplugin.model.expression import OPERANDS, Expression
from mbplugin.model.references import Reference
from mbplugin.problem import JointInfo
from mbplugin.tables import tape
from mbplugin.tables.records import POSITION_LEVEL, VELOCITY_LEVEL


def add_row_functions(
    build: Builder,
    k: int,
    joint: Joint,
    kind: type[ConstraintKind],
    params: Any,
    functions: Mapping[str, Expression],
) -> None:
    """Add the rows Φ = gap and Φ̇ = slip of joint number k, over the markers of all that they read. Raises
    SceneError.

    functions: as `ConstraintKind.functions` returns them
    """
    key = f"joint[{k}]"
    refuse_markers(joint, key, "what its expressions read")
    name, _ = joint.enforcement
    if name != "lagrange":
        mend = f'a joint of type "{kind.name}" takes no enforcement; leave it out'
        raise SceneError(f"{key}.enforce", name, mend)
    rows: list[tuple[str, int, Expression, list[Term]]] = []
    for level, (word, function) in zip(
        (POSITION_LEVEL, *[VELOCITY_LEVEL] * len(functions)), functions.items()
    ):
        check = check_slip if level else check_gap
        check(build, function, f"{key}.{word}")
        # the row of a motion is s − f, and here there is no s
        expression = negative(resolve(build, function, f"{key}.{word}"))
        rows.append((word, level, expression, terms_of(build, expression, level)))
    draft, unit = build.draft, unit_of(build, [expression for _, _, expression, _ in rows])
    points = [point for *_, terms in rows for _, own in terms for point in own]
    block = draft.open_block(points)
    first = slot = 0
    for i, (word, level, expression, terms) in enumerate(rows):
        label = word.replace("[0]", " 1").replace("[1]", " 2")
        row = build.add_row(block, DraftRow(joint.name, label, unit, level))
        first = row - i
        draft.couple(row, terms[0][0], draft.bind(expression, level), 0.0, 6 * slot)
        add_dependence(build, row, 6 * slot, expression, level, terms)
        slot += sum(len(own) for _, own in terms)
    number, names = len(draft.blocks) - 1, build.names
    info = JointInfo(
        joint.name, kind.name, "", "", number, range(first, first + len(rows)), tuple(points), kind
    )
    names.joints.append(info)
    origins = [(f"{key}.{word}", function.text) for word, function in functions.items()]
    bound_cone(build, joint, kind, params, block, origins)


def negative(expression: Expression) -> Expression:
    """−f."""
    ops = np.vstack([expression.tape.ops, [(tape.NEGATE, 0)]])
    return replace(expression, tape=expression.tape._replace(ops=ops))


def check_gap(build: Builder, gap: Expression, key: str) -> None:
    """Raises SceneError for a gap that is no function of coordinates and time."""
    refuse_in_position(gap, key)
    if unknown := unknown_at(build, gap, POSITION_LEVEL):
        raise SceneError(key, gap.text, f"a gap is a function of coordinates and `time`, and reads {unknown}")
    if not reads(gap, tape.MEASURE):
        raise SceneError(key, gap.text, "reads no coordinate of a joint and no measure between markers")


def check_slip(build: Builder, slip: Expression, key: str) -> None:
    """Raises SceneError for a slip function that is not linear in rates."""
    if unknown := unknown_at(build, slip, VELOCITY_LEVEL):
        raise SceneError(key, slip.text, f"a slip function is linear in rates, and reads {unknown}")
    if not reads(slip, tape.RATE):
        mend = "reads no rate; a slip function is one of rates, such as rate(block.length)"
        raise SceneError(key, slip.text, mend)
    if degree_in_rates(slip) > 1:
        mend = "is not linear in its rates; they may only be added, and multiplied by what reads none"
        raise SceneError(key, slip.text, mend)


def reads(expression: Expression, code: int) -> bool:
    return code in expression.tape.ops[:, 0].tolist()


def degree_in_rates(expression: Expression) -> int:
    """0 if an expression reads no rates, 1 if it is linear in them, as its operations show, else 2."""
    stack: list[int] = []
    for code, argument in expression.tape.ops.tolist():
        n = OPERANDS.get(code, 0)
        operands = stack[len(stack) - n :]
        del stack[len(stack) - n :]
        stack.append(stack[argument] if code == tape.LOAD else degree(code, operands))
    return stack[-1]


def degree(code: int, operands: list[int]) -> int:
    """The same of one operation, from those of its operands."""
    if code == tape.RATE:
        return 1
    linear = {
        tape.ADD: operands,
        tape.SUBTRACT: operands,
        tape.NEGATE: operands,
        tape.MULTIPLY: [sum(operands)],
        # of a quotient the divisor, and of a choice its condition, must not read rates
        tape.DIVIDE: [operands[0] + 2 * operands[1]] if len(operands) == 2 else [],
        tape.SELECT: [*operands[1:], 2 * operands[0]] if operands else [],
    }
    return min(2, max(linear.get(code, [2 * operand for operand in operands]), default=0))


def unit_of(build: Builder, expressions: list[Expression]) -> str:
    """ "rad" if all that expressions read are angles, else "m"."""
    references = [r for one in expressions for r in one.references if isinstance(r, Reference)]
    return "rad" if all(unit_of_measure(build, r) == "rad" for r in references) else "m"


def unit_of_measure(build: Builder, reference: Reference) -> str:
    if reference.measure:
        return build.registry.measure(reference.measure).unit
    joint, _, coordinate = reference.markers[0].rpartition(".")
    return build.coordinate_measure[joint, coordinate][1].unit
