"""Accelerations at an instant of what has bounds and of what touches, against closed forms and runs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from child import inside
from refusals import stopped
from scene_text import body, joint, solver, table, world

import mbplugin as mb
from mbplugin.errors import PhysicsError

G, M, MU, L = 9.81, 2.0, 0.4, 2.0
MASS = {"mass": M, "inertia": [0.05, 0.05, 0.05]}
#: parts of the angle of friction
NEARLY, BEYOND = 0.999, 1.001


def tilted(part):
    """Gravity on a slope of this part of the angle of friction, along x and z of the slope."""
    theta = part * np.arctan(MU)
    return [G * np.sin(theta), 0, -G * np.cos(theta)]


def instant(text):
    return mb.System.from_text(text).analyze("acceleration")


def on_a_rail(gravity, velocity=0.0, **keys):
    start = {"speed": velocity} if velocity else None
    held = joint("rail", "translational", "ground", "block", axis=[1, 0, 0], start=start, **keys)
    return world(gravity=gravity) + body("block", **MASS) + held


def on_a_plane(gravity, shape, height, friction=MU, **keys):
    ground = {"collide": True, "material": "stuff", "shape": [{"type": "plane", "size": [9, 9]}]}
    block = {"position": [0, 0, height], "collide": True, "material": "stuff", "shape": [shape]}
    return (
        world(gravity=gravity, **ground)
        + table("material", name="stuff", friction=friction)
        + body("block", **MASS, **block, **keys)
    )


BOX, BALL = {"type": "box", "size": [0.4, 0.4, 0.2]}, {"type": "sphere", "radius": 0.2}


@pytest.mark.parametrize("part", [NEARLY, BEYOND])
def test_block_on_a_slope_sticks_below_the_angle_of_friction_and_slips_above(part):
    gravity = tilted(part)
    a = 0.0 if part < 1 else gravity[0] + MU * gravity[2]
    expected = M * min(gravity[0], -MU * gravity[2])
    on_rail = instant(on_a_rail(gravity, friction=MU))
    (row,) = on_rail.bounds
    assert row.status == ("sticks" if part < 1 else "slips forwards")
    assert row.force == pytest.approx(-expected, rel=1e-9)
    assert on_rail.acceleration[0] == pytest.approx([a, 0, 0], abs=1e-9)
    assert on_rail.reactions[0, 2] == pytest.approx(-M * gravity[2], rel=1e-9)
    on_plane = instant(on_a_plane(gravity, BOX, 0.1))
    assert {one.status for one in on_plane.contacts} == {"sticks" if part < 1 else "slips"}
    assert on_plane.acceleration[0] == pytest.approx([a, 0, 0], abs=1e-7)
    total = sum(one.force for one in on_plane.contacts)
    assert total == pytest.approx([-expected, 0, -M * gravity[2]], abs=1e-6)


def test_friction_opposes_a_block_that_slides():
    report = instant(on_a_rail([0, 0, -G], velocity=-3.0, friction=MU))
    assert report.acceleration[0] == pytest.approx([MU * G, 0, 0])
    assert report.bounds[0].status == "slips backwards"
    touching = instant(on_a_plane([0, 0, -G], BOX, 0.1, velocity=[-3.0, 0, 0]))
    assert touching.acceleration[0] == pytest.approx([MU * G, 0, 0], abs=1e-6)


def test_a_ball_on_a_slope_rolls():
    a = 1.0 / (1.0 + 0.05 / (M * 0.2**2))
    report = instant(on_a_plane([1.0, 0, -G], BALL, 0.2))
    assert report.acceleration[0] == pytest.approx([a, 0, 0], abs=1e-9)
    assert report.angular_acceleration[0] == pytest.approx([0, a / 0.2, 0], abs=1e-8)
    (one,) = report.contacts
    assert (one.a, one.b, one.status) == ("ground", "block", "sticks")
    assert one.local_force[0] == pytest.approx(M * G)


def test_a_smooth_ladder_begins_to_fall_with_the_forces_of_its_supports():
    """Of length L at the angle θ to the floor: α = 3 g cos θ / (2 L)."""
    c, s = np.cos(1.0), np.sin(1.0)
    ends = [{"name": n, "position": [k * L / 2, 0, 0]} for n, k in (("foot", -1), ("head", 1))]
    ladder = {"position": [-c * L / 2, 0, s * L / 2], "orientation": {"axis": [0, -1, 0], "angle": 1.0}}
    inertia = M * L**2 / 12
    report = instant(
        world(gravity=[0, 0, -G])
        + body("ladder", mass=M, inertia=[inertia, inertia, inertia], marker=ends, **ladder)
        + table("joint", name="floor", type="unilateral", gap="component_z(ground, ladder.foot)")
        + table("joint", name="wall", type="unilateral", gap="-component_x(ground, ladder.head)")
    )
    forces = {one.name: one.force for one in report.bounds}
    assert forces["floor.gap"] == pytest.approx(M * G * (1 - 0.75 * c * c), rel=1e-10)
    assert forces["wall.gap"] == pytest.approx(0.75 * M * G * s * c, rel=1e-10)
    assert abs(report.angular_acceleration[0, 1]) == pytest.approx(1.5 * G * c / L, rel=1e-10)


@pytest.mark.parametrize(("pull", "tension"), [(0.0, M * G), (5.0, M * (G - 5.0)), (12.0, 0.0)])
def test_a_rope_is_taut_as_long_as_its_load_hangs(pull, tension):
    """One rope is taut or goes slack, the longer one beside it is slack."""
    report = instant(
        world(gravity=[0, 0, pull - G])
        + body("load", **MASS, position=[0, 0, -1])
        + joint("short", "rope", "ground", "load", length=1.0)
        + joint("long", "rope", "ground", "load", length=1.1)
    )
    short, long = report.bounds
    assert (short.status, long.status) == ("taut" if tension else "slack", "slack")
    assert (short.force, long.force) == (pytest.approx(tension, abs=1e-10), 0.0)
    assert report.acceleration[0, 2] == pytest.approx(max(pull - G, 0.0), abs=1e-12)


def test_limits_efforts_and_clutches_hold_as_far_as_they_can():
    pressed = instant(on_a_rail([1.5, 0, -G], limits=[-1.0, 0.0]))
    assert [one.status for one in pressed.bounds] == ["free", "at limit"]
    assert [one.force for one in pressed.bounds] == pytest.approx([0.0, 3.0])
    weak = on_a_rail([1.5, 0, -G]) + table("motion", joint="rail", length="0", effort_limit=1.0)
    report = instant(weak)
    assert report.bounds[0].status == "at lower effort"
    assert report.acceleration[0, 0] == pytest.approx(1.5 - 1.0 / M)
    assert report.drive == pytest.approx([-1.0])
    locked = instant(on_a_rail([-1.5, 0, -G], one_way="positive"))
    assert (locked.bounds[0].status, locked.bounds[0].force) == ("locked", pytest.approx(3.0))


@pytest.mark.parametrize(("friction", "unique"), [(0.0, True), (0.5, False)])
def test_how_two_posts_share_a_thrust_is_not_unique_with_friction(friction, unique):
    """Friction may push the beam's ends against each other; normal forces follow from moments."""
    rough = {"collide": True, "material": "stuff"}
    posts = [{"type": "sphere", "radius": 0.2, "position": [x, 0, -0.3]} for x in (-1.0, 1.0)]
    beam = {"shape": [{"type": "box", "size": [3.0, 0.4, 0.2]}], **rough}
    report = instant(
        world(gravity=[0, 0, -G], shape=posts, **rough)
        + table("material", name="stuff", friction=friction)
        + body("beam", **MASS, **beam)
    )
    assert [one.local_force[0] for one in report.contacts] == pytest.approx([M * G / 2] * 2)
    assert any("not unique" in text for text in report.messages) != unique


def test_a_run_of_contact_begins_so():
    """Its first forces tend to those of the instant with its step, also of a ball that spins as it slides."""
    text = on_a_plane([1.0, 0, -G], BALL, 0.2, velocity=[2.0, 0.5, 0], angular_velocity=[0, -3.0, 4.0])
    report, errors = instant(text), []
    for step in (2e-3, 1e-3):
        result = mb.System.from_text(text + solver(type="contact", step=step, end=0.01)).run(files=False)
        errors.append(np.abs(result["block"].acceleration[0] - report.acceleration[0]).max())
    assert report.contacts[0].status == "slips"
    assert errors[1] < 0.6 * errors[0] + 1e-6 < 0.05


def test_what_is_struck_has_no_accelerations():
    with stopped(PhysicsError, "block", "ground", "1", time=0.0):
        instant(on_a_plane([0, 0, -G], BOX, 0.1, velocity=[0, 0, -1.0]))


def test_a_box_above_the_floor_falls():
    report = instant(on_a_plane([0, 0, -G], BOX, 0.3))
    assert report.acceleration[0] == pytest.approx([0, 0, -G])
    assert all(one.status == "open" for one in report.contacts)


def test_the_command_prints_statuses_and_forces(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(on_a_plane([0, 0, -G], BALL, 0.2))
    document = json.loads(inside("analyze", scene, "acceleration", "--json", cwd=tmp_path).stdout)
    (one,) = document["contacts"]
    assert one["status"] == "sticks" and one["force"] == pytest.approx([0, 0, M * G])
    scene.write_text(on_a_rail([1.5, 0, -G], friction_force=9.0))
    done = inside("analyze", scene, "acceleration", "-o", "out", cwd=tmp_path)
    assert "rail.length.friction" in done.stdout and "sticks" in done.stdout
    force = mb.load(tmp_path / "out").joint("rail").force[0]
    assert force == pytest.approx([0, 0, M * G])
