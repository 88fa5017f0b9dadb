"""Expressions of scenes: text -> tape, by an allow-list; nothing of the text is ever executed as Python.

    numbers, + - * / ** ( ), the names `time` [s], `pi`, the scene's parameters, variables and states, and the
    functions
    sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log sqrt abs sign min(a, b, …) max(a, b, …)
    step(x)                          1 where x > 0, else 0
    if(x, a, b)                      a where x > 0, else b
    haversine_step(x, x0, h0, x1, h1)  h0 up to x0, h1 from x1 on, half a cosine wave between
    < <= > >=                        1 or 0; only as the first argument of `step` and `if`
    polynomial(x, a0, a1, …)         a0 + a1 x + …
    name(x)                          the scene's spline of that name
    hinge.angle                      a coordinate of a joint; 'left hinge'.angle where the joint's name is no
    single word
    distance(rod.end, ground), …     any measure of plugins between markers
    rate(hinge.angle)                the rate of one of these
    acceleration(hinge.angle)        its second derivative
    reaction(hinge.fx)               a component of a joint's reaction: fx fy fz tx ty tz in the joint's axes,
    force and torque their sizes, a driven coordinate its drive reaction(hinge.fx, marker)       the same in
    the axes of a marker
    name(x, y)                       a function of a plugin's

What does not change is computed when the text is parsed, so a tape holds only what does. What coordinates,
markers and measures there are is known when the system is compiled; until then an expression holds
references.
"""

from __future__ import annotations

import graphlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mbplugin.errors import SceneError
from mbplugin.model.functions import FUNCTIONS, OPERATORS
from mbplugin.model.parser import CALLED, IDENTIFIER, RESERVED, Parser, unknown_function
from mbplugin.model.references import Called, Names, Program, operand
from mbplugin.tables import tape
from mbplugin.tables.tape import Tape

OPERANDS = {op.code: op.operands for op in (*OPERATORS.values(), *FUNCTIONS.values())} | {
    tape.POWER_CONSTANT: 1,
    tape.SPLINE: 1,
}
OPERANDS |= {tape.CALL + n: n for n in range(1, tape.MOST_OPERANDS + 1)}
#: codes of what the motion gives, and codes whose argument is the number of a reference
MOVING = {tape.MEASURE, tape.RATE, tape.STATE, tape.UNKNOWN}
REFERRING = MOVING | set(range(tape.CALL, tape.CALL + tape.MOST_OPERANDS + 1))


@dataclass(frozen=True, eq=False)
class Expression:
    """A function of time: what was written, and its tape."""

    text: str
    tape: Tape
    references: tuple[
        Any, ...
    ] = ()  # what REFERRING codes refer to, see `references.py`; the name of a state

    def without_unused(self) -> Expression:
        """The same without references that no operation has."""
        ops = self.tape.ops.copy()
        of = np.isin(ops[:, 0], list(REFERRING))
        used = np.unique(ops[of, 1])
        ops[of, 1] = np.searchsorted(used, ops[of, 1])
        return Expression(self.text, Tape(ops, self.tape.constants), tuple(self.references[k] for k in used))

    @property
    def uses_rates(self) -> bool:
        return bool((self.tape.ops[:, 0] == tape.RATE).any())

    @property
    def moving(self) -> bool:
        """Whether it depends on the motion, and not on time alone."""
        return bool(np.isin(self.tape.ops[:, 0], list(MOVING)).any())

    @property
    def after_solve(self) -> list[Any]:
        """What it reads that only the solve tells."""
        return [self.references[k] for code, k in self.tape.ops if code == tape.UNKNOWN]

    @cached_property
    def constant(self) -> float | None:
        """The value, if it does not depend on time."""
        ops, constants = self.tape
        return float(constants[0]) if len(ops) == 1 and ops[0, 0] == tape.CONSTANT else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        return self.references == other.references and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(self.tape, other.tape)
        )

    def __hash__(self) -> int:
        return hash((self.tape.ops.tobytes(), self.tape.constants.tobytes()))


def parse(text: str | float, names: Names | None = None) -> Expression:
    """A function of `time` [s], of what `names` mean and of measures; a number is a constant function. Raises
    SceneError.
    """
    program = program_of(text, names)
    constants: list[float] = []
    references: list[Any] = []
    ops = np.zeros((len(program), 2), dtype=np.int64)
    for k, (code, value) in enumerate(program):
        ops[k, 0] = code
        if code in (tape.CONSTANT, tape.POWER_CONSTANT, tape.SPLINE):
            ops[k, 1] = len(constants)
            constants += value if code == tape.SPLINE else [value]
        elif code in REFERRING:
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
        for _, value in part:
            if isinstance(value, Called):
                raise SceneError(value=text, mend=unknown_function(value.function, []))
        moving = any(code in MOVING for code, _ in part)
        raise SceneError(
            value=text,
            mend=f"depends on {'the motion' if moving else '`time`'}, but a fixed number is wanted here",
        )
    return part


def check_identifier(name: str, key: str, what: str) -> None:
    """Raise SceneError where `name` cannot stand in expressions."""
    if not IDENTIFIER.fullmatch(name):
        raise SceneError(key, name, f"{what} is one word of letters, digits and _, not starting with a digit")
    if name in (*RESERVED, *CALLED):
        raise SceneError(key, name, f'"{name}" already means something in expressions; take another name')


def evaluate_parameters(given: Mapping[str, Any]) -> dict[str, float]:
    """The values of `[parameters]`, each a number or an expression of others, in the order given. Raises
    SceneError.
    """
    for name, value in given.items():
        if not IDENTIFIER.fullmatch(str(name)):
            raise SceneError(
                f"parameters.{name}",
                value,
                "a parameter's name is one word of letters, digits and _, not starting with a digit",
            )
        if name in RESERVED:
            raise SceneError(
                f"parameters.{name}",
                value,
                f'"{name}" already means something in expressions; take another name',
            )
    uses = {
        name: set(IDENTIFIER.findall(v)) & set(given) if isinstance(v, str) else set()
        for name, v in given.items()
    }
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
        raise SceneError(
            value=value, mend='must be a number, or an expression of parameters in quotes, such as "2*pi"'
        )
    try:
        result = float(value)
    except OverflowError:
        raise SceneError(value=value, mend="is too large for a number (at most 1.8e308)") from None
    if not math.isfinite(result):
        raise SceneError(value=value, mend="must be a finite number")
    return result


def check_depth(program: Program, text: str | float) -> None:
    """Raise SceneError if the program needs a deeper stack than the interpreter has."""
    depth = 0
    for code, _ in program:
        depth += 1 - OPERANDS.get(code, 0)
        if depth > tape.DEPTH:
            raise SceneError(
                value=text,
                mend=f"holds more than {tape.DEPTH} intermediate values; name parts of it in [parameters]",
            )
