"""Curves of bodies: `[[curve]]`, and how kinds of joints name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import core_schema

from mbplugin.errors import NOT_GIVEN, SceneError, errors_at, suggestion
from mbplugin.model.curve_fit import CurveTable, cubic, fitted, sides_of
from mbplugin.model.evaluation import values_of
from mbplugin.model.names import GROUND, Name, Reference
from mbplugin.model.plane import to_spatial
from mbplugin.model.point_files import read_points
from mbplugin.model.quantities import array_schema, check_reach, each, items_of, validate_numbers
from mbplugin.model.shape import Color
from mbplugin.model.symbols import Text
from mbplugin.model.table import Table, validated
from mbplugin.model.tabulated import Mark

AXES = ("x", "y", "z")
#: fewest points of an open and of a closed curve
FEWEST, FEWEST_CLOSED = 2, 3
#: distance of the ends of a closed curve that is rounding, in its size
ROUNDING = 1e-9


def validate_points(value: Any, info: ValidationInfo) -> tuple[tuple[float, ...], ...]:
    """Two or more points of two or three numbers each. Raises SceneError."""
    items = items_of(value, range(FEWEST, 10**6), "must be a list of 2 or more points")

    def point(item: Any) -> tuple[float, ...]:
        numbers = validate_numbers(item, info, 3, 2, what="must be a list of 3 numbers (or 2 in the plane)")
        check_reach(numbers, item)
        return numbers

    points = each(items, point)
    widths = {len(one) for one in points}
    if len(widths) > 1:
        k = next(k for k, one in enumerate(points) if len(one) != len(points[0]))
        raise SceneError(f"[{k}]", list(points[k]), f"must have {len(points[0])} numbers, as the first point")
    return points


Points = Annotated[
    tuple[tuple[float, ...], ...],
    BeforeValidator(validate_points),
    WithJsonSchema(array_schema(FEWEST, None, array_schema(2, 3))),
]
Range = Annotated[
    tuple[float, float],
    BeforeValidator(lambda value, info: validate_numbers(value, info, 2)),
    WithJsonSchema(array_schema(2, 2)),
]


class Shaped(Table):
    """The shape of a curve: through points, or by expressions of a parameter."""

    points: Points | None = Field(
        default=None, description="points that it goes through, each [x, y, z], or two in the plane [m]"
    )
    file: str | None = Field(
        default=None,
        description="a CSV file in the scene's folder with its points, two or three columns; heading \"x "
        '[mm],y [mm]" if they are not in metres',
    )
    x: Text | None = Field(default=None, description="expression of the parameter `s`; default 0 [m]")
    y: Text | None = Field(default=None, description="expression of the parameter `s`; default 0 [m]")
    z: Text | None = Field(default=None, description="expression of the parameter `s`; default 0 [m]")
    range: Range | None = Field(default=None, description="first and last `s` of the expressions")
    closed: bool = Field(
        default=False, description="whether its end is joined to its begin, smoothly; points need not say so"
    )

    @model_validator(mode="after")
    def one_shape(self) -> Self:
        expressions = any(getattr(self, axis) is not None for axis in AXES)
        given = [name for name in ("points", "file") if getattr(self, name) is not None]
        given += ["x, y, z"] if expressions else []
        if len(given) != 1:
            what = (
                f"{' and '.join(given)} are given; keep one of them" if given else "give `points`, `file`, or"
            )
            mend = what if given else f"{what} `x`, `y`, `z` as expressions of `s` with `range`"
            raise SceneError(value=NOT_GIVEN, mend=mend)
        if expressions and self.range is None:
            raise SceneError("range", NOT_GIVEN, "is missing: the first and the last `s` of the expressions")
        if self.range is not None and not expressions:
            raise SceneError("range", list(self.range), "is for expressions of `s`; leave it out")
        if self.range is not None and not self.range[0] < self.range[1]:
            raise SceneError("range", list(self.range), "must increase: the first `s`, then the last")
        return self

    def table(self, name: str, body: str, folder: Path, plane: str, symbols: Mapping[str, Any]) -> CurveTable:
        """The curve as splines over its arc length. Raises SceneError.

        plane: of points with two numbers; symbols: parameters and splines
        """
        if self.range is not None:
            key = next(axis for axis in AXES if getattr(self, axis) is not None)
            function, breaks, parameter = self.of_expressions(symbols), list(self.range), "s"
            self.check_closed(function, key)
        else:
            key, parameter = "points" if self.file is None else "file", "s"
            function, breaks = self.through_points(self.given_points(folder, plane), key)
        s, points, slopes, bends, error = fitted(function, breaks, self.closed, parameter, key)
        sides = sides_of(s, points, slopes, self.closed)
        return CurveTable(name, body, s, points, slopes, bends, sides, self.closed, error)

    def of_expressions(self, symbols: Mapping[str, Any]) -> Callable[[np.ndarray], np.ndarray]:
        """The points (n, 3) at parameters (n,)."""

        def function(s: np.ndarray) -> np.ndarray:
            columns = []
            for axis in AXES:
                text = getattr(self, axis)
                with errors_at(axis, text):
                    columns.append(np.zeros(len(s)) if text is None else values_of(text, "s", s, symbols))
            return np.stack(columns, axis=1)

        return function

    def check_closed(self, function: Callable[[np.ndarray], np.ndarray], key: str) -> None:
        """Check that the ends of a closed curve meet. Raises SceneError."""
        assert self.range is not None
        if not self.closed:
            return
        points = function(np.linspace(*self.range, 65))
        gap, size = (
            float(np.linalg.norm(points[-1] - points[0])),
            float(np.linalg.norm(np.ptp(points, axis=0))),
        )
        if gap > ROUNDING * size:
            mend = f"its ends are {gap:.3g} m apart; choose `range` so that they meet, or leave `closed` out"
            raise SceneError("closed", True, mend)

    def given_points(self, folder: Path, plane: str) -> np.ndarray:
        """(n, 3) points [m]. Raises SceneError."""
        if self.file is not None:
            rows = read_points(folder / self.file, self.file).tolist()
        else:
            rows = list(self.points or ())
        return np.array([to_spatial(tuple(row), plane) for row in rows], float)

    def through_points(
        self, points: np.ndarray, key: str
    ) -> tuple[Callable[[np.ndarray], np.ndarray], list[float]]:
        """The cubic spline through points over the length of their chords, and its breaks. Raises
        SceneError.
        """
        size = float(np.linalg.norm(np.ptp(points, axis=0)))
        if self.closed and np.linalg.norm(points[-1] - points[0]) <= ROUNDING * size:
            points = points[:-1]
        fewest = FEWEST_CLOSED if self.closed else FEWEST
        if len(points) < fewest:
            raise SceneError(key, f"{len(points)} points", f"a curve like this has {fewest} or more")
        if self.closed:
            points = np.concatenate([points, points[:1]])
        chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
        same = np.flatnonzero(chords <= ROUNDING * size)
        if len(same):
            k = int(same[0])
            again = f"points {k} and {k + 1}: the same point twice; leave one of them out"
            raise SceneError(f"{key}[{k + 1}]" if key == "points" else key, mend=again)
        u = np.concatenate([[0.0], np.cumsum(chords)])
        spline = cubic(u, points, self.closed)
        return (lambda at: np.asarray(spline(at))), u.tolist()


class Curve(Shaped):
    """A curve of a body or the ground, as joints name it: `[[curve]]`."""

    name: Name = Field(description="name, unique among the curves")
    body: Reference = Field(
        default=GROUND,
        description='body or marker in whose frame it is given: "body", "body.marker", "ground"',
    )
    color: Color | None = Field(default=None, description="color in pictures, as of a shape")
    visible: bool = Field(default=True, description="false: pictures and series leave it out")


@dataclass(frozen=True)
class OnMarker(Mark):
    """Marks a key of a joint kind that names a `[[curve]]` of the body of one of its markers.

    marker: its number, 0 for `a`. Of a key "rim" a kernel gets p.rim_x, p.rim_y and p.rim_z, splines of the
    points over the arc length in the axes of this marker, p.rim_side_x, ... of a unit vector normal to the
    curve, p.rim_length, and p.rim_closed, 1 or 0. In Python the value is a `CurveTable`. In the place of a
    name the keys of a curve may stand, as a table; it is then in the axes of the marker.
    """

    marker: int

    @property
    def text(self) -> str:
        """What the key holds, for listings and messages."""
        return "name of a `[[curve]]`"

    def curve(self, value: Any, info: ValidationInfo) -> CurveTable:
        """The curve of this name. Raises SceneError."""
        context = info.context or {}
        if isinstance(value, CurveTable):
            return value
        if isinstance(value, Mapping):
            symbols = {k: v for k, v in context.get("parameters", {}).items() if isinstance(v, float)}
            shaped = validated(Shaped, value, "", symbols)
            return shaped.table("", "", Path(context.get("folder") or "."), "xy", symbols)
        curves = context.get("curves", {})
        if not isinstance(value, str) or value not in curves:
            mend = f"there is no such curve{suggestion(str(value), curves)}; add it as a `[[curve]]`"
            raise SceneError(value=value, mend=mend)
        found: CurveTable = curves[value]
        return found

    def sample(self, k: int) -> Any:
        """A value for the conformance kit, another one for each k."""
        return {"x": f"{0.5 + 0.1 * k}*cos(s)", "y": "0.4*sin(s)", "range": [0.0, 2 * np.pi], "closed": True}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return core_schema.with_info_plain_validator_function(self.curve)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, {"type": "object"}], "description": self.text}
