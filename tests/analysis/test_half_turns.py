"""Joints whose axes are written more than a right angle apart close with the axes along each other."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import message_with, refused, warned
from scene_text import body, joint, solver, table, world
from scipy.spatial.transform import Rotation

import mbplugin as mb

ACROSS = {"z": [0, 1, 0], "x": [1, 0, 0]}
END = solver(end=0.01) + table("output", frames=2)


def carried(kind, axis, degrees):
    """A body on a turned marker of the ground, which carries a second body on a hinge."""
    place = {"name": "m", "position": [0, 0, 1], "orientation": {"axis": axis, "angle_deg": degrees}}
    ends = [{"name": "m", "position": [0.5, 0, 0]}, {"name": "tip", "position": [-0.5, 0, 0]}]
    return (
        world(marker=[place], gravity=[0, 0, 0])
        + body("b", mass=1.0, inertia=[0.3, 0.4, 0.5], marker=ends)
        + body("c", mass=1.0, inertia=[0.3, 0.4, 0.5], marker=ends)
        + joint("tried", kind, "ground.m", "b.m")
        + joint("hinge", "revolute", "b.tip", "c.m")
        + END
    )


def axes(result, name):
    """(3, 3) axes of a body at the start."""
    return Rotation.from_quat(result[name].orientation[0], scalar_first=True).as_matrix()


#: (axis, degrees) of the default run, and further ones
TURNS = [([1, 0, 0], 95), ([0, -1, 0.3], 120), ([1, 2, 3], 170)]
FURTHER = [(axis, d) for axis, _ in TURNS for d in (95, 120, 170, 179) if (axis, d) not in TURNS]


@pytest.mark.parametrize(
    ("axis", "degrees"), [*TURNS, *(pytest.param(*both, marks=pytest.mark.slow) for both in FURTHER)]
)
@pytest.mark.parametrize("kind", ["fixed", "translational", "revolute", "cylindrical"])
def test_the_axes_of_a_joint_agree_from_any_turn(kind, axis, degrees):
    result = mb.System.from_text(carried(kind, axis, degrees)).run(files=False)
    written = Rotation.from_rotvec(np.radians(degrees) * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    held = slice(0, 3) if kind in ("fixed", "translational") else slice(2, 3)
    np.testing.assert_allclose(axes(result, "b")[:, held], written[:, held], atol=1e-8)
    # what it carries went along: the hinge is closed too
    np.testing.assert_allclose(axes(result, "c")[:, 2], axes(result, "b")[:, 2], atol=1e-8)
    tip, eye = (result[n].position[0] + axes(result, n) @ [x, 0, 0] for n, x in (("b", -0.5), ("c", 0.5)))
    np.testing.assert_allclose(tip, eye, atol=1e-8)
    assert not [m for m in result.messages if "apart" in m.text or "antiparallel" in m.text]


def test_frames_of_a_rigid_connection_coincide_also_from_half_a_turn():
    result = mb.System.from_text(carried("fixed", [1, 0, 0], 180)).run(files=False)
    np.testing.assert_allclose(axes(result, "b"), np.diag([1, -1, -1]), atol=1e-8)


@pytest.mark.parametrize("kind", ["revolute", "translational"])
def test_a_joint_that_is_drawn_closed_the_other_way_stays_so_and_is_told(kind):
    text = carried(kind, [1, 0, 0], 180)
    result = mb.System.from_text(text).run(files=False)
    np.testing.assert_allclose(axes(result, "b"), np.eye(3), atol=1e-8)
    message_with(result.messages, '"tried"')


def test_a_given_angular_velocity_is_still_that_of_the_world():
    """The body is turned over by 100°, and keeps the world's components of its velocity about the hinge."""
    normal = np.array([0, -np.sin(np.radians(120)), np.cos(np.radians(120))])
    text = carried("revolute", [1, 0, 0], 120).replace(
        'name = "b"\n', f'name = "b"\nangular_velocity = {normal.tolist()}\n', 1
    )
    result = mb.System.from_text(text).run(files=False)
    np.testing.assert_allclose(result["b"].angular_velocity[0], normal, atol=1e-8)
    assert result.coordinate("tried.angle").speed[0] == pytest.approx(1.0, abs=1e-8)


FOUR_BAR = [("crank", 0.1, 0.0), ("rocker", 0.15, 0.5)]


@pytest.mark.parametrize("degrees", [130, *(pytest.param(d, marks=pytest.mark.slow) for d in (100, 179))])
def test_a_rod_of_a_loop_is_turned_over(degrees):
    """A four-bar whose rod is turned out of the plane about its own line: it closes where it is drawn."""
    line = np.array([0.5, 0, 0.1])
    text = world(marker=[{"name": n, "position": [x, 0, 0], "orientation": ACROSS} for n, _, x in FOUR_BAR])
    for name, half, x in FOUR_BAR:
        ends = [
            {"name": n, "position": [0, 0, z], "orientation": ACROSS} for n, z in (("o", -half), ("t", half))
        ]
        text += body(name, mass=1.0, inertia=[0.1, 0.1, 0.1], position=[x, 0, half], marker=ends)
        text += joint(f"of_{name}", "revolute", f"ground.{name}", f"{name}.o")
    ends = [
        {"name": n, "position": (s * line / 2).tolist(), "orientation": ACROSS}
        for n, s in (("o", -1), ("t", 1))
    ]
    turned = {"axis": line.tolist(), "angle_deg": degrees}
    text += body(
        "rod", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0.25, 0, 0.25], orientation=turned, marker=ends
    )
    text += joint("c", "revolute", "crank.t", "rod.o") + joint("d", "cylindrical", "rod.t", "rocker.t")
    result = mb.System.from_text(text + END).run(files=False)
    np.testing.assert_allclose(result["rod"].position[0], [0.25, 0, 0.25], atol=1e-8)
    np.testing.assert_allclose(axes(result, "rod"), np.eye(3), atol=1e-7)


def loop(kind):
    """A hinge about z, and a second joint of the same two bodies with its frame turned over."""
    over = {"name": "over", "orientation": {"axis": [1, 0, 0], "angle_deg": 100}}
    return (
        world(marker=[{"name": "m"}], gravity=[0, 0, 0])
        + body("b", mass=1.0, inertia=[0.3, 0.4, 0.5], marker=[{"name": "m"}, over])
        + joint("hinge", "ball", "ground.m", "b.m")
        + joint("tried", kind, "ground.m", "b.over")
        + END
    )


def test_a_rigid_connection_in_a_loop_that_closes_the_other_way_is_refused():
    with refused("joint[1]", "tried"):
        mb.System.from_text(loop("fixed")).run(files=False)


def test_other_joints_in_a_loop_that_close_the_other_way_give_a_warning():
    with warned('"tried"'):
        result = mb.System.from_text(loop("revolute")).run(files=False)
    message_with(result.messages, '"tried"', level="warning")
