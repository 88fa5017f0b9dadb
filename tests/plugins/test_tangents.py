"""Stiffness of what third parties write: kinds without tangents by differences of them alone, and tangents
that are the kind's own.
"""

from __future__ import annotations

import numpy as np
import pytest
from foreign_kinds import Affine, Offset
from headless import Runs
from mbplugin_bodies.spatial import Spatial
from mbplugin_forces.spring_damper import SpringDamper
from refusals import stopped
from scene_text import solver, table
from test_affine import hinged_jelly
from test_offset import SPRING, offset_chain
from whole_system import whole_system

from mbplugin.analysis.tangent.stiffness import damping, stiffness
from mbplugin.errors import PluginError
from mbplugin.interface import ForceKind, hookimpl
from mbplugin.interface.tangent import tangent_of
from mbplugin.kernels import entries
from mbplugin.problem.tangent_plan import body_functions
from mbplugin.tables.groups import State

SCENES = {
    "foreign_affine": hinged_jelly(elasticity=5.0),
    "foreign_offset": offset_chain("foreign_offset") + SPRING,
}


@pytest.mark.parametrize("name", SCENES)
def test_bodies_without_tangents_are_differenced_by_themselves(runs, name):
    problem = runs.prepare(SCENES[name] + solver(end=1.0)).problem
    random = np.random.default_rng(2)
    problem[State].q[3 : problem.nq if name == "foreign_affine" else 3] *= 1.1
    problem[State].v[:] = random.normal(size=problem.nv)
    problem.check(entries.evaluate(problem.addresses))
    lam = random.normal(size=problem.nc)
    K, D = whole_system(problem, lam)
    np.testing.assert_allclose(stiffness(problem, lam), K, atol=1e-10 * np.abs(K).max())
    np.testing.assert_allclose(damping(problem), D, atol=1e-10 * np.abs(D).max())


def test_a_tangent_belongs_to_the_kernel_beside_which_it_stands():
    """A class with a kernel of its own does not inherit the tangent of another kernel."""
    weaker = type("Weaker", (SpringDamper,), {"kernel": staticmethod(lambda a, b, p, wrench: None)})
    renamed = type("Renamed", (SpringDamper,), {"name": "renamed"})
    assert (
        tangent_of(SpringDamper, "tangent", "kernel")
        is tangent_of(renamed, "tangent", "kernel")
        is SpringDamper.tangent
    )
    assert tangent_of(weaker, "tangent", "kernel") is None
    assert body_functions(Spatial) == (Spatial.geometric, Spatial.tangent)
    assert body_functions(Offset) is None and body_functions(Affine) is None


def broken(name: str, body: str) -> type[ForceKind]:
    """A force whose tangent goes wrong."""
    space: dict = {}
    exec(f"def tangent(a, b, p, K):\n    {body}", space)
    return type(name, (SpringDamper,), {"name": name, "kernel": SpringDamper.kernel, **space})


@pytest.mark.filterwarnings("ignore:.*not in an importable module")
@pytest.mark.parametrize(
    ("body", "names"),
    [("raise ValueError('no')", ["ValueError"]), ("K[6, 6] = 1.0 / (a.x[0] - a.x[0])", ["K", "inf"])],
    ids=["raises", "is infinite"],
)
def test_a_tangent_that_fails_is_named_with_its_element(body, names):
    kind = broken("foreign_broken", body)

    class Plugin:
        @hookimpl
        def mbplugin_force_elements(self, register):
            register(kind)

    text = table("body", name="bob", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    text += table("force", name="pull", type="foreign_broken", a="ground", b="bob", stiffness=5)
    problem = Runs.offering(acme=Plugin()).prepare(text + solver(end=1.0)).problem
    with stopped(PluginError, '"pull"', *names):
        stiffness(problem, np.zeros(problem.nc))
