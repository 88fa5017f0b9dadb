"""What results say of contacts: forces, statuses, identities, energies, residuals; in Python and in files."""

from __future__ import annotations

import functools
from math import cos, radians, sin, tan

import mbplugin_contact
import numpy as np
import pytest
from scene_text import body, solver, table, world

import mbplugin as mb
from mbplugin import api
from mbplugin.errors import SceneError
from mbplugin.hooks.load import load_plugins

G = 9.81
OPEN, STICK, SLIP, NEW = range(4)


@functools.cache
def with_contact():
    return load_plugins(extra=[("contact", mbplugin_contact)])


@pytest.fixture(autouse=True)
def offered(monkeypatch):
    monkeypatch.setattr(api, "plugins", with_contact)


def run(text, **keys):
    return mb.System.from_text(text).run(files=False, **keys)


def stack(n, end=0.2, **keys):
    """Boxes of 1, 2, 3, ... kg on the plane "floor"."""
    floor = {"type": "plane", "name": "floor", "size": [1, 1]}
    text = world(collide=True, material="m", shape=[floor]) + table("material", name="m", friction=0.5)
    for k in range(n):
        shape = [{"type": "box", "size": [0.1, 0.1, 0.1]}]
        at, mass = [0, 0, 0.05 + 0.1 * k], 1.0 + k
        text += body(
            f"box{k}", collide=True, material="m", mass=mass, inertia=[mass / 600] * 3, position=at, shape=shape
        )
    return text + solver(type="contact", step=2e-3, end=end, **keys) + table("output", every=0.02)


def incline(angle, mu, v0=0.0, end=0.2, step=1e-3, **material):
    """A block of 2 kg on a slope, and the unit vectors along it and normal to it."""
    turn = {"axis": [0, 1, 0], "angle": angle}
    along, normal = np.array([cos(angle), 0, -sin(angle)]), np.array([sin(angle), 0, cos(angle)])
    floor = {"type": "plane", "size": [2, 2], "orientation": turn}
    text = world(collide=True, material="m", shape=[floor])
    text += table("material", name="m", friction=mu, **material)
    text += body(
        "block",
        collide=True,
        material="m",
        mass=2.0,
        inertia=[0.01] * 3,
        position=list(0.1 * normal),
        orientation=turn,
        velocity=list(v0 * along),
        shape=[{"type": "box", "size": [0.3, 0.3, 0.2]}],
    )
    text += solver(type="contact", step=step, end=end) + table("output", every=0.02)
    return text, along, normal


def ball(height, restitution, end):
    shape = [{"type": "sphere", "radius": 0.1}]
    text = world(collide=True, material="m", shape=[{"type": "plane", "size": [2, 2]}])
    text += table("material", name="m", restitution=restitution)
    text += body(
        "ball", collide=True, material="m", mass=2.0, inertia=[0.008] * 3, position=[0, 0, height], shape=shape
    )
    return text + solver(type="contact", step=1e-3, end=end) + table("output", every=0.005)


@pytest.fixture(scope="module")
def stacked():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "plugins", with_contact)
        return run(stack(3))


def test_the_ground_carries_the_weight_of_a_stack(stacked):
    np.testing.assert_allclose(stacked.contact("ground", "box0").force[1:] / (6 * G), [[0, 0, 1]] * 10, atol=1e-6)
    np.testing.assert_allclose(stacked.contact("box0", "ground").force[-1], [0, 0, -6 * G], atol=1e-6)


def test_every_box_carries_what_stands_on_it(stacked):
    for below, above, weight in (("box0", "box1", 5), ("box1", "box2", 3)):
        pair = stacked.contact(below, above)
        np.testing.assert_allclose(pair.force[-1], [0, 0, weight * G], atol=1e-6)
        assert pair.normal_force[-1] == pytest.approx(weight * G, rel=1e-6)
        np.testing.assert_allclose(pair.torque[-1], 0.0, atol=1e-6)
        assert pair.gap[-1] == pytest.approx(0.0, abs=1e-9)
    assert not stacked.contact("box0", "box2").force.any()


def test_a_shape_of_the_ground_is_named_too(stacked):
    named = stacked.contact("floor", "box0")
    np.testing.assert_array_equal(named.force, stacked.contact("ground", "box0").force)
    with pytest.raises(SceneError, match='did you mean "floor"'):
        stacked.contact("flor", "box0")
