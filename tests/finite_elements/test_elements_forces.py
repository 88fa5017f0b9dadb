"""Internal forces of elements: gradients of the energy, rigid motions, momentum, damping, tangents."""

from __future__ import annotations

import numpy as np
import pytest
from element_meshes import LAWS, NAMES, assembled, mesh
from mbplugin_flexible.elements import KINDS
from scipy.spatial.transform import Rotation

from mbplugin.math.elasticity import lame

ROTATION = Rotation.from_rotvec(2.0 * np.array([2.0, -1.0, 2.0]) / 3.0).as_matrix()
kinds_and_laws = pytest.mark.parametrize("kind, law", LAWS)


def deformed(tested, size, seed=1):
    """Turned by 2 rad, stretched and sheared, moved, and each node displaced at random."""
    random = np.random.default_rng(seed)
    F = ROTATION @ (np.eye(3) + size * random.uniform(-1.0, 1.0, (3, 3)))
    return (
        tested.points @ F.T + [1.0, -2.0, 3.0] + 0.2 * size * random.uniform(-1.0, 1.0, tested.points.shape)
    )


@kinds_and_laws
def test_a_linear_displacement_makes_constant_stress(kind, law):
    """Patch test: nothing is left at inner nodes, and every Gauss point has the stress of F, turned."""
    tested = mesh(kind, law)
    strain = 1e-2 * np.array([[1.0, 0.3, -0.2], [0.3, -0.7, 0.5], [-0.2, 0.5, 0.4]])
    F = ROTATION @ (np.eye(3) + strain)
    x = tested.points @ F.T + [1.0, -2.0, 3.0]
    inner = ((tested.points > 1e-9) & (tested.points < 1.0 - 1e-9)).all(axis=1)
    assert inner.sum() > 0
    f = tested.forces(x)
    assert abs(f[inner]).max() < 1e-12 * abs(f).max()
    np.testing.assert_allclose(
        tested.stresses(x), np.broadcast_to(cauchy(law, strain, kind), tested.stresses(x).shape), atol=1e-12
    )


def cauchy(law, strain, kind):
    """Stress of U = 1 + strain, turned by 2 rad; of hex8 that of small strain."""
    lam, mu = lame(10.0, 0.3)
    U = np.eye(3) + strain
    E = 0.5 * (U @ U - np.eye(3))
    J = np.linalg.det(U)
    if law == "linear":
        T = 2.0 * mu * strain + lam * np.trace(strain) * np.eye(3)
        T = T if kind == "hex8" else T @ U / J
    elif law == "saint_venant_kirchhoff":
        T = U @ (2.0 * mu * E + lam * np.trace(E) * np.eye(3)) @ U / J
    else:
        T = (mu * (U @ U - np.eye(3)) + lam * np.log(J) * np.eye(3)) / J
    T = ROTATION @ T @ ROTATION.T
    return T[[0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]]


@kinds_and_laws
def test_forces_are_the_gradient_of_the_energy(kind, law):
    tested = mesh(kind, law, (1, 1, 1), size=(1.0, 1.3, 0.8))
    x = deformed(tested, 0.2)
    f, h = tested.forces(x), 1e-4
    for node in range(len(x)):
        for i in range(3):
            assert f[node, i] == pytest.approx(-slope(tested.energy, x, node, i, h), abs=2e-9 * abs(f).max())


def slope(function, x, node, i, h):
    """A derivative by four values, with an error of h⁴."""
    step = np.zeros_like(x)
    step[node, i] = h
    near = function(x + step) - function(x - step)
    return (8.0 * near - (function(x + 2.0 * step) - function(x - 2.0 * step))) / (12.0 * h)


@kinds_and_laws
def test_a_rigid_motion_has_no_stress_force_or_energy(kind, law):
    tested = mesh(kind, law)
    x = tested.points @ ROTATION.T + [1.0, -2.0, 3.0]
    spin = np.array([0.3, -2.0, 1.0])
    v = np.cross(spin, x) + np.array([3.0, 1.0, 2.0])
    assert abs(tested.stresses(x)).max() < 1e-12 * tested.material.young
    assert abs(tested.forces(x, v, beta=0.1)).max() < 1e-12 * tested.material.young
    assert abs(tested.energy(x)) < 1e-15 * tested.material.young


@kinds_and_laws
@pytest.mark.parametrize("beta", [0.0, 0.3])
def test_forces_of_a_free_mesh_add_up_to_nothing(kind, law, beta):
    tested = mesh(kind, law)
    x = deformed(tested, 0.2)
    v = np.random.default_rng(3).normal(size=x.shape)
    f = tested.forces(x, v, beta)
    scale = np.abs(f).sum()
    assert abs(f.sum(axis=0)).max() < 1e-14 * scale
    assert abs(np.cross(x - x.mean(axis=0), f).sum(axis=0)).max() < 1e-14 * scale


@kinds_and_laws
def test_damping_takes_energy_and_is_proportional_to_the_stiffness(kind, law):
    """Undeformed but turned, the damping force is −β K v; deformed, its power is negative."""
    tested, beta = mesh(kind, law, (1, 1, 1)), 0.3
    random = np.random.default_rng(4)
    v = random.normal(size=tested.points.shape)
    x = tested.points @ ROTATION.T
    K = tested.rest_stiffness()
    K = assembled(tested.cells, K, len(x))
    expected = -beta * (K @ (v @ ROTATION).ravel()).reshape(-1, 3) @ ROTATION.T
    np.testing.assert_allclose(tested.forces(x, v, beta), expected, atol=1e-13 * abs(expected).max() * 10)
    for seed in range(3):
        x, v = deformed(tested, 0.2, seed), random.normal(size=x.shape)
        _, force, dissipated = tested.call_forces(x, v, beta)
        power = np.vdot(v, force - tested.forces(x))
        assert power < 0.0 and dissipated == pytest.approx(-power, rel=1e-9)


@pytest.mark.parametrize(
    "kind, law", [pytest.param(*one, marks=pytest.mark.slow if one[0] == "hex27" else ()) for one in LAWS]
)
def test_the_tangent_is_the_derivative_of_the_force(kind, law):
    tested = mesh(kind, law, (1, 1, 1), size=(1.0, 1.3, 0.8))
    x, h = deformed(tested, 0.2), 1e-4
    K = sum(
        assembled(tested.cells[[e]], tested.tangent(e, x)[None], len(x)).toarray()
        for e in range(len(tested.cells))
    )
    np.testing.assert_allclose(K, K.T, atol=1e-13 * abs(K).max())
    for node, i in [(0, 0), (3, 1), (len(x) - 1, 2)]:
        column = -slope(lambda at: tested.forces(at).ravel(), x, node, i, h)
        np.testing.assert_allclose(K[:, 3 * node + i], column, atol=1e-8 * abs(K).max())


@kinds_and_laws
def test_the_tangent_at_rest_is_the_stiffness_at_rest(kind, law):
    tested = mesh(kind, law)
    K = tested.rest_stiffness()
    for e in (0, len(tested.cells) - 1):
        np.testing.assert_allclose(tested.tangent(e, tested.points), K[e], atol=1e-13 * abs(K[e]).max())


@kinds_and_laws
def test_an_inverted_element_is_reported(kind, law):
    tested = mesh(kind, law, (1, 1, 1), distortion=0.0)
    x = tested.points * (1.0, 1.0, -0.1)
    if law == "saint_venant_kirchhoff":
        assert np.isfinite(tested.forces(x)).all()
    else:
        assert tested.call_forces(x)[0] == 0


@pytest.mark.parametrize("kind", NAMES)
def test_the_number_of_the_inverted_element_is_reported(kind):
    tested = mesh(kind, KINDS[kind].laws[-1] if kind == "hex8" else "neo_hookean", (3, 1, 1), distortion=0.0)
    x = tested.points.copy()
    last = tested.points[:, 0] > 0.67  # of the third column of elements
    x[last, 0] -= 0.8
    expected = min(e for e, nodes in enumerate(tested.cells) if tested.points[nodes, 0].mean() > 2.0 / 3.0)
    assert tested.call_forces(x)[0] == expected


@pytest.mark.parametrize("kind, law", [("hex8", "linear"), ("tet10", "neo_hookean")])
def test_a_place_far_from_the_origin_makes_no_stress(kind, law):
    """Rounding of positions 1e3 m away is 1e-13 m: a strain of about 1e-12."""
    tested = mesh(kind, law)
    x = tested.points @ ROTATION.T + [1e3, -1e3, 1e3]
    assert abs(tested.stresses(x)).max() < 1e-11 * tested.material.young


def test_a_law_that_a_kind_does_not_have_is_refused():
    with pytest.raises(ValueError, match="'hex8' have the laws linear, not 'neo_hookean'"):
        mesh("hex8", "neo_hookean")
