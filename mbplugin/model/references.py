"""Types of parsed expressions, and of the symbols that expressions may use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mbplugin.tables import tape

#: (operation code, argument) pairs in postfix order. The argument is, by code:
#: CONSTANT, POWER_CONSTANT: the constant; MEASURE, RATE: a Reference; STATE, INPUT: its name; SPLINE: its
#: numbers; UNKNOWN: an Acceleration, a Reaction or an Implicit; CALL + n: a Called; LOAD: a Shared, and after
#: `laid_out` an entry of the stack
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
    """A variable, a state or an input."""

    program: Program  # what its name expands to


@dataclass(frozen=True, eq=False)
class Shared:
    """A part that may be used several times; the argument of LOAD until an expression is laid out."""

    program: Program


class Spline(NamedTuple):
    """A piecewise cubic."""

    numbers: tuple[float, ...]  # in the layout of the interpreter, see `tables/tape.py`


#: what the names in expressions mean; a float is a parameter
Symbols = Mapping[str, "float | Symbol | Spline"]


def to_program(part: Part) -> Program:
    """`part` as a program, also if it is constant."""
    return [(tape.CONSTANT, part)] if isinstance(part, float) else part


def shared(part: Part) -> Part:
    """`part` for several uses: longer programs are computed once."""
    return part if isinstance(part, float) or len(part) == 1 else [(tape.LOAD, Shared(part))]


def shared_parts(program: Program) -> list[Shared]:
    """All shared parts that a program uses, directly or through others; each after those that it uses."""
    found: dict[Shared, None] = {}
    # depth first, without recursion: chains of variables may be long
    open_parts = [(part, False) for part in reversed(used_by(program))]
    while open_parts:
        part, done = open_parts.pop()
        if part in found:
            continue
        if done:
            found[part] = None
            continue
        open_parts.append((part, True))
        open_parts += [(other, False) for other in reversed(used_by(part.program)) if other not in found]
    return list(found)


def used_by(program: Program) -> list[Shared]:
    """The shared parts that a program uses directly, as often as it uses them."""
    return [value for code, value in program if code == tape.LOAD]


def laid_out(program: Program) -> Program:
    """The program with the parts that are used once in their places. The others come first and stay on the
    stack, where LOAD finds them.
    """
    parts = shared_parts(program)
    uses = Counter(part for each in [*(p.program for p in parts), program] for part in used_by(each))
    places: dict[Shared, int] = {}
    single: dict[Shared, Program] = {}
    result: Program = []

    def filled(program: Program) -> Program:
        ops: Program = []
        for code, value in program:
            if code != tape.LOAD:
                ops.append((code, value))
            elif value in places:
                ops.append((tape.LOAD, places[value]))
            else:
                ops += single.pop(value)
        return ops

    for part in parts:
        if uses[part] == 1:
            single[part] = filled(part.program)
        else:
            result += filled(part.program)
            places[part] = len(places)
    return [*result, *filled(program)]
