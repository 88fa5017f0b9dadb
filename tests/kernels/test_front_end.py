"""Shortcuts through numba's front end change no instruction."""

from __future__ import annotations

import gc
import re

import numba
import pytest
from numba import types

from mbplugin.compiler.front_end import shortened
from mbplugin.compiler.libraries import LateLibrary, libraries_of
from mbplugin.compiler.numba_names import BaseFunction, PostProcessor


def mixed(x, n, on):
    """Operators on floats, integers, booleans and constants, in a loop with branches."""
    total = 0.0
    for k in range(n):
        if on and k % 3 == 1:
            total += x[k] ** 2 / (k + 1)
        elif x[k] > 0.5 or not on:
            total -= 2 * x[k] - n // 2
        else:
            total *= -x[k] * True
    return total if total != 0 else n & 3


SIGNATURE = (types.float64[::1], types.int64, types.boolean)


def instructions():
    """Text of LLVM of the function, compiled anew, without the numbers that numba gives to functions."""
    made = numba.njit(error_model="numpy")(mixed)
    made.compile(SIGNATURE)
    return re.sub(r"v\d+B\w*|_\d{5,}", "", made.inspect_llvm(SIGNATURE))


def test_a_function_has_the_same_instructions_with_shortcuts():
    plain = instructions()
    with libraries_of(LateLibrary), shortened():
        assert not gc.isenabled()
        within = BaseFunction.get_call_type, PostProcessor.run
    with shortened():
        first, second = instructions(), instructions()
    assert first == second == plain
    assert gc.isenabled()
    assert BaseFunction.get_call_type is not within[0] and PostProcessor.run is not within[1]


def test_an_operator_on_what_is_no_number_is_refused_with_shortcuts():
    with shortened(), pytest.raises(numba.TypingError, match="add"):
        numba.njit(lambda x: x + "text")(1.0)
