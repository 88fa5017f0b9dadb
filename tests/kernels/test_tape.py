"""Tapes against sympy, which differentiates in another way and in 30 digits."""

import numpy as np
import pytest
import sympy

from mbplugin.kernels.tape import tape_of_time
from mbplugin.model.expression import parse
from mbplugin.tables.tape import DEPTH

NONE = np.zeros(0, np.int64)

T = sympy.Symbol("t", real=True)
TIMES = (0.137, 0.71, 1.9)

# text, the same for sympy
EVERY_FUNCTION = [
    ("3", sympy.Integer(3)),
    ("time", T),
    ("-time + 2*time - time/3", -T + 2 * T - T / 3),
    ("(1 + time)*(2 - time**2)*time", (1 + T) * (2 - T**2) * T),
    ("(1 + time**2)/(3 + sin(time))", (1 + T**2) / (3 + sympy.sin(T))),
    ("time**3", T**3),
    ("time**2.5", T ** sympy.Rational(5, 2)),
    ("time**-2", T**-2),
    ("(-time)**3", (-T) ** 3),
    ("2**time", 2**T),
    ("(1 + time)**sin(time)", (1 + T) ** sympy.sin(T)),
    ("sin(time**2)", sympy.sin(T**2)),
    ("cos(time**2)", sympy.cos(T**2)),
    ("tan(time**2/3)", sympy.tan(T**2 / 3)),
    ("asin(time**2/5)", sympy.asin(T**2 / 5)),
    ("acos(time**2/5)", sympy.acos(T**2 / 5)),
    ("atan(time**2)", sympy.atan(T**2)),
    ("atan2(sin(3*time), time - 1)", sympy.atan2(sympy.sin(3 * T), T - 1)),
    ("sinh(time**2)", sympy.sinh(T**2)),
    ("cosh(time**2)", sympy.cosh(T**2)),
    ("tanh(time**2)", sympy.tanh(T**2)),
    ("exp(-time**2)", sympy.exp(-(T**2))),
    ("log(1 + time**2)", sympy.log(1 + T**2)),
    ("sqrt(1 + time**3)", sympy.sqrt(1 + T**3)),
    ("abs(time**2 - 1)", sympy.Abs(T**2 - 1)),
    ("sign(time - 1)*time", sympy.sign(T - 1) * T),
    ("min(time**2, 1, 3 - time)", sympy.Min(T**2, 1, 3 - T)),
    ("max(time**2, 1, 3 - time)", sympy.Max(T**2, 1, 3 - T)),
    ("step(time - 1)*time**2", sympy.Piecewise((T**2, T > 1), (0, True))),
    ("if(time - 1, time**2, sin(time))", sympy.Piecewise((T**2, T > 1), (sympy.sin(T), True))),
    ("if(time < 1, time**2, sin(time))", sympy.Piecewise((T**2, T < 1), (sympy.sin(T), True))),
    (
        "haversine_step(time**2, 0.2, 1, 3, time)",
        sympy.Piecewise(
            (1, sympy.Rational(1, 5) >= T**2),
            (T, T**2 >= 3),
            (
                1
                + (T - 1)
                * (1 - sympy.cos(sympy.pi * (T**2 - sympy.Rational(1, 5)) / sympy.Rational(14, 5)))
                / 2,
                True,
            ),
        ),
    ),
]


def derivatives(text, time, parameters=None):
    ops, constants = parse(text, parameters).tape
    return tape_of_time(ops, constants, 0, len(ops), 0, time, constants, np.empty((DEPTH, 3)), NONE)


@pytest.mark.parametrize("text, expected", EVERY_FUNCTION, ids=[text for text, _ in EVERY_FUNCTION])
def test_value_and_two_derivatives_are_those_of_sympy(text, expected):
    exact_derivatives = [sympy.diff(expected, T, k) for k in range(3)]
    for time in TIMES:
        at = sympy.Rational(str(time))
        exact = [float(sympy.N(one.subs(T, at).doit(), 30)) for one in exact_derivatives]
        # a few roundings of numbers of this size
        assert derivatives(text, time) == pytest.approx(exact, rel=1e-13, abs=1e-13)


def test_every_function_of_the_language_is_among_the_cases():
    from mbplugin.model.functions import FUNCTIONS

    assert not [name for name in FUNCTIONS if not any(f"{name}(" in text for text, _ in EVERY_FUNCTION)]


def test_a_tape_among_others_reads_its_own_constants():
    first, second = parse("5*time + 7").tape, parse("2*time + 3").tape
    ops = np.vstack([first.ops, second.ops])
    constants = np.concatenate([first.constants, second.constants])
    stack = np.empty((DEPTH, 3))
    inside = tape_of_time(
        ops, constants, len(first.ops), len(ops), len(first.constants), 10.0, constants, stack, NONE
    )
    assert tuple(inside) == (23.0, 2.0, 0.0)


def test_powers_at_zero_have_the_derivatives_of_the_polynomial():
    assert derivatives("time**0", 0.0) == (1.0, 0.0, 0.0)
    assert derivatives("time**1", 0.0) == (0.0, 1.0, 0.0)
    assert derivatives("time**2", 0.0) == (0.0, 0.0, 2.0)
    assert derivatives("time**3", 0.0) == (0.0, 0.0, 0.0)


def test_an_undefined_branch_that_is_not_taken_has_no_effect():
    assert derivatives("if(time > 0, sqrt(time), 5)", -1.0) == (5.0, 0.0, 0.0)


def test_a_haversine_step_is_flat_outside_and_halfway_in_the_middle():
    text = "haversine_step(time, 1, 10, 3, 20)"
    assert derivatives(text, 0.5) == (10.0, 0.0, 0.0)
    assert derivatives(text, 3.5) == (20.0, 0.0, 0.0)
    assert derivatives(text, 2.0) == pytest.approx((15.0, 10.0 * np.pi / 4.0, 0.0), abs=1e-14)


def test_the_deepest_accepted_expression_stays_on_the_stack():
    text = "time + (" * 39 + "time" + ")" * 39
    assert derivatives(text, 1.0) == (40.0, 40.0, 0.0)
