"""What the parts of a parsed expression are, and what names in expressions may stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mbplugin.tables import tape

# a part of an expression is its value if it is constant, else its program:
# pairs of a code and, for CONSTANT and POWER_CONSTANT, the constant; for MEASURE and RATE, a Reference; for
# STATE, a name; for UNKNOWN, an Acceleration, a Reaction or an Implicit; for SPLINE, its numbers; for CALL +
# n, a Called
Program = list[tuple[int, Any]]
Part = float | Program


class Reference(NamedTuple):
    """A measure: of the coordinate `markers[0]` of a joint where `measure` is empty, else the measure of that
    name between markers.
    """

    measure: str
    markers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.measure}({', '.join(self.markers)})" if self.measure else self.markers[0]


@dataclass(frozen=True)
class Acceleration:
    """The second derivative of a measure."""

    of: Reference

    def __str__(self) -> str:
        return f"acceleration({self.of})"


@dataclass(frozen=True)
class Reaction:
    """A component of a joint's reaction, `hinge.fx`, in the joint's axes or in those of a marker; or the
    drive of a coordinate, `hinge.angle`.
    """

    component: str
    axes: str = ""

    def __str__(self) -> str:
        return f"reaction({self.component}{self.axes and f', {self.axes}'})"


@dataclass(frozen=True)
class Implicit:
    """A variable that may depend on itself."""

    variable: str

    def __str__(self) -> str:
        return self.variable


@dataclass(frozen=True)
class Called:
    """A function of a plugin's."""

    function: str

    def __str__(self) -> str:
        return self.function


class Named(NamedTuple):
    """What a name of a variable or a state stands for."""

    program: Program


class Spline(NamedTuple):
    """A piecewise cubic as the interpreter reads it (see `tables/tape.py`)."""

    numbers: tuple[float, ...]


Names = Mapping[str, "float | Named | Spline"]


def operand(part: Part) -> Program:
    return [(tape.CONSTANT, part)] if isinstance(part, float) else part
