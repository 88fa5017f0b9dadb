"""Sums along any number of markers: against kernels by hand, differences of high precision, and motions."""

from __future__ import annotations

from itertools import pairwise

import derived_kinds
import mpmath
import numpy as np
import pytest
from foreign_kinds.cable import Cable
from foreign_kinds.cable import Path as PathByHand
from refusals import stopped
from scene_text import body, solver, table, world
from test_against_hand import Settings, called, close, markers
from test_textbook import moved

from mbplugin.derive.formula import formula
from mbplugin.errors import SceneError
from mbplugin.interface import Measure, TraceError, sum_along
from mbplugin.math.vec3 import dot, norm, sub

COUNTS = (2, 3, 5)


def rows_of(kernel, m, p, **given):
    """Φ, G and γ of one row, or value, J and bias of a measure."""
    value, G, bias = np.full(1, np.nan), np.full(6 * len(m), np.nan), np.full(1, np.nan)
    excess, phi_t = np.full(1, np.nan), np.full(1, np.nan)
    names = {"value": value, "J": G, "bias": bias, "phi": value, "G": G, "gamma": bias}
    called(kernel, m=tuple(m), p=p, phi_t=phi_t, excess=excess, **names, **given)
    return np.concatenate([value, G, bias])


def square(name, tangent, m, p, **given):
    found = {key: np.zeros((6 * len(m), 6 * len(m))) for key in "KD"}
    called(tangent, m=m, p=p, **found, **given)
    return found[name]


@pytest.mark.parametrize("count", COUNTS)
def test_the_length_of_a_path_is_that_by_hand(count):
    random = np.random.default_rng(count)
    p, derived = Settings({"length": 1.3}), derived_kinds.MEASURES["path"]
    for _ in range(10):
        m = markers(random, count)
        close(rows_of(derived_kinds.Path.kernel, m, p), rows_of(Cable.kernel, m, p))
        close(rows_of(derived.kernel, m, p), rows_of(PathByHand.kernel, m, p))
        lam = random.normal(size=1)
        K = square("K", derived_kinds.Path.tangent, m, p, lam=lam)
        # minus the derivative of Gᵀ λ, by differences of G
        slopes = [slope_of_load(derived_kinds.Path.kernel, m, p, lam, j) for j in range(6 * count)]
        np.testing.assert_allclose(K, -np.column_stack(slopes), atol=1e-8)


def slope_of_load(kernel, m, p, lam, j, h=1e-5):
    twist = np.zeros(6)
    twist[j % 6] = 1.0
    at = lambda t: [moved(each, twist if k == j // 6 else 0 * twist, t) for k, each in enumerate(m)]
    floats = lambda made: [type(k)(*(tuple(map(float, part)) for part in k)) for k in made]
    ahead, behind = (lam[0] * rows_of(kernel, floats(at(t)), p)[1:-1] for t in (h, -h))
    return (ahead - behind) / (2 * h)


@pytest.mark.parametrize("count", [3, 4])
def test_wrenches_of_a_net_against_many_digits(count):
    """Minus the derivatives of V by 30 digits; the loss is c Σ |v_{k+1} − v_k|²."""
    random = np.random.default_rng(7)
    stiffness = (30.0, 50.0, 11.0)[: count - 1]
    p = Settings({"stiffness": stiffness, "damping": 0.7, "bending": 2.0})
    m = markers(random, count)
    wrench, energy, power = np.full((count, 6), np.nan), np.zeros(1), np.zeros(1)
    called(derived_kinds.Net.kernel, m=m, p=p, wrench=wrench, energy=energy, power=power)
    still = [type(k)(k.x, k.R, (0.0,) * 3, (0.0,) * 3) for k in m]
    elastic = np.full((count, 6), np.nan)
    called(derived_kinds.Net.kernel, m=still, p=p, wrench=elastic, energy=energy, power=0 * power)

    def V(x):
        d = [[x[k + 1][i] - x[k][i] for i in range(3)] for k in range(count - 1)]
        size = [mpmath.sqrt(sum(c * c for c in each)) for each in d]
        total = sum(k * s * s / 2 for k, s in zip(stiffness, size))
        inner = (sum(a * b for a, b in zip(d[k], d[k + 1])) for k in range(count - 2))
        return total + 2 * sum(1 - each / size[k] / size[k + 1] for k, each in enumerate(inner))

    with mpmath.workdps(30):
        x = [[mpmath.mpf(c) for c in k.x] for k in m]
        assert energy[0] == pytest.approx(float(V(x)), rel=1e-14)
        for k in range(count):
            for i in range(3):
                moved_one = lambda e, k=k, i=i: [
                    [c + e * ((k, i) == (r, s)) for s, c in enumerate(row)] for r, row in enumerate(x)
                ]
                slope = mpmath.diff(lambda e, moved_one=moved_one: V(moved_one(e)), 0)
                assert elastic[k, i] == pytest.approx(-float(slope), rel=1e-12, abs=1e-12)
    assert not elastic[:, 3:].any()
    seen = [derived_kinds.speed_along(a, b) for a, b in pairwise(m)]
    assert power[0] == pytest.approx(-0.7 * np.sum(np.square(seen)), rel=1e-13)
    viscous = wrench - elastic
    twists = np.array([[*k.v, *k.w] for k in m])
    assert np.sum(viscous * twists) == pytest.approx(power[0], rel=1e-12)
    D = square("D", derived_kinds.Net.tangent, m, p)
    np.testing.assert_allclose(D @ twists.ravel(), -viscous.ravel(), atol=1e-13)


def chain(count, k, m, start, **keys):
    """Point masses between two fixed points, with springs of no free length."""
    other = {"name": "other", "position": [count + 1, 0, 0]}
    text = world(gravity=[0, 0, 0], marker=[{"name": "one"}, other])
    names = [f"m{i}" for i in range(count)]
    for i, name in enumerate(names):
        text += body(name, type="point", mass=m, position=[i + 1, start[i], 0.0])
    ends = ["ground.one", *names, "ground.other"]
    keys["stiffness"] = [k] * (count + 1)
    return text + table("force", name="net", type="acme_net", markers=ends, **keys)


SOLVERS = [solver(tolerance=1e-11, end=1.0), solver(type="galpha", tolerance=1e-9, end=1.0)]


@pytest.mark.parametrize("by", SOLVERS, ids=["rk", "galpha"])
def test_vibrations_of_a_string_of_masses(runs, by):
    """ω_j = 2 √(k/m) sin(j π / (2 (n + 1))) (J. L. Lagrange, Mécanique analytique, 1788)."""
    count, k, m, j = 4, 60.0, 0.5, 2
    shape = 0.1 * np.sin(j * np.pi * np.arange(1, count + 1) / (count + 1))
    omega = 2 * np.sqrt(k / m) * np.sin(j * np.pi / (2 * (count + 1)))
    (frame,) = runs.frames(chain(count, k, m, shape) + by, [1.0])
    y = frame["bodies/position"][:, 1]
    np.testing.assert_allclose(y, shape * np.cos(omega), atol=1e-8 if "galpha" not in by else 1e-5)
    np.testing.assert_allclose(frame["bodies/position"][:, 0], np.arange(1, count + 1), atol=1e-9)


def test_a_path_over_an_eye_with_two_weights(runs):
    """The machine of G. Atwood (1784): a = g (m₁ − m₂)/(m₁ + m₂); the tension is 2 m₁ m₂ g/(m₁ + m₂)."""
    heavy, light, g = 1.2, 0.8, 9.81
    text = world(gravity=[0, 0, -g], marker=[{"name": "eye", "position": [0, 0, 3.0]}])
    for name, mass in (("heavy", heavy), ("light", light)):
        text += body(name, type="point", mass=mass, position=[0, 0, 1.5])
    text += table("joint", name="rope", type="acme_path", markers=["heavy", "ground.eye", "light"])
    (frame,) = runs.frames(text + solver(tolerance=1e-10, end=0.4), [0.4])
    a = g * (heavy - light) / (heavy + light)
    np.testing.assert_allclose(frame["bodies/position"][:, 2], [1.5 - 0.08 * a, 1.5 + 0.08 * a], atol=1e-9)
    assert abs(float(frame["outputs/value"][0])) < 1e-9


def test_a_list_has_an_entry_for_each_part(runs):
    text = chain(3, 2.0, 1.0, [0, 0, 0]).replace("[2.0, 2.0, 2.0, 2.0]", "[2.0, 2.0]")
    says = "for 5 markers give 4, one for each and the next"
    with stopped(SceneError, "force[0].stiffness", "2 entries", says):
        runs.prepare(text + solver(end=1.0))


def length(a, b):
    return norm(sub(b.x, a.x))


def squared(m):
    return sum_along(m, length) ** 2


def single(m):
    return norm(m[0].x)


def nested(m):
    return sum_along(m, lambda a: sum_along(m, length))


def branched(m):
    return sum_along(m, lambda a, b: 1.0 if a.x[0] > 0.0 else length(a, b))


def on_a_sum(m):
    return 1.0 if sum_along(m, length) > 1.0 else 0.0


def too_few(m):
    return sum_along(m, lambda: 1.0)


def of_numbers(m):
    return sum_along(m, lambda a, c: c * a.x[0], [1.0, 2.0])


def by_name(a, b):
    return length(a, b)


@pytest.mark.parametrize(
    ("phi", "says"),
    [
        (squared, "a sum along markers that is not linear in it"),
        (single, "a single marker of a kind for any number of them; use `sum_along"),
        (nested, "within a part of another one"),
        (branched, "a branch within a sum along markers; use `where`"),
        (on_a_sum, "a branch on a sum along markers"),
        (too_few, "takes 0 arguments: a part of `sum_along` takes one to 4 markers"),
        (of_numbers, "a list of `sum_along` that is not a parameter"),
        (by_name, "by_name asks for `a`; it can have m, p"),
    ],
)
def test_what_is_refused(phi, says):
    with pytest.raises(TraceError, match=says):
        assert Measure(phi=phi, markers=None).kernel


def test_of_a_fixed_number_of_markers_it_is_written_out():
    fixed, free = Measure(phi=derived_kinds.path, markers=3), derived_kinds.MEASURES["path"]
    m = markers(np.random.default_rng(3), 3)
    close(rows_of(fixed.kernel, m, None), rows_of(free.kernel, m, None))
    assert "for k" not in fixed.kernel.source and "for k in range(len(m) - 1):" in free.kernel.source


def test_branches_on_parameters_and_tuples_of_sums():
    def phi(m, p):
        squares, lengths = sum_along(m, lambda a, b: (dot(a.x, b.x), length(a, b)))
        return squares if p.mode > 0.0 else 2.0 * lengths - squares

    m, of = markers(np.random.default_rng(3), 4), Measure(phi=phi, markers=None)
    squares = sum(np.dot(a.x, b.x) for a, b in pairwise(m))
    lengths = sum(np.linalg.norm(np.subtract(b.x, a.x)) for a, b in pairwise(m))
    for mode, value in ((1.0, squares), (-1.0, 2.0 * lengths - squares)):
        assert rows_of(of.kernel, m, Settings({"mode": mode}))[0] == pytest.approx(value, rel=1e-13)


def test_its_formula():
    assert formula(derived_kinds.Path.phi, None) == r"\Phi = \sum_k |r_{k+1} - r_k| - \mathrm{length}"
    V = formula(derived_kinds.Net.potential, None, name="V")
    assert V.startswith(r"V = \sum_k 0.5 \, \mathrm{stiffness}_k")
