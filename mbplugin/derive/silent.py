"""What symbols would pass over without a word: `is True` of a comparison, errors of arithmetic as branches.

A comparison of symbols is no bool, so that `is True` never holds; a division of symbols never fails, so that
what stands behind `except ZeroDivisionError` is never seen. Both are found in the code of a function.
"""

from __future__ import annotations

import dis
import linecache
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mbplugin.derive.graph import TraceError

#: exceptions of arithmetic
OF_ARITHMETIC = ("ZeroDivisionError", "OverflowError", "FloatingPointError", "ArithmeticError", "ValueError")
BOOLS = (True, False)


def refuse_silent(python: Any) -> None:
    """Raises TraceError for a function with code that symbols do not follow, with its line."""
    for line, says in found_in(python.__code__):
        file = python.__code__.co_filename
        text = linecache.getline(file, line).strip()
        raise TraceError(f"line {line} of {Path(file).name} (`{text}`): {says}")


def found_in(code: types.CodeType) -> Iterator[tuple[int, str]]:
    """Lines and what is wrong there, also in the functions inside."""
    steps = list(dis.get_instructions(code))
    for k, step in enumerate(steps):
        line = (step.positions and step.positions.lineno) or code.co_firstlineno
        if step.opname == "IS_OP" and any(is_bool(other) for other in steps[max(0, k - 2) : k]):
            yield line, "`is` and a comparison, which never holds; write `if condition:` or `if not ...:`"
        if step.opname == "CHECK_EXC_MATCH":
            names = caught(steps[:k])
            if wrong := [name for name in names if name in OF_ARITHMETIC]:
                says = "which no symbol raises; write the condition as `if` or `where`"
                yield line, f"`except {wrong[0]}`, {says}"
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from found_in(constant)


def is_bool(step: dis.Instruction) -> bool:
    return step.opname == "LOAD_CONST" and any(step.argval is value for value in BOOLS)


def caught(steps: list[dis.Instruction]) -> list[str]:
    """Names of the exceptions of an `except`, from the instructions before its match."""
    names: list[str] = []
    for step in reversed(steps):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.append(str(step.argval))
        elif step.opname not in ("BUILD_TUPLE", "CACHE", "PRECALL"):
            break
    return names
