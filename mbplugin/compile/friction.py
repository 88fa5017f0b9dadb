"""Whether an expression is friction: zero wherever the rates that it reads are zero."""

from __future__ import annotations

from mbplugin.model.expression import OPERANDS, Expression
from mbplugin.tables import tape

#: functions with F(0) = 0
ODD = {tape.NEGATE, tape.SIN, tape.TAN, tape.ASIN, tape.ATAN, tape.SINH, tape.TANH, tape.SQRT, tape.ABS}
ODD |= {tape.SIGN, tape.STEP}
#: zero if both operands are, and if one is
BOTH, EITHER = {tape.ADD, tape.SUBTRACT, tape.MIN, tape.MAX, tape.GREATER}, {tape.MULTIPLY}


def is_friction(expression: Expression) -> bool:
    """Whether it reads a rate and is surely 0 where all its rates are 0, such as -c*rate(x) or
    -mu*n*sign(rate(x)). False also where that is not seen, as in a plugin's function.
    """
    return expression.uses_rates and zero_at_rest(expression)


def zero_at_rest(expression: Expression) -> bool:
    ops, constants = expression.tape
    zeros: list[bool] = []  # for each entry of the stack, whether it is 0
    for code, argument in ops.tolist():
        count = OPERANDS.get(code, 0)
        operands = zeros[len(zeros) - count :]
        del zeros[len(zeros) - count :]
        match code:
            case tape.RATE:
                zero = True
            case tape.CONSTANT:
                zero = constants[argument] == 0.0
            case tape.POWER_CONSTANT:
                zero = operands[0] and constants[argument] > 0.0
            case tape.DIVIDE:
                zero = operands[0] and not operands[1]
            case tape.SELECT:
                zero = operands[1] and operands[2]
            case _ if code in ODD | BOTH:
                zero = all(operands)
            case _:
                zero = code in EITHER and any(operands)
        zeros.append(bool(zero))
    return zeros == [True]
