"""Shortcuts through numba's front end, which takes most of the time to compile; its results are the same.

Operators on numbers: numba tries every template of an operator for each place where it stands.
Lifetimes of variables: numba finds them after every pass, and only the one that inserts deletions needs them.
Garbage: a compilation makes many objects, so that Python would search those of the process again and again.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from numba import types

from mbplugin.compiler.numba_names import (
    MISSING,
    BaseFunction,
    PostProcessor,
    VariableLifetime,
    canonicalize_cfg,
)

#: signatures of operators by function type, which holds its templates, and types of numbers
_signatures: dict[tuple[Any, tuple[Any, ...]], Any] = {}
NUMBERS = (types.Number, types.Boolean, types.IntegerLiteral, types.BooleanLiteral)
#: numba's own functions, by whose names the shortcuts go in their place
typed: Any = getattr(BaseFunction, "get_call_type", None)
processed: Any = getattr(PostProcessor, "run", None)


def call_type(self: Any, context: Any, arguments: Any, keywords: Any) -> Any:
    """Signature of a function for types of arguments, found once for operators on numbers."""
    of_operator = getattr(self.key[0], "__module__", "") == operator.add.__module__
    if not of_operator or keywords or not all(isinstance(one, NUMBERS) for one in arguments):
        return typed(self, context, arguments, keywords)
    key = self, tuple(arguments)
    if key not in _signatures:
        _signatures[key] = typed(self, context, arguments, keywords)
    return _signatures[key]


def process(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Bring the blocks of a function into order; lifetimes are found where they are asked for."""
    ir = self.func_ir
    if emit_dels or ir.is_generator:
        processed(self, emit_dels, extend_lifetimes)
        return
    ir.blocks = canonicalize_cfg(ir.blocks)
    ir.variable_lifetime, ir.generator_info = VariableLifetime(ir.blocks), None


@contextmanager
def shortened() -> Iterator[None]:
    """Context in which functions are compiled by these shortcuts; the caller holds numba's lock."""
    if MISSING:
        yield
        return
    function, processor = cast(Any, BaseFunction), cast(Any, PostProcessor)
    collects, before = gc.isenabled(), (function.get_call_type, processor.run)
    gc.disable()
    function.get_call_type, processor.run = call_type, process
    try:
        yield
    finally:
        function.get_call_type, processor.run = before
        if collects:
            gc.enable()
