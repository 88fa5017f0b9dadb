"""A body kind of another plugin asks for the volume of the shapes that give the mass."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from headless import Runs
from mbplugin_bodies.spatial import Spatial
from scene_text import body, solver

from mbplugin.interface import Parameters, hookimpl


class NoKeys(Parameters):
    pass


class Voluminous(Spatial):
    """Keeps the volume behind its moments of inertia."""

    name = "foreign_voluminous"

    @staticmethod
    def plan(params, mass, plane, volume):
        plan = Spatial.plan(params, mass, plane)
        plan.parameters.resize(4, refcheck=False)
        plan.parameters[3] = -1.0 if volume is None else volume
        return plan


class WithKeys(Voluminous):
    name = "foreign_voluminous_with_keys"
    parameters = NoKeys


class Offer:
    @hookimpl
    def mbplugin_body_kinds(self, register):
        register(Voluminous)
        register(WithKeys)


@pytest.fixture(scope="module")
def runs():
    return Runs.offering(foreign=Offer())


BOX = {"type": "box", "size": [0.1, 0.2, 0.3]}
BALL = {"type": "sphere", "radius": 0.1, "position": [1, 0, 0]}


@pytest.mark.parametrize("kind", [Voluminous.name, WithKeys.name])
@pytest.mark.parametrize(
    ("keys", "volume"),
    [
        ({"density": 7800.0, "shape": [BOX]}, 0.006),
        ({"shape": [BOX | {"density": 1.0}, BALL | {"density": 2.0}]}, 0.006 + 4e-3 / 3 * pi),
        ({"density": 5.0, "shape": [BOX, BALL | {"density": 0.0}]}, 0.006),
        ({"mass": 1.0, "inertia": [1, 1, 1], "shape": [BOX]}, -1.0),
    ],
    ids=["one shape", "two densities", "a shape without mass", "shapes for pictures"],
)
def test_a_plan_that_names_the_volume_gets_it(runs, kind, keys, volume):
    from mbplugin.tables.groups import Bodies

    problem = runs.prepare(body("lump", type=kind, **keys) + solver(end=1.0)).problem
    (row,) = problem[Bodies].index
    found = problem[Bodies].p[row.first_parameter + 3]
    np.testing.assert_allclose(found, volume, rtol=1e-14)
