"""Friction of two slip functions s = (s₁, s₂) that one gap presses: |f| ≤ μ p, and where they slip f = −μ p d
with d = s/|s|. Both rows change their mode together; LOWER is that of slip.

Behind a stop d would turn round, which no step follows. So d = ±s/|s| with the sign of the direction at the
start of the step, which is in `State.memory`: f is smooth there, and s·d changes its sign at a stop. Where
s = 0, d is that direction.
"""

from __future__ import annotations

from math import hypot, sqrt

from mbplugin.kernels.rows import rate_of
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined, internal
from mbplugin.tables.groups import Bounded, Rows, State, Step
from mbplugin.tables.records import LOWER

#: speed that is rest [sizes/s or rad/s]
SPEED_AT_REST = 1e-9


@inlined
def unit_of_row(tables, row):
    """Size that counts as 1 in the unit of a row [m or rad]."""
    return 1.0 if view(tables, Rows).radians[row] == 1 else view(tables, Step).record[0].length_scale


@inlined
def leads(one, i):
    """Whether bounded row i is the first of two that share a cone."""
    return one.partner > i


@inlined
def follows(one, i):
    """Whether it is the second one."""
    return 0 <= one.partner < i


@internal
def along_reference(tables, i, a, b):
    """The part of (a, b), along row i and its partner, in the direction at the start of the step."""
    bounded, memory = view(tables, Bounded).index, view(tables, State).memory
    return a * memory[bounded[i].memory + 1] + b * memory[bounded[bounded[i].partner].memory + 1]


@internal
def aim(tables, i, a, b):
    """Let row i and its partner slip in the direction of (a, b), unless that is zero."""
    bounded, memory, size = view(tables, Bounded).index, view(tables, State).memory, sqrt(a * a + b * b)
    if size > 0.0:
        memory[bounded[i].memory + 1] = a / size
        memory[bounded[bounded[i].partner].memory + 1] = b / size


@internal
def take_directions(tables):
    """`Bounded.direction` of rows that slip, at the present velocities."""
    bounded, mode, memory = view(tables, Bounded), view(tables, State).mode, view(tables, State).memory
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if not leads(one, i) or mode[one.row] != LOWER:
            continue
        other = bounded.index[one.partner]
        a, b = rate_of(tables, one), rate_of(tables, other)
        size = sqrt(a * a + b * b)
        if size > SPEED_AT_REST * unit_of_row(tables, one.row):
            size = size if along_reference(tables, i, a, b) >= 0.0 else -size
            bounded.direction[i], bounded.direction[one.partner] = a / size, b / size
        else:
            bounded.direction[i] = memory[one.memory + 1]
            bounded.direction[one.partner] = memory[other.memory + 1]


@internal
def slips_on_cone(tables):
    """Whether two rows that share a cone slip."""
    bounded, mode = view(tables, Bounded).index, view(tables, State).mode
    for i in range(bounded.shape[0]):
        if leads(bounded[i], i) and mode[bounded[i].row] == LOWER:
            return True
    return False


@internal
def moves_on_cone(tables):
    """Whether such rows have a slip that is not rest, at the present state, evaluated."""
    bounded, mode = view(tables, Bounded).index, view(tables, State).mode
    for i in range(bounded.shape[0]):
        one = bounded[i]
        if leads(one, i) and mode[one.row] == LOWER:
            rate = hypot(rate_of(tables, one), rate_of(tables, bounded[one.partner]))
            if rate > SPEED_AT_REST * unit_of_row(tables, one.row):
                return True
    return False


@internal
def keep_directions(tables):
    """After an accepted step: its direction of slip is the one at the start of the next."""
    bounded, mode = view(tables, Bounded), view(tables, State).mode
    take_directions(tables)
    for i in range(bounded.index.shape[0]):
        one = bounded.index[i]
        if leads(one, i) and mode[one.row] == LOWER:
            aim(tables, i, bounded.direction[i], bounded.direction[one.partner])
