"""The formula of an author's function in LaTeX: it is run with symbols for markers, parameters and vectors.

Vectors stay vectors where the functions of `vec3` are used; else their components are written. Helpers that
branch on symbols, and loops that depend on them, have no formula.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mbplugin.derive.author import Known, copied, python_of
from mbplugin.derive.graph import TraceError
from mbplugin.derive.sums import window_of

AXES = "xyz"
#: how tightly operations bind
SUM, PRODUCT, POWER, ATOM = range(4)
GREEK = ("alpha", "beta", "gamma", "mu", "phi", "theta", "omega", "kappa", "rho", "sigma", "tau", "lambda")
FUNCTIONS = {name: rf"\{name}" for name in ("sin", "cos", "tan", "exp", "tanh", "sinh", "cosh")} | {
    "log": r"\ln",
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
}


class Formula:
    """A number or vector as text; binding: of its outermost operation."""

    def __init__(self, text: str, binding: int = ATOM) -> None:
        self.text, self.binding = text, binding

    def within(self, binding: int) -> str:
        """The text as part of an operation, in brackets if that binds more tightly."""
        return self.text if self.binding >= binding else rf"\left( {self.text} \right)"

    def __add__(self, other: Any) -> Formula:
        return summed(self, lifted(other), "+")

    def __radd__(self, other: Any) -> Formula:
        return summed(lifted(other), self, "+")

    def __sub__(self, other: Any) -> Formula:
        return summed(self, lifted(other), "-")

    def __rsub__(self, other: Any) -> Formula:
        return summed(lifted(other), self, "-")

    def __mul__(self, other: Any) -> Formula:
        return multiplied(self, lifted(other))

    def __rmul__(self, other: Any) -> Formula:
        return multiplied(lifted(other), self)

    def __truediv__(self, other: Any) -> Formula:
        return Formula(rf"\frac{{{self.text}}}{{{lifted(other).text}}}")

    def __rtruediv__(self, other: Any) -> Formula:
        return lifted(other) / self

    def __pow__(self, exponent: Any) -> Formula:
        return Formula(f"{self.within(ATOM)}^{{{lifted(exponent).text}}}", POWER)

    def __neg__(self) -> Formula:
        return Formula(f"-{self.within(PRODUCT)}", SUM)

    def __abs__(self) -> Formula:
        return Formula(f"|{self.text}|")

    def __getitem__(self, k: Any) -> Formula:
        """A component of a vector, or an entry of a parameter."""
        name = AXES[k] if isinstance(k, int) and k < 3 else k
        return Formula(
            rf"{self.within(ATOM)}_{{{name}}}" if "_" not in self.text else f"({self.text})_{{{name}}}"
        )

    def __iter__(self) -> Any:
        return iter([self[k] for k in range(3)])

    def __bool__(self) -> bool:
        raise TraceError("a branch, of which there is no formula")

    __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: Formula("", ATOM)  # type: ignore[assignment]


def lifted(value: Any) -> Formula:
    if isinstance(value, Formula):
        return value
    if isinstance(value, tuple):
        return Formula(rf"\left( {', '.join(lifted(v).text for v in value)} \right)")
    number = float(value)
    turns = number / math.pi
    if number and turns == round(turns):
        text = r"\pi" if turns == 1.0 else rf"{turns:g} \pi"
    else:
        text = f"{number:g}"
    return Formula(text, SUM if number < 0 else ATOM)


def summed(a: Formula, b: Formula, sign: str) -> Formula:
    if a.text == "0" and sign == "+":
        return b
    return Formula(f"{a.text} {sign} {b.within(PRODUCT) if sign == '-' else b.text}", SUM)


def multiplied(a: Formula, b: Formula) -> Formula:
    if a.text in ("1", "-1"):
        return b if a.text == "1" else -b
    return Formula(rf"{a.within(PRODUCT)} \, {b.within(PRODUCT)}", PRODUCT)


def called(name: str, x: Any) -> Formula:
    """A function of one number."""
    return Formula(f"{name}({x if isinstance(x, str) else lifted(x).text})")


def symbol(name: str) -> str:
    """A name as LaTeX: Greek letters, one letter, or upright text."""
    return (
        rf"\{name}"
        if name in GREEK
        else name
        if len(name) == 1
        else rf"\mathrm{{{name}}}".replace("_", r"\_")
    )


class SymbolicMarker:
    """Position and axes of a marker as symbols."""

    def __init__(self, name: str) -> None:
        name = name if len(name) == 1 else f"{{{name}}}"
        self.name = name
        self.x, self.v = Formula(f"r_{name}"), Formula(f"v_{name}")
        self.w = Formula(rf"\omega_{name}")

    @property
    def R(self) -> Formula:
        return Formula(f"R_{self.name}")


class SymbolicChain:
    """`m` of a kind for any number of markers."""

    def summed(self, part: Any, lists: Sequence[Any]) -> Formula:
        """Σ over k of a part."""
        names = ["k", *(f"k+{i}" for i in range(1, window_of(part, len(lists))))]
        entries = [Formula(f"{lifted(each).text}_k") for each in lists]
        value = part(*map(SymbolicMarker, names), *entries)
        if isinstance(value, tuple):
            raise TraceError("a sum of several values")
        return Formula(rf"\sum_k {lifted(value).within(PRODUCT)}", PRODUCT)


class Attributes:
    """`p` and `u` as symbols."""

    def __init__(self, made: Callable[[str], Any]) -> None:
        self.made = made

    def __getattr__(self, name: str) -> Any:
        return self.made(name)


def axis(marker: SymbolicMarker, k: Any) -> Formula:
    if not isinstance(k, int):
        raise TraceError("an axis that a parameter chooses")
    return Formula(rf"\hat {AXES[k]}_{marker.name}")


def binary(sign: str) -> Callable[[Any, Any], Formula]:
    """A product of vectors, which binds like a product of numbers."""
    return lambda a, b: Formula(rf"{lifted(a).within(POWER)} {sign} {lifted(b).within(POWER)}", PRODUCT)


#: functions of the engine and of `math`, by name
SYMBOLIC: dict[str, Callable[..., Any]] = {
    "axis": axis,
    "add": lambda a, b: lifted(a) + lifted(b),
    "sub": lambda a, b: lifted(a) - lifted(b),
    "scale": lambda s, a: multiplied(lifted(s), lifted(a)),
    "dot": binary(r"\cdot"),
    "cross": binary(r"\times"),
    "norm": lambda a: abs(lifted(a)),
    "sqrt": lambda a: Formula(rf"\sqrt{{{lifted(a).text}}}"),
    "atan2": lambda y, x: Formula(rf"\mathrm{{atan2}}({lifted(y).text}, \; {lifted(x).text})"),
    "spline": lambda table, x: [
        Formula(f"{lifted(table).text}{mark}({lifted(x).text})") for mark in ("", "'", "''")
    ],
    **{
        name: lambda a, word=word: Formula(rf"{word} {lifted(a).within(ATOM)}", PRODUCT)
        for name, word in FUNCTIONS.items()
    },
}
#: modules whose functions are known by their names
MODULES = ("math", "mbplugin.math.vec3", "mbplugin.math.spline", "mbplugin.interface.marker")


def formula(function: Any, markers: int | None, unknowns: Sequence[str] = (), name: str = r"\Phi") -> str:
    """Equation of a function in LaTeX, a value a line; "" where it has none."""
    names = ("a", "b") if markers in (1, 2) else [str(k) for k in range(markers or 0)]
    values = values_of(function, names, unknowns) or []
    labels = [name] if len(values) == 1 else [f"{name}_{r + 1}" for r in range(len(values))]
    return "\n".join(f"{label} = {value}" for label, value in zip(labels, values))


def values_of(
    function: Any,
    markers: Sequence[str],
    unknowns: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> list[str] | None:
    """What a function returns, in LaTeX; None where it has no formula.

    markers: their names; settings: numbers of parameters
    """
    python = python_of(function)
    m: Any = tuple(map(SymbolicMarker, markers)) or SymbolicChain()
    fixed = settings or {}
    given: dict[str, Any] = {
        "m": m,
        **({"a": m[0], "b": m[min(1, len(m) - 1)]} if markers else {}),
        "p": Attributes(lambda name: fixed[name] if name in fixed else Formula(symbol(name))),
        "u": Attributes(lambda name: [called(dot + symbol(name), "t") for dot in ("", r"\dot ", r"\ddot ")]),
        "t": Formula("t"),
        **{name: Formula(symbol(name)) for name in unknowns},
        **{f"{name}_dot": Formula(rf"\dot {symbol(name)}") for name in unknowns},
    }
    try:
        arguments = [given[parameter] for parameter in inspect.signature(python).parameters]
        result = symbolic(python, {})(*arguments)
    except (TraceError, KeyError, TypeError, AttributeError, ValueError, IndexError, RecursionError):
        return None
    return [lifted(value).text for value in (result if isinstance(result, (tuple, list)) else (result,))]


def symbolic(function: Any, made: dict[Any, Any]) -> Any:
    """A copy of a function, and of the functions that it calls, for symbols."""
    return copied(function, made, replacement, {})


def replacement(value: Any, made: dict[Any, Any]) -> Any:
    """What stands for a global of the author's."""
    module, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", "")
    if isinstance(value, types.ModuleType):
        known = SYMBOLIC if name in MODULES else {}
        return Attributes(lambda each: known.get(each) or replacement(getattr(value, each), made))
    if isinstance(value, Known):
        return lambda x: called(symbol(value.name), x)
    if module in MODULES and name in SYMBOLIC:
        return SYMBOLIC[name]
    if isinstance(python_of(value), types.FunctionType):
        return symbolic(value, made)
    return value
