"""Variables that others use several times are computed once, however long the chain."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from mbplugin.compile.switches import switching
from mbplugin.kernels.tape import tape_of_time
from mbplugin.math.jit import compiled_entry
from mbplugin.model import System
from mbplugin.model.expression import evaluate_number, parse
from mbplugin.tables.tape import DEPTH, Tape

BODY = '[[body]]\nname = "a"\nmass = 1\ninertia = [1, 1, 1]\n'


def chain(n: int, first: str, each: str) -> System:
    """Variables v0 = first, v1 = each of v0, ..."""
    texts = [first, *(each.replace("v", f"v{k}") for k in range(n))]
    tables = "".join(f'[[variable]]\nname = "v{k}"\nvalue = "{text}"\n' for k, text in enumerate(texts))
    return System.from_text(tables + BODY)


@compiled_entry()
def derivatives(ops, constants, t, stack, called):
    return tape_of_time(ops, constants, 0, len(ops), 0, t, constants, stack, called)


def values(tape: Tape, t: float) -> tuple[float, float, float]:
    stack, called = np.zeros((DEPTH, 3)), np.zeros(0, np.int64)
    return tuple(map(float, derivatives(tape.ops, tape.constants, t, stack, called)))


def test_a_chain_of_forty_doublings_has_forty_additions():
    tape = parse("v40", chain(40, "time**2", "v + v").symbols).tape
    assert len(tape.ops) < 200
    assert values(tape, 3.0) == (9.0 * 2.0**40, 6.0 * 2.0**40, 2.0 * 2.0**40)


def test_a_chain_of_two_thousand_variables_used_once_each_needs_no_place_on_the_stack():
    expression = parse("v2000", chain(2000, "time", "v + 1").symbols)
    assert values(expression.tape, 0.5) == (2000.5, 1.0, 0.0)


def test_nested_polynomials_stay_as_short_as_their_text():
    text = "time"
    for _ in range(30):
        text = f"polynomial({text}, 1, 0.5, 0.25)"
    assert len(parse(text).tape.ops) < 30 * 12


def test_a_variable_shared_by_two_terms_gives_their_sum():
    symbols = chain(2, "sin(time)", "cos(v)*v").symbols
    v0 = np.sin(0.7)
    v1 = np.cos(v0) * v0
    assert values(parse("v1*v2 + v0", symbols).tape, 0.7)[0] == pytest.approx(
        v1 * np.cos(v1) * v1 + v0, rel=1e-15
    )


@pytest.mark.parametrize(
    ("text", "zeros"),
    [
        ("if(v1 - 3, v1, 1)", [2.0]),
        ("step(v1 - v0 - 5) + v1", [7.0]),
        ("haversine_step(v1, 3, 0, v0 + 9, 1) + v0", [2.0, 11.0]),
    ],
)
def test_switches_of_shared_variables_are_where_the_arguments_pass_zero(text, zeros):
    # v0 = time + 1 and v1 = 2 time - 1, whose parts are used several times
    symbols = {**chain(1, "time + 1", "v + v - 3").symbols}
    tapes = switching(parse(text, symbols).tape)
    assert len(tapes) == len(zeros)
    for tape, t in zip(tapes, zeros):
        assert values(tape, t)[0] == pytest.approx(0.0, abs=1e-12)
        assert values(tape, t + 0.1)[0] > 0.0 > values(tape, t - 0.1)[0]


def test_a_constant_may_not_hide_time_in_a_variable():
    symbols = chain(3, "time", "v + v").symbols
    with refused("", "v3 + 1"):
        evaluate_number("v3 + 1", symbols)
