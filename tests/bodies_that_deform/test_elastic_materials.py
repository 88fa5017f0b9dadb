"""Materials with elastic keys: a body that deforms takes them, and nothing of them is dropped in silence."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from blocks_that_deform import DENSITY, EDGES, LAWS, MASS, SECOND, VOLUME, block
from refusals import refused, warned
from scene_text import body, solver, table

from mbplugin import System
from mbplugin.model import Material
from mbplugin.tables.groups import Bodies

BOX = {"shape": [{"type": "box", "size": list(EDGES)}]}
RUBBER = {"young": 1e5, "poisson": 0.3}


def rubber(**keys):
    return table("material", name="rubber", **(RUBBER | keys))


def soft(**keys):
    """The block of `block`, of a material."""
    return body("block", **({"type": "pseudo_rigid", "material": "rubber", "density": DENSITY} | BOX | keys))


def numbers(runs, text):
    """λ V, μ V [J] and the number of the elastic law."""
    problem = runs.prepare(text + solver(end=1.0)).problem
    (row,) = problem[Bodies].index
    return problem[Bodies].p[row.first_parameter : row.first_parameter + 3]


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="material ")
        yield


@pytest.mark.parametrize("law", LAWS)
def test_a_body_takes_moduli_and_law_of_its_material(runs, law):
    """λ = E ν/((1 + ν)(1 − 2ν)) and μ = E/(2 (1 + ν))."""
    lam, mu = 1e5 * 0.3 / (1.3 * 0.4), 1e5 / 2.6
    found = numbers(runs, rubber(elasticity=law) + soft())
    np.testing.assert_allclose(found, [lam * VOLUME, mu * VOLUME, LAWS.index(law)], rtol=1e-14)
    np.testing.assert_array_equal(found, numbers(runs, block(elasticity=law)))


@pytest.mark.parametrize("text", [rubber(poisson=0.0) + soft(), block(poisson=0.0)], ids=["material", "body"])
def test_poissons_ratio_may_be_zero(runs, text):
    np.testing.assert_allclose(numbers(runs, text), [0.0, 1e5 / 2 * VOLUME, 0.0], rtol=1e-14)


def test_a_body_may_give_what_its_material_does_not(runs):
    found = numbers(runs, table("material", name="rubber", poisson=0.3) + soft(young=1e5))
    np.testing.assert_array_equal(found, numbers(runs, block()))
    of_law = numbers(runs, rubber() + soft(elasticity="neo_hookean"))
    np.testing.assert_array_equal(of_law, numbers(runs, block(elasticity="neo_hookean")))


def test_a_body_may_have_its_density_of_the_material_too(runs):
    text = rubber(density=DENSITY) + soft(density=None) + solver(end=1.0)
    inverse = runs.prepare(text).problem[Bodies].inverse
    np.testing.assert_allclose(1.0 / inverse, np.concatenate([[MASS] * 3, np.tile(SECOND, 3)]), rtol=1e-14)


@pytest.mark.parametrize(
    ("key", "value"), [("young", 2e5), ("poisson", 0.2), ("elasticity", "saint_venant_kirchhoff")]
)
def test_what_both_give_is_refused(runs, key, value):
    with refused(f"body[0].{key}", value):
        runs.prepare(rubber(elasticity="linear") + soft(**{key: value}) + solver(end=1.0))


@pytest.mark.parametrize("key", RUBBER)
def test_what_neither_gives_is_missing(runs, key):
    with refused(f"body[0].{key}"):
        runs.prepare(rubber(**{key: None}) + soft() + solver(end=1.0))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("young", 0.0),
        ("young", -1e5),
        ("poisson", 0.5),
        ("poisson", -1.0),
        ("density", 0.0),
        ("elasticity", "rubber"),
        ("mass_damping", -1.0),
        ("stiffness_damping", -1e-3),
    ],
)
def test_impossible_materials_are_refused_by_their_keys(key, value):
    with refused(f"material[0].{key}", value):
        System.from_text(rubber(**{key: value}) + soft())


def test_numbers_of_a_material_may_be_expressions(runs):
    text = table("parameters", E=5e4) + rubber(young="2*E") + soft()
    np.testing.assert_array_equal(numbers(runs, text), numbers(runs, block()))


def test_a_changed_material_changes_its_body(runs):
    problem = System.from_text(rubber() + soft() + solver(end=1.0)).compile()
    before = problem[Bodies].p[:2].copy()
    problem.set_parameter("material.rubber.young", 3e5)
    np.testing.assert_allclose(problem[Bodies].p[:2], 3.0 * before, rtol=1e-14)


def test_elastic_keys_that_no_body_uses_are_remarked(runs):
    """A rigid body takes none, a pseudo-rigid one no damping, and a material without bodies is idle."""
    lump = body("lump", mass=1.0, inertia=[1, 1, 1], material="rubber")
    with warned("rubber", "lump", "young", "poisson"):
        runs.prepare(rubber() + lump + solver(end=1.0))
    with warned("rubber", "block", "stiffness_damping"):
        runs.prepare(rubber(stiffness_damping=1e-3) + soft() + solver(end=1.0))
    lone = body("lump", mass=1.0, inertia=[1, 1, 1])
    with warned("rubber", "young"):
        runs.prepare(rubber() + lone + solver(end=1.0))


def test_elastic_keys_of_which_one_body_takes_all_are_not_remarked(runs):
    """Remarks on materials are errors here."""
    lump = body("lump", mass=1.0, inertia=[1, 1, 1], material="rubber")
    runs.prepare(rubber() + soft() + lump + solver(end=1.0))


def test_materials_of_python_are_those_of_scenes():
    assert Material(name="rubber", **RUBBER).elastic_keys == ("young", "poisson")
    assert Material(name="ice", friction=0.1).elastic_keys == ()
