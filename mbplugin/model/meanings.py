"""What names in expressions mean besides parameters: variables, states, splines."""

from __future__ import annotations

import csv
import graphlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError
from mbplugin.model import references
from mbplugin.model.expression import program_of
from mbplugin.model.parser import IDENTIFIER
from mbplugin.model.quantities import Number, number
from mbplugin.model.references import Implicit, Named
from mbplugin.model.table import Table
from mbplugin.tables import tape


def a_formula(value: Any) -> Any:
    """A number or a text; what it means is known when all names are."""
    return value if isinstance(value, str) else number(value)


class Variable(Table):
    """A name for an expression, which others may use: `[[variable]]`.

    With a `start` it is implicit: it may depend on itself, also through others or through what the solve
    tells.
    """

    name: str = Field(description="one word of letters, digits and _")
    value: str | float = Field(
        description="expression of time, parameters, measures, states and other variables"
    )
    start: Number | None = Field(
        default=None,
        description='a first guess at t = 0, for a variable that depends on itself: value = "cos(name)"',
    )

    @field_validator("value", mode="before")
    @classmethod
    def formula(cls, value: Any) -> Any:
        return a_formula(value)


class State(Table):
    """A differential equation of the user's, ẋ = rate: `[[state]]`. Its name stands for x in expressions."""

    name: str = Field(description="one word of letters, digits and _")
    rate: str | float = Field(description="expression of time, parameters, measures, states and variables: ẋ")
    start: Number = Field(default=0.0, description="x at t = 0")

    @field_validator("rate", mode="before")
    @classmethod
    def formula(cls, value: Any) -> Any:
        return a_formula(value)


class Spline(Table):
    """A smooth curve through points, used as `name(x)`: a cubic between two points, continued by straight
    lines: `[[spline]]`.
    """

    name: str = Field(description="one word of letters, digits and _")
    x: list[Number] | None = Field(default=None, description="abscissas, rising")
    y: list[Number] | None = Field(default=None, description="values there")
    file: str | None = Field(
        default=None,
        description="a CSV file with two columns, x and y, beside the scene; lines that do not begin with a number are passed over",
    )

    @model_validator(mode="after")
    def points_or_file(self) -> Self:
        if (self.file is None) == (self.x is None or self.y is None):
            raise SceneError(value=NOT_GIVEN, mend="give `x` and `y`, or `file`")
        return self

    def points(self, folder: Path) -> tuple[np.ndarray, np.ndarray]:
        """x and y. Raises SceneError."""
        if self.file is None:
            x, y = np.array(self.x, float), np.array(self.y, float)
        else:
            x, y = columns(folder / self.file, self.file)
        if len(x) != len(y) or len(x) < 3:
            raise SceneError(
                "x" if self.file is None else "file",
                f"{len(x)} and {len(y)} numbers",
                "as many x as y are needed, and three or more",
            )
        if not np.all(np.diff(x) > 0.0):
            k = int(np.argmax(np.diff(x) <= 0.0))
            raise SceneError("x" if self.file is None else "file", f"{x[k]:g}, {x[k + 1]:g}", "x must rise")
        return x, y

    def meaning(self, folder: Path) -> references.Spline:
        """The cubic through the points whose third derivative does not jump at the second and the last but
        one point. Raises SceneError.
        """
        from scipy.interpolate import CubicSpline

        x, y = self.points(folder)
        pieces = CubicSpline(x, y).c[::-1].T
        return references.Spline((float(len(x)), *x.tolist(), *pieces.ravel().tolist()))


def columns(path: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The two columns of a CSV file. Raises SceneError."""
    rows = []
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for n, line in enumerate(csv.reader(file), 1):
                if not line or not is_number(line[0]):
                    continue
                if len(line) < 2 or not is_number(line[1]):
                    raise SceneError(
                        "file", name, f"line {n} ({','.join(line)!r}) has no second, finite number"
                    )
                rows.append((float(line[0]), float(line[1])))
                if len(rows) > 1 and not rows[-1][0] > rows[-2][0]:
                    raise SceneError(
                        "file", name, f"line {n}: x must rise, and {rows[-1][0]:g} follows {rows[-2][0]:g}"
                    )
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise SceneError(
            "file",
            name,
            f"cannot be read: {why}; looked for {path.resolve()}, since a file is sought beside the scene",
        ) from None
    if len(rows) < 3:
        raise SceneError(
            "file",
            name,
            f"{len(rows)} lines of two numbers with a comma between them; three or more are needed",
        )
    x, y = np.array(rows, float).reshape(-1, 2).T
    return x, y


def is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def meanings(
    parameters: Mapping[str, float],
    variables: Iterable[Variable],
    states: Iterable[State],
    splines: Mapping[str, references.Spline],
) -> dict[str, float | Named | references.Spline]:
    """What each name means; variables may use each other in any order, and in a circle where one of it is
    implicit. Raises SceneError.
    """
    found: dict[str, float | Named | references.Spline] = {
        **parameters,
        **splines,
        **{state.name: Named([(tape.STATE, state.name)]) for state in states},
    }
    by_name = {variable.name: (k, variable) for k, variable in enumerate(variables)}
    implicit = {name for name, (_, variable) in by_name.items() if variable.start is not None}
    found |= {name: Named([(tape.UNKNOWN, Implicit(name))]) for name in implicit}
    uses = {
        name: set(IDENTIFIER.findall(v.value)) & set(by_name) - implicit
        if isinstance(v.value, str)
        else set()
        for name, (_, v) in by_name.items()
    }
    try:
        order = list(graphlib.TopologicalSorter(uses).static_order())
    except graphlib.CycleError as error:
        cycle = list(reversed(error.args[1]))
        k, variable = by_name[cycle[0]]
        mend = "give one a `start`, a first guess, and it is solved for; or make one a [[state]], with `rate` and `start`"
        mend = f"variables depend on each other in a circle: {' -> '.join(cycle)}; {mend}"
        raise SceneError(f"variable[{k}].value", variable.value, mend) from None
    for name in order:
        k, variable = by_name[name]
        try:
            program = program_of(variable.value, found)
        except SceneError as error:
            raise SceneError(f"variable[{k}].value", variable.value, error.mend) from None
        if name not in implicit:
            found[name] = Named(program)
    return found
