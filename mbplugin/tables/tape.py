"""Tapes: expressions as postfix programs for the compiled interpreter in `kernels/tape.py`.

A row of `ops` is (code, argument). The argument is

    CONSTANT, POWER_CONSTANT, SPLINE      an index into `constants`
    MEASURE, RATE, STATE, UNKNOWN, CALL   the number of a measure, a user's state, an implicit variable or a
                                          function; before compilation, of a reference of the expression
    INPUT                                 its place in the memory; before compilation as above
    LOAD                                  an entry of the stack, counted from its bottom
    others                                0

Operands are popped from a stack of at most DEPTH entries, results are pushed. The last entry is the value.
What is used several times is computed once: it stays at the bottom of the stack, and LOAD pushes a copy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DEPTH = 1024  # entries of the interpreter's stack; the parser refuses deeper expressions

# no operand
CONSTANT, TIME = 0, 1
# arithmetic
ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, POWER, POWER_CONSTANT = 2, 3, 4, 5, 6, 7, 8
# one operand
SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, SQRT, ABS, SIGN, STEP = range(9, 24)
# two operands
ATAN2, MIN, MAX, GREATER, GREATER_EQUAL = range(24, 29)
# three and five operands
SELECT, HAVERSINE_STEP = 29, 30
# values that depend on the motion: value and rate of a measure, a user's state
MEASURE, RATE, STATE = 31, 32, 33
# one operand; the constants hold n, x_1 … x_n, then a, b, c, d of each of the n − 1 intervals
SPLINE = 34
# an implicit variable, known only after the solve
UNKNOWN = 35
# a copy of an entry of the stack
LOAD = 36
# an input, constant between two samples
INPUT = 37
# CALL + n: a plugin's function of n operands
CALL, MOST_OPERANDS = 40, 8


#: seed of a derivative by time; other seeds are measures or (`by_rate`) their rates
BY_TIME = -1


def by_rate(measure: int) -> int:
    """The seed of a derivative by the rate of this measure."""
    return -2 - measure


class Tape(NamedTuple):
    """An expression as a postfix program."""

    ops: NDArray[np.int64]  # (n, 2) code and argument
    constants: NDArray[np.float64]  # (m,)
