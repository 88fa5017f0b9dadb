"""Forces over deformations or rates: a stiffness for each axis, or a spline, and how kernels get them.

A list holds the places of twelve splines in it, 0 of none, then their numbers: over d, θ and their rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from mbplugin.errors import SceneError
from mbplugin.interface import Columns, Entries, SplineTable, jit, spline, spline_integral
from mbplugin.math.emitters.arrays import part

#: splines of one element
SPLINES = 12


@dataclass(frozen=True)
class Laws:
    """Validates three entries, each a number or a table of the force over the deformation or rate.

    unit: of the number; x, y: of the columns of a table
    """

    unit: str
    x: str
    y: str

    def __call__(self, value: Any, info: ValidationInfo) -> tuple[Any, ...] | None:
        if value is None:
            return None
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 3:
            mend = f"must have an entry for each of x, y and z: a number [{self.unit}] or {self.table.text}"
            raise SceneError(value=value, mend=mend)
        return tuple(self.entry(one, k, info) for k, one in enumerate(value))

    @property
    def table(self) -> Columns:
        return Columns(self.x, self.y)

    def entry(self, value: Any, k: int, info: ValidationInfo) -> Any:
        """Entry number k: a number that is not negative, or a table. Raises SceneError."""
        try:
            if isinstance(value, dict | SplineTable) or (isinstance(value, str) and value.endswith(".csv")):
                return self.table.table(value, info)
            (number,) = Entries(self.unit).numbers([value], info)
        except SceneError as error:
            rest = error.key if isinstance(value, dict) else ""
            raise SceneError(f"[{k}]{'.' * bool(rest)}{rest}", error.value, error.mend) from None
        if number < 0.0:
            raise SceneError(f"[{k}]", value, "must not be negative")
        return number


def laws(unit: str, x: str, y: str) -> Any:
    """The type of a key with three laws; None: left out."""
    items = {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "object"}]}
    schema = {"type": "array", "minItems": 3, "maxItems": 3, "items": items}
    return Annotated[tuple[Any, ...] | None, BeforeValidator(Laws(unit, x, y)), WithJsonSchema(schema)]


def parted(entries: Sequence[Any]) -> tuple[list[float], list[SplineTable | None]]:
    """The numbers of laws, 0 where there is a table, and the tables."""
    is_table = [isinstance(one, SplineTable) for one in entries]
    return (
        [0.0 if table else one for table, one in zip(is_table, entries)],
        [one if table else None for table, one in zip(is_table, entries)],
    )


def listed(tables: Sequence[SplineTable | None]) -> list[float]:
    """The list of twelve splines, None of none."""
    places, numbers = [0.0] * SPLINES, list[float]()
    for k, table in enumerate(tables):
        if table is not None:
            places[k] = float(SPLINES + len(numbers))
            numbers += table.numbers.tolist()
    return [*places, *numbers]


@jit
def spline_of(curves, k):
    """The numbers of spline k, and of those behind it; of none an empty list."""
    start = int(curves[k])
    return part(curves, start, len(curves) - start if start > 0 else 0)


@jit
def curve_force(curves, k, s):
    """Value and slope of spline k at s; 0 of none."""
    f = spline_of(curves, k)
    if len(f) > 0:
        value, slope, _ = spline(f, s)
        return value, slope
    return 0.0, 0.0


@jit
def curve_forces(curves, first, s):
    """Values [N] or [N·m] of three splines from number `first` at s (3)."""
    return (
        curve_force(curves, first, s[0])[0],
        curve_force(curves, first + 1, s[1])[0],
        curve_force(curves, first + 2, s[2])[0],
    )


@jit
def curve_slopes(curves, first, s):
    """Slopes of three splines from number `first` at s (3)."""
    return (
        curve_force(curves, first, s[0])[1],
        curve_force(curves, first + 1, s[1])[1],
        curve_force(curves, first + 2, s[2])[1],
    )


@jit
def curve_energy(curves, first, s):
    """Integrals of three splines from 0 to s (3) [J]."""
    V = 0.0
    for k in range(3):
        f = spline_of(curves, first + k)
        if len(f) > 0:
            V += spline_integral(f, s[k]) - spline_integral(f, 0.0)
    return V
