"""Recursive-descent parser for expressions. `expression.py` describes the language."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable

from mbplugin.errors import SceneError, did_you_mean, suggestion
from mbplugin.model import references
from mbplugin.model.functions import FUNCTIONS, LARGEST, OPERATORS, Operation
from mbplugin.tables import tape

MAX_LENGTH = 2000  # characters of an expression
MAX_NESTING = 40  # nested parentheses, signs and powers
MAX_EXPONENT = 1000.0  # magnitude of a constant exponent

TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
        |(?P<name>[^\W\d]\w*(?:\.\w+)*)
        |(?P<quoted>'[^']*'(?:\.\w+)?)
        |(?P<sign>\*\*|[<>=!]=|[^\s\w])
    )""",
    re.VERBOSE,
)
IDENTIFIER = re.compile(r"[^\W\d]\w*")
RESERVED = ("time", "pi", *FUNCTIONS)  # no parameter, variable, state, input or spline may have these names
CALLED = ("rate", "acceleration", "reaction", "polynomial")  # nor a variable, state or spline these


@functools.lru_cache(maxsize=4096)
def tokens_of(expression: str) -> tuple[tuple[str, str], ...]:
    """(kind, text) of each token; the last one is ("end", ""). Raises SceneError."""
    tokens, at, text = [], 0, expression.rstrip()
    if not text:
        raise SceneError(value=expression, mend="is empty; give a number or an expression")
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise SceneError(value=expression, mend=f'"{text[at]}" is not valid in an expression')
        kind, token = match.lastgroup, match[match.lastgroup]
        if token == "^":
            raise SceneError(value=expression, mend='"^" is not an operator; write ** for a power')
        tokens.append((kind, token.replace("'", "") if kind == "quoted" else token))
        at = match.end()
    return (*tokens, ("end", ""))


class Parser:
    """Parses one expression into a `Part`. Constants are folded. All methods raise SceneError."""

    def __init__(self, text: str, symbols: references.Symbols) -> None:
        self.text, self.symbols = text, symbols
        self.nesting = 0
        if len(text) > MAX_LENGTH:
            raise self.error(f"has {len(text)} characters; at most {MAX_LENGTH} are accepted")
        self.tokens = tokens_of(text)
        self.at = 0  # index of the next token

    def error(self, mend: str) -> SceneError:
        return SceneError(value=self.text, mend=mend)

    def accept(self, *signs: str) -> str:
        """Consume and return the next token if it is one of `signs` (or words), else return ""."""
        kind, text = self.tokens[self.at]
        if text in signs and kind in ("sign", "name"):
            self.at += 1
            return text
        return ""

    def parse(self, condition: bool = False) -> references.Part:
        """A sum; condition: what is positive where conditions hold."""
        part = self.alternatives() if condition else self.sum()
        if self.tokens[self.at][0] != "end":
            raise self.unexpected()
        return part

    def unexpected(self) -> SceneError:
        """The error for a next token that does not fit."""
        kind, text = self.tokens[self.at]
        if text in ("<", "<=", ">", ">=", "==", "!="):
            mend = "only < <= > >= are accepted, and only in the first argument of if(x, a, b) and step(x)"
            return self.error(f'"{text}": {mend}')
        if kind == "end":
            return self.error("is incomplete")
        if kind in ("number", "name"):
            return self.error(f'an operator (+ - * / **) is missing before "{text}"')
        return self.error(f'unexpected "{text}"')

    def enter(self) -> None:
        """Count one more level of nesting."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise self.error(f"is nested deeper than {MAX_NESTING} levels; move parts of it to [parameters]")

    def condition(self) -> references.Part:
        """A sum, or a comparison of two sums: 1 if it holds, else 0."""
        sign, left, right = self.compared()
        return self.apply(OPERATORS[sign.replace("<", ">")], sign, left, right) if sign else left

    def compared(self) -> tuple[str, references.Part, references.Part]:
        """Sign of a comparison, and its sums with the larger one first; "", a sum and 0 if there is none."""
        left = self.sum()
        sign = self.accept("<", "<=", ">", ">=")
        right = self.sum() if sign else 0.0
        return (sign, right, left) if sign in ("<", "<=") else (sign, left, right)

    def alternatives(self) -> references.Part:
        """Conditions with `or`, as the largest of what is positive where each holds."""
        part = self.conjunction()
        while self.accept("or"):
            part = self.apply(FUNCTIONS["max"], "max", part, self.conjunction())
        return part

    def conjunction(self) -> references.Part:
        """Conditions with `and`, as the smallest."""
        part = self.margin()
        while self.accept("and"):
            part = self.apply(FUNCTIONS["min"], "min", part, self.margin())
        return part

    def margin(self) -> references.Part:
        """a − b of a comparison a > b or a >= b; or a sum."""
        _, left, right = self.compared()
        return left if right == 0.0 else self.apply(OPERATORS["-"], "-", left, right)

    def sum(self) -> references.Part:
        part = self.product()
        while sign := self.accept("+", "-"):
            part = self.apply(OPERATORS[sign], sign, part, self.product())
        return part

    def product(self) -> references.Part:
        part = self.signed()
        while sign := self.accept("*", "/"):
            part = self.apply(OPERATORS[sign], sign, part, self.signed())
        return part

    def signed(self) -> references.Part:
        """A power with an optional sign; −x ** y is −(x ** y), as in Python."""
        sign = self.accept("-", "+")
        if not sign:
            return self.power()
        self.enter()
        part = self.signed()
        self.nesting -= 1
        return self.apply(OPERATORS["negative"], "-", part) if sign == "-" else part

    def power(self) -> references.Part:
        base = self.atom()
        if not self.accept("**"):
            return base
        self.enter()
        exponent = self.signed()
        self.nesting -= 1
        if isinstance(exponent, float):
            if abs(exponent) > MAX_EXPONENT:
                mend = f"at most {MAX_EXPONENT:g} is accepted"
                raise self.error(f"the exponent {exponent:g} is too large; {mend}")
            if not isinstance(base, float):
                return [*base, (tape.POWER_CONSTANT, exponent)]
        return self.apply(OPERATORS["**"], "**", base, exponent)

    def atom(self) -> references.Part:
        """A number, a name, a call, or an expression in parentheses."""
        kind, text = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            value = float(text)
            if value > LARGEST:
                raise self.error(f"contains a number above {LARGEST:g}")
            return value
        if kind == "quoted" and "." in text:
            self.at += 1
            return [(tape.MEASURE, references.Reference("", (text,)))]
        if kind == "name":
            self.at += 1
            return self.call(text) if self.accept("(") else self.name(text)
        if self.accept("("):
            return self.enclosed()
        raise self.unexpected()

    def enclosed(self) -> references.Part:
        """A sum and the closing parenthesis."""
        self.enter()
        part = self.sum()
        self.expect_closing()
        return part

    def arguments(self, first: Callable[[], references.Part]) -> list[references.Part]:
        """All arguments of a call and the closing parenthesis; `first` parses the first argument."""
        self.enter()
        parts = [first()]
        while self.accept(","):
            parts.append(self.sum())
        self.expect_closing()
        return parts

    def expect_closing(self) -> None:
        """Consume the closing parenthesis and leave one level of nesting."""
        if not self.accept(")"):
            if self.tokens[self.at][0] == "end":
                raise self.error('a ")" is missing')
            raise self.unexpected()
        self.nesting -= 1

    def name(self, name: str) -> references.Part:
        """The value or program of a name that is not called."""
        if name == "time":
            return [(tape.TIME, 0.0)]
        if name == "pi":
            return math.pi
        match self.symbols.get(name):
            case references.Spline():
                raise self.error(f'the spline "{name}" needs an argument in parentheses')
            case references.Symbol(program):
                return list(program)
            case None:
                pass
            case value:
                return float(value)
        if name in FUNCTIONS or name in CALLED:
            raise self.error(f'the function "{name}" needs arguments in parentheses')
        first = name.split(".")[0]
        if first in RESERVED:
            raise self.error(f'unexpected "." after "{first}"')
        if "." in name:
            return [(tape.MEASURE, references.Reference("", (name,)))]
        known = ["time", "pi", *self.symbols]
        similar = did_you_mean(name, [*known, *FUNCTIONS])
        raise self.error(f'unknown name "{name}"{similar or suggestion(name, known)}')

    def markers(self) -> tuple[str, ...]:
        """Consume a list of markers with its closing parenthesis; () if the arguments are anything else."""
        at, markers = self.at, []
        symbols = {"time", "pi", *self.symbols}
        while self.tokens[at][0] in ("name", "quoted") and self.tokens[at][1] not in symbols:
            markers.append(self.tokens[at][1])
            if self.tokens[at + 1] == ("sign", ")"):
                self.at = at + 2
                return tuple(markers)
            if self.tokens[at + 1] != ("sign", ","):
                break
            at += 2
        return ()

    def derivative(self, name: str) -> references.Part:
        """The rate or the acceleration of a measure."""
        part = self.enclosed()
        if isinstance(part, float) or len(part) != 1 or part[0][0] != tape.MEASURE:
            mend = f"takes one joint coordinate, as in {name}(hinge.angle), or one measure"
            raise self.error(f"{name}(...) {mend}")
        measure = part[0][1]
        return [(tape.RATE, measure) if name == "rate" else (tape.UNKNOWN, references.Acceleration(measure))]

    def reaction(self) -> references.Part:
        names = self.markers()
        if len(names) not in (1, 2) or "." not in names[0]:
            raise self.error(
                "reaction(...) takes a component of a joint reaction, as in reaction(hinge.fx), "
                "and optionally a marker whose axes to use, as in reaction(hinge.fx, marker)"
            )
        return [(tape.UNKNOWN, references.Reaction(*names))]

    def polynomial(self) -> references.Part:
        """Horner's method."""
        x, *coefficients = self.arguments(self.sum)
        x = references.shared(x)
        if not coefficients:
            raise self.error("polynomial(x, a0, a1, ...) needs coefficients")
        part = coefficients[-1]
        for coefficient in coefficients[-2::-1]:
            part = self.apply(OPERATORS["+"], "+", self.apply(OPERATORS["*"], "*", part, x), coefficient)
        return part

    def spline(self, spline: references.Spline) -> references.Part:
        return [*references.to_program(self.enclosed()), (tape.SPLINE, spline.numbers)]

    def call(self, name: str) -> references.Part:
        """A call of `name`, whose opening parenthesis is consumed already."""
        match name:
            case "rate" | "acceleration":
                return self.derivative(name)
            case "reaction":
                return self.reaction()
            case "polynomial":
                return self.polynomial()
        if isinstance(symbol := self.symbols.get(name), references.Spline):
            return self.spline(symbol)
        if name not in FUNCTIONS:
            return self.plugin_call(name)
        function = FUNCTIONS[name]
        arguments = self.arguments(self.condition if name in ("if", "step") else self.sum)
        if name in ("min", "max") and len(arguments) > 2:
            part = arguments[0]
            for argument in arguments[1:]:
                part = self.apply(function, name, part, argument)
            return part
        if len(arguments) != function.operands:
            raise self.wrong_number(name, function.operands, len(arguments))
        if name == "if" and isinstance(arguments[0], float):
            return arguments[1] if arguments[0] > 0.0 else arguments[2]
        if name == "haversine_step":
            x0, x1 = arguments[1], arguments[3]
            if isinstance(x0, float) and isinstance(x1, float) and x0 >= x1:
                raise self.error(f"haversine_step(x, x0, h0, x1, h1) needs x0 < x1, not {x0:g} and {x1:g}")
        return self.apply(function, name, *arguments)

    def wrong_number(self, name: str, expected: int, given: int) -> SceneError:
        """The error for a call with a wrong number of arguments."""
        plural = "" if expected == 1 else "s"
        hint = ""
        if name == "step" and given == 5:
            hint = "; the smooth step is haversine_step(x, x0, h0, x1, h1)"
        return self.error(f"{name} takes {expected} argument{plural}, not {given}{hint}")

    def plugin_call(self, name: str) -> references.Part:
        """A measure between markers, or a function; whether a plugin offers it is checked at compile time."""
        if name.startswith("_") or "." in name:
            raise self.error(unknown_function(name, []))
        if markers := self.markers():
            return [(tape.MEASURE, references.Reference(name, markers))]
        arguments = self.arguments(self.sum)
        if len(arguments) > tape.MOST_OPERANDS:
            mend = f"at most {tape.MOST_OPERANDS} are accepted"
            raise self.error(f"{name} has {len(arguments)} arguments; {mend}")
        return [*concatenated(arguments), (tape.CALL + len(arguments), references.Called(name))]

    def apply(self, operation: Operation, name: str, *operands: references.Part) -> references.Part:
        """The program of `operation`, or its value if all operands are constant."""
        values = [part for part in operands if isinstance(part, float)]
        if len(values) < len(operands):
            return [*concatenated(operands), (operation.code, 0.0)]
        texts = [f"{value:g}" for value in values]
        text = f"{name}({', '.join(texts)})" if name in FUNCTIONS else f" {name} ".join(texts)
        try:
            result = float(operation.value(*values))
        except (ValueError, ZeroDivisionError):
            raise self.error(f"{text} is undefined") from None
        except OverflowError:
            result = math.inf
        if not abs(result) <= LARGEST:
            raise self.error(f"{text} is too large (at most {LARGEST:g} is accepted)")
        return result


def concatenated(parts: Iterable[references.Part]) -> references.Program:
    """The programs of `parts`, one after the other."""
    return [step for part in parts for step in references.to_program(part)]


def unknown_function(name: str, offered: Iterable[str]) -> str:
    """The message for an unknown function; `offered` are the functions of plugins."""
    known = [*FUNCTIONS, *CALLED, *offered]
    return f'unknown function "{name}"{suggestion(name, known, len(known))}'
