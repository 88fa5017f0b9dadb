"""Recursive descent over the text of an expression; the language is described in `expression.py`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from mbplugin.errors import SceneError, did_you_mean, listed
from mbplugin.model.functions import FUNCTIONS, OPERATORS, Operation
from mbplugin.model.references import (
    Acceleration,
    Called,
    Named,
    Names,
    Part,
    Reaction,
    Reference,
    Spline,
    operand,
)
from mbplugin.tables import tape

LENGTH = 2000  # characters of an expression
NESTING = 40  # brackets, signs and powers within each other
EXPONENT = 1000.0  # size of a constant exponent

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*(?:\.\w+)*)|(?P<quoted>'[^']*'(?:\.\w+)?)|(?P<sign>\*\*|[<>=!]=|[^\s\w]))"
)
IDENTIFIER = re.compile(r"[^\W\d]\w*")
#: names that parameters, variables, states and splines cannot have; and those that splines cannot have
#: besides, since they mean something before a bracket
RESERVED = ("time", "pi", *FUNCTIONS)
CALLED = ("rate", "acceleration", "reaction", "polynomial")


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
        """Names up to the closing bracket, which are the markers of a measure; nothing where there stands
        anything else.
        """
        at, found = self.at, []
        while self.tokens[at][0] in ("name", "quoted") and self.tokens[at][1] not in {
            "time",
            "pi",
            *self.names,
        }:
            found.append(self.tokens[at][1])
            if self.tokens[at + 1] == ("sign", ")"):
                self.at = at + 2
                return tuple(found)
            if self.tokens[at + 1] != ("sign", ","):
                break
            at += 2
        return ()

    def derivative(self, name: str) -> Part:
        """The rate or the acceleration of a measure."""
        self.inner()
        part = self.sum()
        self.closed()
        if isinstance(part, float) or len(part) != 1 or part[0][0] != tape.MEASURE:
            raise self.wrong(
                f"{name}(...) is of one coordinate of a joint, such as {name}(hinge.angle), or of one measure"
            )
        return [(tape.RATE, part[0][1]) if name == "rate" else (tape.UNKNOWN, Acceleration(part[0][1]))]

    def reaction(self) -> Part:
        names = self.markers()
        if len(names) not in (1, 2) or "." not in names[0]:
            raise self.wrong(
                "reaction(...) is of a component of a joint, such as reaction(hinge.fx), or reaction(hinge.fx, marker) in a marker's axes"
            )
        return [(tape.UNKNOWN, Reaction(*names))]

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
        if name in ("rate", "acceleration"):
            return self.derivative(name)
        if name == "reaction":
            return self.reaction()
        if name == "polynomial":
            return self.polynomial()
        if isinstance(meaning := self.names.get(name), Spline):
            return self.spline(meaning)
        if name not in FUNCTIONS:
            return self.of_a_plugin(name)
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
            smooth = (
                "; the smooth step is haversine_step(x, x0, h0, x1, h1)"
                if name == "step" and len(arguments) == 5
                else ""
            )
            raise self.wrong(
                f"{name} takes {function.operands} argument{'s' * (function.operands != 1)}, not {len(arguments)}{smooth}"
            )
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

    def of_a_plugin(self, name: str) -> Part:
        """A measure between markers, or a function of numbers; plugins are asked when the system is compiled."""
        if name.startswith("_") or "." in name:
            raise self.wrong(unknown_function(name, []))
        if markers := self.markers():
            return [(tape.MEASURE, Reference(name, markers))]
        self.inner()
        arguments = [self.sum()]
        while self.taken(","):
            arguments.append(self.sum())
        self.closed()
        if len(arguments) > tape.MOST_OPERANDS:
            raise self.wrong(
                f"{name} has {len(arguments)} arguments; at most {tape.MOST_OPERANDS} are accepted"
            )
        return [step for part in arguments for step in operand(part)] + [
            (tape.CALL + len(arguments), Called(name))
        ]

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


def unknown_function(name: str, offered: Iterable[str]) -> str:
    """What to say of it; `offered`: by plugins."""
    known = [*FUNCTIONS, *CALLED, *offered]
    return (
        f'unknown function "{name}"{did_you_mean(name, known) or f"; known are {listed(known, len(known))}"}'
    )
