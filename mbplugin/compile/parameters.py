"""The keys of a kind, and its validated parameters as numbers (`p`) and bound functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from mbplugin.model import Force, Joint
from mbplugin.model.expression import Expression

#: keys that joints and forces have of the engine, unless their kind has a parameter of the same name
SHARED: dict[type, tuple[str, ...]] = {
    Joint: ("stiffness", "damping", "free", "armature"),
    Force: ("joint", "coordinate"),
}


def of_kind(kind: Any, key: str) -> bool:
    """Whether a key is a parameter of the kind."""
    return kind.parameters is not None and key in kind.parameters.model_fields


def keys_of_kind(kind: Any, element: Joint | Force) -> dict[str, Any]:
    """The unchecked keys of the kind of a joint or force."""
    shared = {
        key: getattr(element, key)
        for key in SHARED[type(element)]
        if key in element.model_fields_set and of_kind(kind, key)
    }
    return {**element.raw, **shared} if shared else element.raw


def shared_key(kind: Any, element: Joint | Force, key: str) -> Any:
    """The value of a key of the engine; None if it is not given, or belongs to the kind."""
    value = getattr(element, key)
    return None if value is None or of_kind(kind, key) else value


def split(
    params: BaseModel | Mapping[str, Any] | None,
) -> tuple[list[tuple[str, str]], list[float], dict[str, Expression]]:
    """(name, type) of each number or vector, their values as one list, and the functions of time by name.

    Other values (lists of names, texts) are used by the kind's Python functions only and are left out.
    """
    if not params:
        return [], [], {}
    layout: list[tuple[str, str]] = []
    values: list[float] = []
    functions: dict[str, Expression] = {}
    items = (
        params.items()
        if isinstance(params, Mapping)
        else [(name, getattr(params, name)) for name in type(params).model_fields]
    )
    for name, value in items:
        if isinstance(value, Expression):
            functions[name] = value
        elif isinstance(value, bool | int):
            layout.append((name, "int"))
            values.append(float(value))
        elif isinstance(value, float):
            layout.append((name, "float"))
            values.append(value)
        elif (
            # a list is for Python functions even if it has three entries
            isinstance(value, tuple if isinstance(params, BaseModel) else tuple | list)
            and len(value) == 3
            and all(isinstance(v, int | float) for v in value)
        ):
            layout.append((name, "vector"))
            values.extend(float(v) for v in value)
    return layout, values, functions
