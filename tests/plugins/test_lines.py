"""A kind of a plugin is drawn as lines between its markers, and a pair of markers that it does not have is
refused.
"""

from __future__ import annotations

import numpy as np
import pytest
from headless import Runs
from mbplugin_forces.spring_damper import SpringDamper
from refusals import stopped
from scene_text import NO_GRAVITY, body, solver, table

from mbplugin.errors import PluginError
from mbplugin.interface import hookimpl

SCENE = (
    NO_GRAVITY
    + body(
        "bob",
        mass=1.0,
        inertia=[0.1, 0.1, 0.1],
        position=[0.5, 0, 0],
        marker=[{"name": "eye", "position": [0, 0.1, 0]}],
    )
    + table("force", name="spring", type="drawn_spring", a="ground", b="bob.eye", stiffness=40.0)
    + solver(end=0.3)
)


def runs(lines):
    drawn = type("Drawn", (SpringDamper,), {"name": "drawn_spring", "lines": lines})

    class Plugin:
        @staticmethod
        @hookimpl
        def mbplugin_force_elements(register):
            register(drawn)

    return Runs.offering(drawn=Plugin)


def test_the_ends_are_where_the_markers_are():
    (frame,) = runs(((1, 0),)).frames(SCENE, [0.3])
    assert frame["lines/ends"].shape == (1, 2, 3)
    np.testing.assert_allclose(frame["lines/ends"][0], [[0.5, 0.1, 0], [0, 0, 0]], atol=1e-12)


@pytest.mark.parametrize("lines", [((0, 2),), (0, 1), ((0, 1, 1),), (("a", "b"),)])
def test_markers_that_are_not_there_are_refused(lines):
    with stopped(PluginError, '"drawn_spring"', "`lines`"):
        runs(lines).prepare(SCENE)
