"""Stiffness at rest: scikit-fem's; the incompatible modes by hand and by another condensation."""

from __future__ import annotations

import numpy as np
import pytest
from element_meshes import NAMES, Mesh, assembled, box, mesh
from mbplugin_flexible.elements import KINDS, Material, highest_frequency, lumped_mass
from mbplugin_flexible.elements.gauss_strain import GAUSS
from scipy.linalg import eigh
from skfem import Basis, ElementVector, MeshHex, MeshTet
from skfem.element import ElementHex1, ElementHex2, ElementTetP1, ElementTetP2
from skfem.models.elasticity import linear_elasticity
from skfem.refdom import RefHex, RefTet

from mbplugin.math.elasticity import lame

YOUNG, POISSON = 10.0, 0.3
#: mesh, element and order of the same Gauss rule in scikit-fem
OTHERS = {
    "hex8": (MeshHex, RefHex, ElementHex1, 3),
    "hex27": (MeshHex, RefHex, ElementHex2, 5),
    "tet4": (MeshTet, RefTet, ElementTetP1, 0),
    "tet10": (MeshTet, RefTet, ElementTetP2, 2),
}


def of_scikit_fem(kind, points, cells):
    """K (3 n, 3 n) dense, over the nodes of our mesh."""
    mesh_type, domain, element, order = OTHERS[kind]
    corners = KINDS[kind].nodes[: KINDS[kind].corners]
    corners = (corners + 1.0) / 2.0 if kind.startswith("hex") else corners
    places = domain.init_refdom()[0].T
    to_theirs = [int(np.flatnonzero((abs(corners - at) < 1e-12).all(axis=1))[0]) for at in places]
    used, local = np.unique(cells[:, to_theirs], return_inverse=True)
    other = mesh_type(points[used].T.copy(), local.reshape(-1, len(to_theirs)).T.copy())
    basis = Basis(other, ElementVector(element()), intorder=order)
    K = linear_elasticity(*lame(YOUNG, POISSON)).assemble(basis).toarray()
    dofs = basis.dofs
    parts = [dofs.nodal_dofs, dofs.edge_dofs, dofs.facet_dofs, dofs.interior_dofs]
    by_component = np.hstack([np.asarray(part).reshape(3, -1) for part in parts if np.size(part)])
    at = basis.doflocs[:, by_component[0]].T
    nearest = np.argmin(((at[:, None] - points[None]) ** 2).sum(axis=-1), axis=1)
    assert sorted(nearest) == list(range(len(points)))
    order_of = np.empty(3 * len(points), int)
    for i in range(3):
        order_of[3 * nearest + i] = by_component[i]
    return K[np.ix_(order_of, order_of)]


def ours(tested):
    K = tested.rest_stiffness()
    return assembled(tested.cells, K, len(tested.points)).toarray()


@pytest.mark.parametrize("kind", ["hex27", "tet4", "tet10"])
def test_stiffness_is_that_of_scikit_fem(kind):
    tested = mesh(kind, divisions=(2, 2, 2))
    K = of_scikit_fem(kind, tested.points, tested.cells)
    np.testing.assert_allclose(ours(tested), K, rtol=0, atol=1e-13 * abs(K).max())


def test_hexahedra_are_those_of_scikit_fem_less_what_the_modes_relax():
    """Each element's K of scikit-fem, with nine inner amplitudes condensed by a dense solve."""
    tested = mesh("hex8")
    points, lam, mu = tested.points, *lame(YOUNG, POISSON)
    for e in (0, 5):
        X = points[tested.cells[e]]
        K = of_scikit_fem("hex8", X, np.arange(8)[None])
        inner, coupling = modes(X, lam, mu)
        expected = K - coupling.T @ np.linalg.solve(inner, coupling)
        found = tested.rest_stiffness([e])[0]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * abs(K).max())


def modes(X, lam, mu):
    """∫ ∇φ_m : C : ∇φ_n dV of nine modes φ, and of these with nodal displacements, by index notation."""
    C = np.einsum("ij,kl->ijkl", lam * np.eye(3), np.eye(3)) + mu * (
        np.einsum("ik,jl->ijkl", np.eye(3), np.eye(3)) + np.einsum("il,jk->ijkl", np.eye(3), np.eye(3))
    )
    inner, coupling = np.zeros((3, 3, 3, 3)), np.zeros((3, 3, 8, 3))
    signs = KINDS["hex8"].nodes
    J0 = X.T @ signs / 8.0
    for xi in signs / np.sqrt(3.0):
        slope = KINDS["hex8"].shape(xi[None])[1][0]
        J = X.T @ slope
        nodal, j = slope @ np.linalg.inv(J), np.linalg.det(J)
        mode = np.diag(-2.0 * xi) @ np.linalg.inv(J0) * (np.linalg.det(J0) / j)
        inner += j * np.einsum("mj,ijkl,nl->mink", mode, C, mode)
        coupling += j * np.einsum("mj,ijkl,al->miak", mode, C, nodal)
    return inner.reshape(9, 9), coupling.reshape(9, 24)


@pytest.mark.parametrize("poisson", [0.0, 0.3])
def test_one_rectangular_hexahedron_bends_exactly(poisson):
    """Pure bending: u = κ (x z, −ν y z, −½ (x² − ν y² + ν z²)), σ_xx = E κ z, W = ½ E I κ² L.

    The squares are equal at all nodes, a translation.
    """
    length, width, height, curvature = 2.0, 0.7, 0.5, 1e-7
    X = KINDS["hex8"].nodes * (length / 2.0, width / 2.0, height / 2.0)
    tested = Mesh("hex8", X, np.arange(8)[None], Material(YOUNG, poisson))
    u = curvature * np.column_stack([X[:, 0] * X[:, 2], -poisson * X[:, 1] * X[:, 2], 0.0 * X[:, 2]])
    K = tested.rest_stiffness([0])[0]
    exact = 0.5 * YOUNG * width * height**3 / 12.0 * curvature**2 * length
    assert 0.5 * u.ravel() @ K @ u.ravel() == pytest.approx(exact, rel=1e-13)
    at_nodes = KINDS["hex8"].to_nodes @ tested.stresses(X + u)[0]
    scale = YOUNG * curvature * height
    np.testing.assert_allclose(at_nodes[:, 0], YOUNG * curvature * X[:, 2], atol=1e-6 * scale)
    assert abs(at_nodes[:, 1:]).max() < 1e-6 * scale


def test_stresses_of_a_distorted_hexahedron_are_in_equilibrium_with_its_forces():
    """Virtual work at small strain: f = −Σ j σ ∇N over the Gauss points, with gradients from the map to X."""
    random = np.random.default_rng(4)
    X = 0.5 * KINDS["hex8"].nodes + 0.12 * random.uniform(-1.0, 1.0, (8, 3))
    tested = Mesh("hex8", X, np.arange(8)[None], Material(YOUNG, POISSON))
    x = X + 1e-7 * random.uniform(-1.0, 1.0, (8, 3))
    f = np.zeros((8, 3))
    for (xx, yy, zz, xy, yz, xz), slope in zip(tested.stresses(x)[0], KINDS["hex8"].shape(GAUSS)[1]):
        J = X.T @ slope
        sigma = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        f -= np.linalg.det(J) * slope @ np.linalg.inv(J) @ sigma
    np.testing.assert_allclose(tested.forces(x), f, atol=1e-5 * abs(f).max())


def test_equal_elements_share_their_matrices():
    """A regular box has one kind of element; its stiffness is that of elements prepared one by one."""
    points, cells = box("hex8", (3, 4, 5), (1.0, 1.1, 1.2))
    material = Material(YOUNG, POISSON)
    together = Mesh("hex8", points, cells, material)
    one = Mesh("hex8", points[cells[0]], np.arange(8)[None], material)
    assert together.numbers.size - one.numbers.size == 59 * (one.numbers.size - 198)
    K = together.rest_stiffness()
    alone = one.rest_stiffness([0])[0]
    np.testing.assert_allclose(K, np.broadcast_to(alone, K.shape), rtol=0, atol=1e-13 * abs(alone).max())


@pytest.mark.parametrize("kind", NAMES)
def test_the_bound_of_frequencies_is_above_the_highest_and_near_it(kind):
    density = 3.0
    tested = mesh(kind, divisions=(2, 2, 2), distortion=0.05)
    m = np.repeat(lumped_mass(kind, tested.points, tested.cells, density), 3)
    highest = np.sqrt(eigh(ours(tested), np.diag(m), eigvals_only=True)[-1])
    bound = highest_frequency(kind, tested.points, tested.cells, tested.elements[2:], density)
    assert highest <= bound < 1.6 * highest


def test_the_bound_of_one_element_is_its_highest_frequency():
    """A cube of eight masses: an hourglass or a breathing mode, by a dense solve."""
    tested = mesh("hex8", divisions=(1, 1, 1), distortion=0.0)
    found = highest_frequency("hex8", tested.points, tested.cells, tested.elements[2:], 1.0)
    exact = np.sqrt(np.linalg.eigvalsh(ours(tested) * 8.0)[-1])
    assert found == pytest.approx(exact, rel=1e-12)
