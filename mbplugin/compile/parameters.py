"""The keys of a kind, and its validated parameters as numbers (`p`) and bound functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from pydantic import BaseModel

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.model import Force, Joint, System
from mbplugin.model.curve_fit import CurveTable
from mbplugin.model.elsewhere import instead
from mbplugin.model.expression import Expression
from mbplugin.model.table import validated
from mbplugin.model.tabulated import Entries, Mark, SplineTable, mark_of

#: keys that joints and forces have of the engine, unless their kind has a parameter of the same name
SHARED: dict[type, tuple[str, ...]] = {
    Joint: (
        *("stiffness", "damping", "rest", "armature", "limits", "restitution", "one_way"),
        *("friction", "friction_torque", "friction_force", "friction_static", "radius", "length"),
    ),
    Force: ("faces", "joint", "coordinate", "dissipative"),
}


@functools.lru_cache(maxsize=1024)
def names_argument(function: Any, name: str) -> bool:
    """Whether a function of a plugin, called in plain Python, takes an argument of this name."""
    return name in inspect.signature(function).parameters


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


def validated_keys(
    kind: Any, raw: Mapping[str, Any], key: str, common: Sequence[str], system: System, symbols: Any = None
) -> Any:
    """The validated keys of a kind of a plugin; None if it has none. Raises SceneError.

    common: keys of the table, which are no keys of the kind; symbols: default those of the system
    """
    if kind.parameters is not None:
        symbols = system.symbols if symbols is None else symbols
        return validated(kind.parameters, raw, key, symbols, common, system.folder, system.curve_tables)
    for name in raw:
        other = instead(name, common)
        known = f"; {other}" if other else did_you_mean(name, common) or f"; it takes {listed(common)}"
        raise SceneError(f"{key}.{name}", raw[name], f'unknown key of type "{kind.name}"{known}')
    return None


@functools.cache
def marks_of(parameters: type[BaseModel]) -> dict[str, Mark | None]:
    """The marks of lists, matrices and tables of a class of parameters, by key; None of other keys."""
    return {name: mark_of(field) for name, field in parameters.model_fields.items()}


def split(
    params: BaseModel | Mapping[str, Any] | None, further: Mapping[str, np.ndarray] | None = None
) -> tuple[list[tuple[str, str]], list[float], dict[str, Expression]]:
    """(name, type) of each parameter that compiled functions get, their numbers as one list, and the
    functions of time by name.

    Of a list, matrix or table the layout has its place among the element's numbers, and its lengths. What it
    holds follows behind all of them, so that neither layout nor machine code depend on how long it is. What
    is left out has one place, of the type "absent", so that a number that is given moves no others.

    Other values (lists of names, texts) are used by the kind's Python functions only and are left out. Raises
    PluginError for a list that `defaults` of the kind got wrong.

    further: lists and matrices beside the parameters, which are no keys
    """
    if not params and not further:
        return [], [], {}
    layout: list[tuple[str, str]] = []
    values: list[float] = []
    functions: dict[str, Expression] = {}
    arrays: list[tuple[int, np.ndarray]] = []
    marks: dict[str, Any] = marks_of(type(params)) if isinstance(params, BaseModel) else {}
    items = (
        params.items() if isinstance(params, Mapping) else [(name, getattr(params, name)) for name in marks]
    )
    for name, array in (further or {}).items():
        layout.append((name, "list" if array.ndim == 1 else "matrix"))
        arrays.append((len(values), array))
        values += [0.0, *map(float, array.shape)]
    for name, value in items:
        mark = marks.get(name)
        if isinstance(value, Expression):
            functions[name] = value
        elif isinstance(value, SplineTable):
            layout.append((name, "spline"))
            arrays.append((len(values), value.numbers))
            values += [0.0, float(len(value.numbers))]
        elif isinstance(value, CurveTable):
            for part, numbers in value.numbers().items():
                layout.append((f"{name}_{part}", "spline"))
                arrays.append((len(values), numbers))
                values += [0.0, float(len(numbers))]
            layout += [(f"{name}_length", "float"), (f"{name}_closed", "int")]
            values += [value.length, float(value.closed)]
        elif isinstance(mark, Entries) and value is not None:
            array = mark.array(value, name)
            layout.append((name, "list" if array.ndim == 1 else "matrix"))
            arrays.append((len(values), array))
            values += [0.0, *map(float, array.shape)]
        elif isinstance(value, bool | int):
            layout.append((name, "int"))
            values.append(float(value))
        elif isinstance(value, float):
            layout.append((name, "float"))
            values.append(value)
        elif value is None:
            layout.append((name, "absent"))
            values.append(0.0)
        elif (
            # a list is for Python functions even if it has three entries
            isinstance(value, tuple if isinstance(params, BaseModel) else tuple | list)
            and len(value) == 3
            and all(isinstance(v, int | float) for v in value)
        ):
            layout.append((name, "vector"))
            values.extend(float(v) for v in value)
    for k, array in arrays:
        values[k] = float(len(values))
        values += array.ravel().tolist()
    return layout, values, functions


def plain_parameters(params: Any) -> SimpleNamespace:
    """`p` of a function in plain Python, with the entries that compiled ones get."""
    layout, values, _ = split(params)
    entries: dict[str, Any] = {}
    k = 0
    for name, form in layout:
        size = {"vector": 3, "list": 2, "spline": 2, "matrix": 3}.get(form, 1)
        match form:
            case "vector":
                entries[name] = tuple(values[k : k + 3])
            case "list" | "spline" | "matrix":
                first, *shape = map(int, values[k : k + size])
                entries[name] = np.array(values[first : first + int(np.prod(shape))]).reshape(shape)
            case "int":
                entries[name] = int(values[k])
            case "absent":
                pass
            case _:
                entries[name] = values[k]
        k += size
    return SimpleNamespace(**entries)
