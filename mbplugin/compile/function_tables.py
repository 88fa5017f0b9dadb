"""Tables of expressions and of implicit variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbplugin.compile.draft import Draft
from mbplugin.compile.switches import switching
from mbplugin.model.expression import REFERRING, Expression
from mbplugin.tables.groups import Functions, ImplicitVariables
from mbplugin.tables.links import renumbered
from mbplugin.tables.records import EquationRecord, FunctionRecord, ImplicitRecord, PartialRecord, TapeRecord
from mbplugin.tables.spec import records, table
from mbplugin.tables.tape import DEPTH, MEASURE, RATE, STATE, UNKNOWN, Tape, by_rate


def function_tables(draft: Draft, start_rates: dict[int, float]) -> Functions:
    """The table of expressions as tapes.

    start_rates: function -> rate at t = 0 [m/s] or [rad/s] of the row of a `start`
    """
    u = np.zeros((len(draft.constant), 3))
    u[:, 0] = draft.constant
    for function, rate in start_rates.items():
        u[function, 1] = rate
    rows: list[Any] = []
    ops: list[Any] = []
    constants: list[float] = []
    switches: list[Any] = []

    def placed(tape: Tape) -> tuple[int, int, int]:
        """Append a tape; returns start and stop of its operations, and the start of its constants."""
        position = len(ops), len(ops) + len(tape.ops), len(constants)
        ops.extend(tape.ops.tolist())
        constants.extend(tape.constants.tolist())
        return position

    equations_known = min((known_derivatives(expression, 1) for expression, _ in draft.equations), default=2)
    for target, expression, shift in draft.functions:
        tape = numbered(expression, draft)
        switches += [placed(switch) for switch in switching(tape)]
        if target in draft.timed:
            switches.append(placed(tape))
        known = known_derivatives(expression, equations_known) if target in draft.of_kernels else 2
        rows.append((*placed(tape), target, shift, known))
    partials = [
        (*placed(numbered(expression, draft)), by_rate(s) if level else s, coupling, level)
        for expression, s, coupling, level in draft.partials
    ]
    equations = [(*placed(numbered(expression, draft)), x) for expression, x in draft.equations]
    return Functions(
        u,
        records(FunctionRecord, rows),
        np.array(ops, np.int64).reshape(-1, 2),
        np.array(constants, float),
        np.zeros((DEPTH, 3)),
        records(TapeRecord, switches),
        records(PartialRecord, partials),
        records(EquationRecord, equations),
        np.zeros((len(equations), 3)),
        np.zeros(len(draft.called), np.int64),
        np.array([draft.stop] if draft.stop is not None else [], np.int64),
    )


def known_derivatives(expression: Expression, of_equations: int) -> int:
    """Order, up to 2, of its highest time derivative without accelerations and other implicit variables.

    of_equations: that of the rates of the user's states.
    """
    orders = {MEASURE: 1, RATE: 0, UNKNOWN: 0, STATE: min(2, 1 + of_equations)}
    return min((orders.get(code, 2) for code in expression.tape.ops[:, 0].tolist()), default=2)


def numbered(expression: Expression, draft: Draft) -> Tape:
    """The tape with references replaced by numbers of measures, states, implicit variables and functions."""
    if not expression.references:
        return expression.tape
    ops = expression.tape.ops.copy()
    for op in ops:
        if op[0] in REFERRING:
            op[1] = draft.numbers[expression.references[op[1]]]
    return Tape(ops, expression.tape.constants)


def implicit_tables(draft: Draft, number: dict[int, int]) -> ImplicitVariables:
    """The table of implicit variables; number: marker of each point of the draft."""
    m = len(draft.implicit_rows)
    return table(
        ImplicitVariables,
        m,
        index=records(ImplicitRecord, renumbered(draft.implicit_rows, {"Markers": number})),
        matrix=np.zeros(2 * m * m),
        first_memory=np.array([draft.implicit_memory], np.int64),
        read_alone=np.array([int(draft.reads_alone)], np.int64),
        worst=np.zeros(1),
        worst_place=np.zeros(1, np.int64),
    )
