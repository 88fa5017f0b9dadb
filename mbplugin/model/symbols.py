"""Tables [[variable]], [[state]] and [[spline]], and the symbol table of expressions made of them."""

from __future__ import annotations

import graphlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from mbplugin.errors import NOT_GIVEN, SceneError, errors_at
from mbplugin.model import references
from mbplugin.model.columns import check_columns, read_columns
from mbplugin.model.expression import program_of
from mbplugin.model.input import Input
from mbplugin.model.parser import IDENTIFIER
from mbplugin.model.quantities import Number, number
from mbplugin.model.references import Implicit, Symbol, shared, to_program
from mbplugin.model.table import Table
from mbplugin.tables import tape


def validate_expression(value: Any) -> Any:
    """A number, or a text that is parsed later, when all symbols are known. Raises SceneError."""
    return value if isinstance(value, str) else number(value)


Text = Annotated[str | float, BeforeValidator(validate_expression)]


class Variable(Table):
    """A named expression: `[[variable]]`. With a `start` it is implicit: it may depend on itself."""

    name: str = Field(description="one word of letters, digits and _")
    value: Text = Field(
        description="expression of time, parameters, measures, states, inputs and other variables"
    )
    start: Number | None = Field(
        default=None,
        description='initial guess at t = 0 of an implicit variable, such as value = "cos(name)"',
    )
    unit: str = Field(default="", description='for tables and plots, such as "N m"')


class State(Table):
    """A user-defined differential equation, ẋ = rate: `[[state]]`. Its name is x in expressions."""

    name: str = Field(description="one word of letters, digits and _")
    rate: Text = Field(
        description="ẋ: expression of time, parameters, measures, states, inputs and variables"
    )
    start: Number = Field(default=0.0, description="x at t = 0")


class Spline(Table):
    """A curve through points, with linear extrapolation, used as `name(x)`: `[[spline]]`."""

    name: str = Field(description="one word of letters, digits and _")
    x: list[Number] | None = Field(default=None, description="abscissas, increasing")
    y: list[Number] | None = Field(default=None, description="values at the abscissas")
    file: str | None = Field(
        default=None,
        description="a CSV file in the scene's folder with two columns, x and y, "
        "under any headings; a comment begins with #",
    )
    interpolation: Literal["cubic", "monotone", "linear"] = Field(
        default="cubic",
        description='"cubic": smooth to the second derivative (not-a-knot), may overshoot beside kinks; '
        '"monotone": to the first, never beyond the points next to it; "linear"',
    )

    @model_validator(mode="after")
    def points_or_file(self) -> Self:
        if (self.file is None) == (self.x is None or self.y is None):
            raise SceneError(value=NOT_GIVEN, mend="give `x` and `y`, or `file`")
        return self

    def points(self, folder: Path) -> tuple[np.ndarray, np.ndarray]:
        """x (n,) and y (n,); a file is in `folder`. Raises SceneError."""
        least = 3 if self.interpolation == "cubic" else 2
        if self.file is None:
            x, y = np.array(self.x, float), np.array(self.y, float)
        else:
            x, y, _ = read_columns(folder / self.file, self.file, least)
        check_columns(x, y, "x" if self.file is None else "file", least)
        return x, y

    def to_symbol(self, folder: Path) -> references.Spline:
        """The interpolating curve as cubic pieces. Raises SceneError."""
        x, y = self.points(folder)
        pieces = pieces_of(x, y, self.interpolation)
        return references.Spline((float(len(x)), *x.tolist(), *pieces.ravel().tolist()))


def pieces_of(x: np.ndarray, y: np.ndarray, interpolation: str) -> np.ndarray:
    """(n − 1, 4) a, b, c, d of the pieces a + b u + c u² + d u³ with u = x − xₖ.

    Cubic: not-a-knot ends; monotone: F. N. Fritsch and J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984)
    """
    # scipy takes a fifth of a second to import, and few scenes have splines
    from scipy.interpolate import CubicSpline, PchipInterpolator

    if interpolation == "linear":
        slopes = np.diff(y) / np.diff(x)
        nothing = np.zeros(len(slopes))
        return np.stack([y[:-1], slopes, nothing, nothing], axis=1)
    curve = CubicSpline(x, y) if interpolation == "cubic" else PchipInterpolator(x, y)
    return np.asarray(curve.c[::-1].T)


def symbol_table(
    parameters: Mapping[str, float],
    variables: Iterable[Variable],
    states: Iterable[State],
    inputs: Iterable[Input],
    splines: Mapping[str, references.Spline],
) -> dict[str, float | Symbol | references.Spline]:
    """Meaning of each name in expressions. Raises SceneError.

    Variables may be in any order. A circular definition is accepted if one variable of it is implicit.
    """
    symbols: dict[str, float | Symbol | references.Spline] = {
        **parameters,
        **splines,
        **{state.name: Symbol([(tape.STATE, state.name)]) for state in states},
        **{one.name: Symbol([(tape.INPUT, one.name)]) for one in inputs},
    }
    by_name = {variable.name: (k, variable) for k, variable in enumerate(variables)}
    implicit = {name for name, (_, variable) in by_name.items() if variable.start is not None}
    symbols |= {name: Symbol([(tape.UNKNOWN, Implicit(name))]) for name in implicit}
    uses: dict[str, set[str]] = {}
    for name, (_, variable) in by_name.items():
        words = IDENTIFIER.findall(variable.value) if isinstance(variable.value, str) else ()
        uses[name] = set(words) & set(by_name) - implicit
    try:
        order = list(graphlib.TopologicalSorter(uses).static_order())
    except graphlib.CycleError as error:
        cycle = list(reversed(error.args[1]))
        k, variable = by_name[cycle[0]]
        mend = (
            f"circular definition: {' -> '.join(cycle)}; make one variable implicit by an initial guess "
            "`start`, or make it a [[state]] with `rate` and `start`"
        )
        raise SceneError(f"variable[{k}].value", variable.value, mend) from None
    for name in order:
        k, variable = by_name[name]
        with errors_at(f"variable[{k}].value", variable.value):
            program = program_of(variable.value, symbols)
        if name not in implicit:
            symbols[name] = Symbol(to_program(shared(program)))
    return symbols
