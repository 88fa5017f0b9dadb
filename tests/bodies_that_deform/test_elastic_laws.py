"""Elastic laws and the polar decomposition: P = ∂W/∂F, Hooke's law, rotations without stress."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import polar as scipy_polar
from scipy.spatial.transform import Rotation

from mbplugin.math.elasticity import LAWS, energy_density, lame, stress
from mbplugin.math.polar import polar

YOUNG, POISSON = 7.0, 0.3
LAM, MU = lame(YOUNG, POISSON)
NUMBERS = range(len(LAWS))


def flat(A):
    return tuple(map(float, np.ravel(A)))


def square(A):
    return np.array(A).reshape(3, 3)


def energy(law, F):
    return energy_density(law, LAM, MU, flat(F), polar(flat(F))[1])


def stress_of(law, F):
    R, U = polar(flat(F))
    return square(stress(law, LAM, MU, flat(F), R, U))


def deformed(seed, size):
    """A random rotation times a random stretch and shear."""
    random = np.random.default_rng(seed)
    return Rotation.random(random_state=seed).as_matrix() @ (np.eye(3) + size * random.normal(size=(3, 3)))


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_the_polar_decomposition_is_that_of_scipy(seed, size):
    F = deformed(seed, size)
    R, U = map(square, polar(flat(F)))
    for one, other in zip((R, U), scipy_polar(F)):
        np.testing.assert_allclose(one, other, atol=2e-14)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)


@pytest.mark.parametrize(
    "stretches", [(1, 1, 1), (2, 0.5, 1), (1, 0.2, 0.2), (1, 0.06, 0.07), (1, 1, 0.01), (1, 0.01, 0.01)]
)
def test_the_closed_form_and_the_iteration_agree_with_scipy(stretches):
    """Of the stretches some are far enough apart for the iteration, some are near its limit."""
    Q, R = Rotation.random(2, random_state=5).as_matrix()
    F = R @ Q @ np.diag(stretches) @ Q.T
    for one, other in zip(map(square, polar(flat(F))), scipy_polar(F)):
        np.testing.assert_allclose(one, other, atol=3e-14)


def test_it_holds_for_large_and_small_stretches():
    """F = R U with stretches from 1e-3 to 1e3."""
    R = Rotation.from_rotvec([0.3, -2.0, 1.1]).as_matrix()
    U = np.diag([1e-3, 1.0, 1e3])
    found = square(polar(flat(R @ U))[0])
    np.testing.assert_allclose(found, R, atol=1e-12)


@pytest.mark.parametrize("F", [np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 0.0, 1.0]), np.full((3, 3), np.nan)])
def test_a_body_turned_inside_out_has_no_rotation(F):
    assert np.isnan(polar(flat(F))[0]).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("law", NUMBERS, ids=LAWS)
def test_the_stress_is_the_gradient_of_the_energy(law, seed):
    """Central differences, extrapolated."""
    F, found = deformed(seed, 0.2), np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        unit = np.zeros((3, 3))
        unit[i, j] = 1.0
        slope = lambda h, unit=unit: (energy(law, F + h * unit) - energy(law, F - h * unit)) / (2 * h)
        found[i, j] = (4 * slope(1e-3) - slope(2e-3)) / 3
    np.testing.assert_allclose(stress_of(law, F), found, atol=2e-9)


@pytest.mark.parametrize("law", NUMBERS, ids=LAWS)
def test_small_strains_follow_hookes_law_whatever_the_rotation(law):
    """σ = λ tr ε 1 + 2 μ ε to first order, in the axes that turn."""
    R = Rotation.from_rotvec([0.4, 2.0, -1.0]).as_matrix()
    e = 1e-6 * np.array([[1.0, 0.4, -0.3], [0.4, -0.7, 0.2], [-0.3, 0.2, 0.5]])
    found = R.T @ stress_of(law, R @ (np.eye(3) + e))
    np.testing.assert_allclose(found, 2 * MU * e + LAM * np.trace(e) * np.eye(3), atol=1e-4 * 7e-6)


@pytest.mark.parametrize("law", NUMBERS, ids=LAWS)
def test_a_rotation_has_no_stress_and_turns_that_of_a_strain(law):
    """P(Q F) = Q P(F) and W(Q F) = W(F)."""
    Q, F = Rotation.from_rotvec([1.0, -0.5, 2.0]).as_matrix(), deformed(5, 0.1)
    assert np.abs(stress_of(law, Q)).max() < 1e-12 * YOUNG and abs(energy(law, Q)) < 1e-12 * YOUNG
    np.testing.assert_allclose(stress_of(law, Q @ F), Q @ stress_of(law, F), atol=1e-13 * YOUNG)
    assert energy(law, Q @ F) == pytest.approx(energy(law, F), rel=1e-12)


@pytest.mark.parametrize("poisson", [-0.5, 0.0, 0.45])
def test_lames_constants_give_uniaxial_stress_youngs_modulus(poisson):
    """E = μ (3 λ + 2 μ)/(λ + μ), ν = λ/(2 (λ + μ))."""
    lam, mu = lame(YOUNG, poisson)
    assert mu * (3 * lam + 2 * mu) / (lam + mu) == pytest.approx(YOUNG, rel=1e-14)
    assert lam / (2 * (lam + mu)) == pytest.approx(poisson, abs=1e-15)
