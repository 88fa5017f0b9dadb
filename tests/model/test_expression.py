"""Expressions: their values, and that nothing else is accepted."""

import itertools
import math

import numpy as np
import pytest
from refusals import refused

from mbplugin.errors import SceneError
from mbplugin.model.expression import evaluate_number, evaluate_parameters, parse
from mbplugin.tables import tape


@pytest.mark.parametrize(
    "text, value",
    [
        ("2 + 3*4", 14.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("2**3**2", 512.0),
        ("7 - 2 - 1", 4.0),
        ("8/2/2", 2.0),
        (" 1e-3 ", 1e-3),
        (".5", 0.5),
        ("2.", 2.0),
        ("--3", 3.0),
        ("+3", 3.0),
        ("cos(pi)", -1.0),
        ("atan2(1, -1)", 0.75 * math.pi),
        ("min(3, 1, 2)", 1.0),
        ("max(3, 1, 2)", 3.0),
        ("sign(-3)", -1.0),
        ("step(0)", 0.0),
        ("step(1 >= 1)", 1.0),
        ("if(2 < 1, 10, 20)", 20.0),
        ("if(0, 10, 20)", 20.0),
        ("if(1, 10, 20)", 10.0),
        ("haversine_step(1, 0, 0, 2, 4)", 2.0),
        ("2*k", 6.0),
    ],
)
def test_an_expression_has_its_mathematical_value(text, value):
    assert evaluate_number(text, {"k": 3.0}) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "2x",
        "1_000",
        "1 2",
        "k^2",
        "2 +",
        "(1",
        "1)",
        "1, 2",
        "sin",
        "sin(1, 2)",
        "step(time, 0, 0, 1, 1)",
        "if(time > 1, 2)",
        "stifness",
        "w",
        "time > 1",
        "1 == 1",
        "9**9999",
        "1e999",
        "1e30*1e30",
        "10**400",
        "sqrt(-1)",
        "1/0",
        "log(0)",
        "haversine_step(time, 2, 0, 1, 1)",
        "(" * 41 + "1" + ")" * 41,
        "-" * 500 + "1",
        "2**" * 500 + "1",
        "1+" * 1500 + "1",
        "__import__('os')",
        "(1).real",
        "time.real",
        "[1]",
        "lambda: 0",
        "'a'",
        "1; 2",
        "2 € 3",
        "1\x00",
    ],
)
def test_invalid_expressions_are_refused_with_a_correction(text):
    with refused("", text) as caught:
        parse(text, {"stiffness": 1.0})
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["cosinus(1)", "sine(1)"])
def test_a_fixed_number_has_no_functions_of_plugins(text):
    with refused(""):
        evaluate_number(text)


def test_a_fixed_number_cannot_depend_on_time():
    with refused("", "2*time"):
        evaluate_number("2*time")


def test_constant_parts_of_an_expression_are_folded():
    expression = parse("2*pi*k*time", {"k": 0.5})
    assert expression.tape.ops[:, 0].tolist() == [tape.CONSTANT, tape.TIME, tape.MULTIPLY]
    assert expression.constant is None
    assert parse("2*k", {"k": 0.5}).constant == 1.0
    assert parse(3).constant == 3.0


def test_expressions_are_equal_when_their_tapes_are():
    assert parse("2*3*time") == parse("6*time")
    assert parse("6*time") != parse("7*time")
    assert np.array_equal(parse("time").tape.ops, [[tape.TIME, 0]])


def test_parameters_may_use_each_other_in_any_order():
    values = evaluate_parameters({"area": "pi*radius**2", "radius": "diameter/2", "diameter": 4})
    assert values == {"area": pytest.approx(4.0 * math.pi), "radius": 2.0, "diameter": 4.0}
    assert list(values) == ["area", "radius", "diameter"]


def test_a_chain_of_a_thousand_parameters_is_no_problem():
    given = {f"p{k}": f"p{k + 1} + 1" for k in range(1000)} | {"p1000": 0}
    assert evaluate_parameters(given)["p0"] == 1000.0


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"a": "b", "b": "c", "c": "a"}, "parameters.a"),
        ({"a": "a"}, "parameters.a"),
        ({"a": "b + 1"}, "parameters.a"),
        ({"a": "time"}, "parameters.a"),
        ({"a": True}, "parameters.a"),
        ({"a": math.nan}, "parameters.a"),
        ({"a": [1]}, "parameters.a"),
        ({"time": 1}, "parameters.time"),
        ({"sin": 1}, "parameters.sin"),
        ({"a b": 1}, "parameters.a b"),
        ({"1a": 1}, "parameters.1a"),
    ],
)
def test_a_parameter_without_a_value_is_named(given, key):
    with refused(key):
        evaluate_parameters(given)


def test_a_circular_definition_of_parameters_is_reported_in_full():
    with pytest.raises(SceneError) as caught:
        evaluate_parameters({"a": "b", "b": "c", "c": "a"})
    cycle = caught.value.mend.split(": ")[1].split(" -> ")
    assert cycle[0] == cycle[-1] and set(cycle) == {"a", "b", "c"}
    assert all({"a": "b", "b": "c", "c": "a"}[one] == next for one, next in itertools.pairwise(cycle))
