"""Expressions of scenes: text -> tape, by an allow-list; nothing of the text is ever executed as Python.

    numbers, + - * / ** ( ), the names `time` [s], `pi`, the scene's parameters, variables and states, and the functions
    sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log sqrt abs sign min(a, b, …) max(a, b, …)
    step(x)                          1 where x > 0, else 0
    if(x, a, b)                      a where x > 0, else b
    haversine_step(x, x0, h0, x1, h1)  h0 up to x0, h1 from x1 on, half a cosine wave between
    < <= > >=                        1 or 0; only as the first argument of `step` and `if`
    polynomial(x, a0, a1, …)         a0 + a1 x + …
    name(x)                          the scene's spline of that name
    hinge.angle                      a coordinate of a joint; 'left hinge'.angle where the joint's name is no single word
    distance(rod.end, ground), …     any measure of plugins between markers
    rate(hinge.angle)                the rate of one of these

What does not change is computed when the text is parsed, so a tape holds only what does. What coordinates, markers and measures there are is known when the
system is compiled; until then an expression holds references.
"""

from __future__ import annotations

import graphlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.model.functions import FUNCTIONS, OPERATORS, Operation
from mbplugin.tables import tape
from mbplugin.tables.tape import Tape

LENGTH = 2000  # characters of an expression
NESTING = 40  # brackets, signs and powers within each other
EXPONENT = 1000.0  # size of a constant exponent

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*(?:\.\w+)*)|(?P<quoted>'[^']*'(?:\.\w+)?)|(?P<sign>\*\*|[<>=!]=|[^\s\w]))"
)
IDENTIFIER = re.compile(r"[^\W\d]\w*")
OPERANDS = {op.code: op.operands for op in (*OPERATORS.values(), *FUNCTIONS.values())} | {tape.POWER_CONSTANT: 1, tape.SPLINE: 1}
#: names that parameters, variables, states and splines cannot have; and those that splines cannot have besides, since they mean something before a bracket
RESERVED = ("time", "pi", *FUNCTIONS)
CALLED = ("rate", "polynomial")

# a part of an expression is its value if it is constant, else its program:
# pairs of a code and, for CONSTANT and POWER_CONSTANT, the constant; for MEASURE and RATE, a Reference; for STATE, a name; for SPLINE, its numbers
Program = list[tuple[int, Any]]
Part = float | Program


class Reference(NamedTuple):
    """A measure: of the coordinate `markers[0]` of a joint where `measure` is empty, else the measure of that name between markers."""

    measure: str
    markers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.measure}({', '.join(self.markers)})" if self.measure else self.markers[0]


class Named(NamedTuple):
    """What a name of a variable or a state stands for."""

    program: Program


class Spline(NamedTuple):
    """A piecewise cubic as the interpreter reads it (see `tables/tape.py`)."""

    numbers: tuple[float, ...]


Names = Mapping[str, "float | Named | Spline"]


@dataclass(frozen=True, eq=False)
class Expression:
    """A function of time: what was written, and its tape."""

    text: str
    tape: Tape
    references: tuple[Any, ...] = ()  # Reference or the name of a state, by the argument of MEASURE, RATE and STATE

    @property
    def uses_rates(self) -> bool:
        return bool((self.tape.ops[:, 0] == tape.RATE).any())

    @cached_property
    def constant(self) -> float | None:
        """The value, if it does not depend on time."""
        ops, constants = self.tape
        return float(constants[0]) if len(ops) == 1 and ops[0, 0] == tape.CONSTANT else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        return self.references == other.references and all(np.array_equal(mine, theirs) for mine, theirs in zip(self.tape, other.tape))

    def __hash__(self) -> int:
        return hash((self.tape.ops.tobytes(), self.tape.constants.tobytes()))


def parse(text: str | float, names: Names | None = None) -> Expression:
    """A function of `time` [s], of what `names` mean and of measures; a number is a constant function. Raises SceneError."""
    program = program_of(text, names)
    constants: list[float] = []
    references: list[Any] = []
    ops = np.zeros((len(program), 2), dtype=np.int64)
    for k, (code, value) in enumerate(program):
        ops[k, 0] = code
        if code in (tape.CONSTANT, tape.POWER_CONSTANT, tape.SPLINE):
            ops[k, 1] = len(constants)
            constants += value if code == tape.SPLINE else [value]
        elif code in (tape.MEASURE, tape.RATE, tape.STATE):
            if value not in references:
                references.append(value)
            ops[k, 1] = references.index(value)
    check_depth(program, text)
    return Expression(str(text), Tape(ops, np.array(constants, np.float64)), tuple(references))


def program_of(text: str | float, names: Names | None = None) -> Program:
    """The program of an expression. Raises SceneError."""
    return operand(Parser(text, names or {}).parsed() if isinstance(text, str) else float(text))


def evaluate_number(text: str, names: Names | None = None) -> float:
    """The value of an expression that does not change. Raises SceneError."""
    part = Parser(text, names or {}).parsed()
    if not isinstance(part, float):
        moving = any(code in (tape.MEASURE, tape.RATE, tape.STATE) for code, _ in part)
        raise SceneError(value=text, mend=f"depends on {'the motion' if moving else '`time`'}, but a fixed number is wanted here")
    return part


def check_identifier(name: str, key: str, what: str) -> None:
    """Raise SceneError where `name` cannot stand in expressions."""
    if not IDENTIFIER.fullmatch(name):
        raise SceneError(key, name, f"{what} is one word of letters, digits and _, not starting with a digit")
    if name in (*RESERVED, *CALLED):
        raise SceneError(key, name, f'"{name}" already means something in expressions; take another name')


def evaluate_parameters(given: Mapping[str, Any]) -> dict[str, float]:
    """The values of `[parameters]`, each a number or an expression of others, in the order given. Raises SceneError."""
    for name, value in given.items():
        if not IDENTIFIER.fullmatch(str(name)):
            raise SceneError(
                f"parameters.{name}",
                value,
                "a parameter's name is one word of letters, digits and _, not starting with a digit",
            )
        if name in RESERVED:
            raise SceneError(
                f"parameters.{name}", value, f'"{name}" already means something in expressions; take another name'
            )
    uses = {name: set(IDENTIFIER.findall(v)) & set(given) if isinstance(v, str) else set() for name, v in given.items()}
    try:
        order = list(graphlib.TopologicalSorter(uses).static_order())
    except graphlib.CycleError as error:
        cycle = list(reversed(error.args[1]))
        mend = f"parameters depend on each other in a circle: {' -> '.join(cycle)}"
        raise SceneError(f"parameters.{cycle[0]}", given[cycle[0]], mend) from None
    values: dict[str, float] = {}
    for name in order:
        try:
            values[name] = number(given[name], values)
        except SceneError as error:
            raise SceneError(f"parameters.{name}", given[name], error.mend) from None
    return {name: values[name] for name in given}


def number(value: Any, parameters: Names | None = None) -> float:
    """A finite float from a number or an expression of parameters. Raises SceneError."""
    if isinstance(value, str):
        return evaluate_number(value, parameters)
    if isinstance(value, bool | np.bool_):
        raise SceneError(value=value, mend="must be a number, not true or false")
    if not isinstance(value, int | float | np.integer | np.floating):
        raise SceneError(value=value, mend='must be a number, or an expression of parameters in quotes, such as "2*pi"')
    try:
        result = float(value)
    except OverflowError:
        raise SceneError(value=value, mend="is too large for a number (at most 1.8e308)") from None
    if not math.isfinite(result):
        raise SceneError(value=value, mend="must be a finite number")
    return result


class Parser:
    """Recursive descent over the tokens; constants are folded on the way."""

    def __init__(self, text: str, names: Names) -> None:
        self.text, self.names = text, names
        self.nesting = 0
        if len(text) > LENGTH:
            raise self.wrong(f"an expression of {len(text)} characters; at most {LENGTH} are accepted")
        self.tokens = self.tokenized()
        self.at = 0

    def wrong(self, mend: str) -> SceneError:
        return SceneError(value=self.text, mend=mend)

    def tokenized(self) -> list[tuple[str, str]]:
        """(kind, text) of each token, closed by ("end", "")."""
        tokens, at, text = [], 0, self.text.rstrip()
        if not text:
            raise self.wrong("is empty; a number or an expression is wanted")
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                raise self.wrong(f'"{text[at]}" has no meaning in an expression')
            if match[match.lastgroup] == "^":
                raise self.wrong('"^" has no meaning here; a power is written **')
            kind, found = match.lastgroup, match[match.lastgroup]
            tokens.append((kind, found.replace("'", "") if kind == "quoted" else found))
            at = match.end()
        return [*tokens, ("end", "")]

    def taken(self, *signs: str) -> str:
        """The next token, taken, if it is one of `signs`; else nothing."""
        kind, text = self.tokens[self.at]
        if kind == "sign" and text in signs:
            self.at += 1
            return text
        return ""

    def parsed(self) -> Part:
        part = self.sum()
        if self.tokens[self.at][0] != "end":
            raise self.unexpected()
        return part

    def unexpected(self) -> SceneError:
        kind, text = self.tokens[self.at]
        if text in ("<", "<=", ">", ">=", "==", "!="):
            return self.wrong(
                f'"{text}": comparisons are < <= > >=, and stand only as the first argument of if(x, a, b) and step(x)'
            )
        if kind == "end":
            return self.wrong("ends too early")
        if kind in ("number", "name"):
            return self.wrong(f'an operator (+ - * / **) is missing before "{text}"')
        return self.wrong(f'"{text}" is not expected here')

    def inner(self) -> None:
        self.nesting += 1
        if self.nesting > NESTING:
            raise self.wrong(f"is nested deeper than {NESTING} levels; name parts of it in [parameters]")

    def condition(self) -> Part:
        """A sum, or two sums compared: 1 where it holds, else 0."""
        left = self.sum()
        sign = self.taken("<", "<=", ">", ">=")
        if not sign:
            return left
        right = self.sum()
        if sign in ("<", "<="):
            left, right = right, left
        return self.applied(OPERATORS[sign.replace("<", ">")], sign, left, right)

    def sum(self) -> Part:
        part = self.product()
        while sign := self.taken("+", "-"):
            part = self.applied(OPERATORS[sign], sign, part, self.product())
        return part

    def product(self) -> Part:
        part = self.signed()
        while sign := self.taken("*", "/"):
            part = self.applied(OPERATORS[sign], sign, part, self.signed())
        return part

    def signed(self) -> Part:
        """−x ** y is −(x ** y), as in mathematics and in Python."""
        sign = self.taken("-", "+")
        if not sign:
            return self.power()
        self.inner()
        part = self.signed()
        self.nesting -= 1
        return self.applied(OPERATORS["negative"], "-", part) if sign == "-" else part

    def power(self) -> Part:
        base = self.atom()
        if not self.taken("**"):
            return base
        self.inner()
        exponent = self.signed()
        self.nesting -= 1
        if isinstance(exponent, float):
            if abs(exponent) > EXPONENT:
                raise self.wrong(f"the exponent {exponent:g} is too large; at most {EXPONENT:g} is accepted")
            if not isinstance(base, float):
                return [*base, (tape.POWER_CONSTANT, exponent)]
        return self.applied(OPERATORS["**"], "**", base, exponent)

    def atom(self) -> Part:
        kind, text = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            value = float(text)
            if math.isinf(value):
                raise self.wrong("holds a number above 1.8e308")
            return value
        if kind == "quoted" and "." in text:
            self.at += 1
            return [(tape.MEASURE, Reference("", (text,)))]
        if kind == "name":
            self.at += 1
            return self.call(text) if self.taken("(") else self.named(text)
        if self.taken("("):
            self.inner()
            part = self.sum()
            self.closed()
            return part
        raise self.unexpected()

    def closed(self) -> None:
        if not self.taken(")"):
            raise self.wrong('a ")" is missing') if self.tokens[self.at][0] == "end" else self.unexpected()
        self.nesting -= 1

    def named(self, name: str) -> Part:
        if name == "time":
            return [(tape.TIME, 0.0)]
        if name == "pi":
            return math.pi
        if name in self.names:
            meaning = self.names[name]
            if isinstance(meaning, Spline):
                raise self.wrong(f'the spline "{name}" needs its argument in brackets')
            return list(meaning.program) if isinstance(meaning, Named) else float(meaning)
        if name in FUNCTIONS or name in CALLED:
            raise self.wrong(f'the function "{name}" needs its arguments in brackets')
        if name.split(".")[0] in RESERVED:
            raise self.wrong(f'"." is not expected after "{name.split(".")[0]}"')
        if "." in name:
            return [(tape.MEASURE, Reference("", (name,)))]
        known = ["time", "pi", *self.names]
        near = did_you_mean(name, [*known, *FUNCTIONS])
        raise self.wrong(f'unknown name "{name}"{near or f"; known are {listed(known)}"}')

    def markers(self) -> tuple[str, ...]:
        """Names up to the closing bracket, which are the markers of a measure; nothing where there stands anything else."""
        at, found = self.at, []
        while self.tokens[at][0] in ("name", "quoted") and self.tokens[at][1] not in {"time", "pi", *self.names}:
            found.append(self.tokens[at][1])
            if self.tokens[at + 1] == ("sign", ")"):
                self.at = at + 2
                return tuple(found)
            if self.tokens[at + 1] != ("sign", ","):
                break
            at += 2
        return ()

    def rate(self) -> Part:
        self.inner()
        part = self.sum()
        self.closed()
        if isinstance(part, float) or len(part) != 1 or part[0][0] != tape.MEASURE:
            raise self.wrong("rate(...) is of one coordinate of a joint, such as rate(hinge.angle), or of one measure")
        return [(tape.RATE, part[0][1])]

    def polynomial(self) -> Part:
        """Horner's rule."""
        self.inner()
        arguments = [self.sum()]
        while self.taken(","):
            arguments.append(self.sum())
        self.closed()
        if len(arguments) < 2:
            raise self.wrong("polynomial(x, a0, a1, ...) needs coefficients")
        x, *coefficients = arguments
        part = coefficients[-1]
        for coefficient in coefficients[-2::-1]:
            part = self.applied(OPERATORS["+"], "+", self.applied(OPERATORS["*"], "*", part, x), coefficient)
        return part

    def spline(self, spline: Spline) -> Part:
        self.inner()
        argument = self.sum()
        self.closed()
        return [*operand(argument), (tape.SPLINE, spline.numbers)]

    def call(self, name: str) -> Part:
        if name == "rate":
            return self.rate()
        if name == "polynomial":
            return self.polynomial()
        if isinstance(meaning := self.names.get(name), Spline):
            return self.spline(meaning)
        if name not in FUNCTIONS:
            if not name.startswith("_") and (markers := self.markers()):
                return [(tape.MEASURE, Reference(name, markers))]
            near = did_you_mean(name, [*FUNCTIONS, *CALLED])
            raise self.wrong(f'unknown function "{name}"{near or f"; known are {listed(FUNCTIONS, len(FUNCTIONS))}"}')
        function = FUNCTIONS[name]
        self.inner()
        arguments = [self.condition() if name in ("if", "step") else self.sum()]
        while self.taken(","):
            arguments.append(self.sum())
        self.closed()
        if name in ("min", "max") and len(arguments) > 2:
            part = arguments[0]
            for other in arguments[1:]:
                part = self.applied(function, name, part, other)
            return part
        if len(arguments) != function.operands:
            raise self.wrong(f"{name} takes {function.operands} arguments, not {len(arguments)}")
        if name == "if" and isinstance(arguments[0], float):
            return arguments[1] if arguments[0] > 0.0 else arguments[2]
        if (
            name == "haversine_step"
            and isinstance(x0 := arguments[1], float)
            and isinstance(x1 := arguments[3], float)
            and x0 >= x1
        ):
            raise self.wrong(f"haversine_step(x, x0, h0, x1, h1) needs x0 < x1, not {x0:g} and {x1:g}")
        return self.applied(function, name, *arguments)

    def applied(self, operation: Operation, name: str, *operands: Part) -> Part:
        """The program of `operation`, or its value if all operands are constant."""
        values = [part for part in operands if isinstance(part, float)]
        if len(values) < len(operands):
            return [step for part in operands for step in operand(part)] + [(operation.code, 0.0)]
        seen = (
            f"{name}({', '.join(f'{v:g}' for v in values)})"
            if name in FUNCTIONS
            else f" {name} ".join(f"{v:g}" for v in values)
        )
        try:
            result = float(operation.value(*values))
        except (ValueError, ZeroDivisionError):
            raise self.wrong(f"{seen} has no value") from None
        except OverflowError:
            result = math.inf
        if not math.isfinite(result):
            raise self.wrong(f"{seen} is too large for a number (at most 1.8e308)")
        return result


def operand(part: Part) -> Program:
    return [(tape.CONSTANT, part)] if isinstance(part, float) else part


def check_depth(program: Program, text: str | float) -> None:
    """Raise SceneError if the program needs a deeper stack than the interpreter has."""
    depth = 0
    for code, _ in program:
        depth += 1 - OPERANDS.get(code, 0)
        if depth > tape.DEPTH:
            raise SceneError(
                value=text, mend=f"holds more than {tape.DEPTH} intermediate values; name parts of it in [parameters]"
            )
