"""Runs that begin in their static equilibrium, `[scene] start = "static"`."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import stopped
from scene_text import SCENES, body, joint, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

HOW = {
    "rk": {"tolerance": 1e-10},
    "galpha": {"type": "galpha", "tolerance": 1e-8},
    "contact": {"type": "contact", "step": 1e-3},
}
M, K, G = 3.0, 600.0, 9.81


def hung(how, coordinates, velocity=0.0, **keys):
    """A carriage that slides along x, and a weight below it on a spring along z."""
    text = world(gravity=[0, 0, -G], **keys)
    text += body("carriage", mass=1, inertia=[1, 1, 1], velocity=[velocity, 0, 0])
    text += body("weight", mass=M, inertia=[1, 1, 1], position=[0, 0, -1])
    text += joint("rail", "translational", "ground", "carriage", axis=[1, 0, 0])
    text += joint("spring", "translational", "carriage", "weight", axis=[0, 0, 1], stiffness=K, damping=20)
    return text + solver(**HOW[how], end=1.0, coordinates=coordinates) + table("output", frames=20)


@pytest.mark.parametrize("coordinates", ["maximal", "joint"])
@pytest.mark.parametrize("how", HOW)
def test_it_stays_where_it_begins_and_moves_at_the_given_speed(how, coordinates):
    """The spring is compressed by m g/k from the start; a given velocity moves all of it."""
    result = mb.System.from_text(hung(how, coordinates, 2.0, start="static")).run(files=False)
    z = result["weight"].position[:, 2]
    np.testing.assert_allclose(z, -1.0 - M * G / K, atol=1e-9)
    np.testing.assert_allclose(result["weight"].position[:, 0], 2.0 * result.time, atol=1e-8)
    assert any("equilibrium" in message.text for message in result.messages)
    loose = mb.System.from_text(hung(how, coordinates)).run(files=False)
    assert np.ptp(loose["weight"].position[:, 2]) > 0.05


def test_a_parameter_moves_the_equilibrium():
    text = hung("rk", "joint", start="static").replace("mass = 3.0", 'mass = "weight"')
    problem = mb.System.from_text(table("parameters", weight=M) + text).compile()
    problem.set_parameter("weight", 5.0)
    z = problem.run()["weight"].position[:, 2]
    np.testing.assert_allclose(z, -1.0 - 5.0 * G / K, atol=1e-9)


def test_a_wishbone_rests():
    """The one of the bundled scene stays within 1e-7 m of where it begins."""
    system = mb.System.from_file(
        SCENES / "double_wishbone", set={"scene.start": "static", "solver.end": 0.18}
    )
    x = system.run(files=False)
    for name in x.bodies:
        assert np.ptp(x[name].position, axis=0).max() < 1e-7, name


def test_what_has_no_equilibrium_is_refused():
    text = world(gravity=[0, 0, -G], start="static") + body("ball", mass=1, inertia=[1, 1, 1])
    with stopped(PhysicsError, 0):
        mb.System.from_text(text + solver(end=0.1)).run(files=False)
