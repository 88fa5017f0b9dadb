"""Large functions of the engine, each compiled and cached by itself and called by its address.

    @by_address(seconds=7)
    def evaluate_eom(tables, skip):
        ...

Compiled functions call it as any other. The call costs a few ns; inlined into every loop, the same functions
tripled the compile time. The address stands in a cell of the process, whose symbol machine code knows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from mbplugin.compiler.functions import callback
from mbplugin.kernels.view import SIGNATURE, TABLES, table_at
from mbplugin.math.emitters.calls import call_of_cell, named_cell
from mbplugin.math.jit import internal

#: all functions of modules that are imported
FUNCTIONS: list[ByAddress] = []


@dataclass(eq=False)
class ByAddress:
    """One of them. when: which problems need it, "" all; seconds: to compile it, about; the longest are begun
    first.
    """

    python: Callable[..., Any]
    seconds: float
    when: str
    cell: ctypes.c_int64 = field(init=False)

    def __post_init__(self) -> None:
        self.cell = named_cell(f"mbplugin:{self.python.__module__}.{self.python.__name__}")

    @property
    def address(self) -> int:
        """0: its machine code is not loaded."""
        return int(self.cell.value)

    def make(self, folder: Any) -> Any:
        """Compile or load it; folder: of the cache."""
        made = callback(batch_of(self.python), SIGNATURE, folder, self.python, error_model="numpy")
        self.cell.value = made.address
        return made


def by_address(seconds: float = 0.6, when: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Declare a function f(tables), f(tables, i) or f(tables, i, j) of integers that returns a status."""

    def decorate(python: Callable[..., Any]) -> Any:
        function = ByAddress(python, seconds, when)
        FUNCTIONS.append(function)
        call = call_of_cell(python, f"mbplugin:{python.__module__}.{python.__name__}")
        call.by_address, call.py_func = function, python
        return call

    return decorate


def batch_of(python: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the arguments of a callback."""
    body = internal(python)
    match len(signature(python).parameters):
        case 1:
            return lambda first, second, address: body(table_at(address, 2 * TABLES))
        case 2:
            return lambda first, second, address: body(table_at(address, 2 * TABLES), first)
        case _:
            return lambda first, second, address: body(table_at(address, 2 * TABLES), first, second)
