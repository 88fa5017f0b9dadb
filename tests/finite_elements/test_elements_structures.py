"""Meshes against solids: frequencies of a free cube, deflection of a cantilever."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from element_meshes import assembled, box, consistent_mass
from mbplugin_flexible.elements import Material, lumped_mass, prepare_elements, rest_stiffness
from numpy.polynomial import legendre
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh, splu, spsolve

from mbplugin.math.elasticity import lame

POISSON = 0.3
#: elastic modes of a free cube that are compared: 1, 3, 6 and 9; the others are their multiples
COMPARED = [0, 2, 5, 8]


def cube_frequencies(degree):
    """ω a (ρ/μ)^½ of a free cube for ν = 0.3, lowest first, from above: polynomials to `degree`.

    H. H. Demarest, J. Acoust. Soc. Am. 49 (1971) 768–775: Ritz's method with Legendre's polynomials.
    """
    x, w = legendre.leggauss(degree + 1)
    norm = np.sqrt(np.arange(degree + 1) + 0.5)
    P = legendre.legvander(x, degree) * norm
    slope = np.column_stack([legendre.legval(x, legendre.legder(row)) for row in np.eye(degree + 1)]) * norm
    # ∫ of φ_i φ_j with the derivatives of none, the first, the second, both; cube [−1, 1]³
    one = {(a, b): (f.T * w) @ g for a, f in ((0, P), (1, slope)) for b, g in ((0, P), (1, slope))}
    functions = [t for t in product(range(degree + 1), repeat=3) if sum(t) <= degree]
    lam, mu = lame(1.0, POISSON)
    found = []
    for parity in product((0, 1), repeat=3):
        # component c of a group has the parity of the group, changed along its own axis
        groups = [
            np.array([t for t in functions if all((t[d] + parity[d] + (c == d)) % 2 == 0 for d in range(3))])
            for c in range(3)
        ]
        K = [[None] * 3 for _ in range(3)]
        for c, d in product(range(3), repeat=2):
            pair = partial(pairs, one, groups[c], groups[d])
            K[c][d] = lam * pair(c, d) + mu * pair(d, c)
            if c == d:
                K[c][d] = K[c][d] + mu * sum(pair(m, m) for m in range(3))
        found.append(eigh(np.block(K), eigvals_only=True))
    values = np.sort(np.concatenate(found))[6:]
    return 2.0 * np.sqrt(values / mu)


def pairs(one, s, t, a, b):
    """∫ ∂_a φ ∂_b ψ of functions with degrees s (m, 3) and t (n, 3), from the integrals along each axis."""
    along = [one[(int(a == m), int(b == m))][np.ix_(s[:, m], t[:, m])] for m in range(3)]
    return np.prod(along, axis=0)


@pytest.fixture(scope="module")
def exact():
    return cube_frequencies(14)


def test_the_frequencies_of_the_cube_have_converged_and_contain_lame_modes(exact):
    """Lamé's modes of a free cube have ω a (ρ/μ)^½ = √2 π, whatever ν."""
    np.testing.assert_allclose(exact[COMPARED], cube_frequencies(16)[COMPARED], rtol=2e-6)
    assert abs(exact / (np.sqrt(2.0) * np.pi) - 1.0).min() < 1e-9


def frequencies_of(kind, n, lumped=False, count=12):
    """ω a (ρ/μ)^½ of a free cube of n³ hexahedra, or of these divided into tetrahedra."""
    points, cells = box(kind, (n, n, n))
    constants = prepare_elements(kind, points, cells, Material(1.0, POISSON))
    K = assembled(cells, rest_stiffness(kind, *constants, np.arange(len(cells))), len(points))
    if lumped:
        M = sparse.diags(np.repeat(lumped_mass(kind, points, cells, 1.0), 3))
    else:
        M = consistent_mass(kind, points, cells, 1.0)
    shift = -1.0
    factor = splu((K - shift * M).tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    inverse = LinearOperator(K.shape, factor.solve)
    values = eigsh(K, count + 6, M, sigma=shift, OPinv=inverse, return_eigenvectors=False)
    return np.sqrt(np.sort(values)[6:] / lame(1.0, POISSON)[1])


@pytest.mark.parametrize("kind", ["tet10", "hex27"])
def test_quadratic_elements_find_the_frequencies_of_the_cube(kind, exact):
    """2,187 velocities; consistent mass, so from above."""
    errors = frequencies_of(kind, 4)[COMPARED] / exact[COMPARED] - 1.0
    assert errors.min() > 0.0
    assert errors.max() < 6e-3


@pytest.mark.parametrize("kind, n, bound", [("hex8", 8, 0.07), ("tet10", 4, 0.065), ("hex27", 4, 2e-3)])
def test_lumped_mass_costs_accuracy(kind, n, bound, exact):
    """2,187 velocities; the figures are in the text of `lumped_mass`."""
    errors = frequencies_of(kind, n, lumped=True)[COMPARED] / exact[COMPARED] - 1.0
    assert 0.5 * bound < abs(errors).max() < bound


@pytest.mark.parametrize("n, accuracy", [(5, 4e-3), pytest.param(8, 5e-4, marks=pytest.mark.slow)])
def test_hexahedra_converge_with_order_two_to_the_frequencies_of_the_cube(exact, n, accuracy):
    """Extrapolated from n³ and (2n)³ elements."""
    coarse, fine = (frequencies_of("hex8", m)[COMPARED] for m in (n, 2 * n))
    np.testing.assert_allclose((4.0 * fine - coarse) / 3.0, exact[COMPARED], rtol=accuracy)


def tip_deflection(kind, divisions, poisson, length=10.0, load=1.0):
    """Of a clamped beam of 1 × 1 under a load that is spread over its end as a constant traction."""
    points, cells = box(kind, divisions, (length, 1.0, 1.0))
    constants = prepare_elements(kind, points, cells, Material(1.0, poisson))
    K = assembled(cells, rest_stiffness(kind, *constants, np.arange(len(cells))), len(points))
    last = abs(points[:, 0] - length) < 1e-9
    weight = np.ones(last.sum())
    for axis in (1, 2):
        edge = (points[last, axis] < 1e-9) | (points[last, axis] > 1.0 - 1e-9)
        weight *= np.where(edge, 0.5, 1.0)
    f = np.zeros_like(points)
    f[last, 2] = load * weight / weight.sum()
    free = np.repeat(points[:, 0] > 1e-9, 3)
    u = np.zeros(3 * len(points))
    u[free] = spsolve(K[free][:, free].tocsc(), f.ravel()[free])
    return weight @ u.reshape(-1, 3)[last, 2] / weight.sum()


def timoshenko(poisson, length=10.0):
    """P L³/(3 E I) + P L/(κ A G), κ = 5/6, of a square section 1 × 1."""
    shear = 1.0 / (2.0 * (1.0 + poisson))
    return length**3 / (3.0 / 12.0) + length / (5.0 / 6.0 * shear)


@pytest.mark.parametrize(
    "divisions, least, most", [((10, 1, 1), 5e-3, 0.0), ((20, 2, 2), 3e-3, 0.0), ((40, 4, 4), 1e-3, 0.0)]
)
def test_a_cantilever_of_hexahedra_bends_as_timoshenko_says(divisions, least, most):
    ratio = tip_deflection("hex8", divisions, 0.0) / timoshenko(0.0)
    assert -least < ratio - 1.0 < most


def test_linear_tetrahedra_are_too_stiff():
    assert tip_deflection("tet4", (20, 2, 2), 0.0) < 0.8 * timoshenko(0.0)
