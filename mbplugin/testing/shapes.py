"""Functions of elements and bodies must write all of their outputs and nothing beyond them.

The tables that a function writes are put between guards and filled with a special NaN. The function is
called for one element, first as plain Python, which reports an index out of bounds, then compiled. A
remaining NaN was not written; a changed guard was overwritten.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mbplugin.codegen.compiled import (
    Compiled,
    exception_of,
    in_python,
    may_be_interpreted,
    with_checked_indices,
)
from mbplugin.codegen.outputs import Place, body_outputs, element_outputs
from mbplugin.codegen.wrapper import arguments
from mbplugin.kernels import entries
from mbplugin.problem import Problem
from mbplugin.tables.groups import Batches, Bodies, Elements, Nodal, Outputs, Wrenches
from mbplugin.tables.purposes import LOCATE, MEASURE, PREPARE
from mbplugin.testing import parts
from mbplugin.testing.report import Checks

Array = np.ndarray[Any, Any]
ROLES = ("measure", "constraint", "force", "enforcement", "enforcement_accept", "accept", "sample", "event")
NODE_ROLES = ("nodes", "stress")
BODY_ROLES = ("prepare", "rate", "retract", "normalise", "inertia", "internal", "elastic", *NODE_ROLES)
#: outputs that need not be written completely: old values are kept, or are zero
KEPT = {
    "accept": ("mem_new",),
    "sample": ("mem_new", "x_new"),
    "enforcement_accept": ("mem_new",),
    "retract": ("q",),
    "normalise": ("q",),
    "internal": ("h",),
    "prepare": ("c",),
}
#: numbers on either side of a table
GUARD = 256
#: a NaN that no arithmetic produces
UNWRITTEN = np.array([0x7FF8_0BAD_0BAD_0BAD], np.uint64).view(np.float64)[0]
WHAT = "writes all of its arrays and nothing beyond"
TWIST = ("v_x", "v_y", "v_z", "w_x", "w_y", "w_z")


def written(checks: Checks, problem: Problem, random: np.random.Generator) -> bool:
    """`shape_checks` at a moving state. A function that fails may have corrupted memory: no other check may
    run then.
    """
    problem.set_state(0.37, problem.q, random.normal(size=problem.nv))
    return shape_checks(checks, problem)


def shape_checks(checks: Checks, problem: Problem) -> bool:
    """One check of all functions at the present state, in the order of their dependence. Returns whether it
    is passed.
    """
    notes: list[str] = []
    parts.functions_of_scenes(problem.addresses)
    if not any(kernel.role == "prepare" for kernel in problem.kernels):
        problem.check(entries.call_purpose(problem.addresses, LOCATE))
    for number in np.argsort(problem[Batches].index.purpose, kind="stable"):
        kernel, row = problem.kernels[number], problem[Batches].index[number]
        if row.length == 0:
            continue
        if kernel.role not in (*ROLES, *BODY_ROLES):
            notes += outside(problem, kernel, int(row.first))
            continue
        with np.errstate(all="ignore"):
            wrong = faults(problem, kernel, int(row.first))
        if not wrong and row.purpose in (PREPARE, MEASURE):
            kernel.call(int(row.first), int(row.length), problem.addresses)
        if not wrong and row.purpose == PREPARE:
            problem.check(entries.call_purpose(problem.addresses, LOCATE))
        if not wrong and row.purpose == MEASURE:
            parts.rates_of_measures(problem.addresses)
        notes += wrong
    return checks.see(WHAT, len(notes), 0.0, "; ".join(dict.fromkeys(notes)))


def outside(problem: Problem, kernel: Compiled, record: int) -> list[str]:
    """Whether a function reads or writes outside its arrays for one record, as text."""
    if kernel.python or may_be_interpreted(kernel.author):
        error = exception_of(kernel, record, problem.addresses)
        if not isinstance(error, IndexError):
            return []
        return [f"its {kernel.role} function raises {type(error).__name__}: {error}"]
    if with_checked_indices(kernel).call(record, 1, problem.addresses) != 0:
        return [f"its {kernel.role} function raises an exception, or reads or writes outside an array"]
    return []


def faults(problem: Problem, kernel: Compiled, record: int) -> list[str]:
    """Faults of one function for one element, as text."""
    row = record_of(problem, kernel, record)
    with guarded(problem, kernel, record):
        if kernel.python or may_be_interpreted(kernel.author):
            plain = in_python(kernel)
            failed = plain.call(record, 1, problem.addresses) != 0
            # other exceptions are no fault: compiled code may divide by zero, where Python raises
            if failed and (kernel.python or isinstance(plain.error, IndexError)):
                assert plain.error is not None
                return [raised(plain.error, kernel, row)]
        elif wrong := outside(problem, kernel, record):
            return wrong
    with guarded(problem, kernel, record) as places:
        if kernel.call(record, 1, problem.addresses) != 0 and not kernel.python:
            return [f"its {kernel.role} function raises an exception"]
        judgements = [
            judged(kernel, name, place, whole, start, row) for name, (place, whole, start) in places.items()
        ]
        return [note for notes in judgements for note in notes]


def judged(kernel: Compiled, name: str, place: Place, whole: Array, start: int, row: Any) -> list[str]:
    """Faults of one output after the call; `start`: index of its first number in the table with guards;
    `row`: record of the element or body.
    """
    changed = whole.view(np.uint64) != np.array([UNWRITTEN]).view(np.uint64)[0]
    count = place.count.of(row)
    output = slice(start, start + count)
    size = f"{name} is {described(kernel, name, row)}"
    notes = []
    outside = changed.copy()
    outside[output] = False
    if place.group is Outputs:
        # beside it are the other outputs of the kind
        first = start - place.offset.of(row)
        outside[first : first + len(kernel.shape.outputs)] = False
    if outside.any():
        index = int(np.flatnonzero(outside)[0]) - start
        notes.append(
            f"it writes {name}[{index}], which is {'beyond' if index >= 0 else 'before'} its array: {size}"
        )
    inside = whole[output]
    missing = np.flatnonzero(~changed[output])
    if len(missing) and name not in KEPT.get(kernel.role, ()):
        notes.append(
            f"it never writes {named(name, int(missing[0]), row)} "
            f"({len(missing)} of {count} left as nan): {size}"
        )
    not_finite = np.flatnonzero(changed[output] & ~np.isfinite(inside))
    if len(not_finite):
        notes.append(
            f"it writes {named(name, int(not_finite[0]), row)} = {inside[not_finite[0]]}, "
            "which is not a number; does it read an entry before writing it?"
        )
    return notes


def record_of(problem: Problem, kernel: Compiled, record: int) -> Any:
    """The record of the element or body that a kernel is called for."""
    if kernel.role in NODE_ROLES:
        return problem[Nodal].index[record]
    return problem[Bodies if kernel.role in BODY_ROLES else Elements].index[record]


def named(name: str, index: int, row: Any) -> str:
    """Name of an entry of an output, with row and marker."""
    if name == "wrench":
        return f"wrench[{index // 6}, {index % 6}]"
    if name in ("J", "G"):
        n = 6 * int(row.slots)
        return f"{name}[{index}] (row {index // n}, marker {index % n // 6}, {TWIST[index % 6]})"
    return f"{name}[{index}]"


def outputs(kernel: Compiled) -> dict[str, Place]:
    return (body_outputs if kernel.role in BODY_ROLES else element_outputs)(kernel.role, kernel.shape)


#: length of an output, in words; of others see `described`
LENGTHS = {
    "M": "({count},) = nv · nv, row by row",
    "c": "({count},), `scratch` of the kind",
    "h": "({count},), nv of the kind",
    **dict.fromkeys(("energy", "power", "value"), "({count},)"),
    **dict.fromkeys(("J", "G"), "({count},) = {rows} row(s) of 6 numbers for each of {slots} marker(s)"),
    "wrench": "({slots}, 6), one row for each marker",
    "x_dot": "({count},), one for each of `states`",
    "mem_new": "({count},), `memory` of the kind",
    "event": "({count},), `events` of the kind",
}


def described(kernel: Compiled, name: str, row: Any) -> str:
    """Length of an output of one record, in words."""
    count = outputs(kernel)[name].count.of(row)
    if name in kernel.shape.outputs:
        return f"({count},)"
    other = "({count},), " + ("nq of the kind" if kernel.role in BODY_ROLES else "one for each row")
    slots = getattr(row, "slots", 0)
    return LENGTHS.get(name, other).format(count=count, rows=kernel.shape.rows, slots=slots)


def raised(error: BaseException, kernel: Compiled, row: Any) -> str:
    """Text of an exception with the author's line, and the shapes of the outputs."""
    lines = [
        f
        for f in traceback.extract_tb(error.__traceback__)
        if "mbplugin kernel" not in f.filename and not f.filename.endswith("interface/compiled.py")
    ]
    place = f" in {lines[-1].filename}:{lines[-1].lineno} `{lines[-1].line}`" if lines else ""
    asked = arguments(kernel.author, kernel.role, kernel.owner, kernel.shape.outputs)
    names = [name for name in asked if name in outputs(kernel)]
    sizes = "; ".join(f"{name} is {described(kernel, name, row)}" for name in names)
    return f"its {kernel.role} function raises {type(error).__name__}: {error}{place}; {sizes}"


@contextmanager
def guarded(problem: Problem, kernel: Compiled, record: int) -> Iterator[dict[str, tuple[Place, Array, int]]]:
    """Put the output tables between guards, filled with UNWRITTEN: name -> place, flat table with guards,
    index of the first number of the element.
    """
    asked = arguments(kernel.author, kernel.role, kernel.owner, kernel.shape.outputs)
    row = record_of(problem, kernel, record)
    before = {place.group: problem[place.group] for place in outputs(kernel).values()}
    places: dict[str, tuple[Place, Array, int]] = {}
    try:
        for name, place in outputs(kernel).items():
            if name not in asked:
                continue
            table = getattr(problem[place.group], place.field)
            # outputs of a kind share a table
            shared = [whole for other, whole, _ in places.values() if other.group is place.group is Outputs]
            whole = shared[0] if shared else np.full(table.size + 2 * GUARD, UNWRITTEN)
            first = (
                int(getattr(row, place.column.partition(".")[2] or place.column)) if place.column else record
            )
            if name == "wrench":
                first = 6 * int(problem[Wrenches].index[first].first_slot)
            if name in KEPT.get(kernel.role, ()):
                kept = slice(first, first + place.count.of(row))
                whole[GUARD:-GUARD][kept] = 0.0 if name in ("h", "c") else table[kept]
            if not shared:
                inside = whole[GUARD : GUARD + table.size]
                problem.put(problem[place.group]._replace(**{place.field: inside}))
            places[name] = (place, whole, GUARD + first + place.offset.of(row))
        yield places
    finally:
        for arrays in before.values():
            problem.put(arrays)
