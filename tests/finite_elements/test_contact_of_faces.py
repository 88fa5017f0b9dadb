"""Faces of finite-element bodies that touch shapes, between their nodes."""

from __future__ import annotations

import numpy as np
import pytest
from bodies_of_elements import block, material
from scene_text import body, joint, solver, table, world

import mbplugin as mb

G, DENSITY, SIZE = 9.81, 1e3, (0.2, 0.2, 0.1)
SOFT = {"young": 1e6, "poisson": 0.3, "stiffness_damping": 2e-4}
#: comes to rest soon
DAMPED = {"young": 1e5, "poisson": 0.0, "stiffness_damping": 6e-3, "friction": 0.5}
BALL = {"mass": 0.1, "inertia": [4e-5] * 3, "shape": [{"type": "sphere", "radius": 0.02}]}
BOX = {"mass": 0.1, "inertia": [4e-5] * 3, "shape": [{"type": "box", "size": [0.05, 0.04, 0.03]}]}


def run(text: str, end: float, frames: int = 20, **keys):
    tables = solver(type="contact", end=end, **keys) + table("output", frames=frames)
    return mb.System.from_text(text + tables).run(files=False)


def ground(gravity=(0.0, 0.0, -G), **keys) -> str:
    return world(gravity=list(gravity)) + material(**{**SOFT, **keys})


def struck(at, n: int = 3, velocity=(0.0, 0.0, -2.0)):
    """A ball thrown at the upper face, z = 0, of a block that stands on held nodes."""
    text = ground((0, 0, 0)) + block(
        SIZE, (n, n, 1), position=[0, 0, -0.05], collide=True, fix=[{"nodes": "z-"}]
    )
    place = [*at, 0.021]
    return text + body(
        "ball", material="elastic", collide=True, position=place, velocity=list(velocity), **BALL
    )


@pytest.mark.parametrize("at", [(0.041, 0.023), (1 / 30, 0.01), (0.0, 0.0)], ids=["face", "edge", "middle"])
def test_the_first_blow_of_a_flat_face_pushes_nothing_sideways(at):
    result = run(struck(at), 8e-4, frames=40, step=2e-5)
    v = result["ball"].velocity
    hit = int(np.flatnonzero(v[:, 2] > -1.99)[0])
    assert np.abs(v[hit, :2]).max() <= 1e-12
    assert result["ball"].position[hit, 2] == pytest.approx(0.02, abs=1e-4)


def test_a_ball_on_the_middle_of_a_face_comes_straight_back():
    """By symmetry, at all times: a face of four nodes has no diagonal."""
    v = run(struck((0.0, 0.0)), 0.03, step=2e-5)["ball"].velocity
    assert v[-1, 2] > 0.1
    assert np.abs(v[:, :2]).max() <= 1e-9


@pytest.mark.parametrize("shape", [BALL, BOX], ids=["ball", "box"])
def test_what_is_smaller_than_an_element_rests_with_its_weight(shape):
    """Above the face, though no node is beneath it."""
    fix = [{"nodes": "z-"}]
    text = ground(**DAMPED) + block(SIZE, (2, 2, 1), position=[0, 0, -0.05], collide=True, fix=fix)
    text += body("it", material="elastic", collide=True, position=[0.05, 0.05, 0.0201], **shape)
    result = run(text, 0.4, step=1e-4)
    weight = 0.1 * G
    np.testing.assert_allclose(result.contact("block", "it").force[-1], [0, 0, weight], atol=1e-3 * weight)
    low = 0.02 if shape is BALL else 0.015
    assert low - 1e-3 < result["it"].position[-1, 2] < low
    assert abs(result["it"].velocity[-1, 2]) < 1e-4


def test_a_blow_between_nodes_keeps_the_momenta_of_both():
    """A ball flies against a face of a free block: momentum, angular momentum and the ledger."""
    text = ground((0, 0, 0)) + block(SIZE, (2, 2, 1), collide=True)
    text += body(
        "ball", material="elastic", collide=True, position=[0.07, 0.03, 0.08], velocity=[0, 0, -2], **BALL
    )
    result = run(text, 0.02, step=5e-5)
    mass, one, other = DENSITY * np.prod(SIZE), result["block"], result["ball"]
    p = mass * one.center_of_mass_velocity + 0.1 * other.center_of_mass_velocity
    np.testing.assert_allclose(p, np.broadcast_to(p[0], p.shape), atol=1e-12 * np.abs(p).max())
    assert one.center_of_mass_velocity[-1, 2] < -0.01, "it has been hit"
    nodes = result.nodes("block")
    shares = np.where(np.isclose(nodes.rest, 0.0), 0.5, 0.25).prod(axis=1)
    L = mass * shares / shares.sum() @ np.cross(nodes.rest + nodes.displacement, nodes.velocity)
    L += 0.1 * np.cross(other.center_of_mass, other.center_of_mass_velocity) + 4e-5 * other.angular_velocity
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=2e-5 * np.abs(L).max())
    assert np.abs(result.energy.balance).max() < 2e-3 * result.energy.kinetic[0]


def test_a_ball_on_held_nodes_lies_on_a_plane():
    text = ground() + block(SIZE, (3, 3, 1), position=[0, 0, -0.05], collide=True, fix=[{"nodes": "z+"}])
    text += body("ball", material="elastic", collide=True, position=[0.01, 0.02, 0.0201], **BALL)
    result = run(text, 0.1)
    np.testing.assert_allclose(result.contact("block", "ball").force[-1], [0, 0, 0.1 * G], atol=1e-9)
    np.testing.assert_allclose(result["ball"].position[-1], [0.01, 0.02, 0.02], atol=1e-8)


def test_nodes_that_move_as_one_carry_a_ball_between_them():
    """The upper face is one rigid part: it stays level beneath a ball on its middle."""
    top = [{"name": "top", "nodes": "z+", "coupling": "rbe2"}]
    text = ground() + block(
        SIZE, (3, 3, 1), position=[0, 0, -0.05], collide=True, fix=[{"nodes": "z-"}], marker=top
    )
    text += body("ball", material="elastic", collide=True, position=[0, 0, 0.0201], **BALL)
    text += table("variable", name="height", value="component_z(ground, block.top)")
    result = run(text, 0.2, step=5e-5)
    np.testing.assert_allclose(result.contact("block", "ball").force[-1], [0, 0, 0.1 * G], atol=1e-3 * G)
    assert result["ball"].position[-1, 2] == pytest.approx(0.02 + result.output("height")[-1], abs=1e-8)


def test_a_mesh_rests_on_faces_of_another():
    """Nodes of each meet faces of the other: the upper weight between them, both on the ground."""
    floor = {"type": "plane", "position": [0, 0, -0.1]}
    text = world(gravity=[0, 0, -G], collide=True, shape=[floor]) + material(**DAMPED)
    text += block((0.3, 0.3, 0.1), (3, 3, 1), name="low", position=[0, 0, -0.05], collide=True)
    text += block(SIZE, (3, 3, 1), name="high", position=[0.02, 0.01, 0.0505], collide=True)
    result = run(text, 0.5, step=1e-4)
    upper, lower = DENSITY * G * np.prod(SIZE), DENSITY * G * 0.3 * 0.3 * 0.1
    np.testing.assert_allclose(result.contact("low", "high").force[-1], [0, 0, upper], atol=5e-3 * upper)
    both = upper + lower
    np.testing.assert_allclose(result.contact("ground", "low").force[-1], [0, 0, both], atol=5e-3 * both)


def test_in_equilibrium_faces_carry_the_weight():
    """A box smaller than an element, at rest by the search of `static`."""
    text = ground(**DAMPED) + block(
        SIZE, (2, 2, 1), position=[0, 0, -0.05], collide=True, fix=[{"nodes": "z-"}]
    )
    text += body("it", material="elastic", collide=True, position=[0.05, 0.05, 0.01501], **BOX)
    report = mb.System.from_text(text + solver(type="contact", end=0.1)).analyze("static")
    total = sum(one.force for one in report.contacts)
    np.testing.assert_allclose(total, [0, 0, 0.1 * G], atol=1e-9 * G)


def test_a_pendulum_strikes_a_face_in_both_coordinates():
    """Positions after some impacts agree to first order in the step."""
    text = ground() + block(SIZE, (2, 2, 1), position=[0.3, 0, -0.45], collide=True, fix=[{"nodes": "z-"}])
    bob = {"mass": 0.5, "inertia": [0.01] * 3, "shape": [{"type": "sphere", "radius": 0.03}]}
    text += body("arm", material="elastic", collide=True, position=[0.3, 0, 0], **bob)
    text += joint("hinge", "revolute", "ground", "arm", at=[0, 0, -0.3], axis=[0, 1, 0])
    one, other = (run(text, 0.4, step=5e-5, coordinates=coordinates) for coordinates in ("maximal", "joint"))
    assert other["arm"].velocity[:, 2].max() > 0.1, "it has come back"
    np.testing.assert_allclose(one["arm"].position, other["arm"].position, atol=5e-5)
    assert np.abs(other.energy.balance).max() < 1e-3 * other.energy.kinetic.max()


def test_a_resumed_run_on_a_face_has_the_same_bits(tmp_path):
    text = ground() + block(SIZE, (2, 2, 1), position=[0, 0, -0.05], collide=True, fix=[{"nodes": "z-"}])
    text += body(
        "ball", material="elastic", collide=True, position=[0.05, 0.03, 0.03], velocity=[0.3, 0, -1], **BALL
    )
    text += solver(type="contact", end=0.1, step=5e-5) + table("output", frames=20)
    system = mb.System.from_text(text)
    whole = system.run(tmp_path / "whole")
    mb.System.from_text(text).run(tmp_path / "cut", end=0.05)
    resumed = mb.System.from_text(text).run(tmp_path / "cut", resume=True)
    assert np.array_equal(whole["ball"].position[-1], resumed["ball"].position[-1])
    assert np.array_equal(whole.nodes("block").displacement[-1], resumed.nodes("block").displacement[-1])
