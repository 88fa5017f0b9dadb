"""Parameters of kinds that are lists, matrices or tables of numbers.

    weights: Annotated[Numbers, Entries("N", 3)]                          weights = [1, 2, 3]
    stiffness: Annotated[Numbers, Entries("N/m", 3, 3)]                   stiffness = [[...], [...], [...]]
    profile: Annotated[SplineTable, Columns("rad", "m", ends="periodic")] profile = { x = [...], y = [...] }

A table may stand in a CSV file, profile = "cam.csv", whose heading has the units: angle [deg],lift [mm]. It
may be an expression in the range of x, profile = { x = [-1, 1], y = "sin(x)" }.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from sys import maxsize
from typing import Any

import numpy as np
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import core_schema

from mbplugin.errors import PluginError, SceneError, listed
from mbplugin.math.spline import ENDS, spline, spline_integral, spline_numbers
from mbplugin.model.columns import TwoColumns, check_columns, read_columns
from mbplugin.model.quantities import NUMBER_SCHEMA, array_schema, each, items_of, validate_number

#: numbers of one list, matrix or column
MOST = 1_000_000
#: unit that a table may have -> the SI unit of the column, and the factor to it
OTHER_UNITS = {
    "deg": ("rad", np.pi / 180.0),
    "mm": ("m", 1e-3),
    "mm/s": ("m/s", 1e-3),
    "kN": ("N", 1e3),
    "N mm": ("N m", 1e-3),
    "kN m": ("N m", 1e3),
    "ms": ("s", 1e-3),
}
#: floats by rows: (n,) or (n, m) as tuples
Numbers = tuple[Any, ...]


class Mark:
    """Base of marks of keys whose values compiled functions get as lists, matrices or splines."""

    @property
    def text(self) -> str:
        """What the key holds, for listings and messages."""
        raise NotImplementedError

    def sample(self, k: int) -> Any:
        """A value for the conformance kit, another one for each k."""
        raise NotImplementedError


@dataclass(frozen=True)
class Entries(Mark):
    """Marks a key whose value is a list of `rows` numbers, or a matrix of `rows` × `columns`, in a `unit`.

    rows None: any number, at least one; columns 0: a list. A kernel gets an array (n,) or (n, m).
    """

    unit: str
    rows: int | None = None
    columns: int | None = 0

    @property
    def text(self) -> str:
        """What the key holds, for listings and messages."""
        rows = "" if self.rows is None else f"{self.rows} "
        if self.columns == 0:
            return f"list of {rows}numbers [{self.unit}]"
        columns = "numbers" if self.columns is None else f"{self.columns} numbers"
        return f"list of {rows}rows of {columns} [{self.unit}]"

    def numbers(self, value: Any, info: Any = None) -> Numbers:
        """The value as tuples of floats. Raises SceneError."""
        items = checked_items(value, self.rows, self.text)
        number = lambda one: validate_number(one, info or NO_PARAMETERS)
        if self.columns == 0:
            return each(items, number)
        width = self.columns
        if width is None:
            width = len(items[0]) if isinstance(items[0], Sequence | np.ndarray) else None
        row = f"{self.text}; each row"
        return each(items, lambda item: each(checked_items(item, width, row), number))

    def array(self, value: Any, name: str) -> np.ndarray:
        """Array (n,) or (n, m) of the value that `defaults` of a kind gave to key `name`. Raises
        PluginError.
        """
        try:
            return np.array(self.numbers(value), float)
        except SceneError as error:
            place = f"{name}{error.key} = {error.value}"
            raise PluginError(f"`defaults` of its kind made {place}: {error.mend}") from None

    def sample(self, k: int) -> Any:
        """A value for the conformance kit, another one for each k."""
        shape = [self.rows or 3] + ([self.columns or 3] if self.columns != 0 else [])
        values: Any = (0.6 + 0.1 * np.cos(k + np.arange(np.prod(shape)))).reshape(shape)
        return values.tolist()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return core_schema.with_info_plain_validator_function(self.numbers)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        inner = NUMBER_SCHEMA if self.columns == 0 else array_schema(self.columns or 1, self.columns)
        return {**array_schema(self.rows or 1, self.rows, inner), "description": self.text}


def checked_items(value: Any, length: int | None, what: str) -> Sequence[Any]:
    """The items of a list of this length; None: one or more. Raises SceneError."""
    items = items_of(value, range(1, maxsize) if length is None else (length,), f"must be a {what}")
    if len(items) > MOST:
        raise SceneError(value=f"{len(items)} numbers", mend=f"at most {MOST:.0e} are accepted")
    return items


class NoParameters:
    """Stand-in for a ValidationInfo where there are no `[parameters]`."""

    context: None = None
    field_name = ""


NO_PARAMETERS: Any = NoParameters()


@dataclass(frozen=True)
class SplineTable:
    """A cubic spline through points: x (n,), increasing, and y (n,), in SI units.

    `table(x)` is (value, first, second derivative); kernels write `spline(p.profile, x)`.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    ends: str = ENDS[0]

    @cached_property
    def numbers(self) -> np.ndarray:
        """The numbers of the spline as kernels take them."""
        return spline_numbers(np.array(self.x), np.array(self.y), self.ends)

    def __call__(self, x: float) -> tuple[float, float, float]:
        value, first, second = spline.py_func(self.numbers, x)
        return float(value), float(first), float(second)

    def integral(self, x: float) -> float:
        """The integral from the first abscissa to x; kernels write `spline_integral(p.profile, x)`."""
        return float(spline_integral.py_func(self.numbers, x))


@dataclass(frozen=True)
class Columns(Mark):
    """Marks a key whose value is a table of two columns, through whose points a cubic spline goes.

    x, y: their SI units; ends: "not-a-knot", "natural" (no curvature), "clamped" (no slope) or "periodic"
    (the last point is the first one a period later)
    """

    x: str
    y: str
    ends: str = ENDS[0]

    def __post_init__(self) -> None:
        if self.ends not in ENDS:
            raise TypeError(f"Columns(ends={self.ends!r}): known are {', '.join(ENDS)}")

    @property
    def text(self) -> str:
        """What the key holds, for listings and messages."""
        return f"table of x [{self.x}] and y [{self.y}], or a CSV file; {self.ends} cubic spline"

    def table(self, value: Any, info: ValidationInfo) -> SplineTable:
        """The table of a scene. Raises SceneError."""
        if isinstance(value, SplineTable):
            return self.checked(np.array(value.x, float), np.array(value.y, float), "")
        if isinstance(value, str):
            folder = Path((info.context or {}).get("folder") or ".")
            x, y, (unit_x, unit_y) = read_table(folder / value, value)
            return self.converted(x, y, unit_x, unit_y, "")
        if not isinstance(value, Mapping):
            mend = f'must be a {self.text}: {{ x = [...], y = [...] }} or "file.csv"'
            raise SceneError(value=value, mend=mend)
        for key in value:
            if key not in ("x", "y", "units"):
                raise SceneError(str(key), value[key], "unknown key; it takes x, y and units")
        for key in ("x", "y"):
            if key not in value:
                raise SceneError(key, mend="is missing")
        if isinstance(value["y"], str):
            return self.expressed(value, info)
        columns = [column(value[key], key, info) for key in ("x", "y")]
        units = value.get("units", (self.x, self.y))
        if not isinstance(units, list | tuple) or [type(unit) for unit in units] != [str, str]:
            mend = f'must be the units of x and y, such as ["{self.x}", "{self.y}"]'
            raise SceneError("units", units, mend)
        return self.converted(columns[0], columns[1], units[0], units[1], "units")

    def expressed(self, value: Mapping[str, Any], info: ValidationInfo) -> SplineTable:
        """The table of an expression. Raises SceneError."""
        from mbplugin.model.law_fit import numbers_of  # which imports this module

        if self.ends == "periodic" or "units" in value:
            mend = "an expression has SI units and does not repeat; give the points of a table"
            raise SceneError("y", value["y"], mend)
        x = column(value["x"], "x", info)
        if len(x) != 2 or not x[0] < x[1]:
            raise SceneError(
                "x", value["x"], f"must be the range of the expression `y`: two numbers [{self.x}]"
            )
        numbers = numbers_of(
            value["y"], float(x[0]), float(x[1]), (info.context or {}).get("parameters") or {}
        )
        found = SplineTable(tuple(x.tolist()), tuple(float(spline.py_func(numbers, one)[0]) for one in x))
        found.__dict__["numbers"] = numbers
        return found

    def converted(self, x: np.ndarray, y: np.ndarray, unit_x: str, unit_y: str, key: str) -> SplineTable:
        """The table of columns in these units. Raises SceneError with the key."""
        factors = [factor_of(unit, to, key) for unit, to in ((unit_x, self.x), (unit_y, self.y))]
        return self.checked(x * factors[0], y * factors[1], "x" if key else "")

    def checked(self, x: np.ndarray, y: np.ndarray, key: str) -> SplineTable:
        """The table of these columns. Raises SceneError with the key."""
        check_columns(x, y, key, 3)
        if self.ends == "periodic":
            if not abs(y[-1] - y[0]) <= 1e-9 * np.abs(y).max():
                mend = "the table repeats, so its last value must be its first: end it one period later"
                raise SceneError("y" if key else "", f"{y[0]:g} ... {y[-1]:g}", mend)
            y = np.append(y[:-1], y[0])
        return SplineTable(tuple(x.tolist()), tuple(y.tolist()), self.ends)

    def sample(self, k: int) -> Any:
        """A value for the conformance kit, another one for each k."""
        length = 2.0 * np.pi if self.x == "rad" else 2.0
        first = 0.0 if self.ends == "periodic" else -length
        x = np.linspace(first, length, 41)
        angle = 2.0 * np.pi * x / length
        y = 0.3 + 0.1 * k + 0.1 * np.cos(angle) + 0.05 * np.sin(2.0 * angle)
        return {"x": x.tolist(), "y": [*y[:-1].tolist(), float(y[0] if first == 0.0 else y[-1])]}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return core_schema.with_info_plain_validator_function(self.table)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        units, points = array_schema(2, 2, {"type": "string"}), array_schema(3, None)
        table = {
            "type": "object",
            "properties": {"x": points, "y": points, "units": units},
            "required": ["x", "y"],
            "additionalProperties": False,
        }
        file = {"type": "string", "description": "CSV file in the scene's folder, its heading with units"}
        return {"anyOf": [table, file], "description": self.text}


def column(value: Any, key: str, info: Any) -> np.ndarray:
    """(n,) numbers of a column. Raises SceneError at the key."""
    try:
        return np.array(Entries("").numbers(value, info), float)
    except SceneError as error:
        mend = error.mend if error.key else "must be a list of numbers"
        raise SceneError(f"{key}{error.key}", error.value, mend) from None


def factor_of(unit: str, to: str, key: str) -> float:
    """The factor from `unit` to the unit `to`. Raises SceneError at the key."""
    if unit == to:
        return 1.0
    other, factor = OTHER_UNITS.get(unit, ("", 0.0))
    if other != to:
        known = [to, *(name for name, (si, _) in OTHER_UNITS.items() if si == to)]
        raise SceneError(key, unit, f"is not a unit of this column; it may be in {listed(known)}")
    return factor


def read_table(path: Path, name: str) -> TwoColumns:
    """A CSV file of two columns whose heading says their units. Raises SceneError."""
    table = read_columns(path, name, key="")
    if not all(table.units):
        mend = 'has no units; write a line such as "angle [deg],lift [mm]" above its numbers'
        raise SceneError("", name, mend)
    return table


def mark_of(field: Any) -> Mark | None:
    """The mark of a key (pydantic's FieldInfo), also where it may be left out; None: it has none."""
    waiting = [*field.metadata, field.annotation]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mark):
            return one
        waiting += [*getattr(one, "__metadata__", ()), *getattr(one, "__args__", ())]
    return None
