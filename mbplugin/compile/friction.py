"""Whether an expression is friction: it vanishes or changes its sign where the rates that it reads do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mbplugin.model.expression import OPERANDS, Expression
from mbplugin.tables import tape


def is_friction(expression: Expression) -> bool:
    """Whether it reads a rate, and for rates just above and just below 0 surely vanishes or has opposite
    signs, such as -c*rate(x), -mu*n*sign(rate(x)) or if(rate(x) > 0, -f, f). False also where that is not
    seen, as in a plugin's function.
    """
    return expression.uses_rates and changes_sign(expression)


class Undecided(Exception):
    """What rates near 0 make of an expression is not seen."""


class Limit(NamedTuple):
    """sign · size, where all rates tend to 0 from one side."""

    sign: int  # ±1; 0: exactly 0
    #: a number, 0.0 if it vanishes; None: it vanishes from an unknown side; else a tuple of what it is
    #: computed from, up to a factor of ±1
    size: Any

    @property
    def known(self) -> bool:
        return isinstance(self.size, float)

    @property
    def vanishes(self) -> bool:
        return self.size is None or self.size == 0.0


VANISHING = Limit(1, None)


def number(x: float) -> Limit:
    return Limit(int(np.sign(x)), abs(float(x)))


def changes_sign(expression: Expression) -> bool:
    """Whether it has opposite signs for rates just above and just below 0, or vanishes on one side."""
    try:
        above, below = limit(expression, 1), limit(expression, -1)
    except Undecided:
        return False
    if above.vanishes or below.vanishes:
        return True
    opposite = above.sign == -below.sign
    return opposite and (above.size == below.size or (above.known and below.known))


def limit(expression: Expression, side: int) -> Limit:
    """The expression where all rates tend to 0 from the side ±1."""
    ops, constants = expression.tape
    stack: list[Limit] = []
    for code, argument in ops.tolist():
        count = OPERANDS.get(code, 0)
        operands = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        match code:
            case tape.RATE:
                result = Limit(side, 0.0)
            case tape.LOAD:
                result = stack[argument]
            case tape.CONSTANT:
                result = number(constants[argument])
            case tape.POWER_CONSTANT:
                result = power(operands[0], float(constants[argument]))
            case _:
                result = RULES.get(code, lambda *_: None)(*operands) or Limit(1, (code, argument, *operands))
        stack.append(result)
    return stack[-1]


# the rules of operations; None: nothing is known of the result


def negated(a: Limit) -> Limit:
    return Limit(-a.sign, a.size)


def added(a: Limit, b: Limit) -> Limit:
    if a.vanishes and b.vanishes:
        return b if a.sign == 0 else a if b.sign == 0 or a == b else VANISHING
    if a.vanishes or b.vanishes:
        return b if a.vanishes else a
    if a.known and b.known:
        return number(a.sign * a.size + b.sign * b.size)
    # a − b and b − a are of one size
    a, b = sorted((a, b), key=lambda term: repr(term.size))
    return Limit(a.sign, (tape.ADD, a.size, a.sign * b.sign, b.size))


def multiplied(a: Limit, b: Limit) -> Limit:
    if a.vanishes or b.vanishes:
        if a.sign == 0 or b.sign == 0:
            return number(0.0)
        return Limit(a.sign * b.sign, 0.0) if a.known and b.known else VANISHING
    if a.known and b.known:
        return number(a.sign * a.size * b.sign * b.size)
    return Limit(a.sign * b.sign, (tape.MULTIPLY, *sorted((a.size, b.size), key=repr)))


def divided(a: Limit, b: Limit) -> Limit:
    if b.vanishes:
        raise Undecided
    if a.vanishes:
        return multiplied(a, b)
    size = a.size / b.size if a.known and b.known else (tape.DIVIDE, a.size, b.size)
    return Limit(a.sign * b.sign, size)


def power(a: Limit, exponent: float) -> Limit:
    if a.vanishes and exponent <= 0.0:
        raise Undecided
    if a.size is None:
        return VANISHING
    sign = a.sign if exponent % 2.0 == 1.0 else abs(a.sign)
    return Limit(sign, 0.0 if a.size == 0.0 else (tape.POWER_CONSTANT, a.size, exponent))


def odd(code: int) -> Any:
    return lambda a: a if a.vanishes else Limit(a.sign, (code, a.size))


def sign(a: Limit) -> Limit:
    if a.size is None:
        raise Undecided
    return number(float(a.sign)) if a.known else Limit(a.sign, (tape.SIGN, a.size))


def absolute(a: Limit) -> Limit:
    return Limit(abs(a.sign), a.size) if a.known or a.vanishes else Limit(1, (tape.ABS, a.size))


def root(a: Limit) -> Limit | None:
    return Limit(abs(a.sign), a.size) if a.vanishes else None


def extreme(a: Limit, b: Limit) -> Limit | None:
    return VANISHING if a.vanishes and b.vanishes else None


def step(a: Limit) -> Limit | None:
    return number(float(a.sign > 0)) if a.known else None


def greater(a: Limit, b: Limit) -> Limit | None:
    if not (a.known and b.known):
        return None
    if a.size == b.size == 0.0:
        return number(float(a.sign > b.sign)) if a.sign != b.sign else None
    return number(float(a.sign * a.size > b.sign * b.size)) if a != b else None


def selected(condition: Limit, a: Limit, b: Limit) -> Limit:
    if condition.known:
        return a if condition.sign > 0 else b
    if a.vanishes and b.vanishes:
        return a if a == b else VANISHING
    if a.vanishes or b.vanishes:
        raise Undecided
    if a.sign == b.sign:
        return Limit(a.sign, (tape.SELECT, condition, a.size, b.size))
    return Limit(1, (tape.SELECT, condition, a, b))


RULES: dict[int, Any] = {
    tape.NEGATE: negated,
    tape.ADD: added,
    tape.SUBTRACT: lambda a, b: added(a, negated(b)),
    tape.MULTIPLY: multiplied,
    tape.DIVIDE: divided,
    tape.SIGN: sign,
    tape.ABS: absolute,
    tape.STEP: step,
    tape.SQRT: root,
    tape.MIN: extreme,
    tape.MAX: extreme,
    tape.GREATER: greater,
    tape.GREATER_EQUAL: greater,
    tape.SELECT: selected,
} | {code: odd(code) for code in (tape.SIN, tape.TAN, tape.ASIN, tape.ATAN, tape.SINH, tape.TANH)}
