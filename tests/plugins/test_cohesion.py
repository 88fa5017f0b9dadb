"""A law from a foreign distribution: bodies hang, stick and slide as a pull at every contact point says."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest
from mbplugin_contact.arrays import Contacts
from refusals import refused
from scene_text import body, changed, joint, solver, table, world

from mbplugin.tables.groups import TransientRows

M, G, POINTS = 2.0, 9.81, 4
SIZE = (0.3, 0.3, 0.2)


def block(angle, pull, friction=0.0, **keys):
    """A block under a ceiling or on an incline that descends along x at `angle` [rad]; pull in all [N]."""
    turned = {"orientation": {"axis": [0, 1, 0], "angle": angle}}
    normal = np.array([sin(angle), 0.0, cos(angle)])
    x, y, z = SIZE
    inertia = [M / 12 * (y * y + z * z), M / 12 * (x * x + z * z), M / 12 * (x * x + y * y)]
    law = {"type": "foreign_cohesive", "cohesion": pull / POINTS, **keys}
    return (
        world(collide=True, shape=[{"type": "plane", **turned}])
        + table("contact", a="ground", b="block", friction=friction, **law)
        + body(
            "block",
            mass=M,
            inertia=inertia,
            position=list(0.5 * z * normal),
            collide=True,
            shape=[{"type": "box", "size": list(SIZE)}],
            **turned,
        )
        + solver(type="contact", step=1e-3, end=10.0)
    )


@pytest.mark.parametrize("part", [1.001, 2.0])
def test_a_block_hangs_from_a_ceiling_that_pulls_enough(runs, part):
    first, frame = runs.frames(block(np.pi, part * M * G), [1e-3, 2.0])
    np.testing.assert_allclose(frame["bodies/position"], first["bodies/position"], atol=1e-12)
    assert frame["lists/contacts/force"].sum(axis=0) == pytest.approx([0, 0, M * G], abs=1e-6)


@pytest.mark.parametrize(("part", "holds"), [(1.001, True), (0.999, False)])
def test_it_holds_a_link_in_joint_coordinates(runs, part, holds):
    """A block under the ceiling on a rail that carries it: the pull bears its weight, not the joint."""
    text = block(np.pi, part * M * G) + joint("rail", "translational", "ground", "block", axis=[0, 0, 1])
    frame = runs.frames(changed(text, "[solver]\n", '[solver]\ncoordinates = "joint"\n'), [0.2])[0]
    fallen = -frame["bodies/position"][0, 2] - 0.5 * SIZE[2]
    assert fallen == pytest.approx(0.0 if holds else 0.5 * G * 0.2**2, rel=2e-2, abs=1e-12)
    assert frame["lists/contacts/force"].sum(axis=0) == pytest.approx([0, 0, M * G * holds], abs=1e-6)
    assert frame["joints/force"][0] == pytest.approx([0, 0, 0], abs=1e-6)


def test_contacts_that_pull_are_remembered(runs):
    """Those of a block that hangs, whose impulses are negative."""
    prepared = runs.prepare(block(np.pi, 2.0 * M * G))
    integrator = prepared.start(1e9)
    while integrator.time < 3.5e-3:
        integrator.advance(5e-3, np.inf, 10**9)
    contacts, n = prepared.problem[Contacts], int(prepared.problem[TransientRows].used[0])
    assert n == POINTS and (prepared.problem[TransientRows].impulse[: 3 * n : 3] < 0.0).all()
    assert list(contacts.fresh[:n]) == [0] * n


def test_it_falls_freely_from_one_that_does_not(runs):
    early, late = runs.frames(block(np.pi, 0.999 * M * G), [0.1, 0.2])
    # the pull ends with the contact, after the first step
    rise = [0.5 * G * t * t for t in (0.1, 0.2)]
    fallen = [-frame["bodies/position"][0, 2] - 0.5 * SIZE[2] for frame in (early, late)]
    assert fallen == pytest.approx(rise, rel=2e-2)
    assert early["bodies/velocity"][0, 2] - late["bodies/velocity"][0, 2] == pytest.approx(0.1 * G, rel=1e-9)


@pytest.mark.parametrize(("part", "moves"), [(0.98, False), (1.02, True)])
def test_an_incline_holds_with_its_pull_as_coulomb_says(runs, part, moves):
    angle, pull = radians(40.0), 7.0
    needed = M * G * sin(angle) / (M * G * cos(angle) + pull)
    friction = needed / part
    frame = runs.frames(block(angle, pull, friction), [0.5])[0]
    speed = float(frame["bodies/velocity"][0] @ [cos(angle), 0, -sin(angle)])
    load = M * G * cos(angle) + pull
    expected = 0.5 * (G * sin(angle) - friction * load / M) if moves else 0.0
    assert speed == pytest.approx(expected, abs=1e-12 if not moves else 1e-9)


def test_its_key_is_checked(runs):
    for keys, key, value in (
        ({"cohesion": -1}, "cohesion", -1),
        ({"sticky": 1.0}, "sticky", 1.0),
        ({"type": "foreign_cohesiv"}, "type", "foreign_cohesiv"),
        ({"type": "coulomb"}, "cohesion", 2.5),
    ):
        with refused(f"contact[0].{key}", value):
            runs.prepare(block(0.0, 10.0, **keys))


def test_a_belt_on_a_ceiling_carries_what_it_pulls(runs):
    """With a pull of 3 m g friction may be 2 μ m g: v = 2 μ g t up to the speed of the belt."""
    speed, friction = 0.8, 0.2
    moving = f'"plane", surface_velocity = [{speed}, 0, 0]'
    text = block(np.pi, 3.0 * M * G, friction).replace('"plane"', moving, 1)
    times = [0.05, 0.1, 0.15, 0.3, 0.5]
    v = [frame["bodies/velocity"][0, 0] for frame in runs.frames(text, times)]
    assert v == pytest.approx(np.minimum(2.0 * friction * G * np.array(times), speed), abs=1e-9)


def test_what_hangs_stays_where_it_is_struck_in_turn(runs):
    """A ball hits a block from the side that hangs from a smooth ceiling: the pull does nothing in the
    impact, which both bodies leave with exchanged velocities, and carries the block in the same step.
    """
    text = block(np.pi, 2.0 * M * G).partition("[solver]")[0]
    text += table("contact", a="ball", b="block", restitution=1.0)
    shape = [{"type": "sphere", "radius": 0.05}]
    at = [-0.5 * SIZE[0] - 0.05 - 5e-4, 0.0, -0.5 * SIZE[2]]
    text += body(
        "ball", mass=M, inertia=[1.0] * 3, position=at, velocity=[1, 0, 0], collide=True, shape=shape
    )
    text += solver(type="contact", step=1e-3, end=1.0, impact="sequential")
    frame = runs.frames(text, [0.2])[0]
    assert frame["bodies/velocity"][0] == pytest.approx([1.0, 0, 0], abs=1e-9)
    assert frame["bodies/position"][0, 2] == pytest.approx(-0.5 * SIZE[2], abs=1e-9)
