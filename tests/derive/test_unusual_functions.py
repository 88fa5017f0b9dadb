"""Functions that authors may write, although few do: values and derivatives against differences of Python."""

from __future__ import annotations

import enum
import functools
import math
import re
from typing import NamedTuple

import numpy as np
import pytest
from test_against_hand import Settings, called, markers, of_rows
from test_textbook import moved_floats

from mbplugin.derive.forces import ForceSource
from mbplugin.derive.functions import derived
from mbplugin.derive.kernels import Source, measure_text
from mbplugin.interface import Measure, TraceError, axis, jit, where
from mbplugin.math.vec3 import dot, norm, sub


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


def squared_by(n, x):
    return math.sqrt(x * x + 1.0) ** n


partial_of_a_function = functools.partial(squared_by, 3)
by_kind = {"root": lambda x: math.sqrt(1.0 + x * x), "other": [math.sin, lambda x: math.cosh(x)]}


class Shape:
    """Helpers in a class, and an object with a number."""

    def __init__(self, size):
        self.size = size

    @staticmethod
    def half(x):
        return 0.5 * math.sinh(x)

    @classmethod
    def twice(cls, x):
        return 4.0 * cls.half(math.tanh(x))

    def scaled(self, x):
        return self.size * math.exp(-x * x)

    def __call__(self, x):
        return self.scaled(x) + self.half(x)


shape = Shape(0.7)


def partials_and_collections(a, b):
    x, y, z = (along(a, b, k) for k in range(3))
    return partial_of_a_function(x) + by_kind["root"](y) + sum(f(z) for f in by_kind["other"])


def methods(a, b):
    x, y, z = (along(a, b, k) for k in range(3))
    return Shape.twice(x) + Shape.half(y) + shape.scaled(z) + shape(x)


class Way(enum.Enum):
    UP = 1
    DOWN = 2

    def other(self):
        return Way.DOWN if self is Way.UP else Way.UP


CHOSEN = Way.UP


def members_of_an_enumeration(a, b):
    x = along(a, b, 0)
    up = CHOSEN is Way.UP and CHOSEN == Way.UP and CHOSEN.other() is Way.DOWN and shape == shape
    return math.sinh(x) if up else x


def imports_inside(a, b):
    import math as m
    from math import sqrt

    return sqrt(1.0 + along(a, b, 0) ** 2) + m.atan(along(a, b, 1))


def with_a_default(a, b, factor=3.0):
    return factor * along(a, b, 0) ** 2


as_a_partial = functools.partial(with_a_default, factor=2.0)


FUNCTIONS = (
    *(
        partials_and_collections,
        methods,
        members_of_an_enumeration,
        imports_inside,
        with_a_default,
        as_a_partial,
    ),
    *(equal_conditions, different_conditions, condition_and_bool, inside_try, logarithm_to_a_base, of_math),
    *(keys_and_defaults, largest_of_many),
)


@pytest.mark.parametrize("phi", FUNCTIONS, ids=lambda f: getattr(f, "__name__", "partial"))
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


def test_a_lambda_and_a_class_method_as_functions():
    class Author:
        @classmethod
        def phi(cls, a, b):
            return math.sqrt(1.0 + along(a, b, 0) ** 2)

    a, b = m = markers(np.random.default_rng(3))
    for phi in (Author.phi, lambda a, b: math.sqrt(1.0 + along(a, b, 0) ** 2)):
        assert of_rows(Measure(phi=phi).kernel, 1, Settings({}), m)[0] == pytest.approx(Author.phi(a, b))


#: dissipation c |v|ⁿ of a vector and of one component, and by a parameter: force −n c |v|ⁿ⁻² v
def of_speed(a, b):
    return 0.7 * norm(sub(b.v, a.v)) ** 3


def of_speed_to(a, b, p):
    return 0.7 * norm(sub(b.v, a.v)) ** p.n


def of_component(a, b):
    return 0.7 * abs(b.v[0] - a.v[0]) ** 1.5


def of_component_to(a, b, p):
    return 0.7 * abs(b.v[0] - a.v[0]) ** p.n


def of_square(a, b):
    u = sub(b.v, a.v)
    return 0.7 * dot(u, u) ** 1.25


LOSSES = [(of_speed, 3.0), (of_speed_to, 1.5), (of_component, 1.5), (of_component_to, 3.0), (of_square, 2.5)]


@pytest.mark.parametrize(("R", "n"), LOSSES, ids=lambda x: getattr(x, "__name__", ""))
def test_powers_of_a_speed_at_rest_and_else(R, n):
    source = ForceSource(2, None, R)
    kernel, tangent = (jit(derived(role, source)) for role in ("force", "force_tangent"))
    with_p, p = ((Power(n),), Power(n)) if "p" in R.__code__.co_varnames[:3] else ((), None)
    a, b = markers(np.random.default_rng(2))
    rest = type(b)(b.x, b.R, a.v, b.w)
    for moving in (b, rest):
        wrench, energy, power = np.full((2, 6), np.nan), np.zeros(1), np.zeros(1)
        kernel(a, moving, *with_p, wrench, energy, power)
        K, D = np.zeros((12, 12)), np.zeros((12, 12))
        read = tangent.py_func.__code__.co_varnames[: tangent.py_func.__code__.co_argcount]
        tangent(*({"a": a, "b": moving, "p": p, "K": K, "D": D}[name] for name in read))
        u = np.subtract(moving.v, a.v) * ([1, 0, 0] if "component" in R.__name__ else 1)
        size = np.linalg.norm(u)
        unit = u / size if size else 0 * u
        force = -n * 0.7 * size ** (n - 1) * unit
        np.testing.assert_allclose(wrench[1, :3], force, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(wrench[0, :3], -force, rtol=1e-13, atol=1e-15)
        assert power[0] == pytest.approx(force @ u, rel=1e-13)
        along_it = n * (n - 1) * 0.7 * size ** (n - 2) if size else 0.0  # no slope where it is infinite
        assert unit @ D[6:9, 6:9] @ unit == pytest.approx(along_it, rel=1e-12)
        assert np.isfinite(D).all() and not K.any()


def test_the_slope_of_an_absolute_value_at_zero_is_in_the_middle():
    a, b = markers(np.random.default_rng(2))
    level = type(b)((*b.x[:2], a.x[2]), b.R, b.v, b.w)
    value, J, bias = np.full(1, np.nan), np.full(12, np.nan), np.full(1, np.nan)
    jit(Measure(phi=lambda a, b: abs(b.x[2] - a.x[2])).kernel)(a, level, value, J, bias)
    assert not value.any() and not J.any() and not bias.any()


def test_a_contact_of_hertz_that_is_open_has_a_tangent():
    """V = k max(−z, 0)^2.5 (H. Hertz, J. reine angew. Math. 92, 1881, 156)."""

    def V(a, b):
        return 3.0 * max(a.x[2] - b.x[2], 0.0) ** 2.5

    kernel = jit(derived("force_tangent", ForceSource(2, V)))
    a, b = markers(np.random.default_rng(2))
    for depth in (-0.3, 0.0, 0.2):
        K = np.zeros((12, 12))
        here = type(b)((*b.x[:2], a.x[2] - depth), b.R, b.v, b.w)
        kernel(a, here, K, np.zeros((12, 12)))
        assert K[8, 8] == pytest.approx(3.0 * 2.5 * 1.5 * math.sqrt(max(depth, 0.0)), rel=1e-13)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e3])
def test_what_a_rotation_changes_at_any_size_is_not_taken_for_rigid(size):
    """A bump of one size in world axes, flat elsewhere; and one in the axes of a."""

    def in_world(a, b):
        return size * math.exp(-(((b.x[0] - a.x[0]) / size) ** 2))

    def in_axes(a, b):
        return size * math.exp(-((along(a, b, 0) / size) ** 2))

    plans = [measure_text(Source(2, (0,), phi)).plans[0] for phi in (in_world, in_axes)]
    assert "balance" not in plans[0] and "seen from" not in plans[0]
    assert "seen from" in plans[1] or "balance" in plans[1]
