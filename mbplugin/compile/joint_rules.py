"""Which joints of two markers cannot carry a body, by what their kinds declare; with the reason in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbplugin.compile.bounded import row_types
from mbplugin.compile.parameters import split
from mbplugin.interface import ConstraintKind, Measure
from mbplugin.interface.outputs import state_names
from mbplugin.model.expression import Expression
from mbplugin.tables.records import EQUALITY, POSITION_LEVEL, ROW_TYPES

#: levels above that of positions, by number
LEVELS = {1: "velocity", 2: "acceleration"}


class CannotCarry(Exception):
    """Why a joint cannot carry a body: one clause, shown behind the joint's type."""


def refuse(
    kind: type[ConstraintKind],
    params: Any,
    markers: int,
    planar: bool,
    measure_of: Callable[[Measure | str], Measure],
) -> None:
    """Raise CannotCarry by what the kind declares, before any of its functions is called."""
    if kind.coupling(params) is not None:
        raise CannotCarry("it relates coordinates of other joints")
    if kind.functions(params):
        raise CannotCarry("its rows are expressions")
    if markers != 2:
        raise CannotCarry(f"it has {counted(markers, 'marker')}")
    of_kernel = len(kind.labels) if kind.kernel is not None else 0
    of_basics = sum(measure_of(basic.measure).rows for basic in kind.basics)
    rows = of_kernel + of_basics + bool(kind.relation(params))
    other = [row_type for row_type in row_types(kind, rows) if row_type != ROW_TYPES[EQUALITY]]
    if other:
        raise CannotCarry(f'it has rows of the type "{other[0]}"')
    refuse_levels(kind, of_kernel)
    refuse_own_states(kind, params)
    refuse_functions(kind, params, kind.basics)
    refuse_number(rows, len(kind.coordinates), planar)


def refuse_levels(kind: type[ConstraintKind], rows: int) -> None:
    """Raise CannotCarry if not all rows of the kernel are at position level."""
    levels = [kind.level] * rows if isinstance(kind.level, int) else list(kind.level)[:rows]
    above = [level for level in levels if level != POSITION_LEVEL]
    if above:
        part = counted(len(above), "row")
        verb = "is" if len(above) == 1 else "are"
        raise CannotCarry(f"{part} of it {verb} at {LEVELS.get(above[0], 'another')} level")


def refuse_own_states(kind: type[ConstraintKind], params: Any) -> None:
    """Raise CannotCarry if its kernel does more than to write rows of positions."""
    further = {
        "has inner states": state_names(kind.states),
        "has memory": kind.memory,
        "has outputs": kind.outputs,
        "has events": kind.events,
        "can break": kind.breaks(params, "") is not None,
    }
    for what, given in further.items():
        if given:
            raise CannotCarry(f"it {what}")


def refuse_functions(kind: type[ConstraintKind], params: Any, basics: Any) -> None:
    """Raise CannotCarry if its rows follow functions that are not constant."""
    functions = dict(split(params)[2]) if kind.kernel is not None else {}
    for basic in basics:
        value = getattr(params, basic.to) if basic.to is not None else None
        if isinstance(value, Expression):
            functions[basic.to] = value
    for name, function in functions.items():
        if function.constant is None:
            raise CannotCarry(f"its {name} is not constant")


def refuse_number(rows: int, coordinates: int, planar: bool) -> None:
    """Raise CannotCarry if rows and coordinates are not all motions of one marker relative to the other.

    Three rows without coordinates may be those of a ball.
    """
    motions = 3 if planar else 6
    if rows > motions:
        raise CannotCarry(f"its {rows} rows are more than {motions} motions")
    if rows + coordinates < motions and not (rows == 3 and not coordinates):
        raise too_few(rows, coordinates, motions)


def too_few(rows: int, coordinates: int, motions: int) -> CannotCarry:
    """The error of a joint whose rows and coordinates leave motions free."""
    total = rows + coordinates
    parts = [counted(n, name) for n, name in ((rows, "row"), (coordinates, "coordinate")) if n]
    if not parts:
        return CannotCarry("it has neither rows nor coordinates")
    verb = "is" if total == 1 else "are"
    return CannotCarry(f"its {' and '.join(parts)} {verb} {total} of {motions} motions")


def counted(n: int, name: str) -> str:
    """A number of things."""
    return f"{n} {name}" if n == 1 else f"{n} {name}s"
