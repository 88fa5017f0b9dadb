"""Types of parsed expressions, and of the symbols that expressions may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mbplugin.tables import tape

#: (operation code, argument) pairs in postfix order. The argument is, by code:
#: CONSTANT, POWER_CONSTANT: the constant; MEASURE, RATE: a Reference; STATE: its name; SPLINE: its numbers;
#: UNKNOWN: an Acceleration, a Reaction or an Implicit; CALL + n: a Called
Program = list[tuple[int, Any]]
#: a parsed part of an expression: its value if it is constant, else its program
Part = float | Program


class Reference(NamedTuple):
    """A measure between markers, or a joint coordinate."""

    measure: str  # name of the measure; "" for a joint coordinate
    markers: tuple[str, ...]  # the markers; for a joint coordinate its name, ("hinge.angle",)

    def __str__(self) -> str:
        return f"{self.measure}({', '.join(self.markers)})" if self.measure else self.markers[0]


@dataclass(frozen=True)
class Acceleration:
    """Second time derivative of a measure."""

    of: Reference

    def __str__(self) -> str:
        return f"acceleration({self.of})"


@dataclass(frozen=True)
class Reaction:
    """A component of a joint reaction, or the driving force of a coordinate."""

    component: str  # "hinge.fx", or the coordinate "hinge.angle"
    axes: str = ""  # marker whose axes are used; "" for those of the joint

    def __str__(self) -> str:
        return f"reaction({self.component}{self.axes and f', {self.axes}'})"


@dataclass(frozen=True)
class Implicit:
    """An implicit variable: it may depend on itself."""

    variable: str  # its name

    def __str__(self) -> str:
        return self.variable


@dataclass(frozen=True)
class Called:
    """A function offered by a plugin."""

    function: str  # its name

    def __str__(self) -> str:
        return self.function


class Symbol(NamedTuple):
    """A variable or a state."""

    program: Program  # what its name expands to


class Spline(NamedTuple):
    """A piecewise cubic."""

    numbers: tuple[float, ...]  # in the layout of the interpreter, see `tables/tape.py`


#: what the names in expressions mean; a float is a parameter
Symbols = Mapping[str, "float | Symbol | Spline"]


def to_program(part: Part) -> Program:
    """`part` as a program, also if it is constant."""
    return [(tape.CONSTANT, part)] if isinstance(part, float) else part
