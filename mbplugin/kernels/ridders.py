"""Central differences at steps that are halved, extrapolated to the step 0 (Ridders), for n numbers at once.

Work array: best, error, the last and the present line of extrapolations (HALVINGS n each), the values ahead
and behind, n each. Of all extrapolations, each number takes the one with the smallest change against its
neighbours. If one is not accurate, as where a function has a kink nearer than the last step, a further
series goes on with smaller steps. Where the matrix is that of an implicit step, the difference between two
points is taken as it is. `analysis/tangent/derivative.py` is the same in numpy.
"""

from __future__ import annotations

from math import inf, isfinite

from mbplugin.kernels.view import view
from mbplugin.math.jit import internal
from mbplugin.tables.groups import TangentBlocks

#: how often the step is halved in a series, and how many series there are at most
HALVINGS, SERIES = 7, 3
#: first step, and the only one of a matrix of Newton's method [rad, or sizes]
STEP, NEWTON_STEP = 0.1, 1e-5
#: change of an extrapolation, relative to it, below which it is accurate; rounding of the largest value
ACCURATE, ROUNDING_OF_VALUES = 1e-7, 1e-14
#: arrays of n numbers that the work array holds
ARRAYS = 4 + 2 * HALVINGS


@internal
def ahead(start, n):
    """Where the values at +step belong in the work array; those at −step follow."""
    return start + (2 + 2 * HALVINGS) * n


@internal
def begin(work, start, n):
    """Forget all differences."""
    for k in range(n):
        work[start + k], work[start + n + k] = 0.0, inf


@internal
def add_difference(work, start, n, i, step):
    """Take the i-th difference (from 0), between −step and step, into account."""
    plus = start + (2 + 2 * HALVINGS) * n
    last, line = start + 2 * n, start + (2 + HALVINGS) * n
    if i % 2 == 1:
        last, line = line, last
    for k in range(n):
        work[line + k] = (work[plus + k] - work[plus + n + k]) / (2.0 * step)
        factor = 1.0
        for j in range(1, i + 1):
            factor *= 4.0
            before = work[line + (j - 1) * n + k]
            work[line + j * n + k] = before + (before - work[last + (j - 1) * n + k]) / (factor - 1.0)
        if i == 0:
            if work[start + n + k] == inf:
                work[start + k] = work[line + k]
            continue
        for j in range(1, i + 1):
            found = work[line + j * n + k]
            change = max(abs(found - work[line + (j - 1) * n + k]), abs(found - work[last + (j - 1) * n + k]))
            if isfinite(change) and change < work[start + n + k]:
                work[start + k], work[start + n + k] = found, change


@internal
def first_step(tables):
    """The first step [rad, or sizes]."""
    return NEWTON_STEP if of_newton(tables) else STEP


@internal
def of_newton(tables):
    """Whether the tangent is the matrix of an implicit step, for which one difference is enough."""
    blocks = view(tables, TangentBlocks)
    return blocks.by_increments[0] != 0 or blocks.hold_rates[0] != 0


@internal
def enough(tables, work, start, n, i, step):
    """Whether no further difference is needed after i of them. step: of the next one"""
    if of_newton(tables):
        return i > 0
    return i > 0 and i % HALVINGS == 0 and accurate(work, start, n, 2.0 * step)


@internal
def accurate(work, start, n, step):
    """Whether no number needs another series. step: the last one."""
    plus = start + (2 + 2 * HALVINGS) * n
    largest = 0.0
    for k in range(2 * n):
        largest = max(largest, abs(work[plus + k]))
    for k in range(n):
        change = work[start + n + k]
        if not (change <= ACCURATE * abs(work[start + k]) or change <= ROUNDING_OF_VALUES * largest / step):
            return False
    return True
