"""Functions that cannot be derived are refused, with the line and what to write instead."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from mbplugin.derive.functions import derived
from mbplugin.derive.kernels import Source
from mbplugin.interface import Known, Measure, TraceError, axis, spline
from mbplugin.math.vec3 import dot, norm, sub


def kernel(phi, rows=1, markers=2):
    return derived("measure", Source(markers, (0,) * rows, phi))


def gap(a, b):
    return b.x[0] - a.x[0]


def velocity(a, b):
    return dot(a.v, axis(b, 0))


def unknown_function(a, b):
    return math.gamma(gap(a, b))


def of_numpy(a, b):
    return np.linalg.norm(sub(b.x, a.x))


def remainder(a, b):
    return gap(a, b) % 2.0


def floor_division(a, b):
    return gap(a, b) // 2.0


def rounded(a, b):
    return round(gap(a, b))


def indexed(a, b):
    return a.x[int(gap(a, b))]


def ranged(a, b):
    return sum(1.0 for _ in range(gap(a, b)))


def converted(a, b):
    return float(gap(a, b)) * gap(a, b)


def in_a_text(a, b):
    return len(f"{gap(a, b):.3f}")


def times_condition(a, b):
    return (gap(a, b) > 0.0) * gap(a, b)


def both_conditions(a, b):
    return 1.0 if (gap(a, b) > 0.0) & (gap(b, a) > 1.0) else 0.0


def many_branches(a, b):
    total = 0.0
    for k in range(7):
        total = total + gap(a, b) if b.x[1] > k else total - gap(a, b)
    return total


def endless(a, b):
    x = gap(a, b)
    while x > 1e-3:
        x = 0.5 * x
    return x


def nothing(a, b):
    return gap(a, b) if gap(a, b) > 0.0 else None


def two_values(a, b):
    return gap(a, b), gap(b, a)


def text(a, b):
    return "a number"


def curvature_of_table(a, b, p):
    return spline(p.table, gap(a, b))[2]


def of_a_list(a, b, p):
    return sum(c * gap(a, b) ** k for k, c in enumerate(p.coefficients))


def of_time(a, b, t):
    return gap(a, b) - t


def inner_state(a, b, x):
    return gap(a, b) - x[0]


def is_true(a, b):
    return gap(a, b) if (b.x[1] > 0.0) is True else 2.0 * gap(a, b)


def division_by_zero(a, b):
    try:
        return 1.0 / gap(a, b)
    except (TypeError, ZeroDivisionError):
        return 0.0


class Callable1:
    """An object of a class with operators, which stands for a number."""

    def __add__(self, other):
        return other

    def at(self, x):
        return math.sqrt(x)


OBJECT = Callable1()


def of_an_object(a, b):
    return OBJECT.at(gap(a, b))


def unknown_argument(a, b, temperature):
    return gap(a, b)


@pytest.mark.parametrize(
    ("phi", "says"),
    [
        (velocity, r"line \d+ of test_refusals.py \(`return dot\(a.v, axis\(b, 0\)\)`\): `v` of a marker"),
        (unknown_function, r"math\.gamma, whose derivative is not known; give it as `Known"),
        (of_numpy, r"numpy\.linalg, whose derivative is not known"),
        (remainder, "`%`, which has no derivative"),
        (floor_division, "`//`, which has no derivative; use `floor`"),
        (rounded, r"round\(\)"),
        (indexed, r"int\(\) of a number that depends on poses"),
        (ranged, r"an index or a range\(\) that depends on poses"),
        (converted, r"float\(\) of a number that depends on poses"),
        (in_a_text, "in a text"),
        (times_condition, r"arithmetic with a comparison; use `where\(condition, a, b\)` or `if`"),
        (both_conditions, "arithmetic with a comparison"),
        (many_branches, "more than 64 ways through its branches"),
        (endless, "a loop whose length depends on the pose"),
        (nothing, "nothing is returned on one of its ways"),
        (two_values, "two_values returns 2 values, for 1 rows"),
        (text, "a str where a number is expected"),
        (curvature_of_table, r"derivative 4 of p\.table, which is not known"),
        (of_a_list, r"a loop over a parameter or a number; give each entry its index"),
        (of_time, "a measure is a function of poses, not of time"),
        (inner_state, "asks for `x`; it can have"),
        (is_true, r"line \d+ of test_refusals.py .*`is` and a comparison, which never holds; write `if"),
        (division_by_zero, "`except ZeroDivisionError`, which no symbol raises; write the condition as `if`"),
        (of_an_object, "also in functions that cannot be followed, as methods of objects"),
        (unknown_argument, "asks for `temperature`; it can have m, a, b, p, u, t, mem"),
    ],
)
def test_what_cannot_be_traced(phi, says):
    with pytest.raises(TraceError) as caught:
        kernel(phi)
    assert phi.__name__ in str(caught.value)
    assert re.search(says, str(caught.value)), str(caught.value)


def test_rows_of_velocities_are_linear_in_them():
    def psi(a, b):
        return norm(sub(b.v, a.v))

    with pytest.raises(TraceError, match="psi is not linear in the velocities"):
        derived("constraint", Source(2, (1,), None, psi))


def test_a_known_function_has_two_derivatives():
    with pytest.raises(TraceError, match="takes a function and its first two derivatives"):
        Known(abs, abs)


def test_a_measure_without_a_function_is_refused():
    from mbplugin.errors import PluginError

    with pytest.raises(PluginError, match="takes `phi`, the function of marker poses, or a `kernel`"):
        Measure()
