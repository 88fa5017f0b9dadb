"""Values of an expression at many points, on numpy arrays, before there are tables to interpret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbplugin.errors import SceneError
from mbplugin.model.expression import parse
from mbplugin.model.functions import FUNCTIONS, LARGEST, OPERATORS
from mbplugin.model.parser import IDENTIFIER
from mbplugin.model.references import Symbol
from mbplugin.tables import tape

Array = NDArray[np.float64]
OPERATIONS = {op.code: op for op in (*OPERATORS.values(), *FUNCTIONS.values())}


def values_of(text: str | float, name: str, points: Array, symbols: Mapping[str, Any]) -> Array:
    """(n,) values of an expression of one variable at its points (n,). Raises SceneError.

    name: the variable; symbols: parameters and splines
    """
    if isinstance(text, str) and "time" in IDENTIFIER.findall(text):
        raise SceneError(value=text, mend=f"depends on `time`; it is a function of `{name}`")
    expression = parse(text, {**symbols, name: Symbol([(tape.TIME, None)])})
    if expression.moving or expression.inputs or expression.after_solve:
        mend = f"must be an expression of `{name}`, parameters and splines; it depends on the motion"
        raise SceneError(value=text, mend=mend)
    ops, constants = expression.tape
    stack: list[Array] = []
    for code, k in ops.tolist():
        match code:
            case tape.CONSTANT:
                stack.append(np.full(len(points), constants[k]))
            case tape.TIME:
                stack.append(points)
            case tape.LOAD:
                stack.append(stack[k])
            case tape.POWER_CONSTANT:
                stack.append(each_value(OPERATIONS[tape.POWER].value, stack.pop(), constants[k]))
            case tape.SPLINE:
                stack.append(of_spline(constants[k:], stack.pop()))
            case _ if code in OPERATIONS:
                operation = OPERATIONS[code]
                operands = stack[-operation.operands :]
                del stack[-operation.operands :]
                stack.append(each_value(operation.value, *operands))
            case _:
                raise SceneError(value=text, mend="calls a function of a plugin, which cannot be used here")
    found = stack[-1]
    if not (np.abs(found) <= LARGEST).all():
        at = points[np.argmax(~(np.abs(found) <= LARGEST))]
        raise SceneError(value=text, mend=f"has no value at {name} = {at:g}")
    return found


def each_value(function: Any, *operands: Any) -> Array:
    """A function of floats, value by value; nan where it has none."""

    def guarded(*numbers: float) -> float:
        try:
            return float(function(*numbers))
        except (ValueError, OverflowError, ZeroDivisionError):
            return np.nan

    with np.errstate(invalid="ignore"):
        return np.asarray(np.frompyfunc(guarded, len(operands), 1)(*operands), float)


def of_spline(numbers: Array, x: Array) -> Array:
    """Values of a spline in the layout of `tables/tape.py`; outside its points it goes on straight."""
    n = int(numbers[0])
    knots, pieces = numbers[1 : 1 + n], numbers[1 + n : 1 + n + 4 * (n - 1)].reshape(-1, 4)
    inside = np.clip(x, knots[0], knots[-1])
    k = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, n - 2)
    a, b, c, d = pieces[k].T
    u = inside - knots[k]
    return np.asarray(a + u * (b + u * (c + u * d)) + (x - inside) * (b + u * (2.0 * c + 3.0 * u * d)))
