"""An expression as a postfix program for the compiled interpreter in `kernels/tape.py`.

A row of `ops` is (code, argument); the argument of CONSTANT, POWER_CONSTANT and SPLINE is an index into
`constants`, that of MEASURE, RATE, STATE, UNKNOWN and CALL the number of a measure, of a user's state, of an
unknown or of a function (before compilation: of a reference of the expression), else 0. Operands are taken
from a stack of at most DEPTH entries, results are put back on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DEPTH = 64  # entries of the interpreter's stack; longer expressions are refused when they are parsed

# operands that need no others
CONSTANT, TIME = 0, 1
# arithmetic
ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, POWER, POWER_CONSTANT = 2, 3, 4, 5, 6, 7, 8
# one operand
SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, SQRT, ABS, SIGN, STEP = range(9, 24)
# two operands
ATAN2, MIN, MAX, GREATER, GREATER_EQUAL = range(24, 29)
# three and five operands
SELECT, HAVERSINE_STEP = 29, 30
# operands that the motion gives: value and rate of a measure, a state of the user's
MEASURE, RATE, STATE = 31, 32, 33
# one operand: n, x_1 … x_n, then a, b, c, d of each of n − 1 intervals stand in the constants
SPLINE = 34
# an operand that only the solve tells: the number of an unknown
UNKNOWN = 35
# CALL + n: a function of a plugin's, of n operands; which one it is
CALL, MOST_OPERANDS = 40, 8


#: what a derivative is taken by: time, else a measure or (`by_rate`) the rate of one
BY_TIME = -1


def by_rate(measure: int) -> int:
    """The seed of a derivative by the rate of this measure."""
    return -2 - measure


class Tape(NamedTuple):
    ops: NDArray[np.int64]  # (n, 2) code and argument
    constants: NDArray[np.float64]  # (m,)
