"""Modes of beams and of a cube of finite elements by `analyze eigen` against beam theory and Demarest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cantilevers import HELD, beam, done
from test_elements_structures import COMPARED, POISSON, cube_frequencies, frequencies_of

from mbplugin.analysis.equilibrium.eigen import swinging
from mbplugin.tables.groups import Nodal
from mbplugin.tables.purposes import NODES

SCENES = Path(__file__).parents[2] / "scenes"

#: steel, ν = 0; slenderness 50
L, A, E, DENSITY = 1.0, 0.02, 2e11, 7800.0
SIZE = (L, A, A)
BENDING = np.sqrt(E * A**2 / (12.0 * DENSITY * L**4))
#: (β L)² of Euler-Bernoulli beams: Blevins, Formulas for Natural Frequency and Mode Shape
CANTILEVER, FREE = [3.516015268500151, 22.034491564666773], [22.37328544806132, 61.67282286792025]


def frequencies(text, lowest=12):
    """(lowest,) ω [rad/s] about the undeformed position."""
    return done(text, "eigen", about="start", lowest=lowest).report.frequencies


@pytest.fixture(scope="module")
def held():
    return frequencies(beam(SIZE, (50, 2, 2), E, 0.0, DENSITY, markers=""))


def test_a_cantilever_bends(held):
    np.testing.assert_allclose(held[:4] / BENDING, np.repeat(CANTILEVER, 2), rtol=0.01)


def test_a_cantilever_vibrates_along_its_axis(held):
    """π / 2 · √(E / ρ) / L, which no bending mode is near to."""
    along = 0.5 * np.pi * np.sqrt(E / DENSITY) / L
    assert np.abs(held / along - 1.0).min() < 0.01


def test_a_free_beam_bends_and_has_six_rigid_motions():
    w = frequencies(beam(SIZE, (50, 2, 2), E, 0.0, DENSITY, fix="", markers=""), 10)
    assert (w[:6] == 0.0).all()
    np.testing.assert_allclose(w[6:] / BENDING, np.repeat(FREE, 2), rtol=0.01)


def test_a_cantilever_twists():
    """π / 2 · √(G J / ρ I_p) / L of a square section: J = 0.1405770 a⁴, I_p = a⁴ / 6. The only mode that
    has no twin but the axial one. Triquadratic elements: their lumped mass has the right I_p, and they warp.
    """
    w = frequencies(beam(SIZE, (10, 2, 2), E, 0.0, DENSITY, markers="", elements="hex27"))
    twin = np.isclose(w[:, None], w, rtol=1e-6).sum(axis=1) > 1
    expected = 0.5 * np.pi * np.sqrt(0.5 * E / DENSITY * 6.0 * 0.1405770) / L
    assert w[~twin][0] == pytest.approx(expected, rel=0.01)


def cube(elements, n):
    """ω a (ρ/μ)^½ of the elastic modes of a free cube of n³ hexahedra, lowest first."""
    young = 2.0 * (1.0 + POISSON)  # μ = 1 Pa
    text = beam((1.0, 1.0, 1.0), (n, n, n), young, POISSON, 1.0, fix="", markers="", elements=elements)
    w = frequencies(text, 18)
    assert (w[:6] == 0.0).all()
    return w[6:][COMPARED]


def test_a_free_cube_has_demarests_frequencies():
    """The lumped mass makes them lower by up to 7 % with 8³ hexahedra, by the order 2; the order of
    higher modes differs with 4³.
    """
    fine, exact = cube("hex8", 8), cube_frequencies(12)[COMPARED]
    np.testing.assert_allclose(fine, exact, rtol=0.07)
    extrapolated = (4.0 * fine - cube("hex8", 4)) / 3.0
    np.testing.assert_allclose(extrapolated[:2], exact[:2], rtol=5e-3)


@pytest.mark.parametrize("elements, n", [("hex8", 5), ("tet10", 3), ("hex27", 2), ("tet4", 4)])
def test_the_modes_are_those_of_the_assembled_matrices(elements, n):
    """Against matrices that scipy assembles from the stiffness at rest."""
    np.testing.assert_allclose(
        cube(elements, n), frequencies_of(elements, n, lumped=True)[COMPARED], rtol=1e-7
    )


def test_damping_of_the_material_gives_rayleighs_ratios():
    """ζ = ½ (α / ω + β ω)."""
    alpha, beta = 20.0, 1e-5
    text = beam(SIZE, (20, 1, 1), E, 0.0, DENSITY, fix=HELD, markers="")
    text = text.replace(
        'name = "metal"', f'name = "metal"\nmass_damping = {alpha}\nstiffness_damping = {beta}'
    )
    modes = done(text, "eigen", about="start", lowest=5).report.modes
    for mode in modes:
        assert mode.zeta == pytest.approx(0.5 * (alpha / mode.omega + beta * mode.omega), rel=1e-6)


@pytest.mark.parametrize("gravity, told", [(0.0, False), (9.81, True)])
def test_rounding_errors_of_a_mesh_without_load_are_no_unbalanced_force(gravity, told):
    text = beam((0.1,) * 3, (2, 2, 2), E, 0.3, DENSITY, gravity=gravity, fix="", markers="", elements="hex27")
    messages = done(text, "eigen", about="start", lowest=7).report.messages
    assert any("no equilibrium" in message for message in messages) is told


def test_a_drawn_mode_deforms_visibly_and_not_more():
    """A twelfth of the extent at most; the body stays where it is."""
    ready = done(beam((0.1,) * 3, (2, 2, 2), E, 0.3, DENSITY, fix="", markers=""), "eigen", about="start")
    states = swinging(ready.problem, ready.report, 6)
    problem, rest = ready.problem, ready.problem.names.nodal[0].rest
    moved = []
    for q in states.q:
        problem.evaluate_at(q)
        problem.call_purpose(NODES)
        moved.append(
            np.abs(problem[Nodal].x.reshape(-1, 3) - rest).max() / np.linalg.norm(np.ptp(rest, axis=0))
        )
    assert 0.05 < max(moved) < 0.09


def test_a_drawn_mode_of_a_body_that_deforms_as_a_whole_is_visible():
    text = (SCENES / "breathing_block/scene.toml").read_text()
    ready = done(text, "eigen", about="start")
    q = swinging(ready.problem, ready.report, 23).q
    assert 0.05 < np.abs(q - q[12]).max() < 0.4
