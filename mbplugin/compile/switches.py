"""Switching functions of expressions: their signs change where the expression has a kink or a jump.

`step` and `if` switch where their (first) argument becomes positive; `min`, `max` and `>` where the
difference of their arguments does; `>=` where the difference ceases to be negative; `sign` and `abs` where
their argument ceases to be negative and where it becomes positive. In postfix form an argument is the run of
operations before the one that takes it; what it loads from the bottom of the stack is computed before it.
Only switching functions of time alone are used: solvers end a step on the last number before one becomes
positive, or ceases to be.
"""

from __future__ import annotations

import numpy as np

from mbplugin.model.expression import OPERANDS
from mbplugin.tables import tape
from mbplugin.tables.tape import Tape

ON_SIGN = {tape.STEP, tape.SIGN, tape.ABS}
ON_DIFFERENCE = {tape.MIN, tape.MAX, tape.GREATER, tape.GREATER_EQUAL}
#: operations that switch where the switching function ceases to be negative, and those that switch there and
#: also where it becomes positive
FROM_BELOW, TWICE = {tape.GREATER_EQUAL}, {tape.SIGN, tape.ABS}


def first_of_argument(ops: np.ndarray, stop: int) -> int:
    """Start of the argument that ends before `stop`."""
    missing = 1
    while missing:
        stop -= 1
        missing += OPERANDS.get(int(ops[stop, 0]), 0) - 1
    return stop


def loaded(ops: np.ndarray, whole: np.ndarray) -> list[int]:
    """The shared entries that the operations load, directly or through others, ascending."""
    shared = shared_ops(whole)
    found: set[int] = set()
    wanted = {int(k) for code, k in ops if code == tape.LOAD}
    while wanted:
        found |= wanted
        wanted = {int(k) for n in wanted for code, k in shared[n] if code == tape.LOAD} - found
    return sorted(found)


def shared_ops(whole: np.ndarray) -> list[np.ndarray]:
    """The operations of each entry that a tape leaves at the bottom of the stack."""
    parts, stop = [], len(whole)
    while stop > 0:
        start = first_of_argument(whole, stop)
        parts.append(whole[start:stop])
        stop = start
    return parts[:0:-1]


def with_loaded(ops: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The operations, with those before them that compute what they load."""
    needed = loaded(ops, whole)
    if not needed:
        return ops
    shared, place = shared_ops(whole), {n: k for k, n in enumerate(needed)}
    both = np.concatenate([*(shared[n] for n in needed), ops])
    for op in both:
        if op[0] == tape.LOAD:
            op[1] = place[int(op[1])]
    return both


def of_time(ops: np.ndarray) -> bool:
    """Whether the operations depend on time and on nothing else."""
    return (
        bool((ops[:, 0] == tape.TIME).any())
        and not np.isin(ops[:, 0], (tape.MEASURE, tape.RATE, tape.STATE, tape.UNKNOWN)).any()
    )


def switching(whole: Tape) -> list[Tape]:
    """The switching functions of time of an expression, as tapes."""
    tapes = []
    for k, (code, _) in enumerate(whole.ops):
        if code in ON_SIGN:
            start, more, stop = first_of_argument(whole.ops, k), [], k
        elif code in ON_DIFFERENCE:
            second = first_of_argument(whole.ops, k)
            start, more, stop = first_of_argument(whole.ops, second), [[tape.SUBTRACT, 0]], k
        elif code == tape.SELECT:
            third = first_of_argument(whole.ops, k)
            second = first_of_argument(whole.ops, third)
            start, more, stop = first_of_argument(whole.ops, second), [], second
        elif code == tape.HAVERSINE_STEP:
            tapes += haversine_ends(whole, k)
            continue
        else:
            continue
        ops = with_loaded(whole.ops[start:stop], whole.ops)
        if not of_time(ops):
            continue
        if code not in FROM_BELOW:
            tapes.append(tape_of(ops, more, whole))
        if code in FROM_BELOW | TWICE:
            tapes.append(tape_of(ops, [*more, [tape.NEGATE, 0]], whole))
    return tapes


def tape_of(ops: np.ndarray, more: list[list[int]], whole: Tape) -> Tape:
    return Tape(np.array([*ops.tolist(), *more], np.int64), whole.constants)


def haversine_ends(whole: Tape, k: int) -> list[Tape]:
    """The tapes of x − x0 and x − x1 of haversine_step(x, x0, h0, x1, h1), if x depends on time alone."""
    ends = [k]
    for _ in range(5):
        ends.append(first_of_argument(whole.ops, ends[-1]))
    arguments = [whole.ops[ends[i + 1] : ends[i]] for i in range(4, -1, -1)]
    if not of_time(with_loaded(arguments[0], whole.ops)):
        return []
    differences = [np.concatenate([arguments[0], arguments[i], [[tape.SUBTRACT, 0]]]) for i in (1, 3)]
    return [Tape(with_loaded(ops, whole.ops), whole.constants) for ops in differences]
