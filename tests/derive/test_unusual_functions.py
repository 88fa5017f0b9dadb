"""Functions that authors may write, although few do: values and derivatives against differences of Python."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
import pytest
from test_against_hand import Settings, called, markers, of_rows
from test_textbook import moved_floats

from mbplugin.derive.forces import ForceSource
from mbplugin.derive.functions import derived
from mbplugin.derive.kernels import Source
from mbplugin.interface import Measure, TraceError, axis, jit, where
from mbplugin.math.vec3 import dot, sub


def along(a, b, k):
    return dot(axis(a, k), sub(b.x, a.x))


def equal_conditions(a, b):
    x, y, z = (along(a, b, k) for k in range(3))
    return x if (x > 0) == (y > 0) else 2 * z


def different_conditions(a, b):
    x, y, z = (along(a, b, k) for k in range(3))
    return x * y if (x > 0) != (y > 0) else 2 * z


def condition_and_bool(a, b):
    return along(a, b, 0) if (along(a, b, 1) > 0) == True else along(a, b, 2) ** 2  # noqa: E712


def inside_try(a, b):
    try:
        return along(a, b, 0) if along(a, b, 1) > 0 else along(a, b, 2) ** 2
    except Exception:
        return 0.0


def logarithm_to_a_base(a, b):
    return math.log(2 + along(a, b, 0) ** 2, 10) + math.log2(3.0 + along(a, b, 1) ** 2)


def of_math(a, b):
    x, y, z = (along(a, b, k) for k in range(3))
    total = math.fsum([math.degrees(x * x), math.prod([x, y, z]), math.dist(a.x, b.x)])
    return math.radians(total) + math.cbrt(2.0) * min(math.inf, x)


def keys_and_defaults(a, b):
    return min((along(a, b, k) for k in range(3)), key=abs) ** 2 + max([], default=2.0) * along(a, b, 0)


def largest_of_many(a, b):
    """One of seven depends on the place in the world."""
    return max(b.x[2], *(along(a, b, 0) + k * along(a, b, 1) - 2.0 for k in range(6)))


FUNCTIONS = (
    *(equal_conditions, different_conditions, condition_and_bool, inside_try, logarithm_to_a_base, of_math),
    *(keys_and_defaults, largest_of_many),
)


@pytest.mark.parametrize("phi", FUNCTIONS, ids=lambda f: f.__name__)
def test_unusual_functions(phi):
    kernel = Measure(phi=phi).kernel
    for seed in range(8):
        m = markers(np.random.default_rng(seed))
        found, twist, h = (
            of_rows(kernel, 1, Settings({}), m),
            np.array([[*k.v, *k.w] for k in m]).ravel(),
            1e-4,
        )
        here, ahead, behind = (float(phi(*moved_floats(m, twist, t))) for t in (0.0, h, -h))
        assert found[0] == pytest.approx(here)
        assert found[1:-1] @ twist == pytest.approx((ahead - behind) / (2 * h), rel=1e-5, abs=1e-5)
        assert found[-1] == pytest.approx((ahead + behind - 2 * here) / h**2, rel=1e-4, abs=1e-4)


def test_fractional_powers_of_negative_numbers_are_derived():
    def phi(a, b):
        return math.sin(along(a, b, 0) ** 1.7)

    assert Measure(phi=phi).kernel.source


def test_errors_of_all_kinds_have_a_line():
    def phi(a, b):
        return {1.0: 2.0}[along(a, b, 0)]

    with pytest.raises(TraceError, match=r"phi, line \d+ of test_unusual_functions.py .*KeyError"):
        assert Measure(phi=phi).kernel


class Power(NamedTuple):
    n: float


@pytest.mark.parametrize("n", [0, 1, 2])
def test_powers_by_parameters_at_zero(n):
    def phi(a, b, p):
        return (b.x[0] - a.x[0]) ** p.n

    a, b = markers(np.random.default_rng(1))
    b = type(b)((a.x[0], 1.0, 2.0), b.R, b.v, b.w)
    value, J, bias = np.full(1, np.nan), np.full(12, np.nan), np.full(1, np.nan)
    jit(Measure(phi=phi).kernel)(a, b, Power(float(n)), value, J, bias)
    rate = b.v[0] - a.v[0]
    assert [value[0], J[6]] == [0.0**n, float(n == 1)]
    assert bias[0] == pytest.approx(2 * rate**2 * (n == 2))


def of_s_and_t(a, b, s, t):
    return s - along(a, b, 0) - t * t


def s_itself(a, b, s):
    return s + along(a, b, 1)


def rate_of_s(a, b, s, s_dot):
    return s_dot + dot(axis(a, 1), sub(b.v, a.v))


@pytest.mark.parametrize(("level", "phi", "psi"), [(0, s_itself, None), (1, None, rate_of_s)])
def test_unknowns_that_time_changes(level, phi, psi):
    kernel = derived("constraint", Source(2, (level,), phi, psi, (("s", "near"),), of_s_and_t))
    written = {name: np.zeros(12) for name in ("phi", "G", "gamma", "phi_t")}
    a, b = markers(np.random.default_rng(3))
    still = [type(k)(k.x, k.R, (0.0,) * 3, (0.0,) * 3) for k in (a, b)]
    called(kernel, a=still[0], b=still[1], p=Settings({"near": 0.1}), mem=[0.0], t=0.7, **written)
    assert written["phi_t"][0] == pytest.approx(2 * 0.7)  # s = x + t²
    assert written["gamma"][0] == pytest.approx(-2.0)


def test_potential_and_dissipation_of_one_function_are_told_apart():
    V, R = ForceSource(2, s_itself), ForceSource(2, None, s_itself)
    assert V.key != R.key and re.fullmatch(r"\w+", V.key)


def root_where_it_is_real(a, b):
    return where(along(a, b, 0) > 0.0, math.sqrt(along(a, b, 0)), along(a, b, 1) ** 2)


def power_where_it_is_real(a, b):
    return where(along(a, b, 0) > 0.0, 1.0 / along(a, b, 0) ** 1.5, dot(b.x, b.x))


@pytest.mark.parametrize("phi", [root_where_it_is_real, power_where_it_is_real], ids=lambda f: f.__name__)
def test_slopes_of_what_is_not_taken_have_no_effect(phi):
    random = np.random.default_rng(3)
    a, b = next(m for m in iter(lambda: markers(random), None) if along(*m, 0) < 0.0)
    value, J, bias = np.full(1, np.nan), np.full(12, np.nan), np.full(1, np.nan)
    jit(Measure(phi=phi).kernel)(a, b, value, J, bias)
    K = np.zeros((12, 12))
    jit(Measure(phi=phi).tangent)(a, b, np.ones(1), K)
    assert np.isfinite([*value, *J, *bias, *K.ravel()]).all()
