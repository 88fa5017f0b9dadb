"""Reactions in joint axes: zero in free directions, the driving force separate, and the same whichever body
is called a.
"""

from __future__ import annotations

import numpy as np
import pytest
from mbplugin_joints import KINDS
from scene_text import body, force, joint, motion, solver, torque
from small_systems import planar_pair

#: kinds whose free directions are along or about axes of the joint
HOLDING = [kind for kind in KINDS if kind.row_type == "equality"]
NAMED = [kind for kind in HOLDING if kind.basics and kind.name != "screw"]
FLAT = [kind for kind in HOLDING if getattr(kind.Planar, "basics", ())]
AXES = "xyz"

AS_IT_IS = {"axis": [1, 2, 3], "angle": 0.4}


def pair(kind, swapped=False, other=AS_IT_IS):
    """Text of two bodies with a joint between markers `m`, under loads. Where the joint is swapped, b is its
    first body, and the markers are oriented the other way.
    """
    y = 0.6 if kind == "rod" else 0.0
    tilted = {"axis": [1, 0, 0], "angle": 0.8} if kind == "axes_at_angle" else AS_IT_IS
    marks = lambda at, turned=AS_IT_IS: [
        {"name": "m", "position": at, "orientation": turned},
        {"name": "n", "position": at, "orientation": other},
    ]
    return (
        body(
            "a", mass=1.0, inertia=[0.1, 0.2, 0.25], position=[-0.5, 0.1, 0.2], marker=marks([0.5, 0.2, 0.1])
        )
        + body(
            "b",
            mass=2.0,
            inertia=[0.3, 0.2, 0.4],
            position=[0.6, 0.3, -0.4],
            marker=marks([-0.6, y, 0.7], tilted),
        )
        + joint(
            "tried",
            kind,
            *(("b.n", "a.n") if swapped else ("a.m", "b.m")),
            pitch=0.3 if kind == "screw" else None,
        )
        + force("b", x="2*sin(5*time) + 3", y=1.5, z=-2)
        + torque("a", x=0.4, y=-0.7, z="0.9*cos(4*time)")
        + solver(end=0.4)
    )


def component(frame, direction):
    """What the reaction has along a direction that a joint names, and its size."""
    word, _, axis = direction.partition(" ")[0], *direction.rpartition(" ")[1:]
    part = frame["joints/local_force" if word == "translation" else "joints/local_torque"][0]
    return part[AXES.index(axis)], np.linalg.norm(
        np.hstack([frame["joints/force"][0], frame["joints/torque"][0]])
    )


@pytest.mark.parametrize("kind", NAMED, ids=lambda kind: kind.name)
def test_a_reaction_has_zeros_in_the_free_directions(runs, kind):
    prepared = runs.prepare(pair(kind.name))
    joint = prepared.problem.names.joints[0]
    assert len(joint.free_directions) + len(joint.rows) == 6
    for frame in runs.frames(pair(kind.name), [0.0, 0.2, 0.4]):
        for direction in joint.free_directions:
            found, size = component(frame, direction)
            assert abs(found) <= 1e-13 * size, direction
        world = np.linalg.norm(frame["joints/force"][0]), np.linalg.norm(frame["joints/torque"][0])
        local = (
            np.linalg.norm(frame["joints/local_force"][0]),
            np.linalg.norm(frame["joints/local_torque"][0]),
        )
        np.testing.assert_allclose(local, world, rtol=1e-9)
        assert max(world) > 0.1


@pytest.mark.parametrize("plane", ["xy", "xz"])
@pytest.mark.parametrize("kind", FLAT, ids=lambda kind: kind.name)
def test_a_planar_reaction_has_zeros_in_the_free_directions(runs, kind, plane):
    side = {"xy": "y", "xz": "z"}[plane]
    along = {"xy": [1, 0.4, 0], "xz": [1, 0, 0.4]}[plane]
    axis = None if kind.name in ("pin", "fixed") else along
    scene = planar_pair(kind.name, plane, axis) + force("b", **{"x": 2.0, side: "1 + time"}) + solver(end=0.4)
    joint = runs.prepare(scene).problem.names.joints[0]
    assert len(joint.free_directions) + len(joint.rows) == 3
    for frame in runs.frames(scene, [0.0, 0.4]):
        for direction in joint.free_directions:
            found, size = component(frame, direction)
            assert abs(found) <= 1e-13 * size, direction
        assert np.linalg.norm(frame["joints/force"][0]) > 0.01


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "translational"])
def test_the_drive_of_a_motion_is_separate_from_the_reaction(runs, kind):
    coordinate = "length" if kind == "translational" else "angle"
    driven = pair(kind) + motion("tried", **{coordinate: "0.4*sin(3*time)"})
    free = runs.prepare(driven).problem.names.joints[0].free_directions
    for frame in runs.frames(driven, [0.1, 0.4]):
        for direction in free:
            found, size = component(frame, direction)
            assert abs(found) <= 1e-13 * size, direction
        assert np.abs(frame["coordinates/drive"]).max() > 0.05


#: kinds that say the same of a and b, and how their axes change places
SWAPPED = dict.fromkeys(
    [
        "ball",
        "revolute",
        "translational",
        "fixed",
        "rod",
        "cylindrical",
        "planar",
        "parallel",
        "orientation",
        "screw",
        "constant_velocity",
    ],
    AS_IT_IS,
) | {"universal": None}


@pytest.mark.parametrize("kind", SWAPPED)
def test_swapping_a_and_b_swaps_the_wrenches(runs, kind):
    """F on b at b against F on a at a: equal and opposite, with the moment of the arm."""
    other = SWAPPED[kind]
    if kind == "universal":
        from mbplugin.model.orientation import matrix

        half = 0.2
        R = matrix((np.cos(half), *(np.sin(half) * np.array([1, 2, 3]) / np.sqrt(14))))
        other = {"x": R[:, 1], "z": -R[:, 2]}
    there = runs.frames(pair(kind), [0.0, 0.4])
    back = runs.frames(pair(kind, swapped=True, other=other), [0.0, 0.4])
    for one, two in zip(there, back):
        np.testing.assert_allclose(two["bodies/acceleration"], one["bodies/acceleration"], atol=1e-6)
        f1, t1, f2, t2 = (
            one["joints/force"][0],
            one["joints/torque"][0],
            two["joints/force"][0],
            two["joints/torque"][0],
        )
        arm = two["joints/position"][0] - one["joints/position"][0]
        np.testing.assert_allclose(f1, -f2, atol=1e-6)
        np.testing.assert_allclose(t1, -(t2 + np.cross(arm, f2)), atol=1e-6)
        assert np.linalg.norm(np.hstack([f1, t1])) > 0.1


def test_the_result_tells_the_directions_by_name(tmp_path):
    import mbplugin as mb

    joint = mb.System.from_text(pair("cylindrical")).run(tmp_path / "out").joint("tried")
    assert joint.free == ("translation along z", "rotation about z")
    assert joint.locked == (
        "rotation about y",
        "rotation about x",
        "translation along x",
        "translation along y",
    )
    np.testing.assert_allclose(joint.local_force[:, 2], 0.0, atol=1e-12)
    assert joint.local_torque.shape == joint.torque.shape
