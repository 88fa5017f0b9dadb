"""Nodes of finite-element bodies that touch shapes: forces at rest, momenta of impacts, energy,
nodes that move as one, and two meshes.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from bodies_of_elements import block, material
from scene_text import body, solver, table, world

import mbplugin as mb

G, DENSITY, SIZE = 9.81, 1e3, (0.2, 0.2, 0.1)
WEIGHT = DENSITY * G * SIZE[0] * SIZE[1] * SIZE[2]
SOFT = {"young": 1e5, "poisson": 0.0, "stiffness_damping": 6e-3, "friction": 0.5}
CORNERS = [[x, y, z] for x in (-0.15, 0.15) for y in (-0.15, 0.15) for z in (-0.05, 0.05)]


def falling(height: float, **keys) -> str:
    """A soft block with its lower face so high above z = 0."""
    at = [0.0, 0.0, height + SIZE[2] / 2]
    return block(SIZE, (2, 2, 1), position=at, collide=True, **keys)


def ground(*shapes, gravity=(0.0, 0.0, -G)) -> str:
    keys = {"collide": True, "material": "elastic", "shape": list(shapes)} if shapes else {}
    return world(gravity=list(gravity), **keys) + material(**SOFT)


def run(text: str, end: float, frames: int = 20, **keys):
    tables = solver(type="contact", end=end, **keys) + table("output", frames=frames)
    return mb.System.from_text(text + tables).run(files=False)


def along(axis, **keys):
    return {"orientation": {"axis": axis, "angle_deg": 90}, **keys}


#: what a block lies on, with its highest points at z = 0 below nodes of the block
SUPPORTS = {
    "plane": [{"type": "plane"}],
    "box": [{"type": "box", "size": [0.3, 0.3, 0.1], "position": [0, 0, -0.05]}],
    "hull": [{"type": "convex", "points": CORNERS, "position": [0, 0, -0.05]}],
    "capsules": [
        along([0, 1, 0], type="capsule", radius=0.03, length=0.2, position=[0, y, -0.03]) for y in (-0.1, 0.1)
    ],
    "balls": [
        {"type": "sphere", "radius": 0.03, "position": [x, y, -0.03]}
        for x in (-0.1, 0.1)
        for y in (-0.1, 0.1)
    ],
}


#: times until it rests [s]: between few points it swings longer
TIMES = {"capsules": 1.2, "balls": 2.0}
#: part of the mass in the nodes that hit: a corner has 1/16 of that of the lower face, an edge 1/8
HITTING = {"capsules": 1 / 4, "balls": 1 / 8}


@pytest.mark.parametrize("name", SUPPORTS)
def test_a_block_that_has_fallen_rests_with_its_weight(name):
    """Statics. On a plane the one element in the height, with ν = 0, carries half the weight, that of
    nodes of its upper face: the mass centre sinks by ρ g L²/4E.
    """
    result = run(ground(*SUPPORTS[name]) + falling(0.01), TIMES.get(name, 0.4), step=1e-4)
    np.testing.assert_allclose(
        result.contact("ground", "block").force[-1], [0, 0, WEIGHT], atol=1e-3 * WEIGHT
    )
    energy = result.energy
    assert energy.kinetic[-1] < 1e-6 * WEIGHT * 0.01
    fallen = WEIGHT * 0.01
    assert np.abs(energy.balance).max() < 5e-3 * fallen
    # nodes lose what they have when they hit
    assert energy.impacts[-1] > 0.98 * HITTING.get(name, 1 / 2) * fallen
    if name == "plane":
        sunk = DENSITY * G * SIZE[2] ** 2 / (4 * SOFT["young"])
        assert result["block"].center_of_mass[-1, 2] == pytest.approx(SIZE[2] / 2 - sunk, abs=1e-3 * sunk)


def test_a_block_rests_on_a_block_that_deforms_as_a_whole():
    """Weights of both on the ground, of the upper one between them; nothing to the sides."""
    low = body(
        "low", type="pseudo_rigid", material="elastic", collide=True, position=[0, 0, -0.05],
        shape=[{"type": "box", "size": [0.3, 0.3, 0.1]}],
    )  # fmt: skip
    plane = {"type": "plane", "position": [0, 0, -0.1]}
    result = run(ground(plane) + low + falling(0.005), 1.5, step=2.5e-4)
    both = WEIGHT + DENSITY * G * 0.3 * 0.3 * 0.1
    np.testing.assert_allclose(result.contact("low", "block").force[-1], [0, 0, WEIGHT], atol=1e-3 * WEIGHT)
    np.testing.assert_allclose(result.contact("ground", "low").force[-1], [0, 0, both], atol=1e-3 * both)
    assert np.abs(result.energy.balance).max() < 1e-2 * WEIGHT * 0.005


def test_impacts_name_the_shape_that_nodes_strike():
    """A mesh falls on a floor: the impulses of its nodes stop it, and no node has the name of a shape."""
    plane = {"type": "plane", "name": "floor"}
    result = run(ground(plane) + falling(0.02), 0.1)
    impacts = result.impacts
    assert len(impacts) > 0
    assert set(impacts.shape_a) == {"floor"} and set(impacts.shape_b) == {""}
    assert set(impacts.body_b) == {"block"}
    assert 0.0 < impacts.impulse[:, 0].sum() <= result.contact("floor", "block").impulse[-1, 2] + 1e-12


#: a free body of 2 kg that flies against the corner of a block
BULLETS = {
    "ball": {"shape": [{"type": "sphere", "radius": 0.05}]},
    "box": {"shape": [{"type": "box", "size": [0.1, 0.1, 0.1]}]},
    "hull": {"shape": [{"type": "convex", "points": [[x / 3, y / 3, z] for x, y, z in CORNERS]}]},
    "capsule": {"shape": [{"type": "capsule", "radius": 0.05, "length": 0.1}]},
}
BULLET = {
    "mass": 2.0,
    "inertia": [0.01, 0.01, 0.01],
    "position": [0.08, 0.07, 0.18],
    "velocity": [0, 0, -2.0],
}


@pytest.mark.parametrize("bullet", BULLETS.values(), ids=BULLETS)
def test_an_impact_keeps_the_momenta_of_both(bullet):
    """A body flies against the corner of a free block: momentum, angular momentum and the ledger. Angular
    momentum changes by what points of contact move in a step: 7e-5 of it at the default step.
    """
    text = ground(gravity=(0, 0, 0)) + block(SIZE, (2, 2, 1), collide=True)
    text += body("bullet", material="elastic", collide=True, **BULLET, **bullet)
    result = run(text, 0.08, step=1e-4)
    block_mass, one, other = WEIGHT / G, result["block"], result["bullet"]
    v = block_mass * one.center_of_mass_velocity + 2.0 * other.center_of_mass_velocity
    np.testing.assert_allclose(v, np.broadcast_to(v[0], v.shape), atol=1e-12 * np.abs(v).max())
    assert one.center_of_mass_velocity[-1, 2] < -0.05, "it has been hit"
    nodes = result.nodes("block")
    shares = np.where(np.isclose(nodes.rest, 0.0), 0.5, 0.25).prod(axis=1)
    masses = block_mass * shares / shares.sum()
    L = masses @ np.cross(nodes.rest + nodes.displacement, nodes.velocity)
    L += 2.0 * np.cross(other.center_of_mass, other.center_of_mass_velocity) + 0.01 * other.angular_velocity
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=2e-5 * np.abs(L).max())
    energy = result.energy
    assert np.abs(energy.balance).max() < 2e-3 * energy.kinetic[0]
    assert energy.impacts[-1] > 0.0 and energy.dissipated[-1] > 0.0
    # a box and a hull hit flat, and hardly slide
    assert energy.friction[-1] > -1e-7 * energy.kinetic[0]


def test_nodes_that_move_as_one_lie_flat_and_carry_the_weight():
    """The lower face is one rigid part: it stays plane and level, and the force on it is the weight."""
    foot = [{"name": "foot", "nodes": "z-", "coupling": "rbe2"}]
    text = ground({"type": "plane"}) + falling(0.01, marker=foot)
    text += table("variable", name="height", value="component_z(ground, block.foot)")
    result = run(text, 0.4, step=1e-4)
    np.testing.assert_allclose(
        result.contact("ground", "block").force[-1], [0, 0, WEIGHT], atol=1e-3 * WEIGHT
    )
    height = result.output("height")
    assert height[0] == pytest.approx(0.01, abs=1e-12) and abs(height[-1]) < 1e-8
    assert np.abs(result.energy.balance).max() < 5e-3 * WEIGHT * 0.01


def two_blocks(radius: float) -> str:
    """Two blocks that fly towards each other, node against node."""
    text = ground(gravity=(0, 0, 0))
    for name, side in (("left", -1.0), ("right", 1.0)):
        text += block(
            SIZE, (2, 2, 1), name=name, position=[0.12 * side, 0, 0], velocity=[-side, 0, 0], collide=True,
            contact_radius=radius,
        )  # fmt: skip
    return text


def test_nodes_of_two_meshes_touch_as_balls_of_their_radius():
    """By symmetry no node passes its image: the faces stay two radii apart, and both blocks come back."""
    result = run(two_blocks(0.01), 0.1, frames=50)
    one, other = result["left"], result["right"]
    np.testing.assert_allclose(one.center_of_mass[:, 0], -other.center_of_mass[:, 0], atol=1e-12)
    assert one.center_of_mass_velocity[-1, 0] < -0.1
    assert np.abs(result.energy.balance).max() < 1e-2 * result.energy.kinetic[0]


@pytest.mark.parametrize("radius", [0.0, 0.01])
def test_that_balls_of_nodes_do_not_touch_faces_of_another_mesh_is_told(radius):
    """Without radius nodes touch faces, and the blocks come back."""
    result = run(two_blocks(radius), 0.1)
    told = [message.text for message in result.messages if "contact_radius" in message.text]
    assert len(told) == (radius > 0.0)
    assert all('"left" and "right"' in text for text in told)
    assert result["left"].center_of_mass_velocity[-1, 0] < -0.1


@pytest.mark.parametrize(
    ("shape", "radius", "falls"),
    [
        ({"type": "sphere", "radius": 0.08}, 0.01, True),
        ({"type": "sphere", "radius": 0.1}, 0.01, False),
        ({"type": "sphere", "radius": 0.08}, 0.05, False),
        ({"type": "sphere", "radius": 0.08}, 0.0, False),
        ({"type": "capsule", "radius": 0.02, "length": 0.5}, 0.01, True),
        ({"type": "box", "size": [0.3, 0.3, 0.01]}, 0.01, False),
        ({"type": "plane"}, 0.01, False),
    ],
)
def test_what_can_fall_between_the_nodes_of_a_mesh_is_told(runs, shape, radius, falls):
    """What is narrower than two elements of 0.1 m, once for two bodies; not where balls of nodes touch, nor
    where faces do.
    """
    text = ground({**shape, "position": [0, 0, -0.2]}) + falling(0.01, contact_radius=radius)
    messages = runs.prepare(text + solver(type="contact")).assembly.messages
    told = [message for message in messages if "falls between" in message]
    assert len(told) == falls
    if told:
        assert '"ground"' in told[0] and '"block" (0.1 m)' in told[0]


def test_an_elastic_bar_leaves_the_wall_as_the_wave_equation_says():
    """The front of the wave is n^(1/3) elements wide, so that the rebound falls short of v by n^(−2/3)."""
    c, missing = sqrt(1e6 / 1e3), []
    for n in (40, 80):
        wall = {"type": "plane", "orientation": {"axis": [0, 1, 0], "angle_deg": 90}}
        text = world(gravity=[0, 0, 0], collide=True, material="elastic", shape=[wall])
        mesh = {"shape": "beam", "length": 1.0, "section": [0.05, 0.05], "divisions": [n, 1, 1]}
        text += material(poisson=0.0) + body(
            "bar", type="finite_element", material="elastic", mesh=mesh, collide=True,
            position=[0.5001, 0, 0], velocity=[-1.0, 0, 0],
        )  # fmt: skip
        result = run(text, 3.0 / c, frames=600, step=0.5 / n / c)
        force = np.abs(result.contact("ground", "bar").force[:, 0])
        touching = result.time[force > 1e-3 * DENSITY * 0.05**2 * c]
        assert touching[-1] - touching[0] == pytest.approx(2.0 / c, rel=0.015 if n == 40 else 0.01)
        missing.append(1.0 - result["bar"].center_of_mass_velocity[-1, 0])
    assert missing[1] < 0.016
    assert np.log2(missing[0] / missing[1]) == pytest.approx(2.0 / 3.0, abs=0.1)


def test_a_ball_on_balls_of_held_nodes_lies_as_on_four_points():
    """Four nodes of a face, 0.1 m apart, carry it: its centre is √((R + r)² − a²/2) above them, and they
    stay.
    """
    keys = {"collide": True, "contact_radius": 0.01, "fix": [{"nodes": "z+"}]}
    text = ground() + block(SIZE, (3, 3, 1), position=[0, 0, -0.05], **keys)
    ball = {"mass": 1.0, "inertia": [4e-3] * 3, "shape": [{"type": "sphere", "radius": 0.09}]}
    text += body("ball", material="elastic", collide=True, position=[0, 0, 0.11], **ball)
    result = run(text, 0.3)
    np.testing.assert_allclose(result.contact("block", "ball").force[-1], [0, 0, G], atol=1e-9)
    np.testing.assert_allclose(
        result["ball"].position[-1], [0, 0, sqrt(0.01 - 0.5 * (0.2 / 3) ** 2)], atol=1e-7
    )
