"""What a run says of a function of a plugin that numba cannot compile: one line with what and where."""

from __future__ import annotations

import numba
import pytest
from mbplugin_contact.pairs import in_closed_form
from refusals import has

from mbplugin.codegen.compile_errors import cause
from mbplugin.codegen.compiled import made_part
from mbplugin.errors import PluginError


@numba.njit
def reads_an_attribute(x):
    return x.nothing


@numba.njit
def calls_it(x):
    return reads_an_attribute(x + 1.0)


@numba.njit
def adds_text(x):
    return x + "a"


@pytest.mark.parametrize("function", [reads_an_attribute, calls_it])
def test_the_innermost_function_and_its_line_are_named(function):
    with pytest.raises(numba.core.errors.NumbaError) as raised:
        function(1.0)
    line = reads_an_attribute.py_func.__code__.co_firstlineno + 2
    assert has(cause(raised.value), "'nothing'", f"test_compile_errors.py, line {line}", "reads_an_attribute")


def test_types_without_an_operation_are_named():
    with pytest.raises(numba.core.errors.NumbaError) as raised:
        adds_text(1.0)
    assert has(cause(raised.value), "add(float64, Literal[str](a))", "test_compile_errors.py")


def a_pair(a, b, reach, points):
    return a.nothing


def test_a_pair_of_shapes_that_cannot_be_compiled_ends_a_run_with_one_line():
    with pytest.raises(PluginError) as raised:
        assert made_part(in_closed_form, (a_pair,), 'shape "pebble"').address
    text = str(raised.value)
    assert "\n" not in text and len(text) < 300 and has(text, '"pebble"', "test_compile_errors.py, line")
