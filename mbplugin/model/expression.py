"""Expressions of scenes, parsed into tapes. Only the language below is accepted; no text is run as Python.

    numbers, + - * / ** ( ), `time` [s], `pi`, the scene's parameters, variables, states and inputs
    sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log sqrt abs sign min(a, b, …) max(a, b, …)
    step(x)                            1 where x > 0, else 0
    if(x, a, b)                        a where x > 0, else b
    haversine_step(x, x0, h0, x1, h1)  h0 for x ≤ x0, h1 for x ≥ x1, half a cosine wave in between
    < <= > >=                          1 or 0; only in the first argument of `step` and `if`
    polynomial(x, a0, a1, …)           a0 + a1 x + …
    name(x)                            a spline of the scene
    name(x, y)                         a function offered by a plugin
    hinge.angle                        a joint coordinate; with spaces in the name: 'left hinge'.angle
    distance(rod.end, ground), …       a measure between markers, offered by a plugin
    rate(hinge.angle)                  its time derivative
    acceleration(hinge.angle)          its second time derivative
    reaction(hinge.fx)                 a joint reaction: fx fy fz tx ty tz in the joint's axes, the magnitudes
                                       `force` and `torque`, or the driving force of a driven coordinate
    reaction(hinge.fx, marker)         the same in the axes of a marker

Constant parts are evaluated during parsing, so a tape holds only what varies. References to coordinates,
markers and measures are resolved when the system is compiled.
"""

from __future__ import annotations

import graphlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, errors_at
from mbplugin.model.functions import FUNCTIONS, LARGEST, OPERATORS
from mbplugin.model.parser import CALLED, IDENTIFIER, RESERVED, Parser, unknown_function
from mbplugin.model.references import Called, Program, Symbols, laid_out, to_program
from mbplugin.tables import tape
from mbplugin.tables.tape import Tape

OPERANDS = {op.code: op.operands for op in (*OPERATORS.values(), *FUNCTIONS.values())} | {
    tape.POWER_CONSTANT: 1,
    tape.SPLINE: 1,
}
OPERANDS |= {tape.CALL + n: n for n in range(1, tape.MOST_OPERANDS + 1)}
#: codes whose value depends on the motion
MOVING = {tape.MEASURE, tape.RATE, tape.STATE, tape.UNKNOWN}
#: codes whose argument is the index of a reference
REFERRING = MOVING | {tape.INPUT} | set(range(tape.CALL, tape.CALL + tape.MOST_OPERANDS + 1))

#: no variable, state, input or spline may have these names
RESERVED_NAMES = frozenset((*RESERVED, *CALLED))
IDENTIFIER_RULE = "must be one word of letters, digits and _, not starting with a digit"


@dataclass(frozen=True, eq=False)
class Expression:
    """A function of time."""

    text: str  # as given
    tape: Tape
    references: tuple[Any, ...] = ()  # of the REFERRING codes: objects of `references.py`, names
    key: str = ""  # where the scene has it, such as "force[0].force_x", once it is compiled

    def without_unused(self) -> Expression:
        """A copy without references that the tape does not use."""
        ops = self.tape.ops.copy()
        referring = np.isin(ops[:, 0], list(REFERRING))
        used = np.unique(ops[referring, 1])
        ops[referring, 1] = np.searchsorted(used, ops[referring, 1])
        return Expression(self.text, Tape(ops, self.tape.constants), tuple(self.references[k] for k in used))

    @property
    def uses_rates(self) -> bool:
        return tape.RATE in self.tape.ops[:, 0].tolist()

    @property
    def moving(self) -> bool:
        """Whether it depends on the motion, not only on time."""
        return not MOVING.isdisjoint(self.tape.ops[:, 0].tolist())

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs that it reads."""
        return [self.references[k] for code, k in self.tape.ops if code == tape.INPUT]

    @property
    def kinked(self) -> bool:
        """Whether it reads a [[spline]] whose slope jumps."""
        ops, constants = self.tape
        for code, k in ops:
            if code == tape.SPLINE:
                n = int(constants[k])
                slopes = np.asarray(constants[k + 1 + n : k + 1 + n + 4 * (n - 1)]).reshape(-1, 4)[:, 1:]
                if not slopes[:, 1:].any() and np.ptp(slopes[:, 0]) > 0.0:
                    return True
        return False

    @property
    def after_solve(self) -> list[Any]:
        """Its unknowns: accelerations, reactions and implicit variables, known only after the solve."""
        return [self.references[k] for code, k in self.tape.ops if code == tape.UNKNOWN]

    @cached_property
    def constant(self) -> float | None:
        """The value, or None if it is not constant."""
        ops, constants = self.tape
        return float(constants[0]) if len(ops) == 1 and ops[0, 0] == tape.CONSTANT else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        return self.references == other.references and all(
            np.array_equal(a, b) for a, b in zip(self.tape, other.tape)
        )

    def __hash__(self) -> int:
        return hash((self.tape.ops.tobytes(), self.tape.constants.tobytes()))


def parse(text: str | float, symbols: Symbols | None = None, condition: bool = False) -> Expression:
    """The expression for a text or a number. condition: the text is a condition, such as "x > 1 or time > 2",
    and the expression is positive where it holds. Raises SceneError.
    """
    program = laid_out(program_of(text, symbols, condition))
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
        elif code == tape.LOAD:
            ops[k, 1] = value
    check_depth(program, text)
    return Expression(str(text), Tape(ops, np.array(constants, np.float64)), tuple(references))


def program_of(text: str | float, symbols: Symbols | None = None, condition: bool = False) -> Program:
    """The program for a text or a number. Raises SceneError."""
    return to_program(Parser(text, symbols or {}).parse(condition) if isinstance(text, str) else float(text))


def evaluate_number(text: str, symbols: Symbols | None = None) -> float:
    """The value of a constant expression. Raises SceneError."""
    part = Parser(text, symbols or {}).parse()
    if isinstance(part, float):
        return part
    part = laid_out(part)
    for _, value in part:
        if isinstance(value, Called):
            raise SceneError(value=text, mend=unknown_function(value.function, []))
    cause = "the motion" if any(code in MOVING for code, _ in part) else "`time`"
    name = next((name for code, name in part if code == tape.INPUT), "")
    cause = f'the input "{name}"' if name else cause
    raise SceneError(value=text, mend=f"depends on {cause}, but must be constant here")


def check_identifier(name: str, key: str) -> None:
    """Check that a variable, state, input or spline may have this name. Raises SceneError at `key`."""
    if not IDENTIFIER.fullmatch(name):
        raise SceneError(key, name, IDENTIFIER_RULE)
    if name in RESERVED_NAMES:
        raise SceneError(key, name, f'"{name}" is reserved in expressions; choose another name')


def evaluate_parameters(parameters: Mapping[str, Any]) -> dict[str, float]:
    """The values of `[parameters]`: numbers, or expressions of other parameters. Raises SceneError."""
    for name, value in parameters.items():
        if not IDENTIFIER.fullmatch(str(name)):
            raise SceneError(f"parameters.{name}", value, f"the name {IDENTIFIER_RULE}")
        if name in RESERVED:
            mend = f'"{name}" is reserved in expressions; choose another name'
            raise SceneError(f"parameters.{name}", value, mend)
    texts = {name: value for name, value in parameters.items() if isinstance(value, str)}
    uses = {name: set(IDENTIFIER.findall(text)) & set(parameters) for name, text in texts.items()}
    try:
        order = [name for name in parameters if name not in texts]
        order += [name for name in graphlib.TopologicalSorter(uses).static_order() if name in texts]
    except graphlib.CycleError as error:
        cycle = list(reversed(error.args[1]))
        mend = f"circular definition: {' -> '.join(cycle)}"
        raise SceneError(f"parameters.{cycle[0]}", parameters[cycle[0]], mend) from None
    values: dict[str, float] = {}
    for name in order:
        with errors_at(f"parameters.{name}", parameters[name]):
            values[name] = number(parameters[name], values)
    return {name: values[name] for name in parameters}


def number(value: Any, parameters: Symbols | None = None) -> float:
    """`value`, a number or an expression of parameters, as a finite float. Raises SceneError."""
    if type(value) is float and -LARGEST <= value <= LARGEST:
        return value
    if isinstance(value, str):
        value = evaluate_number(value, parameters)
    if isinstance(value, bool | np.bool_):
        raise SceneError(value=value, mend="must be a number, not true or false")
    if not isinstance(value, int | float | np.integer | np.floating):
        mend = 'must be a number, or an expression of parameters in quotes, such as "2*pi"'
        raise SceneError(value=value, mend=mend)
    try:
        result = float(value)
    except OverflowError:
        raise SceneError(value=value, mend="is too large for a number (at most 1.8e308)") from None
    if not math.isfinite(result):
        raise SceneError(value=value, mend="must be a finite number")
    if abs(result) > LARGEST:
        raise SceneError(value=value, mend=f"is larger than {LARGEST:g}, the largest number accepted")
    return result


def check_depth(program: Program, text: str | float) -> None:
    """Check that the program fits the stack of the interpreter. Raises SceneError."""
    depth = 0
    for code, _ in program:
        depth += 1 - OPERANDS.get(code, 0)
        if depth > tape.DEPTH:
            mend = f"needs more than {tape.DEPTH} intermediate values; move parts of it to [parameters]"
            raise SceneError(value=text, mend=mend)
