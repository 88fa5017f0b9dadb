"""Quantities that are computed from a result when they are asked for: of markers, ropes and contacts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from refusals import refused
from scene_text import body, joint, motion, solver, table, world

import mbplugin as mb
from mbplugin.cli.info import info_result
from mbplugin.results.computed import PAIR
from mbplugin.results.quantities import curves
from mbplugin.results.stored_names import nearest_names

G = 9.81
CUBE = {"mass": 1.0, "inertia": [0.01, 0.01, 0.01]}
SHAPE = [{"type": "sphere", "radius": 0.1}]
#: two balls one on the other, and one far away that falls
STACK = (
    world(collide=True, shape=[{"type": "plane", "size": [9, 9]}])
    + body("low", position=[0, 0, 0.1], collide=True, shape=SHAPE, **CUBE)
    + body("top", position=[0, 0, 0.3], collide=True, shape=SHAPE, **CUBE)
    + body("far", position=[3, 0, 2], collide=True, shape=SHAPE, **CUBE)
    + solver(type="contact", end=0.05, step=0.005)
    + table("output", frames=5)
)
#: an arm that turns at 2 rad/s, a pulley at rest with two strands to its second load, and a stretched spring
ROPES = (
    world(marker=[{"name": "left", "position": [-1, 0, 2]}, {"name": "right", "position": [1, 0, 2]}])
    + body("arm", position=[5, 0, 0], marker=[{"name": "tip", "position": [0.5, 0, 0.3]}], **CUBE)
    + joint("hinge", "revolute", "ground", "arm", at=[5, 0, 0], axis=[0, 0, 1])
    + motion("hinge", angle="2*time")
    + body("light", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[-1, 0, 1])
    + body("heavy", mass=2.0, inertia=[0.1, 0.1, 0.1], position=[1, 0, 1])
    + table(
        "joint",
        name="rope",
        type="pulley",
        markers=["ground.left", "light", "ground.right", "heavy"],
        ratio=2.0,
    )
    + table("force", type="spring_damper", name="spring", a="light", b="heavy", stiffness=1e-9, length=0.5)
    + solver(end=0.5)
    + table("output", frames=5)
)


@pytest.fixture(scope="module")
def stack():
    return mb.System.from_text(STACK).run(files=False)


@pytest.fixture(scope="module")
def ropes():
    return mb.System.from_text(ROPES).run(files=False)


def values(result, name):
    """(frames, components) of a quantity."""
    return np.column_stack([curve.values for curve in result.columns(name)[1:]])


def test_a_marker_has_a_path_and_a_velocity(ropes):
    angle = 2.0 * ropes.time
    path = np.column_stack([5 + 0.5 * np.cos(angle), 0.5 * np.sin(angle), np.full(len(angle), 0.3)])
    np.testing.assert_allclose(values(ropes, "arm.tip.position"), path, atol=1e-9)
    velocity = np.column_stack([-np.sin(angle), np.cos(angle), 0 * angle])
    np.testing.assert_allclose(values(ropes, "body.arm.tip.velocity"), velocity, atol=1e-9)
    assert ropes.columns("arm.tip.position.x")[1].heading == "body.arm.tip.position.x [m]"
    assert [c.label for c in ropes.columns("body.*.tip.velocity.z")[1:]] == ["body.arm.tip.velocity.z"]
    figure = ropes.plot("arm.tip.position.y", against="arm.tip.position.x")
    np.testing.assert_allclose(figure.axes[0].lines[0].get_xdata(), path[:, 0], atol=1e-9)


def test_a_sweep_keeps_paths_of_markers(ropes):
    system = ropes.system
    swept = mb.sweep(system, {"body.arm.mass": [1.0, 2.0]}, "arm.tip.position", progress=False)
    assert swept.arrays == [f"arm.tip.position.{c}" for c in "xyz"]
    np.testing.assert_allclose(swept["arm.tip.position.x"][1], values(ropes, "arm.tip.position.x")[:, 0])


def test_the_tension_of_a_rope_is_that_of_each_of_its_strands(ropes):
    np.testing.assert_allclose(values(ropes, "rope.tension"), G, rtol=1e-6)
    np.testing.assert_allclose(values(ropes, "rope.force.magnitude"), 2 * G, rtol=1e-6)
    np.testing.assert_allclose(values(ropes, "force.spring.tension"), 1e-9 * 1.5, rtol=1e-6)


def test_only_vectors_have_a_magnitude(ropes):
    for name in ("energy.kinetic", "arm.orientation", "force.spring.wrench"):
        with refused("what", f"{name}.magnitude"):
            ropes.columns(f"{name}.magnitude")


def test_contacts_of_two_have_the_impulse_of_their_step(stack):
    impulse = values(stack, "low.top.step_impulse")
    np.testing.assert_allclose(impulse, 0.005 * values(stack, "contact.low.top.force"), atol=1e-12)
    np.testing.assert_allclose(impulse[-1], [0, 0, 0.005 * G], atol=1e-9)
    np.testing.assert_array_equal(impulse, -values(stack, "contact.top.low.step_impulse"))


def test_a_pattern_finds_the_contacts_of_bodies_that_touch(stack):
    labels = [c.label for c in stack.columns("contact.*.normal_force")[1:]]
    assert labels == ["contact.ground.low.normal_force", "contact.low.top.normal_force"]
    on_low = [c.label for c in stack.columns("contact.*.low.force.z")[1:]]
    assert on_low == ["contact.ground.low.force.z", "contact.top.low.force.z"]
    assert {c.label for c in stack.columns("contact.*")} >= {"contact.residual", "contact.low.top.gap"}


@pytest.mark.parametrize(
    "wrong, key, mend",
    [
        ("contact.low.top", "what", ".normal_force"),
        ("contact.low.tpo.force", "contact", '"top"'),
        ("contact.low.top.normal", "what", '"normal_force"'),
        ("low.top.normalforce", "what", '"normal_force"'),
        ("low.x", "what", '"low.position.x"'),
        ("contact.low", "what", "contact.low.top.force"),
    ],
)
def test_a_wrong_name_of_a_contact_leads_to_the_right_one(stack, wrong, key, mend):
    with refused(key) as caught:
        stack.columns(wrong)
    assert mend in str(caught.value)


def test_a_name_without_its_middle_leads_to_those_that_have_its_words():
    names = ["coordinate.pin.angle.drive", "coordinate.roller.angle.drive", "coordinate.roller.length.drive"]
    assert nearest_names("pin.drive", names) == '; did you mean "coordinate.pin.angle.drive"?'
    found = nearest_names("roller.drive", names)
    assert all(name in found for name in names[1:]) and names[0] not in found


def test_a_marker_that_is_not_there_does_not_lead_to_the_path_of_the_body(stack, ropes):
    with refused("what", "low.tip.position.x") as caught:
        stack.columns("low.tip.position.x")
    assert "did you mean" not in caught.value.mend
    with refused("what", "arm.tpi.position.x") as caught:
        ropes.columns("arm.tpi.position.x")
    assert '"arm.tip.position.x"' in caught.value.mend


def test_two_that_never_touch_are_told(stack):
    with pytest.warns(UserWarning, match='"low" and "far" do not touch'):
        (column,) = stack.columns("contact.low.far.normal_force")[1:]
    assert not column.values.any()
    with pytest.warns(UserWarning, match='"low" and "far" do not touch'):
        stack.plot("contact.low.far.force")


def test_every_quantity_of_a_contact_is_a_column(stack):
    table = stack.contact("low", "top").table()
    assert {name.partition(".")[0] for name in table.columns} == set(PAIR)
    for quantity in PAIR:
        assert curves(stack.raw, f"contact.low.top.{quantity}")


def test_info_lists_what_is_computed(tmp_path, capsys):
    mb.System.from_text(STACK).run(tmp_path / "stack")
    mb.System.from_text(ROPES).run(tmp_path / "ropes")
    capsys.readouterr()
    info_result(str(tmp_path / "stack"), json=True)
    assert json.loads(capsys.readouterr().out)["contacts"] == ["ground.low", "low.top"]
    info_result(str(tmp_path / "ropes"), json=False)
    lines = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines() if "  " in line)
    assert lines["markers"].strip() == "arm.tip"
    assert lines["tensions"].split() == ["joint.rope,", "force.spring"]
    assert lines["plot body.NAME.MARKER."].split() == ["position,", "velocity"]
