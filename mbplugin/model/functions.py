"""Operators and functions of expressions, on Python floats. `kernels/tape.py` is the compiled version."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from mbplugin.tables import tape

#: magnitude of the numbers of a scene: their squares and cubes, and products of several, are finite
LARGEST = 1e50


class Operation(NamedTuple):
    code: int  # operation code on the tape
    operands: int  # number of operands
    value: Callable[..., float]  # the operation on floats


def select(x: float, a: float, b: float) -> float:
    """`if(x, a, b)`: a where x > 0, else b."""
    return a if x > 0.0 else b


def haversine_step(x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """h0 for x ≤ x0, h1 for x ≥ x1, else h0 + (h1 − h0) (1 − cos(π (x − x0)/(x1 − x0)))/2."""
    s = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * (0.5 - 0.5 * math.cos(math.pi * s))


OPERATORS = {
    "+": Operation(tape.ADD, 2, lambda a, b: a + b),
    "-": Operation(tape.SUBTRACT, 2, lambda a, b: a - b),
    "*": Operation(tape.MULTIPLY, 2, lambda a, b: a * b),
    "/": Operation(tape.DIVIDE, 2, lambda a, b: a / b),
    "**": Operation(tape.POWER, 2, math.pow),
    "negative": Operation(tape.NEGATE, 1, lambda a: -a),
    ">": Operation(tape.GREATER, 2, lambda a, b: float(a > b)),
    ">=": Operation(tape.GREATER_EQUAL, 2, lambda a, b: float(a >= b)),
}

FUNCTIONS = {
    "sin": Operation(tape.SIN, 1, math.sin),
    "cos": Operation(tape.COS, 1, math.cos),
    "tan": Operation(tape.TAN, 1, math.tan),
    "asin": Operation(tape.ASIN, 1, math.asin),
    "acos": Operation(tape.ACOS, 1, math.acos),
    "atan": Operation(tape.ATAN, 1, math.atan),
    "atan2": Operation(tape.ATAN2, 2, math.atan2),
    "sinh": Operation(tape.SINH, 1, math.sinh),
    "cosh": Operation(tape.COSH, 1, math.cosh),
    "tanh": Operation(tape.TANH, 1, math.tanh),
    "exp": Operation(tape.EXP, 1, math.exp),
    "log": Operation(tape.LOG, 1, math.log),
    "sqrt": Operation(tape.SQRT, 1, math.sqrt),
    "abs": Operation(tape.ABS, 1, abs),
    "sign": Operation(tape.SIGN, 1, lambda a: float((a > 0.0) - (a < 0.0))),
    "min": Operation(tape.MIN, 2, lambda a, b: b if b < a else a),
    "max": Operation(tape.MAX, 2, lambda a, b: b if b > a else a),
    "step": Operation(tape.STEP, 1, lambda a: float(a > 0.0)),
    "if": Operation(tape.SELECT, 3, select),
    "haversine_step": Operation(tape.HAVERSINE_STEP, 5, haversine_step),
}
