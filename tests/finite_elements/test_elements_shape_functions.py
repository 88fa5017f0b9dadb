"""Shape functions, quadrature, and masses of elements."""

from __future__ import annotations

from itertools import product
from math import factorial

import numpy as np
import pytest
from element_meshes import NAMES, box, consistent_mass
from mbplugin_flexible.elements import KINDS, lumped_mass, quadrature
from mbplugin_flexible.meshes.checks import faulty

DENSITY = 7.3


@pytest.mark.parametrize("name", NAMES)
def test_each_function_is_one_at_its_own_node(name):
    kind = KINDS[name]
    np.testing.assert_allclose(kind.shape(kind.nodes)[0], np.eye(kind.k), atol=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_differences(name):
    kind, h = KINDS[name], 1e-6
    at = kind.mass[0]
    for i in range(3):
        step = h * np.eye(3)[i]
        slope = (kind.shape(at + step)[0] - kind.shape(at - step)[0]) / (2.0 * h)
        np.testing.assert_allclose(kind.shape(at)[1][..., i], slope, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_gauss_rules_integrate_monomials(n):
    for i, j, k in product(range(2 * n), repeat=3):
        points, weights = quadrature.of_cube(n)
        exact = np.prod([2.0 / (m + 1) if m % 2 == 0 else 0.0 for m in (i, j, k)])
        assert weights @ np.prod(points ** (i, j, k), axis=1) == pytest.approx(exact, abs=1e-14)
        if i + j + k < 2 * n:
            check_tetrahedron(quadrature.of_tetrahedron(n), i, j, k)


def check_tetrahedron(rule, i, j, k):
    """∫ ξ^i η^j ζ^k = i! j! k! / (i + j + k + 3)!"""
    points, weights = rule
    exact = factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3)
    assert weights @ np.prod(points ** (i, j, k), axis=1) == pytest.approx(exact, abs=1e-15)


def test_four_points_integrate_to_degree_two():
    for i, j, k in product(range(3), repeat=3):
        if i + j + k <= 2:
            check_tetrahedron(quadrature.four_points(), i, j, k)


@pytest.mark.parametrize("name", NAMES)
def test_values_at_nodes_reproduce_a_linear_field(name):
    kind = KINDS[name]
    field = lambda at: np.full(len(at), 2.0) if kind.gauss == 1 else 1.0 + at @ [0.3, -2.0, 0.7]
    np.testing.assert_allclose(kind.to_nodes @ field(kind.rule[0]), field(kind.nodes), atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_lumped_mass_is_positive_and_that_of_the_box(name):
    points, cells = box(name, (2, 3, 2), (1.0, 2.0, 0.7), 0.1)
    m = lumped_mass(name, points, cells, DENSITY)
    assert m.min() > 0.0
    assert m.sum() == pytest.approx(DENSITY * 1.4, rel=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_lumped_mass_of_a_regular_box_has_its_mass_centre(name):
    points, cells = box(name, (2, 3, 2), (1.0, 2.0, 0.7))
    m = lumped_mass(name, points, cells, DENSITY)
    np.testing.assert_allclose(m @ points / m.sum(), [0.5, 1.0, 0.35], atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_consistent_mass_gives_the_moments_of_a_box(name):
    """ẋ = A X is exact in every element: ½ ẋᵀ M ẋ = ½ A : (∫ ρ X Xᵀ dV) : A, with distorted elements too."""
    size = np.array([1.0, 2.0, 0.7])
    points, cells = box(name, (2, 3, 2), size, 0.05)
    M = consistent_mass(name, points, cells, DENSITY)
    second = np.outer(size, size) / 4.0 + np.diag(size**2 / 12.0)
    A = np.random.default_rng(2).normal(size=(3, 3))
    v = (points @ A.T).ravel()
    exact = DENSITY * size.prod() * np.trace(A @ second @ A.T)
    assert v @ M @ v == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_inverted_and_flat_elements_are_found(name):
    points, cells = box(name, (2, 2, 1))
    inverted, degenerate = faulty(KINDS[name], points, cells)
    assert not len(inverted) and not len(degenerate)
    swapped = cells.copy()
    swapped[1] = cells[1][KINDS[name].mirrored]
    assert list(faulty(KINDS[name], points, swapped)[0]) == [1]
    flat = points.copy()
    flat[cells[2], 2] = 0.0
    assert 2 in faulty(KINDS[name], flat, cells)[1]


def test_a_corner_that_points_inwards_is_found():
    """det J is positive at the centre, negative at the corner."""
    points, cells = box("hex8", (1, 1, 1))
    points[cells[0, 6]] = (0.3, 0.3, 0.3)
    assert list(faulty(KINDS["hex8"], points, cells)[0]) == [0]
