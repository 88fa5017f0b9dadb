"""Parameters that a compiled function of a kind reads and cannot have: lists, texts, tables."""

from __future__ import annotations

import types
import typing
from typing import Any

from mbplugin.errors import PluginError
from mbplugin.model.tabulated import SplineTable, mark_of

#: functions of kinds that get `p`
COMPILED = ("kernel", "tangent", "accept", "event")
#: categories whose functions get lists, matrices and tables
OF_ELEMENTS = ("constraint type", "force element")
#: what compiled functions get, of other categories and of these
ACCEPTED = (
    "numbers, `Vector` (three numbers) and `Function`; declare a parameter for each number",
    'numbers, `Vector` (three numbers), `Function`, `Annotated[Numbers, Entries("N", 3)]` and '
    '`Annotated[SplineTable, Columns("m", "N")]`',
)
#: types of what is no number
REFUSED = (list, tuple, dict, set, str, SplineTable)


def check_parameters(category: str, name: str, thing: Any) -> None:
    """Raises PluginError where a compiled function reads `p.x` and x is neither a number, nor three numbers
    (`Vector`), nor a list, matrix or table marked as such, nor a function.
    """
    parameters = getattr(thing, "parameters", None)
    fields = getattr(parameters, "model_fields", {})
    for role in COMPILED:
        function = getattr(thing, role, None)
        code = getattr(getattr(function, "py_func", function), "__code__", None)
        if code is None or "p" not in code.co_varnames[: code.co_argcount]:
            continue
        for field in fields.keys() & set(code.co_names):
            marked = category in OF_ELEMENTS and mark_of(fields[field]) is not None
            if not marked and is_refused(fields[field].annotation):
                raise PluginError(
                    f'"{name}": the {role} of this {category} reads p.{field}, and its type is no number: '
                    f"compiled functions get {ACCEPTED[category in OF_ELEMENTS]}"
                )


def is_refused(annotation: Any) -> bool:
    """Whether a parameter of this type, or of one of a union, is no number for compiled functions."""
    union = typing.get_origin(annotation) in (typing.Union, types.UnionType)
    return any(map(is_list_or_text, typing.get_args(annotation) if union else (annotation,)))


def is_list_or_text(annotation: Any) -> bool:
    origin = typing.get_origin(annotation) or annotation
    vector = origin is tuple and typing.get_args(annotation) == (float, float, float)
    return isinstance(origin, type) and issubclass(origin, REFUSED) and not vector
